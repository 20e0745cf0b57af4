"""A view of the entries of one kind as records, which the tiers use to read the blackboard."""

from collections.abc import Iterator, Mapping
from typing import Generic

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import Entry
from memory.codec import Record, from_json


class View(Mapping[str, Record], Generic[Record]):
    """The open entries of `kind` in `scope` as records, by their key without the kind, oldest first.

    It stores no state: a decoded record is cached as long as its entry exists.
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
        return self._decode(entry)

    def __iter__(self) -> Iterator[str]:
        start = len(self.kind) + 1
        return (entry.key[start:] for entry in self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def records(self, limit: int | None = None) -> list[Record]:
        """Return the newest `limit` records, or all, oldest first."""
        if limit == 1:  # called every tick
            last = self._blackboard.entries(self._scope, kind=self.kind, limit=1)
            if last and not last[0].closed:
                return [self._decode(last[0])]
        entries = self._entries()
        return [self._decode(entry) for entry in (entries if limit is None else entries[-limit:])]

    def entry(self, name: str) -> Entry | None:
        """Return the entry of one record, closed or not."""
        return self._blackboard.get(self._scope, f"{self.kind}:{name}")

    def _entries(self) -> list[Entry]:
        found = self._blackboard.entries(self._scope, kind=self.kind)
        if len(self._read) > 2 * len(found) + 16:
            self._read.clear()
        return [entry for entry in found if not entry.closed]

    def _decode(self, entry: Entry) -> Record:
        known = self._read.get(entry.seq)
        if known is not None and known[0].data is entry.data:
            return known[1]
        record = from_json(self._record, entry.data)
        # Stored with the entry, because after a restore another entry may have its seq.
        self._read[entry.seq] = entry, record
        return record
