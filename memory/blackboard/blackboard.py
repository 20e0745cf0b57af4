"""All that an agent remembers at the moment, by scope, with listeners to every change and writes that belong together.

Knows scopes, kinds and game seconds. Knows nothing of what entries mean.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from heapq import heappop, heappush
from types import TracebackType
from typing import Any, Final

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
from memory.blackboard.shelf import Shelf
from memory.codec import Json, require_json
from memory.errors import Conflict, Faults, ForbiddenWrite, MalformedRecord, OnFault


@dataclass(frozen=True, slots=True, eq=False)
class Listener:
    """One who is told of every change in the scopes a glob names, until it is cancelled."""

    blackboard: Blackboard
    scope_glob: str
    callback: Callable[[BlackboardEvent], object]

    def cancel(self) -> None:
        """Stop telling; cancelling twice does nothing."""
        self.blackboard.unsubscribe(self)


@dataclass(slots=True)
class Transaction:
    """What was read, and what is to be written when the block ends without an error.

    Optimistic: nothing is locked. At the end every version read must still be the one that is there.

    Raises:
        Conflict: at the end, when another version is; nothing was written then, and the block may be tried again.
    """

    blackboard: Blackboard
    tick: int
    game_s: float
    written: list[Entry] = field(default_factory=list)
    _read: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    _writes: list[tuple[str, str, Mapping[str, Json], dict[str, Any]]] = field(default_factory=list)

    def read(self, scope: str, key: str) -> Entry | None:
        """Return the entry called `key`, or None, and hold on to its version."""
        entry = self.blackboard.get(scope, key)
        self._read[scope, key] = _seen(entry)
        return entry

    def write(self, scope: str, kind: str, data: Mapping[str, Json], **more: Any) -> None:  # noqa: ANN401
        """Write this at the end; what can be refused is refused now, so that all or nothing is written."""
        importance = more.get("importance", DEFAULT_IMPORTANCE)
        self.blackboard.refuse(self.blackboard.policy(scope), kind, importance, more.get("by", ""))
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


def _seen(entry: Entry | None) -> tuple[int, str]:
    """Return what tells one content of a key from any other: a version may come again, a seq never does."""
    return (0, "") if entry is None else (entry.seq, entry.closed)


_JUDGED: Final = frozenset(
    {"utility", "importance", "relevance", "status", "tags", "sources", "closed"}
)
_NOWHERE: Final = Shelf(Scope("", capacity=0), {})  # what a scope holds that was never written to
# What an entry names as evidence, the newest; all of it is in the event log.
MAX_SOURCES: Final = 16


class Blackboard:
    """Entries by scope. A listener's error is counted in `faults`, never passed to the writer."""

    def __init__(
        self, store: EntryStore, kinds: Iterable[EntryKind] = (), on_fault: OnFault | None = None
    ) -> None:
        self.faults = Faults(on_fault)
        self.game_s = 0.0
        self.tick = 0
        # How often it was read from its store: what was known before may be otherwise.
        self.readings = 0
        self.kinds = {kind.name: kind for kind in kinds}
        self._store = store
        self._origin = store.run_id
        self._shelves: dict[str, Shelf] = {}
        self._deadlines: list[tuple[float, int, str]] = []
        self._listeners: tuple[Listener, ...] = ()
        self._by_scope: dict[str, tuple[Listener, ...]] = {}
        self.seq = 0  # of the newest entry ever written on this lineage
        self._load()
        store.attach("blackboard", self)

    def define(self, *kinds: EntryKind) -> None:
        """Take up policies for more kinds of entries."""
        self.kinds.update((kind.name, kind) for kind in kinds)

    def write(  # noqa: PLR0913  # one call says all there is to know about an entry
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
        """Return the entry just made, or what it became one with, by the policies of its kind.

        It is of this moment where no tick and no game second are given. A kind that has names gives its own, whatever
        `key` is. A full scope loses the entry that is worth least.

        Raises:
            MalformedRecord: when `data` is no JSON or not what its kind promises, or importance not in 1..10.
            ForbiddenWrite: when the scope does not admit `by`.
        """
        shelf = self._shelf(scope)
        self.refuse(shelf.scope, kind, importance, by)
        game_s = self.game_s if game_s is None else game_s
        tick = self.tick if tick is None else tick
        self.expire(game_s)
        self.tick = max(self.tick, tick)
        policy = self.kinds.get(kind)
        version, old = 1, None
        if policy is not None:
            policy.admit(data)
            if (same := _repeated(policy, shelf, data)) is not None:
                return same
            key = policy.key_of(data) or key
        seq = self.seq + 1
        if key is None:
            key = f"{self._origin}/{seq}"
        elif (old := shelf.keys.get(key)) is not None:
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
            self._expiry(shelf.scope, policy, game_s, ttl_s),
            key,
            version,
            1.0,
            0.5 if old is None else old.utility,
            status,
            sources,
        )
        self._store.put_entry(entry)  # first, because it refuses what is not JSON
        self.seq = seq
        if old is not None:
            self._drop(shelf, old)
        self._keep(entry, shelf)
        self._tell("write", entry)
        self._make_room(shelf, policy, entry)
        if entry.expires_s is not None and entry.expires_s <= self.game_s:
            self.expire(self.game_s)  # it was told of too late to last
        return entry

    def revise(self, entry: Entry, **judged: Any) -> Entry:  # noqa: ANN401  # fields of Entry
        """Return `entry` judged anew: its utility, importance, relevance, status, tags, sources or closed.

        It keeps its seq, its content and its time to live.

        Raises:
            MalformedRecord: for any other field, an importance not in 1..10, or an entry that is gone.
        """
        shelf = self._shelf(entry.scope)
        refused = judged.keys() - _JUDGED
        old = shelf.entries.get(entry.seq)
        if refused or old is None or old.key != entry.key:
            message = f"{entry.key!r} cannot be revised in {sorted(refused) or 'a scope it has left'}; write it anew."
            raise MalformedRecord(message)
        _require_importance(entry.kind, judged.get("importance", old.importance))
        revised = old._replace(**judged)
        revised = revised._replace(tags=frozenset(revised.tags))
        self._store.put_entry(revised)
        shelf.add(revised)
        self._tell("revise", revised)
        return revised

    def close(self, entry: Entry, reason: str, evidence: Iterable[str] = ()) -> Entry:
        """Return `entry` marked as no longer true, for `reason`; it stays, with its evidence."""
        now = self.get(entry.scope, entry.key) or entry
        return self.revise(entry, closed=reason, sources=(*now.sources, *evidence))

    def get(self, scope: str, key: str) -> Entry | None:
        """Return the entry called `key`, or None."""
        return self._shelves.get(scope, _NOWHERE).keys.get(key)

    def entries(
        self, scope: str, *, since_seq: int = 0, kind: str | None = None, limit: int | None = None
    ) -> list[Entry]:
        """Return the newest `limit` entries after `since_seq`, oldest of them first."""
        return self._shelves.get(scope, _NOWHERE).newest(kind, since_seq=since_seq, limit=limit)

    def scopes(self) -> list[str]:
        """Return the names of the scopes that were ever written to."""
        return sorted(self._shelves)

    def count(self, scope: str) -> dict[str, int]:
        """Return how many entries of each kind `scope` holds."""
        return self._shelves.get(scope, _NOWHERE).kinds()

    def fullness(self, scope: str) -> float:
        """Return how much of its budget of tokens `scope` uses; 0.0 where it has none."""
        return self._shelves.get(scope, _NOWHERE).fullness()

    def changes(self, scope: str) -> tuple[int, int]:
        """Return what is never the same again once anything of `scope` has changed."""
        return self.readings, self._shelves.get(scope, _NOWHERE).changes

    def policy(self, scope: str) -> Scope:
        """Return the policies of `scope`."""
        shelf = self._shelves.get(scope)
        return scope_of(scope) if shelf is None else shelf.scope

    def forget(
        self,
        scope: str,
        *,
        kind: str | None = None,
        through_seq: int | None = None,
        keys: Collection[str] | None = None,
    ) -> int:
        """Return how many entries of `scope` went: all, or those of `kind`, up to a seq, of `keys`."""
        shelf = self._shelves.get(scope, _NOWHERE)
        doomed = [
            entry
            for entry in shelf.of_kind(kind).values()
            if (through_seq is None or entry.seq <= through_seq)
            and (keys is None or entry.key in keys)
        ]
        return sum(self._remove(shelf, entry, "forget") for entry in doomed)

    def clear(self, scope: str) -> int:
        """Return how many entries went, which are all that `scope` held."""
        shelf = self._shelves.get(scope, _NOWHERE)
        return sum(self._remove(shelf, entry, "clear") for entry in list(shelf.entries.values()))

    def expire(self, game_s: float) -> int:
        """Return how many entries ended by `game_s`; every write calls this with its own time."""
        self.game_s = max(self.game_s, game_s)
        count, deadlines = 0, self._deadlines
        while deadlines and deadlines[0][0] <= self.game_s:
            _, seq, name = heappop(deadlines)
            shelf = self._shelves[name]
            if (entry := shelf.entries.get(seq)) is not None:
                count += self._remove(shelf, entry, "expire")
        return count

    def subscribe(self, scope_glob: str, callback: Callable[[BlackboardEvent], object]) -> Listener:
        """Call `callback(event)` for each change in the scopes that `scope_glob` names."""
        listener = Listener(self, scope_glob, callback)
        self._listeners = (*self._listeners, listener)
        self._by_scope.clear()
        return listener

    def unsubscribe(self, listener: Listener) -> None:
        """Forget one listener."""
        self._listeners = tuple(each for each in self._listeners if each is not listener)
        self._by_scope.clear()

    def transaction(self) -> Transaction:
        """Return several reads and writes that are to become one, at this moment of the game."""
        return Transaction(self, self.tick, self.game_s)

    def to_json(self) -> dict[str, Json]:
        """Return what the entries themselves do not tell."""
        return {"seq": self.seq, "game_s": self.game_s, "tick": self.tick}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Hold the entries that the store now holds, without telling anybody."""
        self._load()
        self.seq = max(self.seq, data["seq"])
        self.game_s = max(self.game_s, data["game_s"])
        self.tick = max(self.tick, data["tick"])

    def refuse(self, scope: Scope, kind: str, importance: int, by: str) -> None:
        """Raise what `write` raises for a writer in a scope, and how important its entry is."""
        _require_importance(kind, importance)
        if scope.writers != ("*",) and not scope.admits(by):
            message = f"{by or 'nobody'!r} may not write to {scope.name}; ask {scope.writers[0]!r}."
            raise ForbiddenWrite(message)

    def _expiry(
        self, scope: Scope, policy: EntryKind | None, game_s: float, ttl_s: float | None
    ) -> float | None:
        if ttl_s is None and (policy is None or not policy.lasting):
            ttl_s = scope.ttl_s
        return None if ttl_s is None else game_s + ttl_s

    def _make_room(self, shelf: Shelf, policy: EntryKind | None, entry: Entry) -> None:
        if policy is not None and policy.limit is not None:
            for each in policy.surplus(shelf.peers(entry)):
                self._remove(shelf, each, "evict")
        while len(shelf.entries) > shelf.scope.capacity:
            self._remove(shelf, shelf.least(), "evict")

    def _load(self) -> None:
        self.readings += 1
        self._shelves.clear()
        self._deadlines.clear()
        self.seq, self.game_s, self.tick = 0, 0.0, 0
        for entry in self._store.live_entries():
            self._keep(entry, self._shelf(entry.scope))
            self.seq, self.game_s = entry.seq, max(self.game_s, entry.game_s)
            self.tick = max(self.tick, entry.tick)

    def _shelf(self, name: str) -> Shelf:
        shelf = self._shelves.get(name)
        if shelf is None:
            shelf = self._shelves[name] = Shelf(scope_of(name), self.kinds)
        return shelf

    def _keep(self, entry: Entry, shelf: Shelf) -> None:
        shelf.add(entry)
        if entry.expires_s is not None:
            heappush(self._deadlines, (entry.expires_s, entry.seq, entry.scope))

    def _drop(self, shelf: Shelf, entry: Entry) -> None:
        shelf.remove(entry)
        self._store.drop_entry(entry.seq)

    def _remove(self, shelf: Shelf, entry: Entry, action: Change) -> bool:
        """Return whether `entry` went just now: who was told of another may have removed or revised it."""
        found = shelf.entries.get(entry.seq)
        if found is None:
            return False
        self._drop(shelf, found)
        self._tell(action, found)
        return True

    def _tell(self, action: Change, entry: Entry) -> None:
        """Call all listeners to the scope of `entry`, in the order they were added."""
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


def _repeated(policy: EntryKind, shelf: Shelf, data: Mapping[str, Json]) -> Entry | None:
    """Return the newest entry of its kind if `data` only says the same again."""
    if policy.repeats is None:
        return None
    last = shelf.newest(policy.name, since_seq=0, limit=1)
    return last[0] if last and policy.repeats(last[0].data, data) else None
