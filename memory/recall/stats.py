"""Memory in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.blackboard.blackboard import Blackboard
    from memory.flow.flows import Flows


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """How many entries there are and how they stand, by scope and by edge.

    `fullness` is the share of a scope's budget of tokens that is used, `pending` what waits at an edge, `faults`
    how often a listener failed.
    """

    scopes: Mapping[str, int]
    statuses: Mapping[str, int]
    closed: int
    fullness: Mapping[str, float]
    pending: Mapping[str, int]
    faults: int

    @property
    def count(self) -> int:
        """How many entries there are."""
        return sum(self.scopes.values())


def stats(blackboard: Blackboard, flows: Flows) -> MemoryStats:
    """Return the numbers of this moment."""
    scopes = {name: blackboard.entries(name) for name in blackboard.scopes()}
    entries = [each for held in scopes.values() for each in held]
    return MemoryStats(
        scopes={name: len(held) for name, held in scopes.items()},
        statuses=Counter(each.status for each in entries),
        closed=sum(bool(each.closed) for each in entries),
        fullness={name: blackboard.fullness(name) for name in scopes},
        pending={name: len(flows.pending(name)) for name in flows.subscriptions},
        faults=sum(blackboard.faults.values()),
    )
