"""Entries of one kind as records: how a tier looks at the blackboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar

from memory.codec import from_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import Entry


Record = TypeVar("Record", bound="DataclassInstance")


class View(Mapping[str, Record], Generic[Record]):
    """The open entries of `kind` in `scope` as records, by their key without the kind, oldest first.

    It holds nothing of its own: what was read from an entry is kept for as long as the entry lasts.
    """

    def __init__(self, blackboard: Blackboard, scope: str, kind: str, record: type[Record]) -> None:
        self._blackboard = blackboard
        self._scope = scope
        self.kind = kind
        self._record = record
        self._read: dict[int, tuple[Entry, Record]] = {}

    def __getitem__(self, name: str) -> Record:
        entry = self.entry(name)
        if entry is None or entry.closed:
            raise KeyError(name)
        return self._of(entry)

    def __iter__(self) -> Iterator[str]:
        start = len(self.kind) + 1
        return (entry.key[start:] for entry in self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def records(self, limit: int | None = None) -> list[Record]:
        """Return the newest `limit` records, or all, oldest of them first."""
        if limit == 1:  # asked every tick
            last = self._blackboard.entries(self._scope, kind=self.kind, limit=1)
            if last and not last[0].closed:
                return [self._of(last[0])]
        entries = self._entries()
        return [self._of(entry) for entry in (entries if limit is None else entries[-limit:])]

    def entry(self, name: str) -> Entry | None:
        """Return the entry behind one record, also when it is closed."""
        return self._blackboard.get(self._scope, f"{self.kind}:{name}")

    def _entries(self) -> list[Entry]:
        found = self._blackboard.entries(self._scope, kind=self.kind)
        if len(self._read) > 2 * len(found) + 16:
            self._read.clear()
        return [entry for entry in found if not entry.closed]

    def _of(self, entry: Entry) -> Record:
        known = self._read.get(entry.seq)
        if known is not None and known[0].data is entry.data:
            return known[1]
        record = from_json(self._record, entry.data)
        # With the entry, because after a restore its seq may be another one's.
        self._read[entry.seq] = entry, record
        return record
