"""What a blackboard holds, and what it tells about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.codec import Json

Change: TypeAlias = Literal["write", "revise", "forget", "clear", "expire", "evict"]
Status: TypeAlias = Literal["verified", "inferred", "claim"]

DEFAULT_IMPORTANCE = 3


class Entry(NamedTuple):
    """One thing remembered; `seq` grows with every write and never repeats within a lineage.

    `key` says what it is about and is unique in its scope: written again, it is a new version. A revision changes
    how an entry is judged and keeps its seq. A plain tuple, as events are, since several are made every tick.
    """

    seq: int
    scope: str
    kind: str
    tick: int
    game_s: float
    data: Mapping[str, Json]
    tags: frozenset[str]
    importance: int  # 1 to 10
    expires_s: float | None
    key: str = ""
    version: int = 1
    relevance: float = 1.0  # at game_s; it fades from there on
    utility: float = 0.5  # how useful it proved when it was recalled
    status: Status = "verified"  # cartridge facts are verified, rules infer, models claim
    sources: tuple[str, ...] = ()  # its evidence: keys of entries, "tick:12", "checkpoint:3"
    closed: str = ""  # why it no longer holds; "" while it does


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

    @property
    def run_id(self) -> str:
        """The name that keys made here begin with."""

    def live_entries(self) -> Iterable[Entry]:
        """Return the entries that were committed and not dropped since, by seq."""

    def put_entry(self, entry: Entry) -> None:
        """Keep `entry` at the next commit, in the place of one of its seq if there is one."""

    def drop_entry(self, seq: int) -> None:
        """Let go of the entry `seq` at the next commit."""

    def attach(self, name: str, part: Part) -> None:
        """Save `part` with each checkpoint, and restore it from the last one, if there is one."""
