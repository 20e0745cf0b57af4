"""What a reader makes of a tape: entries, one a node, and the sessions that they form."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

SHORT: Final = 8  # hex digits by which a session is called


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool that a model asked for."""

    name: str
    input: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call; Tapes before v0.9.0 dropped the id, the text and the flag of an error."""

    id: str
    text: str
    is_error: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether nothing of it was recorded but that there was one."""
        return not (self.id or self.text or self.is_error)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Token counts as a tape has them: None is not recorded. `input` has what the cache took and gave in it."""

    input: int | None = None
    output: int | None = None
    cache_creation: int | None = None
    cache_read: int | None = None

    def __add__(self, other: TokenUsage) -> TokenUsage:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return TokenUsage(
            *(a if b is None else b if a is None else a + b for a, b in pairs),
        )


@dataclass(frozen=True, slots=True)
class TapeEntry:
    """One node. `timestamp` is in UTC; what its tape does not know is None.

    `blocks` are all content blocks as they were stored, of unknown kinds too. Content that cannot be read is
    kept as `raw`, and `is_malformed` says so.
    """

    hash: str
    parent_hash: str | None = None
    role: str | None = None
    text: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    usage: TokenUsage = TokenUsage()
    timestamp: datetime | None = None
    model: str | None = None
    agent_name: str | None = None
    provider: str | None = None
    project: str | None = None
    type: str | None = None
    stop_reason: str | None = None
    duration_ns: int | None = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    raw: str | None = None
    is_malformed: bool = False

    def says_the_same(self, other: TapeEntry) -> bool:
        """Return whether both are one message, recorded under two names."""
        return self.role == other.role and self.blocks == other.blocks and self.raw == other.raw


@dataclass(frozen=True, slots=True)
class TapeSession:
    """A conversation: its main path in order, and the branches that leave it or each other.

    The main path is the longest, the latest of equally long ones. A branch begins after the entry that it forks
    from, so that every entry is in here once. `faults` say why it is not whole: `orphan`, `cycle`, `limit`.
    """

    root: str
    entries: tuple[TapeEntry, ...]
    branches: tuple[tuple[TapeEntry, ...], ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether it begins at a root and all of it was read."""
        return not self.faults

    @property
    def short(self) -> str:
        """The hex digits that it is called by."""
        return self.root[:SHORT]

    @property
    def head(self) -> str:
        """The last hash of the main path."""
        return self.entries[-1].hash if self.entries else self.root

    def all_entries(self) -> Iterator[TapeEntry]:
        """Yield every entry once: the main path, then branch by branch."""
        yield from self.entries
        for branch in self.branches:
            yield from branch

    def paths(self) -> tuple[tuple[TapeEntry, ...], ...]:
        """Return each way from the root to a leaf, the main path first; what they share is in each."""
        by_hash = {entry.hash: entry for entry in self.all_entries()}
        leaves = [self.entries[-1:], *(branch[-1:] for branch in self.branches)]
        return tuple(_way(by_hash, leaf[0]) for leaf in leaves if leaf)

    def usage(self) -> TokenUsage:
        """Return what all replies cost, each counted once, on whichever branch it lies."""
        return total(entry.usage for entry in self.all_entries())


def total(usages: Iterable[TokenUsage]) -> TokenUsage:
    """Return the sum; a count that nobody recorded stays None."""
    return sum(usages, TokenUsage())


def _way(by_hash: Mapping[str, TapeEntry], leaf: TapeEntry) -> tuple[TapeEntry, ...]:
    way: list[TapeEntry] = []
    at = by_hash.get(leaf.hash)
    while at is not None and len(way) < len(by_hash):
        way.append(at)
        at = by_hash.get(at.parent_hash or "")
    return tuple(reversed(way))
