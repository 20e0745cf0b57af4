"""What the kinds of entries have in common wherever they are written: a shape, a key, a way to grow, a limit."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from memory.codec import Record, as_json, from_json
from memory.errors import MalformedRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory.blackboard.entry import Entry
    from memory.codec import Json

    Data: TypeAlias = Mapping[str, Json]


def growing(
    record: type[Record], more: Callable[[Record, Record], Record]
) -> Callable[[Data, Data], Data]:
    """Return the `merge` of a kind whose data are `record`s: `more` makes one of the known and the new."""

    def merge(known: Data, new: Data) -> Data:
        return as_json(more(from_json(record, known), from_json(record, new)))

    return merge


@dataclass(frozen=True, slots=True)
class Kind:
    """The policies of one kind.

    `check` raises MalformedRecord for data of another shape. `key` names what an entry is about; a second entry
    of that name takes the place of the first, as `merge(old, new)` where there is one. `repeats` tells that an entry
    says the same as the newest of its kind, which then stays alone. Of each `group` there are at most `limit`, and
    those of the lowest `rank` go, or the oldest. One that is `lasting` neither expires nor is pruned, and is the last to make room.
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

    def group_of(self, data: Data) -> object:
        """Return the group whose members are limited together."""
        return None if self.group is None else self.group(data)

    def surplus(self, peers: Mapping[int, Entry]) -> list[Entry]:
        """Return those of one group, oldest first by seq, that are over the limit."""
        over = 0 if self.limit is None else len(peers) - self.limit
        if over <= 0:
            return []
        if self.rank is None:
            return list(islice(peers.values(), over))
        return nsmallest(over, peers.values(), key=self.rank)
