"""What a lesson must be to be delivered, asked before it waits: one that cannot be would hold up all after it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from memory.codec import encode
from memory.errors import MalformedRecord, UnknownScope
from memory.store.knowledge_tables import BY_NAME
from memory.store.long_term import LASTING, TABLE, Taught, entry_in, row_of
from memory.store.run_rows import OutboxRow
from memory.tiers.knowledge import Knowledge
from memory.tiers.lessons import learn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.tiers.lessons import LessonKind


def require_deliverable(kind: LessonKind, payload: Mapping[str, Json]) -> None:
    """Raise MalformedRecord or UnknownScope for a lesson that nobody could take up."""
    try:
        if kind == "entry":
            _require_entry(payload)
        elif kind == "close":
            _require_close(payload)
        else:
            learn(Knowledge(), kind, payload)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"{dict(payload)!r} is no lesson of kind {kind!r} ({error!r}); give all it needs."
        raise MalformedRecord(message) from error


def _require_entry(payload: Mapping[str, Json]) -> None:
    entry, origin = entry_in("run", OutboxRow(1, 0, "entry", payload))
    row_of(entry, Taught(origin, "run", 1))
    if not 1 <= entry.importance <= 10:
        message = f"importance {entry.importance!r} of {entry.kind!r} is not in 1..10."
        raise MalformedRecord(message)
    if not any(fnmatchcase(entry.scope, each) for each in LASTING):
        message = f"{entry.scope!r} does not outlive a run; {', '.join(LASTING)} do."
        raise UnknownScope(message)


def _require_close(payload: Mapping[str, Json]) -> None:
    table, evidence = payload["table"], payload["evidence"]
    words = [
        payload["id"],
        payload["reason"],
        *(evidence if isinstance(evidence, list) else [None]),
    ]
    if (table != TABLE and table not in BY_NAME) or not all(
        isinstance(each, str) for each in words
    ):
        message = f"{encode(payload)} closes nothing; name a table, an id, a reason, and evidence."
        raise MalformedRecord(message)
