"""Several writes as one, if nobody else has written meanwhile to what was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from memory.blackboard.entry import DEFAULT_IMPORTANCE
from memory.codec import require_json
from memory.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from memory.blackboard.entry import Entry
    from memory.blackboard.kinds import Kind
    from memory.codec import Json

    Seen: TypeAlias = tuple[int, str]


class Board(Protocol):
    """What a transaction reads from and writes to."""

    kinds: dict[str, Kind]

    def get(self, scope: str, key: str) -> Entry | None:
        """Return the entry called `key`, or None."""

    def refuse(self, scope: str, kind: str, importance: int, *, by: str) -> None:
        """Raise what `write` raises for who writes where."""

    @property
    def write(self) -> Callable[..., Entry]:
        """What writes one entry and returns it."""


@dataclass(slots=True)
class Transaction:
    """What was read, and what is to be written when the block ends without an error.

    Optimistic: nothing is locked. At the end every version read must still be the one that is there.

    Raises:
        Conflict: at the end, when another version is; nothing was written then, and the block may be tried again.
    """

    blackboard: Board
    tick: int
    game_s: float
    written: list[Entry] = field(default_factory=list)
    _read: dict[tuple[str, str], Seen] = field(default_factory=dict)
    _writes: list[tuple[str, str, Mapping[str, Json], dict[str, Any]]] = field(default_factory=list)

    def read(self, scope: str, key: str) -> Entry | None:
        """Return the entry called `key`, or None, and hold on to its version."""
        entry = self.blackboard.get(scope, key)
        self._read[scope, key] = _seen(entry)
        return entry

    def write(self, scope: str, kind: str, data: Mapping[str, Json], **more: Any) -> None:  # noqa: ANN401
        """Write this at the end; what can be refused is refused now, so that all or nothing is written."""
        importance = more.get("importance", DEFAULT_IMPORTANCE)
        self.blackboard.refuse(scope, kind, importance, by=more.get("by", ""))
        require_json(data)
        policy = self.blackboard.kinds.get(kind)
        if policy is not None:
            policy.admit(data)
            policy.key_of(data)
        self._writes.append((scope, kind, data, more))

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        for (scope, key), seen in self._read.items():
            if _seen(self.blackboard.get(scope, key)) != seen:
                message = f"{key!r} of {scope} was written by another; read it again and retry."
                raise Conflict(message)
        for scope, name, data, more in self._writes:
            entry = self.blackboard.write(
                scope, name, data, tick=self.tick, game_s=self.game_s, **more
            )
            self.written.append(entry)


def _seen(entry: Entry | None) -> Seen:
    """Return what tells one content of a key from any other: a version may come again, a seq never does."""
    return (0, "") if entry is None else (entry.seq, entry.closed)
