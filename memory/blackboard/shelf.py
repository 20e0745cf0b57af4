"""The entries of one scope, found by age, by kind and by importance without a search."""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.blackboard.entry import Entry
    from memory.blackboard.scopes import Scope


class Shelf:
    """Entries in the order they were added."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.entries: dict[int, Entry] = {}
        self._kinds: dict[str, dict[int, Entry]] = {}
        # Ordered dictionaries, because a plain one searches for its first key after removals.
        self._ranks: list[OrderedDict[int, Entry]] = [OrderedDict() for _ in range(11)]

    def add(self, entry: Entry) -> None:
        """Put `entry` at the young end."""
        seq = entry.seq
        self.entries[seq] = entry
        self._ranks[entry.importance][seq] = entry
        kind = self._kinds.get(entry.kind)
        if kind is None:
            kind = self._kinds[entry.kind] = {}
        kind[seq] = entry

    def remove(self, entry: Entry) -> None:
        """Take `entry` away."""
        del self.entries[entry.seq]
        del self._kinds[entry.kind][entry.seq]
        del self._ranks[entry.importance][entry.seq]

    def least(self) -> Entry:
        """Return the oldest of the least important entries."""
        for rank in self._ranks:
            if rank:
                return next(iter(rank.values()))
        raise LookupError("an empty shelf has no least entry")

    def of_kind(self, kind: str | None) -> dict[int, Entry]:
        """Return the entries of `kind`, or all, by seq, oldest first."""
        return self.entries if kind is None else self._kinds.get(kind, {})

    def newest(self, kind: str | None, *, since_seq: int, limit: int | None) -> list[Entry]:
        """Return the newest `limit` entries after `since_seq`, oldest of them first."""
        young = takewhile(
            lambda entry: entry.seq > since_seq, reversed(self.of_kind(kind).values())
        )
        found = list(islice(young, limit))
        found.reverse()
        return found
