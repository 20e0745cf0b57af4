"""What a recall leaves behind, so that remembering is itself remembered, and judged by how it turned out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from memory.blackboard.scopes import scope_name
from memory.hooks.producers import Produced, Producers
from memory.recall.query import RECOLLECTION, UPKEEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import Entry
    from memory.hooks.registration import Call
    from memory.recall.ranking import Found

KEPT: Final = 0.9  # of a utility, each time it is learnt anew
IMPORTANCE: Final = 2
JUDGED: Final = "judged"  # the tag of a recollection whose outcome is known


@dataclass(frozen=True, slots=True)
class Recollection:
    """One recall: what was asked and why, and the keys and scores of what came back."""

    query: Mapping[str, Any]
    why: str
    keys: tuple[str, ...]
    scores: tuple[float, ...]


def recollection_of(entry: Entry) -> Recollection:
    """Return the recall that `entry` tells of."""
    data = cast("Mapping[str, Any]", entry.data)
    return Recollection(data["query"], data["why"], tuple(data["keys"]), tuple(data["scores"]))


def is_open(entry: Entry) -> bool:
    """Say whether nobody knows yet what the recall that `entry` tells of was good for."""
    return JUDGED not in entry.tags


def watch_actions(producers: Producers, agent_id: str) -> None:
    """Keep every recall and every pruning of `agent_id` in its working memory."""
    working = scope_name(agent_id, "working")
    recalling = "MemoryActions.memory_recall_with_scores"
    producers.register(recalling, _recollection, scope=working, kind=RECOLLECTION)
    producers.register("MemoryActions.memory_prune", _upkeep, scope=working, kind=UPKEEP)


def learn_outcome(blackboard: Blackboard, keys: Iterable[str], *, useful: bool) -> int:
    """Return how many entries are more or less useful now for how recalling them turned out."""
    learnt = 0
    for key in dict.fromkeys(keys):
        for scope in blackboard.scopes():
            entry = blackboard.get(scope, key)
            if entry is not None:
                utility = KEPT * entry.utility + (1.0 - KEPT) * useful
                blackboard.revise(entry, utility=utility)
                learnt += 1
    return learnt


def judge(blackboard: Blackboard, entry: Entry, *, useful: bool) -> int:
    """Return how many entries were judged by what came of the recall that `entry` tells of; it is judged once."""
    if not is_open(entry):
        return 0
    blackboard.revise(entry, tags=entry.tags | {JUDGED})
    return learn_outcome(blackboard, recollection_of(entry).keys, useful=useful)


def _recollection(call: Call, found: Sequence[Found]) -> Produced:
    blackboard: Blackboard = call.instance.blackboard
    asked = dict(zip(("query", "why"), call.args, strict=False)) | dict(call.kwargs)
    return Produced(
        {
            "query": asked["query"].to_json(),
            "why": asked.get("why", ""),
            "keys": [each.entry.key for each in found],
            "scores": [round(each.score.total, 6) for each in found],
        },
        blackboard.tick,
        blackboard.game_s,
        importance=IMPORTANCE,
    )


def _upkeep(call: Call, pruned: int) -> Produced:
    blackboard: Blackboard = call.instance.blackboard
    return Produced({"pruned": pruned}, blackboard.tick, blackboard.game_s, importance=IMPORTANCE)
