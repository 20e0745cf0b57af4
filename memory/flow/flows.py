"""The subscriptions at work: what is pending, when it is due, and that each entry is carried once.

Where each subscription has got to is saved with every checkpoint, together with the entries; what is pending follows
from both. So a process that is killed leaves nothing behind that was carried and not written, or the other way round.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from memory.flow.triggers import Pending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memory.blackboard.blackboard import Blackboard
    from memory.blackboard.entry import BlackboardEvent, Entry
    from memory.codec import Json
    from memory.flow.subscription import Derived, MemorySubscription

    Deliver: TypeAlias = Callable[[Entry, Derived], object]


@dataclass(slots=True)
class _Progress:
    """How far one subscription has got."""

    cursor: int = 0  # the seq of the last entry carried
    own: set[int] = field(default_factory=set)  # after it, what the subscription itself wrote there
    carried_s: float = 0.0
    carried: int = 0
    waiting: int = 0  # entries accepted since; what is evicted meanwhile still counts


class Flows:
    """Every subscription of one blackboard."""

    def __init__(self, blackboard: Blackboard, deliver: Deliver | None = None) -> None:
        self.subscriptions: dict[str, MemorySubscription] = {}
        self._blackboard = blackboard
        self._deliver = deliver
        self._progress: dict[str, _Progress] = {}
        self._by_scope: dict[str, tuple[MemorySubscription, ...]] = {}
        self._busy = False
        self._due: list[tuple[MemorySubscription, Entry | None]] = []
        blackboard.subscribe("*", self._saw)

    def add(self, *subscriptions: MemorySubscription) -> None:
        """Take up edges; what is in their sources already is pending."""
        for each in subscriptions:
            self.subscriptions[each.name] = each
            progress = self._progress.setdefault(each.name, _Progress())
            progress.waiting = len(self.pending(each.name))
        self._by_scope.clear()

    def remove(self, name: str) -> None:
        """Let go of an edge; removing it twice does nothing."""
        self.subscriptions.pop(name, None)
        self._progress.pop(name, None)
        self._by_scope.clear()

    def pending(self, name: str) -> list[Entry]:
        """Return the entries that subscription `name` has not carried yet, oldest first."""
        subscription, progress = self.subscriptions[name], self._progress[name]
        found = [
            entry
            for scope in self._sources(subscription)
            for entry in self._blackboard.entries(scope, since_seq=progress.cursor)
            if subscription.accepts(entry) and entry.seq not in progress.own
        ]
        return sorted(found, key=lambda entry: entry.seq)

    def carried(self, name: str) -> int:
        """Return how many entries subscription `name` has carried so far."""
        return self._progress[name].carried

    def run(self, *names: str, final: bool = False) -> Counter[str]:
        """Return how many entries of each kind came of carrying on what is pending at `names`, or at all.

        When it is `final`, what is not complete yet goes as well, and no trigger is asked.
        """
        written: Counter[str] = Counter()
        for name in names or tuple(self.subscriptions):
            subscription = self.subscriptions[name]
            if final or subscription.trigger.due(self._state(subscription, asked=True)):
                written += self._carry(subscription, final=final)
        return written + self._settle()

    def skip_pending(self) -> None:
        """Count all that is pending as carried: it has been, before it came here."""
        for progress in self._progress.values():
            progress.cursor, progress.waiting = self._blackboard.seq, 0
            progress.own.clear()

    def to_json(self) -> dict[str, Json]:
        """Return how far each subscription has got."""
        return {
            name: {
                "cursor": each.cursor,
                "own": sorted(each.own),
                "carried_s": each.carried_s,
                "carried": each.carried,
            }
            for name, each in self._progress.items()
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from where `to_json` was taken; edges that are new begin at the beginning."""
        for name in self._progress:
            kept = data.get(name, {"cursor": 0, "own": [], "carried_s": 0.0, "carried": 0})
            self._progress[name] = _Progress(
                kept["cursor"], set(kept["own"]), kept["carried_s"], kept["carried"]
            )
        for name in self.subscriptions:
            self._progress[name].waiting = len(self.pending(name))

    def _saw(self, event: BlackboardEvent) -> None:
        entry = event.entry
        subscriptions = self._by_scope.get(entry.scope)
        if subscriptions is None:
            subscriptions = self._by_scope[entry.scope] = tuple(
                each
                for each in self.subscriptions.values()
                if fnmatchcase(entry.scope, each.source)
            )
        for subscription in subscriptions:
            if not subscription.accepts(entry):
                continue
            if event.action == "write":
                progress = self._progress[subscription.name]
                progress.waiting += 1
                if subscription.trigger.due(self._state(subscription, asked=False)):
                    self._due.append((subscription, None))
            elif event.action in {"expire", "evict"}:
                self._rescue(subscription, entry)
        if not self._busy:
            self._settle()

    def _rescue(self, subscription: MemorySubscription, entry: Entry) -> None:
        """Carry on what leaves its scope before its time."""
        progress = self._progress[subscription.name]
        if entry.seq > progress.cursor and entry.seq not in progress.own:
            self._due.append((subscription, entry))

    def _state(self, subscription: MemorySubscription, *, asked: bool) -> Pending:
        progress = self._progress[subscription.name]
        return Pending(
            progress.waiting,
            self._blackboard.game_s - progress.carried_s,
            asked,
            partial(self._fullness, subscription),
        )

    def _settle(self) -> Counter[str]:
        """Carry on at every subscription that has become due meanwhile."""
        written: Counter[str] = Counter()
        while self._due and not self._busy:
            subscription, leaving = self._due.pop(0)
            written += self._carry(subscription, final=False, leaving=leaving)
        return written

    def _carry(
        self, subscription: MemorySubscription, *, final: bool, leaving: Entry | None = None
    ) -> Counter[str]:
        progress = self._progress[subscription.name]
        pending = self.pending(subscription.name)
        if leaving is not None and leaving.seq > progress.cursor:
            pending = sorted([leaving, *pending], key=lambda entry: entry.seq)
        ripe = len(pending)
        if subscription.ripe is not None and not final:
            ripe = subscription.ripe(pending)
            if leaving in pending:
                ripe = max(ripe, pending.index(leaving) + 1)
        taken = pending[:ripe]
        progress.waiting = len(pending) - ripe
        progress.carried_s = self._blackboard.game_s
        if not taken:
            return Counter()
        self._busy = True
        try:
            # Made before the first is written: a transformer that fails has carried nothing.
            derived = list(subscription.transformer(taken))
            written = self._write(subscription, derived)
        finally:
            self._busy = False
        progress.cursor = taken[-1].seq
        progress.own = {seq for seq in progress.own if seq > progress.cursor}
        progress.carried += len(taken)
        if subscription.consumes:
            self._consume(subscription, taken)
        return written

    def _write(self, subscription: MemorySubscription, derived: Iterable[Derived]) -> Counter[str]:
        blackboard, written = self._blackboard, Counter[str]()
        own = self._progress[subscription.name].own
        for each in derived:
            scope = each.scope or subscription.target
            entry = blackboard.write(
                scope,
                each.kind,
                each.data,
                tick=blackboard.tick,
                game_s=blackboard.game_s,
                tags=each.tags,
                importance=each.importance,
                key=each.key,
                status=each.status,
                sources=each.sources,
                by=subscription.name,
            )
            written[each.kind] += 1
            if fnmatchcase(scope, subscription.source):
                own.add(entry.seq)
            if subscription.delivers and each.scope is None and self._deliver is not None:
                self._deliver(entry, each)
        return written

    def _consume(self, subscription: MemorySubscription, taken: Sequence[Entry]) -> None:
        """Let go of what was carried; the store drops it in the commit that keeps what came of it."""
        blackboard = self._blackboard
        young = blackboard.game_s - subscription.keep_s
        for scope in {each.scope for each in taken}:
            kept = blackboard.entries(scope, limit=subscription.keep_last or None)
            kept = kept if subscription.keep_last else []
            first_kept = kept[0].seq if kept else blackboard.seq + 1
            cursor = self._progress[subscription.name].cursor
            done = {
                each.key
                for each in blackboard.entries(scope)
                if each.seq <= cursor
                and each.seq < first_kept
                and each.game_s <= young
                and subscription.accepts(each)
            }
            if done:
                blackboard.forget(scope, keys=done)

    def _fullness(self, subscription: MemorySubscription) -> float:
        return max(map(self._blackboard.fullness, self._sources(subscription)), default=0.0)

    def _sources(self, subscription: MemorySubscription) -> list[str]:
        return [
            each for each in self._blackboard.scopes() if fnmatchcase(each, subscription.source)
        ]
