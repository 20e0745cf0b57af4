"""All that an agent remembers at the moment, by scope, with an event for every change.

Knows scopes, sizes and game seconds. Knows nothing of what entries mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.entry import BlackboardEvent, Change, Entry, EntryStore
from memory.blackboard.scopes import scope_of
from memory.blackboard.shelf import Shelf
from memory.errors import MalformedRecord
from memory.faults import Faults, OnFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.codec import Json

DEFAULT_IMPORTANCE: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """One listener to the scopes a glob names, until it is cancelled."""

    blackboard: Blackboard
    scope_glob: str
    callback: Callable[[BlackboardEvent], object]

    def cancel(self) -> None:
        """Stop calling the listener; cancelling twice does nothing."""
        self.blackboard.unsubscribe(self)


class Blackboard:
    """Entries by scope. A listener's error is counted in `faults`, never passed to the writer."""

    def __init__(self, store: EntryStore, on_fault: OnFault | None = None) -> None:
        self.faults = Faults(on_fault)
        self.game_s = 0.0
        self._store = store
        self._shelves: dict[str, Shelf] = {}
        self._deadlines: list[tuple[float, int, str]] = []
        self._subscriptions: tuple[Subscription, ...] = ()
        self._listeners: dict[str, tuple[Subscription, ...]] = {}
        self._seq = 0
        self._load()
        store.attach("blackboard", self)

    def write(  # noqa: PLR0913  # one call says all there is to know about an entry
        self,
        scope: str,
        kind: str,
        data: Mapping[str, Json],
        *,
        tick: int,
        game_s: float,
        tags: Iterable[str] = (),
        importance: int = DEFAULT_IMPORTANCE,
        ttl_s: float | None = None,
    ) -> Entry:
        """Return the entry just made; a full scope loses its least important, then oldest, one."""
        if not 1 <= importance <= 10:
            message = f"importance {importance!r} of {kind!r} is not in 1..10; give one that is."
            raise MalformedRecord(message)
        shelf = self._shelf(scope)
        self.expire(game_s)
        self._seq += 1
        lifetime = shelf.scope.ttl_s if ttl_s is None else ttl_s
        expires_s = None if lifetime is None else game_s + lifetime
        entry = Entry(
            self._seq,
            scope,
            kind,
            tick,
            game_s,
            dict(data),
            frozenset(tags),
            importance,
            expires_s,
        )
        self._store.put_entry(entry)  # first, because it refuses what is not JSON
        self._keep(entry, shelf)
        self._tell("write", entry)
        if len(shelf.entries) > shelf.scope.capacity:
            self._remove(shelf, shelf.least(), "evict")
        return entry

    def entries(
        self, scope: str, *, since_seq: int = 0, kind: str | None = None, limit: int | None = None
    ) -> list[Entry]:
        """Return the newest `limit` entries after `since_seq`, oldest of them first."""
        shelf = self._shelves.get(scope)
        if shelf is None:
            return []
        return shelf.newest(kind, since_seq=since_seq, limit=limit)

    def forget(self, scope: str, *, kind: str | None = None, through_seq: int | None = None) -> int:
        """Return how many entries of `scope` went: all, or those of `kind`, or up to a seq."""
        shelf = self._shelves.get(scope)
        if shelf is None:
            return 0
        doomed = [
            entry
            for entry in shelf.of_kind(kind).values()
            if through_seq is None or entry.seq <= through_seq
        ]
        for entry in doomed:
            self._remove(shelf, entry, "forget")
        return len(doomed)

    def expire(self, game_s: float) -> int:
        """Return how many entries ended by `game_s`; every write calls this with its own time."""
        self.game_s = max(self.game_s, game_s)
        count = 0
        while self._deadlines and self._deadlines[0][0] <= self.game_s:
            _, seq, name = heappop(self._deadlines)
            shelf = self._shelves[name]
            if (entry := shelf.entries.get(seq)) is not None:
                self._remove(shelf, entry, "expire")
                count += 1
        return count

    def subscribe(
        self, scope_glob: str, callback: Callable[[BlackboardEvent], object]
    ) -> Subscription:
        """Call `callback(event)` for each change in the scopes that `scope_glob` names."""
        subscription = Subscription(self, scope_glob, callback)
        self._subscriptions = (*self._subscriptions, subscription)
        self._listeners.clear()
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Forget one subscription."""
        self._subscriptions = tuple(each for each in self._subscriptions if each != subscription)
        self._listeners.clear()

    def adopt(self, entries: Iterable[Entry]) -> None:
        """Write what earlier runs left, as known from the first moment of this one."""
        for old in entries:
            self.write(
                old.scope,
                old.kind,
                old.data,
                tick=0,
                game_s=0.0,
                tags=old.tags,
                importance=old.importance,
            )

    def to_json(self) -> dict[str, Json]:
        """Return what the entries themselves do not tell."""
        return {"seq": self._seq, "game_s": self.game_s}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Hold the entries that the store now holds, without telling anybody."""
        self._load()
        self._seq = max(self._seq, data["seq"])
        self.game_s = max(self.game_s, data["game_s"])

    def _load(self) -> None:
        self._shelves.clear()
        self._deadlines.clear()
        self._seq, self.game_s = 0, 0.0
        for entry in self._store.live_entries():
            self._keep(entry, self._shelf(entry.scope))
            self._seq, self.game_s = entry.seq, max(self.game_s, entry.game_s)

    def _shelf(self, name: str) -> Shelf:
        shelf = self._shelves.get(name)
        if shelf is None:
            shelf = self._shelves[name] = Shelf(scope_of(name))
        return shelf

    def _keep(self, entry: Entry, shelf: Shelf) -> None:
        shelf.add(entry)
        if entry.expires_s is not None:
            heappush(self._deadlines, (entry.expires_s, entry.seq, entry.scope))

    def _remove(self, shelf: Shelf, entry: Entry, action: Change) -> None:
        shelf.remove(entry)
        self._store.drop_entry(entry.seq)
        self._tell(action, entry)

    def _tell(self, action: Change, entry: Entry) -> None:
        listeners = self._listeners.get(entry.scope)
        if listeners is None:
            listeners = self._listeners[entry.scope] = tuple(
                each for each in self._subscriptions if fnmatchcase(entry.scope, each.scope_glob)
            )
        for subscription in listeners:
            try:
                subscription.callback(BlackboardEvent(action, entry))
            except Exception as error:  # noqa: BLE001  # a listener must not disturb the writer
                self.faults.note(getattr(subscription.callback, "__qualname__", "listener"), error)
