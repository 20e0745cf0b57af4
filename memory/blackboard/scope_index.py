"""The entries of one scope, indexed by age, kind, key and retention value; and the retention value of an entry."""

from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import count
from math import log
from typing import TypeAlias

from memory.blackboard.entry import Entry, EntryKind, Scope
from memory.tokens import tokens_of

Ranked: TypeAlias = tuple[bool, float, int, int, Entry]

_MIN_UTILITY = 0.05


def decayed_relevance(entry: Entry, now_s: float, decay_per_min: float) -> float:
    """Return the relevance of `entry` at `now_s`: relevance·(1-rate)^minutes."""
    minutes = max(0.0, now_s - entry.game_s) / 60.0
    return float(entry.relevance * (1.0 - decay_per_min) ** minutes)


def retention_value(entry: Entry, decay_per_min: float) -> float:
    """Return the retention value of `entry`, as a logarithm that does not change with time.

    Importance times utility times relevance. All entries of a scope decay at the same rate, so the order of any two is
    constant: the value of an entry that is m minutes older is lower by m times -log(1-rate).
    """
    value = entry.importance * max(entry.utility, _MIN_UTILITY) * max(entry.relevance, 1e-9)
    if not decay_per_min:
        return log(value)
    return log(value) - entry.game_s / 60.0 * log(1.0 - decay_per_min)


class ScopeIndex:
    """Entries in the order they were written; a revised entry keeps its position."""

    def __init__(self, scope: Scope, policies: Mapping[str, EntryKind]) -> None:
        self.scope = scope
        self._policies = policies
        self.changes = 0  # additions, removals and revisions
        self.entries: dict[int, Entry] = {}
        self.keys: dict[str, Entry] = {}
        self._kinds: dict[str, dict[int, Entry]] = {}
        self._groups: dict[str, dict[object, dict[int, Entry]]] = {}  # of kinds with a limit
        self._heap: list[Ranked] = []  # live and removed entries; removed ones are skipped
        self._unranked: list[Entry] = []  # ranked only when needed: most scopes are never full
        self._characters = 0  # counted when the scope has a token budget
        self._tie_breaker = count()  # so that entries are never compared

    def add(self, entry: Entry) -> None:
        """Append `entry`, or replace the entry it revises."""
        seq = entry.seq
        self.changes += 1
        if self.scope.tokens is not None and seq not in self.entries:
            self._characters += _length(entry)
        self.entries[seq] = entry
        self.keys[entry.key] = entry
        self._kinds.setdefault(entry.kind, {})[seq] = entry
        if entry.kind in self._groups:
            self._group(entry)[seq] = entry
        self._unranked.append(entry)
        if len(self._heap) + len(self._unranked) > 2 * len(self.entries) + 64:
            self._heap.clear()
            self._unranked = list(self.entries.values())

    def remove(self, entry: Entry) -> None:
        """Remove `entry`."""
        self.changes += 1
        del self.entries[entry.seq]
        if self.scope.tokens is not None:
            self._characters -= _length(entry)
        del self._kinds[entry.kind][entry.seq]
        if entry.kind in self._groups:
            self._group(entry).pop(entry.seq, None)
        if self.keys.get(entry.key) is entry:
            del self.keys[entry.key]

    def lowest(self) -> Entry:
        """Return the entry with the lowest retention value; of equals, the oldest.

        An entry of a lasting kind, which has its own limit, is returned only when there is no other.
        """
        for each in self._unranked:
            if self.entries.get(each.seq) is each:
                heappush(self._heap, self._ranked(each))
        self._unranked.clear()
        while self._heap:
            _, _, seq, _, entry = self._heap[0]
            if self.entries.get(seq) is entry:
                return entry
            heappop(self._heap)
        raise LookupError("an empty scope has no least entry")

    def of_kind(self, kind: str | None) -> dict[int, Entry]:
        """Return the entries of `kind`, or all, by seq, oldest first."""
        return self.entries if kind is None else self._kinds.get(kind, {})

    def peers(self, entry: Entry) -> dict[int, Entry]:
        """Return the entries that share a limit with `entry`, including it, oldest first."""
        if entry.kind not in self._groups:
            self._groups[entry.kind] = {}
            for each in self.of_kind(entry.kind).values():
                self._group(each)[each.seq] = each
        return self._group(entry)

    def kinds(self) -> dict[str, int]:
        """Return the number of entries of each kind."""
        return {name: len(entries) for name, entries in self._kinds.items() if entries}

    def newest(self, kind: str | None, *, since_seq: int, limit: int | None) -> list[Entry]:
        """Return the newest `limit` entries after `since_seq`, oldest first."""
        found: list[Entry] = []
        for entry in reversed(self.of_kind(kind).values()):
            if entry.seq <= since_seq or len(found) == limit:
                break
            found.append(entry)
        found.reverse()
        return found

    def fullness(self) -> float:
        """Return the used share of the token budget of the scope; 0.0 for a scope without a budget."""
        budget = self.scope.tokens
        return 0.0 if budget is None else tokens_of(self._characters) / budget

    def _group(self, entry: Entry) -> dict[int, Entry]:
        name = self._policies[entry.kind].group(entry.data)
        return self._groups[entry.kind].setdefault(name, {})

    def _ranked(self, entry: Entry) -> Ranked:
        policy = self._policies.get(entry.kind)
        lasting = policy is not None and policy.lasting
        value = retention_value(entry, self.scope.decay_per_min)
        return lasting, value, entry.seq, next(self._tie_breaker), entry


def _length(entry: Entry) -> int:
    return len(str(entry.data))
