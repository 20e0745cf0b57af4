"""How far one subscription has got: all that must come back for it to go on as if nothing had happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.blackboard.entry import Entry
    from memory.codec import Json
    from memory.flow.subscription import MemorySubscription


@dataclass(slots=True)
class Progress:
    """The place of a subscription in what is written to its sources.

    `came` names, for entries after the cursor, the subscriptions they came by: what a subscription has had a part in
    it never carries again, so that circles come to an end.
    """

    subscription: MemorySubscription
    fullness: Callable[[], float]  # of its sources, for its trigger
    cursor: int = 0  # up to this seq everything was carried, or was not for it
    carried_s: float = 0.0
    carried: int = 0
    waiting: int = 0  # entries accepted since; what is let go of meanwhile still counts
    came: dict[int, frozenset[str]] = field(default_factory=dict)
    leaving: dict[int, Entry] = field(default_factory=dict)  # out of their scope before their time

    def wants(self, entry: Entry) -> bool:
        """Return whether `entry` is still to be carried; what has turned out wrong is not."""
        seq = entry.seq
        return (
            seq > self.cursor
            and not entry.closed
            and self.subscription.accepts(entry)
            and self.subscription.name not in self.came.get(seq, ())
        )

    def ways(self, entries: Iterable[Entry]) -> frozenset[str]:
        """Return by which subscriptions comes whatever is made of `entries`."""
        before = (self.came.get(each.seq, frozenset[str]()) for each in entries)
        return frozenset({self.subscription.name}).union(*before)

    def advance(self, cursor: int, carried: int) -> None:
        """Leave behind all up to `cursor`, of which so many were carried."""
        self.cursor = max(self.cursor, cursor)
        self.carried += carried
        self.came = {seq: ways for seq, ways in self.came.items() if seq > self.cursor}

    def to_json(self) -> dict[str, Json]:
        """Return how far it has got; nothing is leaving between two writes."""
        return {
            "cursor": self.cursor,
            "carried_s": self.carried_s,
            "carried": self.carried,
            "waiting": self.waiting,
            "came": [[seq, *sorted(ways)] for seq, ways in sorted(self.came.items())],
        }

    @classmethod
    def of(
        cls,
        subscription: MemorySubscription,
        fullness: Callable[[], float],
        kept: Mapping[str, Any],
    ) -> Progress:
        """Return the progress that `to_json` told of."""
        return cls(
            subscription,
            fullness,
            kept["cursor"],
            kept["carried_s"],
            kept["carried"],
            kept["waiting"],
            {seq: frozenset(ways) for seq, *ways in kept["came"]},
        )
