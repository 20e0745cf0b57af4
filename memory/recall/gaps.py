"""What memory does not know, as far as it can tell by being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.codec import encode
from memory.recall.query import RECOLLECTION, MemoryQuery
from memory.recall.recollection import recollection_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory.blackboard.blackboard import Blackboard
    from memory.recall.ranking import Searched


def gaps(blackboard: Blackboard, store: Searched, names: Iterable[str]) -> Iterator[str]:
    """Yield recalls that found nothing, and those of `names` that neither a place nor a subject bears."""
    vain: dict[str, bool] = {}
    for scope in blackboard.scopes():
        for entry in blackboard.entries(scope, kind=RECOLLECTION):
            recalled = recollection_of(entry)
            vain[encode(recalled.query)] = not recalled.keys  # the last answer counts
    yield from (f"nothing was found for {query}" for query, is_vain in vain.items() if is_vain)
    for name in names:
        query = MemoryQuery(place=name, subject=name, max_results=1)
        if not store.find(query, now_s=blackboard.game_s):
            yield f"nothing is known of {name}"
