"""What a blackboard holds, and what it tells about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.codec import Json

Change: TypeAlias = Literal["write", "forget", "expire", "evict"]


class Entry(NamedTuple):
    """One thing remembered; `seq` grows with every write and never repeats within a lineage.

    A plain tuple, as events are, since several are made every tick.
    """

    seq: int
    scope: str
    kind: str
    tick: int
    game_s: float
    data: Mapping[str, Json]
    tags: frozenset[str]
    importance: int
    expires_s: float | None


class BlackboardEvent(NamedTuple):
    """One change of a blackboard."""

    action: Change
    entry: Entry


class Part(Protocol):
    """Something whose state is saved with each checkpoint and comes back with it."""

    def to_json(self) -> Json:
        """Return the whole state."""

    def restore(self, data: Mapping[str, Json]) -> None:
        """Take over a state that `to_json` returned."""


class EntryStore(Protocol):
    """Where a blackboard leaves its entries; nothing is written before the store commits."""

    def live_entries(self) -> Iterable[Entry]:
        """Return the entries that were committed and not dropped since, oldest first."""

    def put_entry(self, entry: Entry) -> None:
        """Keep `entry` at the next commit."""

    def drop_entry(self, seq: int) -> None:
        """Let go of the entry `seq` at the next commit."""

    def attach(self, name: str, part: Part) -> None:
        """Save `part` with each checkpoint, and restore it from the last one, if there is one."""
