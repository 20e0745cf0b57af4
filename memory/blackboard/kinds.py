"""What the kinds of entries have in common wherever they are written: a shape, a key, a way to grow, a limit."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memory.errors import MalformedRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.blackboard.entry import Entry
    from memory.codec import Json

    Data: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Kind:
    """The policies of one kind.

    `check` raises MalformedRecord for data of another shape. `key` names what an entry is about; a second entry
    of that name takes the place of the first, as `merge(old, new)` where there is one. `repeats` tells that an entry
    says the same as the newest of its kind, which then stays alone. Of each `group` there are at most `limit`, and
    those of the lowest `rank` go. One that is `lasting` neither expires nor is pruned, and is the last to make room.
    """

    name: str
    check: Callable[[Data], object] | None = None
    key: Callable[[Data], str] | None = None
    merge: Callable[[Data, Data], Data] | None = None
    repeats: Callable[[Data, Data], bool] | None = None
    limit: int | None = None
    group: Callable[[Data], object] | None = None
    rank: Callable[[Entry], tuple[float, ...]] | None = None
    lasting: bool = False

    def admit(self, data: Data) -> None:
        """Raise MalformedRecord where `data` is not what this kind promises."""
        if self.check is not None:
            self.check(data)

    def key_of(self, data: Data) -> str | None:
        """Return what `data` is about, or None where the kind has no names; MalformedRecord when it lacks one."""
        if self.key is None:
            return None
        try:
            return f"{self.name}:{self.key(data)}"
        except (KeyError, TypeError) as error:
            message = (
                f"{dict(data)!r} cannot be named as {self.name!r}: {error} is wrong or absent."
            )
            raise MalformedRecord(message) from error

    def surplus(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return those of `entries` that are over the limit."""
        if self.limit is None:
            return []
        groups: defaultdict[object, list[Entry]] = defaultdict(list)
        for entry in entries:
            groups[self.group(entry.data) if self.group else None].append(entry)
        rank = self.rank or _by_age
        return [
            entry
            for group in groups.values()
            if len(group) > self.limit
            for entry in sorted(group, key=rank)[: len(group) - self.limit]
        ]


def _by_age(entry: Entry) -> tuple[float, ...]:
    return (entry.seq,)
