"""The blackboard: all current entries by scope, with listeners to changes and transactions.

Knows scopes, kinds and game seconds. Knows nothing of the meaning of entries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import (
    DEFAULT_IMPORTANCE,
    BlackboardEvent,
    Change,
    Entry,
    EntryKind,
    EntryStore,
    Scope,
    Status,
    scope_of,
)
from memory.blackboard.scope_index import ScopeIndex
from memory.codec import Json, require_json
from memory.errors import Conflict, Faults, ForbiddenWrite, MalformedRecord, OnFault


class Listener(NamedTuple):
    """A callback for each change in the scopes that match a glob."""

    scope_glob: str
    callback: Callable[[BlackboardEvent], object]


@dataclass(slots=True)
class Transaction:
    """Entries that were read, and writes to apply when the block ends without an error.

    Optimistic: nothing is locked. At the end each version that was read must still be current.

    Raises:
        Conflict: at the end, when a version has changed; then nothing is written, and the block can be retried.
    """

    blackboard: Blackboard
    tick: int
    game_s: float
    written: list[Entry] = field(default_factory=list)
    _read: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    _writes: list[tuple[str, str, Mapping[str, Json], dict[str, Any]]] = field(default_factory=list)

    def read(self, scope: str, key: str) -> Entry | None:
        """Return the entry `key`, or None, and remember its version."""
        entry = self.blackboard.get(scope, key)
        self._read[scope, key] = _version_of(entry)
        return entry

    def write(self, scope: str, kind: str, data: Mapping[str, Json], **args: Any) -> None:  # noqa: ANN401
        """Queue a write for the end; invalid writes are refused now, so that all or none are applied."""
        importance = args.get("importance", DEFAULT_IMPORTANCE)
        self.blackboard.check(self.blackboard.policy(scope), kind, importance, args.get("by", ""))
        require_json(data)
        policy = self.blackboard.kinds.get(kind)
        if policy is not None:
            policy.check(data)
            policy.key_of(data)
        self._writes.append((scope, kind, data, args))

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        if kind is not None:
            return
        for (scope, key), seen in self._read.items():
            if _version_of(self.blackboard.get(scope, key)) != seen:
                message = f"{key!r} of {scope} was written by another; read it again and retry."
                raise Conflict(message)
        for scope, name, data, args in self._writes:
            entry = self.blackboard.write(
                scope, name, data, tick=self.tick, game_s=self.game_s, **args
            )
            self.written.append(entry)


def _version_of(entry: Entry | None) -> tuple[int, str]:
    """Return a value that identifies the content of a key: a version can repeat, a seq never does."""
    return (0, "") if entry is None else (entry.seq, entry.closed)


_REVISABLE: Final = frozenset(
    {"utility", "importance", "relevance", "status", "tags", "sources", "closed"}
)
_EMPTY: Final = ScopeIndex(Scope("", capacity=0), {})  # for scopes that were never written to
# The newest sources that an entry names as evidence; the event log has all.
MAX_SOURCES: Final = 16


class Blackboard:
    """Entries by scope. An error of a listener is counted in `faults` and never reaches the writer."""

    def __init__(
        self, store: EntryStore, kinds: Iterable[EntryKind] = (), on_fault: OnFault | None = None
    ) -> None:
        self.faults = Faults(on_fault)
        self.game_s = 0.0
        self.tick = 0
        # How often the entries were loaded from the store; anything derived before a load may be outdated.
        self.loads = 0
        self.kinds = {kind.name: kind for kind in kinds}
        self._store = store
        self._origin = store.run_id
        self._indexes: dict[str, ScopeIndex] = {}
        self._deadlines: list[tuple[float, int, str]] = []
        self._listeners: tuple[Listener, ...] = ()
        self._by_scope: dict[str, tuple[Listener, ...]] = {}
        self.seq = 0  # of the newest entry ever written on this lineage
        store.attach("blackboard", self)
        if not self.loads:  # no checkpoint has restored it
            self._load()

    def define(self, *kinds: EntryKind) -> None:
        """Add policies for more kinds of entries."""
        self.kinds.update((kind.name, kind) for kind in kinds)

    def write(  # noqa: PLR0913  # one call gives all fields of an entry
        self,
        scope: str,
        kind: str,
        data: Mapping[str, Json],
        *,
        tick: int | None = None,
        game_s: float | None = None,
        tags: Iterable[str] = (),
        importance: int = DEFAULT_IMPORTANCE,
        ttl_s: float | None = None,
        key: str | None = None,
        status: Status = "verified",
        sources: tuple[str, ...] = (),
        by: str = "",
    ) -> Entry:
        """Return the new entry, or the existing entry it was merged into by the policies of its kind.

        Without `tick` and `game_s` the entry has the current time. A kind with a key function ignores `key`. A full
        scope evicts the entry with the lowest retention value.

        Raises:
            MalformedRecord: when `data` is not JSON or not valid for its kind, or importance is not in 1..10.
            ForbiddenWrite: when the scope does not allow the writer `by`.
        """
        index = self._index_of(scope)
        self.check(index.scope, kind, importance, by)
        game_s = self.game_s if game_s is None else game_s
        tick = self.tick if tick is None else tick
        self.expire(game_s)
        self.tick = max(self.tick, tick)
        policy = self.kinds.get(kind)
        version, old = 1, None
        if policy is not None:
            policy.check(data)
            if (same := _repeated(policy, index, data)) is not None:
                return same
            key = policy.key_of(data) or key
        if ttl_s is None and (policy is None or not policy.lasting):
            ttl_s = index.scope.ttl_s
        seq = self.seq + 1
        if key is None:
            key = f"{self._origin}/{seq}"
        elif (old := index.keys.get(key)) is not None:
            version = old.version + 1
            if policy is not None and policy.merge is not None:
                data = policy.merge(old.data, data)
                tags, importance = old.tags.union(tags), max(old.importance, importance)
                sources = tuple(dict.fromkeys((*old.sources, *sources)))[-MAX_SOURCES:]
        entry = Entry(
            seq,
            scope,
            kind,
            tick,
            game_s,
            dict(data),
            frozenset(tags),
            importance,
            None if ttl_s is None else game_s + ttl_s,
            key,
            version,
            1.0,
            0.5 if old is None else old.utility,
            status,
            sources,
        )
        self._store.put_entry(entry)  # first, because it refuses data that is not JSON
        self.seq = seq
        if old is not None:
            self._drop(index, old)
        self._insert(entry, index)
        self._notify("write", entry)
        self._evict(index, policy, entry)
        if entry.expires_s is not None and entry.expires_s <= self.game_s:
            self.expire(self.game_s)  # written after its time to live had ended
        return entry

    def revise(self, entry: Entry, **changes: Any) -> Entry:  # noqa: ANN401  # fields of Entry
        """Return `entry` with new utility, importance, relevance, status, tags, sources or closed.

        Its seq, data and time to live stay the same.

        Raises:
            MalformedRecord: for any other field, an importance not in 1..10, or an entry that was removed.
        """
        index = self._index_of(entry.scope)
        refused = changes.keys() - _REVISABLE
        old = index.entries.get(entry.seq)
        if refused or old is None or old.key != entry.key:
            message = f"{entry.key!r} cannot be revised in {sorted(refused) or 'a scope it has left'}; write it again."
            raise MalformedRecord(message)
        _require_importance(entry.kind, changes.get("importance", old.importance))
        revised = old._replace(**changes)
        revised = revised._replace(tags=frozenset(revised.tags))
        self._store.put_entry(revised)
        index.add(revised)
        self._notify("revise", revised)
        return revised

    def close(self, entry: Entry, reason: str, evidence: Iterable[str] = ()) -> Entry:
        """Return `entry` marked as no longer true for `reason`; it stays stored, with its evidence."""
        now = self.get(entry.scope, entry.key) or entry
        return self.revise(entry, closed=reason, sources=(*now.sources, *evidence))

    def get(self, scope: str, key: str) -> Entry | None:
        """Return the entry `key`, or None."""
        return self._indexes.get(scope, _EMPTY).keys.get(key)

    def entries(
        self, scope: str, *, since_seq: int = 0, kind: str | None = None, limit: int | None = None
    ) -> list[Entry]:
        """Return the newest `limit` entries after `since_seq`, oldest first."""
        return self._indexes.get(scope, _EMPTY).newest(kind, since_seq=since_seq, limit=limit)

    def scopes(self) -> list[str]:
        """Return the names of all scopes that were ever written to."""
        return sorted(self._indexes)

    def count(self, scope: str) -> dict[str, int]:
        """Return the number of entries of each kind in `scope`."""
        return self._indexes.get(scope, _EMPTY).kinds()

    def fullness(self, scope: str) -> float:
        """Return the used share of the token budget of `scope`; 0.0 for a scope without a budget."""
        return self._indexes.get(scope, _EMPTY).fullness()

    def changes(self, scope: str) -> tuple[int, int]:
        """Return a value that changes whenever `scope` changes, and never repeats."""
        return self.loads, self._indexes.get(scope, _EMPTY).changes

    def policy(self, scope: str) -> Scope:
        """Return the policies of `scope`."""
        index = self._indexes.get(scope)
        return scope_of(scope) if index is None else index.scope

    def forget(
        self,
        scope: str,
        *,
        kind: str | None = None,
        through_seq: int | None = None,
        keys: Collection[str] | None = None,
    ) -> int:
        """Return the number of entries removed from `scope`: all, or those of `kind`, up to `through_seq`, or in `keys`."""
        index = self._indexes.get(scope, _EMPTY)
        removed = [
            entry
            for entry in index.of_kind(kind).values()
            if (through_seq is None or entry.seq <= through_seq)
            and (keys is None or entry.key in keys)
        ]
        return sum(self._remove(index, entry, "forget") for entry in removed)

    def clear(self, scope: str) -> int:
        """Return the number of entries removed, which is all that `scope` held."""
        index = self._indexes.get(scope, _EMPTY)
        return sum(self._remove(index, entry, "clear") for entry in list(index.entries.values()))

    def expire(self, game_s: float) -> int:
        """Return the number of entries that expired by `game_s`; each write calls this with its own time."""
        self.game_s = max(self.game_s, game_s)
        count, deadlines = 0, self._deadlines
        while deadlines and deadlines[0][0] <= self.game_s:
            _, seq, name = heappop(deadlines)
            index = self._indexes[name]
            if (entry := index.entries.get(seq)) is not None:
                count += self._remove(index, entry, "expire")
        return count

    def subscribe(self, scope_glob: str, callback: Callable[[BlackboardEvent], object]) -> Listener:
        """Call `callback(event)` for each change in the scopes that match `scope_glob`."""
        listener = Listener(scope_glob, callback)
        self._listeners = (*self._listeners, listener)
        self._by_scope.clear()
        return listener

    def unsubscribe(self, listener: Listener) -> None:
        """Stop the callbacks of one listener; a second time does nothing."""
        self._listeners = tuple(each for each in self._listeners if each is not listener)
        self._by_scope.clear()

    def transaction(self) -> Transaction:
        """Return a transaction at the current tick and game second."""
        return Transaction(self, self.tick, self.game_s)

    def to_json(self) -> dict[str, Json]:
        """Return the counters that cannot be derived from the entries."""
        return {"seq": self.seq, "game_s": self.game_s, "tick": self.tick}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Load the entries that the store holds now, without events."""
        self._load()
        self.seq = max(self.seq, data["seq"])
        self.game_s = max(self.game_s, data["game_s"])
        self.tick = max(self.tick, data["tick"])

    def check(self, scope: Scope, kind: str, importance: int, by: str) -> None:
        """Raise the errors of `write` for this writer, scope and importance."""
        _require_importance(kind, importance)
        if scope.writers != ("*",) and not any(fnmatchcase(by, each) for each in scope.writers):
            message = f"{by or 'an unnamed writer'!r} may not write to {scope.name}; use {scope.writers[0]!r}."
            raise ForbiddenWrite(message)

    def _evict(self, index: ScopeIndex, policy: EntryKind | None, entry: Entry) -> None:
        if policy is not None and policy.limit is not None:
            for each in policy.surplus(index.peers(entry)):
                self._remove(index, each, "evict")
        while len(index.entries) > index.scope.capacity:
            self._remove(index, index.lowest(), "evict")

    def _load(self) -> None:
        self.loads += 1
        self._indexes.clear()
        self._deadlines.clear()
        self.seq, self.game_s, self.tick = 0, 0.0, 0
        for entry in self._store.live_entries():
            self._insert(entry, self._index_of(entry.scope))
            self.seq, self.game_s = entry.seq, max(self.game_s, entry.game_s)
            self.tick = max(self.tick, entry.tick)

    def _index_of(self, name: str) -> ScopeIndex:
        index = self._indexes.get(name)
        if index is None:
            index = self._indexes[name] = ScopeIndex(scope_of(name), self.kinds)
        return index

    def _insert(self, entry: Entry, index: ScopeIndex) -> None:
        index.add(entry)
        if entry.expires_s is not None:
            heappush(self._deadlines, (entry.expires_s, entry.seq, entry.scope))

    def _drop(self, index: ScopeIndex, entry: Entry) -> None:
        index.remove(entry)
        self._store.drop_entry(entry.seq)

    def _remove(self, index: ScopeIndex, entry: Entry, action: Change) -> bool:
        """Return whether `entry` was removed now: a listener to an earlier event may have removed or revised it."""
        found = index.entries.get(entry.seq)
        if found is None:
            return False
        self._drop(index, found)
        self._notify(action, found)
        return True

    def _notify(self, action: Change, entry: Entry) -> None:
        """Call all listeners of the scope of `entry`, in the order they were added."""
        listeners = self._by_scope.get(entry.scope)
        if listeners is None:
            listeners = self._by_scope[entry.scope] = tuple(
                each for each in self._listeners if fnmatchcase(entry.scope, each.scope_glob)
            )
        event = BlackboardEvent(action, entry)
        for listener in listeners:
            try:
                listener.callback(event)
            except Exception as error:  # noqa: BLE001  # a listener must not disturb the writer
                self.faults.note(getattr(listener.callback, "__qualname__", "listener"), error)


def _require_importance(kind: str, importance: int) -> None:
    if not 1 <= importance <= 10:
        message = f"importance {importance!r} of {kind!r} is not in 1..10; give one that is."
        raise MalformedRecord(message)


def _repeated(policy: EntryKind, index: ScopeIndex, data: Mapping[str, Json]) -> Entry | None:
    """Return the newest entry of the kind when `data` repeats it, else None."""
    if policy.repeats is None:
        return None
    last = index.newest(policy.name, since_seq=0, limit=1)
    return last[0] if last and policy.repeats(last[0].data, data) else None
