"""Observation and reflection jobs: in the background in advance, while a step waits, or without a model as a last resort.

The work of a job accesses no file; the caller's thread stores the result. Content that cannot be reduced is retried only
after it has clearly grown, by more after each failure.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar, cast

from memory.codec import Json
from memory.conversation.boundaries import Slicer
from memory.conversation.config import ConversationConfig
from memory.conversation.port import (
    MAX_LEVEL,
    Condensed,
    CondensingFailed,
    ConversationEvent,
    ConversationEventKind,
    Observer,
    Reflector,
    reflect_until,
)
from memory.conversation.rules import HeuristicObserver, HeuristicReflector, first_words, last_lines
from memory.errors import Faults
from memory.store.conversation_record import (
    Chunk,
    Message,
    ObservationalMemoryRecord,
    Reflection,
    Work,
)
from memory.store.conversations import ConversationStore
from memory.tokens import tokens

_GROWTH_DIVISOR: Final = 10  # retry after growth by this fraction of the threshold
_MAX_DOUBLINGS: Final = 3  # the maximum number of times that growth doubles for observations
_MAX_REFLECTION_DOUBLINGS: Final = 5
_MAX_REFLECTION_SHARE: Final = 0.75  # of the threshold: a larger reflection counts as a failure

Task: TypeAlias = Callable[[], Condensed]
Subject = TypeVar("Subject")


def run_now(work: Task) -> Future[Condensed]:
    """Run `work` now, for fast work; the future holds its result or error."""
    future: Future[Condensed] = Future()
    _run_into(work, future)
    return future


def run_in_thread(work: Task) -> Future[Condensed]:
    """Run `work` in a daemon thread, which does not delay the end of the program: for models."""
    future: Future[Condensed] = Future()
    Thread(target=_run_into, args=(work, future), name="observing", daemon=True).start()
    return future


def _run_into(work: Task, future: Future[Condensed]) -> None:
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001  # passed on in the future
        future.set_exception(error)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The collaborators of a conversation.

    `clock` gives epoch seconds. `fallback` and `fallback_reflector` use no model; they run when everything else has failed
    for too long. `background` is `run_now` or `run_in_thread`. `holder` is the name under which work is leased: no two processes
    with the same name may have the file open, and a restarted process uses its old name.
    """

    observer: Observer
    reflector: Reflector
    clock: Callable[[], float]
    fallback: Observer = field(default_factory=HeuristicObserver)
    fallback_reflector: Reflector = field(default_factory=HeuristicReflector)
    estimate: Callable[[str], int] = tokens
    background: Callable[[Task], Future[Condensed]] = run_now
    on_part: Callable[[ConversationEvent], None] = lambda _: None
    faults: Faults = field(default_factory=Faults)
    holder: str = field(default_factory=lambda: f"process {os.getpid()}")

    @property
    def now_ms(self) -> int:
        """The time in epoch milliseconds."""
        return round(self.clock() * 1_000)

    def report(self, kind: ConversationEventKind, thread: str, data: dict[str, Json]) -> None:
        """Report an event to the listener; an error of the listener is only counted."""
        try:
            self.on_part(ConversationEvent(kind, thread, data))
        except Exception as error:  # noqa: BLE001  # a listener must not break the conversation
            self.faults.note("on_part", error)


class _Job(Generic[Subject]):
    """At most one background work of a kind for one conversation, leased by this process, with a deadline.

    `leases` are the lease that is always taken, and the one that is also taken when a step waits.
    """

    leases: tuple[Work, Work]

    def __init__(
        self, store: ConversationStore, owner: str, config: ConversationConfig, deps: Dependencies
    ) -> None:
        self._store = store
        self._owner = owner
        self._deps = deps
        self._config = config
        self._running: tuple[Subject, Future[Condensed]] | None = None
        self._is_waited_for = False  # by a step
        self._deadline = 0.0

    @property
    def is_running(self) -> bool:
        """Whether work was started and its result not taken yet."""
        return self._running is not None

    def _start(self, subject: Subject, work: Task, *, waited: bool) -> bool:
        """Return whether `work` was started, which another process's lease prevents; `waited`: a step waits for it."""
        if not self._lease(self.leases[0]):
            return False
        self._is_waited_for = waited
        if waited:
            self._lease(self.leases[1])
        self._deadline = self._deps.clock() + self._config.deadline
        self._running = (subject, self._deps.background(work))
        return True

    def _take_result(self, *, within: float = 0.0) -> tuple[Subject, Condensed | Exception] | None:
        """Return the result of the work, once, waiting at most `within` seconds; None while it runs."""
        if self._running is None:
            return None
        subject, future = self._running
        found: Condensed | Exception
        if future.done() or wait_for([future], timeout=max(0.0, within)).done:
            error = future.exception()
            found = future.result() if error is None else cast("Exception", error)
        elif self._deps.clock() < self._deadline:
            return None
        else:
            found = CondensingFailed(f"{self.leases[0].value} took too long; it is abandoned.")
        self._running = None
        for work in self.leases:
            self._store.clear_flag(self._owner, work, self._deps.holder)
        return subject, found

    def _lease(self, work: Work) -> bool:
        now, holder = self._deps.now_ms, self._deps.holder
        until = now + round(self._config.deadline * 1_000)
        return self._store.set_flag(self._owner, work, holder, now_ms=now, until_ms=until)

    def _report(self, kind: ConversationEventKind, **data: Json) -> None:
        self._deps.report(kind, self._owner, data)


class _FailedPiece(NamedTuple):
    """The consecutive failures for one piece: the number of its first message, its tokens, and the count."""

    from_seq: int = 0
    tokens: int = 0
    times: int = 0


class ObservationJob(_Job[tuple[Message, ...]]):
    """Observes the messages of one conversation; the result is stored as a chunk."""

    leases = (Work.BUFFERING_OBSERVATION, Work.OBSERVING)

    def __init__(
        self, store: ConversationStore, owner: str, config: ConversationConfig, deps: Dependencies
    ) -> None:
        super().__init__(store, owner, config, deps)
        self._slicer = Slicer(config.observation.message_tokens, deps.estimate)
        self._failed = _FailedPiece()

    def start(
        self, record: ObservationalMemoryRecord, piece: Sequence[Message], *, waited: bool = False
    ) -> None:
        """Start observing `piece`, the first unobserved messages, unless that just failed or a job is running."""
        size = _tokens(piece)
        if self.is_running or not self._may_retry(piece[0].seq, size):
            return
        work = partial(self._observe, self._deps.observer, tuple(piece), record)
        if self._start(tuple(piece), work, waited=waited):
            kinds = ConversationEventKind
            kind = kinds.OBSERVATION_START if waited else kinds.BUFFERING_START
            self._report(kind, from_seq=piece[0].seq, to_seq=piece[-1].seq, tokens=size)

    def collect(self, *, within: float = 0.0) -> bool:
        """Return whether a new chunk was stored, waiting at most `within` seconds for the result."""
        taken = self._take_result(within=within)
        if taken is None:
            return False
        piece, found = taken
        kinds = ConversationEventKind
        # An empty result of rules is valid; of a model it is most likely a failure.
        may_be_empty = self._deps.observer.source != "llm"
        if isinstance(found, Condensed) and not (may_be_empty or found.observations.strip()):
            found = CondensingFailed("the observer returned nothing; it is called again later.")
        if isinstance(found, Condensed):
            chunk = self._chunk(piece, found, self._deps.observer.source)
            is_kept = self._store.update_buffered(self._owner, chunk)
            self._failed = _FailedPiece()
            end = kinds.OBSERVATION_END if self._is_waited_for else kinds.BUFFERING_END
            self._report(end, to_seq=chunk.to_seq, tokens=chunk.tokens, is_kept=is_kept)
            return is_kept
        self._failed = _FailedPiece(piece[0].seq, _tokens(piece), self._failed.times + 1)
        self._deps.faults.note("observer", found)
        failed = kinds.OBSERVATION_FAILED if self._is_waited_for else kinds.BUFFERING_FAILED
        self._report(failed, from_seq=piece[0].seq, error=str(found))
        return False

    def observe_offline(self, record: ObservationalMemoryRecord, piece: Sequence[Message]) -> bool:
        """Return whether `piece` was observed and activated now: without a model, and if that fails by its first words."""
        future = run_now(partial(self._observe, self._deps.fallback, piece, record))
        if (error := future.exception()) is None:
            found, source = future.result(), self._deps.fallback.source
        else:
            self._deps.faults.note("fallback observer", CondensingFailed(str(error)))
            found, source = first_words(piece), HeuristicObserver.source
        most = max(1, _tokens(piece) // 2)
        text = last_lines(found.observations.strip("\n"), most, self._deps.estimate)
        chunk = self._chunk(piece, replace(found, observations=text), source)
        is_kept = self._store.update_active(self._owner, chunk)
        kind = ConversationEventKind.OBSERVATION_END
        self._report(kind, to_seq=chunk.to_seq, tokens=chunk.tokens)
        return is_kept

    def _observe(
        self, observer: Observer, piece: Sequence[Message], record: ObservationalMemoryRecord
    ) -> Condensed:
        buffered = (each.text for each in record.buffered_observation_chunks)
        text = "\n".join((record.active_observations, *buffered))
        most = self._config.observation.previous_observer_tokens
        known = last_lines(text, most, self._deps.estimate)
        return self._slicer.observe(observer, piece, known)

    def _may_retry(self, from_seq: int, size: int) -> bool:
        """Return whether this piece has not failed, or has grown enough since."""
        failed = self._failed
        doublings = min(failed.times - 1, _MAX_DOUBLINGS)
        share = self._config.observation.message_tokens / _GROWTH_DIVISOR * 2**doublings
        return failed.from_seq != from_seq or size >= failed.tokens + share

    def _chunk(self, piece: Sequence[Message], found: Condensed, source: str) -> Chunk:
        text = found.observations.strip("\n")
        return Chunk(
            piece[0].seq,
            piece[-1].seq,
            text,
            self._deps.estimate(text),
            _tokens(piece),
            source,
            found.current_task,
            found.suggested_response,
            self._deps.now_ms,
            count=len(piece),
        )


class ReflectionJob(_Job[ObservationalMemoryRecord]):
    """Condenses the observations of one conversation; the result is stored as its next generation."""

    leases = (Work.BUFFERING_REFLECTION, Work.REFLECTING)

    def start(self, record: ObservationalMemoryRecord, *, needed_now: bool) -> None:
        """Start reflecting on all active observations, unless that failed at this size or a job is running."""
        if self.is_running or not self._may_retry(record):
            return
        reflector, estimate = self._deps.reflector, self._deps.estimate
        text, target = record.active_observations, self._target(record)
        work = partial(reflect_until, reflector, text, target, estimate=estimate)
        self._start(record, work, waited=needed_now)

    def collect(self, *, within: float = 0.0) -> bool:
        """Return whether a new reflection was stored, waiting at most `within` seconds for the result."""
        taken = self._take_result(within=within)
        if taken is None:
            return False
        base, found = taken
        if isinstance(found, Exception):
            self._deps.faults.note("reflector", found)
            self._record_try(base, is_good=False)
            return False
        reflection = self._reflection(base, found, self._deps.reflector.source)
        is_kept = self._store.create_generation(self._owner, reflection, active=self._is_waited_for)
        size = min(base.observation_token_count, self._config.reflection.observation_tokens)
        self._record_try(base, is_good=reflection.tokens <= _MAX_REFLECTION_SHARE * size)
        return is_kept

    def reflect_offline(self, record: ObservationalMemoryRecord) -> bool:
        """Return whether observations were reduced now: by rules, and if that fails by keeping the newest lines."""
        text, target = record.active_observations, self._target(record)
        reflector = self._deps.fallback_reflector
        # Even at the hardest level the result can exceed the target, because milestones are always kept.
        future = run_now(partial(reflector.reflect, text, level=MAX_LEVEL, target=target))
        if (error := future.exception()) is not None:
            self._deps.faults.note("reflector in need", CondensingFailed(str(error)))
        if (
            error is None
            and 0 < self._size(future.result()) < self._config.reflection.observation_tokens
        ):
            found, source = future.result(), reflector.source
        else:
            found = Condensed(last_lines(text, target, self._deps.estimate))
            source = HeuristicReflector.source
        reflection = self._reflection(record, found, source)
        return self._store.create_generation(self._owner, reflection, active=True)

    def _may_retry(self, base: ObservationalMemoryRecord) -> bool:
        """Return whether the observations have clearly grown since the last reflection that was too large."""
        tries, seq, size = self._store.tries(self._owner)
        if not tries or base.cursor < seq:  # the run was restored to an earlier point
            return True
        doublings = min(tries - 1, _MAX_REFLECTION_DOUBLINGS)
        share = self._config.reflection.observation_tokens / _GROWTH_DIVISOR * 2**doublings
        return base.cursor > seq and base.observation_token_count >= size + share

    def _record_try(self, base: ObservationalMemoryRecord, *, is_good: bool) -> None:
        tries = 0 if is_good else self._store.tries(self._owner)[0] + 1
        self._store.note_tries(self._owner, tries, base.cursor, base.observation_token_count)

    def _target(self, base: ObservationalMemoryRecord) -> int:
        reflection = self._config.reflection
        size = min(base.observation_token_count, reflection.observation_tokens)
        return max(1, round((reflection.buffer_activation or 0.5) * size))

    def _size(self, found: Condensed) -> int:
        return self._deps.estimate(found.observations)

    def _reflection(
        self, base: ObservationalMemoryRecord, found: Condensed, source: str
    ) -> Reflection:
        return Reflection(
            base.generation_count + 1,
            base.cursor,
            found.observations,
            self._size(found),
            source,
            found.current_task,
            found.suggested_response,
            self._deps.now_ms,
        )


def _tokens(messages: Sequence[Message]) -> int:
    return sum(each.tokens for each in messages)
