"""The running subscriptions: what is pending, when it is due, and that each entry is carried once.

The progress of each subscription is saved with every checkpoint, together with the entries; what is pending follows
from both. After a kill no entry is carried without its result being written, or the other way round.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import BlackboardEvent, Entry
from memory.codec import Json
from memory.flow.subscription import Derived, MemorySubscription, Pending


class CarryResult(NamedTuple):
    """The entries that could be carried, and the result of the transformer."""

    carried: Sequence[Entry]
    derived: Sequence[Derived]


_SAVED: Final = ("cursor", "carried_s", "carried", "waiting")


@dataclass(slots=True)
class FlowProgress:
    """The progress of a subscription through the writes to its sources.

    `via` names, for entries after the cursor, the subscriptions that produced them: a subscription never carries an
    entry it contributed to, so that cycles end.
    """

    subscription: MemorySubscription
    fullness: Callable[[], float]  # of its sources, for its trigger
    cursor: int = 0  # up to this seq each entry was carried or not accepted
    carried_s: float = 0.0
    carried: int = 0
    waiting: int = 0  # entries accepted since the last carry, including entries removed meanwhile
    via: dict[int, frozenset[str]] = field(default_factory=dict)
    leaving: dict[int, Entry] = field(default_factory=dict)  # removed before they were carried

    def is_pending(self, entry: Entry) -> bool:
        """Return whether `entry` is pending; closed entries are not."""
        seq = entry.seq
        return (
            seq > self.cursor
            and not entry.closed
            and self.subscription.accepts(entry)
            and self.subscription.name not in self.via.get(seq, ())
        )

    def edges(self, entries: Iterable[Entry]) -> frozenset[str]:
        """Return the subscriptions that contributed to anything made of `entries`."""
        before = (self.via.get(each.seq, frozenset[str]()) for each in entries)
        return frozenset({self.subscription.name}).union(*before)

    def advance(self, cursor: int, carried: int) -> None:
        """Move the cursor to `cursor` and add to the count of carried entries."""
        self.cursor = max(self.cursor, cursor)
        self.carried += carried
        self.via = {seq: edges for seq, edges in self.via.items() if seq > self.cursor}

    def to_json(self) -> dict[str, Json]:
        """Return the progress; between two writes nothing is leaving."""
        saved: dict[str, Json] = {name: getattr(self, name) for name in _SAVED}
        return saved | {
            "effects": [[seq, *sorted(edges)] for seq, edges in sorted(self.via.items())]
        }

    @classmethod
    def of(
        cls,
        subscription: MemorySubscription,
        fullness: Callable[[], float],
        saved: Mapping[str, Any],
    ) -> "FlowProgress":
        """Return the progress that `to_json` returned."""
        via = {seq: frozenset(edges) for seq, *edges in saved["effects"]}
        return cls(subscription, fullness, **{name: saved[name] for name in _SAVED}, via=via)


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
        self._saved: dict[str, Any] = {}  # of subscriptions that are not added yet
        self._by_scope: dict[str, tuple[FlowProgress, ...]] = {}
        self._is_carrying = False
        self._due: dict[str, None] = {}  # a set in insertion order
        blackboard.subscribe("*", self._on_event)

    def add(self, *subscriptions: MemorySubscription) -> None:
        """Add subscriptions; entries already in their sources are pending, unless saved progress says they were carried."""
        for each in subscriptions:
            known = self._progress.get(each.name)
            saved = self._saved.pop(each.name, None) if known is None else known.to_json()
            self.subscriptions[each.name] = each
            self._begin(each, saved)

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
            if self._is_carrying:
                self._due[name] = None
            elif final or progress.subscription.trigger(self._state(progress, requested=True)):
                written += self._carry(progress, final=final)
        return written + self._carry_due()

    def skip_pending(self) -> None:
        """Mark all pending entries as carried, because an earlier run carried them."""
        for progress in self._progress.values():
            progress.advance(self._blackboard.seq, 0)
            progress.waiting = 0

    def to_json(self) -> dict[str, Json]:
        """Return the progress of each subscription."""
        return {**self._saved, **{name: each.to_json() for name, each in self._progress.items()}}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from the saved progress; new subscriptions begin with the oldest entry."""
        self._saved = dict(data)
        self._due.clear()
        for name, each in self.subscriptions.items():
            self._begin(each, self._saved.pop(name, None))

    def _begin(self, subscription: MemorySubscription, saved: Mapping[str, Any] | None) -> None:

        def fullness() -> float:
            scopes = self._scopes(subscription.source)
            return max(map(self._blackboard.fullness, scopes), default=0.0)

        if saved is None:
            progress = FlowProgress(subscription, fullness)
            progress.waiting = len(self._pending(progress))
        else:
            progress = FlowProgress.of(subscription, fullness, saved)
        self._progress[subscription.name] = progress
        self._by_scope.clear()

    def _pending(self, progress: FlowProgress) -> list[Entry]:
        found = [*progress.leaving.values()]
        for scope in self._scopes(progress.subscription.source):
            found += self._blackboard.entries(scope, since_seq=progress.cursor)
        return sorted(filter(progress.is_pending, found), key=lambda entry: entry.seq)

    def _readers(self, scope: str) -> tuple[FlowProgress, ...]:
        """Return the progress of each subscription that has `scope` among its sources."""
        readers = self._by_scope.get(scope)
        if readers is None:
            readers = self._by_scope[scope] = tuple(
                each
                for each in self._progress.values()
                if fnmatchcase(scope, each.subscription.source)
            )
        return readers

    def _on_event(self, event: BlackboardEvent) -> None:
        action, entry = event
        for progress in self._readers(entry.scope):
            subscription = progress.subscription
            if action == "write":
                if subscription.accepts(entry):
                    progress.waiting += 1
                    if subscription.trigger(self._state(progress, requested=False)):
                        self._due[subscription.name] = None
            elif entry.seq > progress.cursor and action in LEAVING and progress.is_pending(entry):
                progress.leaving[entry.seq] = entry
                self._due[subscription.name] = None
        if self._due:
            self._carry_due()

    def _state(self, progress: FlowProgress, *, requested: bool) -> Pending:
        return Pending(
            len(self._pending(progress)) if requested else progress.waiting,
            self._blackboard.game_s - progress.carried_s,
            requested,
            progress.fullness,
        )

    def _carry_due(self) -> Counter[str]:
        """Carry at each subscription that has become due."""
        written: Counter[str] = Counter()
        while self._due and not self._is_carrying:
            name = next(iter(self._due))
            del self._due[name]
            if name in self._progress:
                written += self._carry(self._progress[name])
        return written

    def _carry(self, progress: FlowProgress, *, final: bool = False) -> Counter[str]:
        seen = self._blackboard.seq
        pending = self._pending(progress)
        ready = pending if final else self._complete(progress, pending)
        progress.waiting = len(pending) - len(ready)
        progress.carried_s = self._blackboard.game_s
        progress.leaving.clear()
        if len(ready) < len(pending):
            seen = ready[-1].seq if ready else progress.cursor
        self._is_carrying = True
        try:
            carried, derived = self._transform(progress, ready)
            if ready and not carried:
                return Counter()
            written = self._write(progress, derived, progress.edges(carried))
        finally:
            self._is_carrying = False
        if derived and not written:
            return written  # every write failed: the source entries must stay
        progress.advance(seen, len(carried))
        # When some writes failed, the source entries are the only copy, so they stay.
        if progress.subscription.consumes and written.total() == len(derived):
            self._consume(progress, {each.scope for each in carried})
        return written

    def _transform(self, progress: FlowProgress, entries: Sequence[Entry]) -> CarryResult:
        """Return the transformer's result for `entries`; it is complete before the first write.

        An entry that the transformer rejects is skipped, so that it does not block the others for ever. When it rejects
        all of them, the transformer is at fault, and none counts as carried.
        """
        derived = self._apply(progress, entries) if entries else []
        if derived is None:
            entries = [each for each in entries if self._apply(progress, [each]) is not None]
            derived = self._apply(progress, entries) if entries else []
        return CarryResult((), ()) if derived is None else CarryResult(entries, derived)

    def _apply(self, progress: FlowProgress, entries: Sequence[Entry]) -> list[Derived] | None:
        try:
            return list(progress.subscription.transformer(entries))
        except Exception as error:  # noqa: BLE001  # an edge must not disturb the writer
            self._fault(progress, error)
            return None

    def _complete(self, progress: FlowProgress, pending: list[Entry]) -> list[Entry]:
        """Return the complete entries, and all entries up to the last one that is leaving its scope."""
        if progress.subscription.complete_count is None or not pending:
            return pending
        places = (n for n, each in enumerate(pending, 1) if each.seq in progress.leaving)
        return pending[: max(progress.subscription.complete_count(pending), *places, 0)]

    def _write(
        self, progress: FlowProgress, derived: Iterable[Derived], edges: frozenset[str]
    ) -> Counter[str]:
        written = Counter[str]()
        for each in derived:
            try:
                self._write_one(progress.subscription, each, edges)
            except Exception as error:  # noqa: BLE001  # the other derived entries must still be written
                self._fault(progress, error)
            else:
                written[each.kind] += 1
        return written

    def _write_one(
        self, subscription: MemorySubscription, each: Derived, edges: frozenset[str]
    ) -> None:
        blackboard = self._blackboard
        before = blackboard.seq
        arguments = each._asdict() | {"scope": each.scope or subscription.target}
        entry = blackboard.write(**arguments, by=subscription.name)
        if entry.seq > before:
            for reader in self._readers(entry.scope):
                if reader.subscription.accepts(entry):
                    reader.via[entry.seq] = edges
        if subscription.delivers and each.scope is None and self._deliver is not None:
            self._deliver(entry, each)

    def _consume(self, progress: FlowProgress, scopes: Iterable[str]) -> None:
        """Remove carried entries from the source; the store deletes them in the commit that stores the derived entries.

        An entry that is still pending at another subscription stays.
        """
        blackboard, subscription = self._blackboard, progress.subscription
        kept_after_s = blackboard.game_s - subscription.keep_s
        for scope in sorted(scopes):
            readers = self._readers(scope)
            accepted = [each for each in blackboard.entries(scope) if subscription.accepts(each)]
            done = {
                each.key
                for each in accepted[: max(0, len(accepted) - subscription.keep_last)]
                if each.seq <= progress.cursor
                and each.game_s <= kept_after_s
                and not each.closed
                and not any(reader.is_pending(each) for reader in readers)
            }
            if done:
                blackboard.forget(scope, keys=done)

    def _fault(self, progress: FlowProgress, error: Exception) -> None:
        self._blackboard.faults.note(f"edge {progress.subscription.name}", error)

    def _scopes(self, source: str) -> list[str]:
        return [each for each in self._blackboard.scopes() if fnmatchcase(each, source)]
