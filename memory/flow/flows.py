"""The running subscriptions: what is pending, when it is due, and that each entry is carried once.

The progress of each subscription is saved with every checkpoint, together with the entries; what is pending follows
from both. After a kill no entry is carried without its result being written, or the other way round.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final, NamedTuple

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import BlackboardEvent, Entry
from memory.codec import Json
from memory.flow.subscription import Derived, MemorySubscription, Pending


class Made(NamedTuple):
    """The entries that could be carried, and the result of the transformer."""

    carried: Sequence[Entry]
    derived: Sequence[Derived]


_KEPT: Final = ("cursor", "carried_s", "carried", "waiting")


@dataclass(slots=True)
class FlowProgress:
    """The progress of a subscription through the writes to its sources.

    `came` names, for entries after the cursor, the subscriptions that produced them: a subscription never carries an
    entry it contributed to, so that cycles end.
    """

    subscription: MemorySubscription
    fullness: Callable[[], float]  # of its sources, for its trigger
    cursor: int = 0  # up to this seq each entry was carried or not accepted
    carried_s: float = 0.0
    carried: int = 0
    waiting: int = 0  # entries accepted since the last carry, including entries removed meanwhile
    came: dict[int, frozenset[str]] = field(default_factory=dict)
    leaving: dict[int, Entry] = field(default_factory=dict)  # expired or evicted before they were carried

    def wants(self, entry: Entry) -> bool:
        """Return whether `entry` is pending; closed entries are not."""
        seq = entry.seq
        return (
            seq > self.cursor
            and not entry.closed
            and self.subscription.accepts(entry)
            and self.subscription.name not in self.came.get(seq, ())
        )

    def ways(self, entries: Iterable[Entry]) -> frozenset[str]:
        """Return the subscriptions that contributed to anything made of `entries`."""
        before = (self.came.get(each.seq, frozenset[str]()) for each in entries)
        return frozenset({self.subscription.name}).union(*before)

    def advance(self, cursor: int, carried: int) -> None:
        """Move the cursor to `cursor` and add to the count of carried entries."""
        self.cursor = max(self.cursor, cursor)
        self.carried += carried
        self.came = {seq: ways for seq, ways in self.came.items() if seq > self.cursor}

    def to_json(self) -> dict[str, Json]:
        """Return the progress; between two writes nothing is leaving."""
        kept: dict[str, Json] = {name: getattr(self, name) for name in _KEPT}
        return kept | {"came": [[seq, *sorted(ways)] for seq, ways in sorted(self.came.items())]}

    @classmethod
    def of(
        cls,
        subscription: MemorySubscription,
        fullness: Callable[[], float],
        kept: Mapping[str, Any],
    ) -> "FlowProgress":
        """Return the progress that `to_json` returned."""
        came = {seq: frozenset(ways) for seq, *ways in kept["came"]}
        return cls(subscription, fullness, **{name: kept[name] for name in _KEPT}, came=came)


# Removals that no caller requested: such entries are carried before they are lost.
LEAVING: Final = frozenset({"expire", "evict"})


class Flows:
    """All subscriptions of one blackboard.

    An error of a transformer is counted in the `faults` of the blackboard and never reaches the writer.
    """

    def __init__(
        self, blackboard: Blackboard, deliver: Callable[[Entry, Derived], object] | None = None
    ) -> None:
        self.subscriptions: dict[str, MemorySubscription] = {}
        self._blackboard = blackboard
        self._deliver = deliver
        self._progress: dict[str, FlowProgress] = {}
        self._kept: dict[str, Any] = {}  # of subscriptions that are not added yet
        self._by_scope: dict[str, tuple[FlowProgress, ...]] = {}
        self._busy = False
        self._due: dict[str, None] = {}  # a set in insertion order
        blackboard.subscribe("*", self._saw)

    def add(self, *subscriptions: MemorySubscription) -> None:
        """Add subscriptions; entries already in their sources are pending, unless saved progress says they were carried."""
        for each in subscriptions:
            known = self._progress.get(each.name)
            kept = self._kept.pop(each.name, None) if known is None else known.to_json()
            self.subscriptions[each.name] = each
            self._place(each, kept)

    def remove(self, name: str) -> None:
        """Remove a subscription; removing it twice does nothing."""
        self.subscriptions.pop(name, None)
        self._progress.pop(name, None)
        self._by_scope.clear()

    def pending(self, name: str) -> list[Entry]:
        """Return the entries that subscription `name` has not carried yet, oldest first."""
        return self._pending(self._progress[name])

    def carried(self, name: str) -> int:
        """Return the number of entries subscription `name` has carried so far."""
        return self._progress[name].carried

    def run(self, *names: str, final: bool = False) -> Counter[str]:
        """Return the number of entries of each kind written by carrying what is pending at `names`, or at all subscriptions.

        With `final`, incomplete sequences are carried too and triggers are ignored. A call from within a carry is queued
        until that carry ends.
        """
        written: Counter[str] = Counter()
        for name in names or tuple(self.subscriptions):
            progress = self._progress[name]
            if self._busy:
                self._due[name] = None
            elif final or progress.subscription.trigger.due(self._state(progress, asked=True)):
                written += self._carry(progress, final=final)
        return written + self._settle()

    def skip_pending(self) -> None:
        """Mark all pending entries as carried, because an earlier run carried them."""
        for progress in self._progress.values():
            progress.advance(self._blackboard.seq, 0)
            progress.waiting = 0

    def to_json(self) -> dict[str, Json]:
        """Return the progress of each subscription."""
        return {**self._kept, **{name: each.to_json() for name, each in self._progress.items()}}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from the saved progress; new subscriptions begin with the oldest entry."""
        self._kept = dict(data)
        self._due.clear()
        for name, each in self.subscriptions.items():
            self._place(each, self._kept.pop(name, None))

    def _place(self, subscription: MemorySubscription, kept: Mapping[str, Any] | None) -> None:
        fullness = partial(self._fullness, subscription.source)
        if kept is None:
            progress = FlowProgress(subscription, fullness)
            progress.waiting = len(self._pending(progress))
        else:
            progress = FlowProgress.of(subscription, fullness, kept)
        self._progress[subscription.name] = progress
        self._by_scope.clear()

    def _pending(self, progress: FlowProgress) -> list[Entry]:
        found = [*progress.leaving.values()]
        for scope in self._scopes(progress.subscription.source):
            found += self._blackboard.entries(scope, since_seq=progress.cursor)
        return sorted(filter(progress.wants, found), key=lambda entry: entry.seq)

    def _reading(self, scope: str) -> tuple[FlowProgress, ...]:
        """Return the progress of each subscription that has `scope` among its sources."""
        reading = self._by_scope.get(scope)
        if reading is None:
            reading = self._by_scope[scope] = tuple(
                each
                for each in self._progress.values()
                if fnmatchcase(scope, each.subscription.source)
            )
        return reading

    def _saw(self, event: BlackboardEvent) -> None:
        action, entry = event
        for progress in self._reading(entry.scope):
            subscription = progress.subscription
            if action == "write":
                if subscription.accepts(entry):
                    progress.waiting += 1
                    if subscription.trigger.due(self._state(progress, asked=False)):
                        self._due[subscription.name] = None
            elif entry.seq > progress.cursor and action in LEAVING and progress.wants(entry):
                progress.leaving[entry.seq] = entry
                self._due[subscription.name] = None
        if self._due:
            self._settle()

    def _state(self, progress: FlowProgress, *, asked: bool) -> Pending:
        return Pending(
            len(self._pending(progress)) if asked else progress.waiting,
            self._blackboard.game_s - progress.carried_s,
            asked,
            progress.fullness,
        )

    def _settle(self) -> Counter[str]:
        """Carry at each subscription that has become due."""
        written: Counter[str] = Counter()
        while self._due and not self._busy:
            name = next(iter(self._due))
            del self._due[name]
            if name in self._progress:
                written += self._carry(self._progress[name])
        return written

    def _carry(self, progress: FlowProgress, *, final: bool = False) -> Counter[str]:
        seen = self._blackboard.seq
        pending = self._pending(progress)
        taken = pending if final else self._ripe(progress, pending)
        progress.waiting = len(pending) - len(taken)
        progress.carried_s = self._blackboard.game_s
        progress.leaving.clear()
        if len(taken) < len(pending):
            seen = taken[-1].seq if taken else progress.cursor
        self._busy = True
        try:
            carried, derived = self._made(progress, taken)
            if taken and not carried:
                return Counter()
            written = self._write(progress, derived, progress.ways(carried))
        finally:
            self._busy = False
        if derived and not written:
            return written  # every write failed: the source entries must stay
        progress.advance(seen, len(carried))
        # When some writes failed, the source entries are the only copy, so they stay.
        if progress.subscription.consumes and written.total() == len(derived):
            self._consume(progress, {each.scope for each in carried})
        return written

    def _made(self, progress: FlowProgress, entries: Sequence[Entry]) -> Made:
        """Return the transformer's result for `entries`; it is complete before the first write.

        An entry that the transformer rejects is skipped, so that it does not block the others for ever. When it rejects
        all of them, the transformer is at fault, and none counts as carried.
        """
        derived = self._tried(progress, entries) if entries else []
        if derived is None:
            entries = [each for each in entries if self._tried(progress, [each]) is not None]
            derived = self._tried(progress, entries) if entries else []
        return Made((), ()) if derived is None else Made(entries, derived)

    def _tried(self, progress: FlowProgress, entries: Sequence[Entry]) -> list[Derived] | None:
        try:
            return list(progress.subscription.transformer(entries))
        except Exception as error:  # noqa: BLE001  # an edge must not disturb the writer
            self._fault(progress, error)
            return None

    def _ripe(self, progress: FlowProgress, pending: list[Entry]) -> list[Entry]:
        """Return the complete entries, and all entries up to the last one that is leaving its scope."""
        if progress.subscription.ripe is None or not pending:
            return pending
        places = (n for n, each in enumerate(pending, 1) if each.seq in progress.leaving)
        return pending[: max(progress.subscription.ripe(pending), *places, 0)]

    def _write(
        self, progress: FlowProgress, derived: Iterable[Derived], ways: frozenset[str]
    ) -> Counter[str]:
        written = Counter[str]()
        for each in derived:
            try:
                self._write_one(progress.subscription, each, ways)
            except Exception as error:  # noqa: BLE001  # the other derived entries must still be written
                self._fault(progress, error)
            else:
                written[each.kind] += 1
        return written

    def _write_one(
        self, subscription: MemorySubscription, each: Derived, ways: frozenset[str]
    ) -> None:
        blackboard = self._blackboard
        before = blackboard.seq
        told = each._asdict() | {"scope": each.scope or subscription.target}
        entry = blackboard.write(**told, by=subscription.name)
        if entry.seq > before:
            for reader in self._reading(entry.scope):
                if reader.subscription.accepts(entry):
                    reader.came[entry.seq] = ways
        if subscription.delivers and each.scope is None and self._deliver is not None:
            self._deliver(entry, each)

    def _consume(self, progress: FlowProgress, scopes: Iterable[str]) -> None:
        """Remove carried entries from the source; the store deletes them in the commit that stores the derived entries.

        An entry that is still pending at another subscription stays.
        """
        blackboard, subscription = self._blackboard, progress.subscription
        young = blackboard.game_s - subscription.keep_s
        for scope in sorted(scopes):
            readers = self._reading(scope)
            mine = [each for each in blackboard.entries(scope) if subscription.accepts(each)]
            done = {
                each.key
                for each in mine[: max(0, len(mine) - subscription.keep_last)]
                if each.seq <= progress.cursor
                and each.game_s <= young
                and not each.closed
                and not any(reader.wants(each) for reader in readers)
            }
            if done:
                blackboard.forget(scope, keys=done)

    def _fault(self, progress: FlowProgress, error: Exception) -> None:
        self._blackboard.faults.note(f"edge {progress.subscription.name}", error)

    def _fullness(self, source: str) -> float:
        return max(map(self._blackboard.fullness, self._scopes(source)), default=0.0)

    def _scopes(self, source: str) -> list[str]:
        return [each for each in self._blackboard.scopes() if fnmatchcase(each, source)]
