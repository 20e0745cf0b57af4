"""Observing and reflecting as jobs: ahead of need beside play, while a step waits, or in need without any model.

The work of a job touches no file; only what keeps its result does, on the side of the caller. What cannot be made
smaller is left alone until there is clearly more of it, longer after each time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, TypeVar

from memory.conversation.boundaries import Slicer
from memory.conversation.model import reflect_until
from memory.conversation.record import (
    Chunk,
    ConversationEvent,
    ConversationEventKind,
    Distilled,
    DistillingFailed,
    Reflection,
)
from memory.conversation.rules import (
    HARDEST,
    GistObserver,
    HeuristicObserver,
    HeuristicReflector,
    NewestReflector,
    ending,
)
from memory.conversation.store import Work
from memory.errors import Faults
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.codec import Json
    from memory.conversation.config import ConversationConfig
    from memory.conversation.messages import Message
    from memory.conversation.record import ObservationalMemoryRecord, Observer, Reflector
    from memory.conversation.store import ConversationStore


if TYPE_CHECKING:
    Result = TypeVar("Result")


class Background(Protocol):
    """Does work that touches no file, and hands over what came of it."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return what will hold the result of `work`, or the error it ended with."""
        ...


class Immediate:
    """Does it at once: for what is quick and always comes to the same."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return the result of `work`, or its error, which is there already."""
        future: Future[Result] = Future()
        _settle(future, work)
        return future


class Threads:
    """Does each work in a thread of its own, which never holds up the end of the program: for models."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return what will hold the result of `work`, or its error."""
        future: Future[Result] = Future()
        Thread(target=_settle, args=(future, work), name="observing", daemon=True).start()
        return future


def is_done(future: Future[Result], *, within: float) -> bool:
    """Return whether `future` has come to something, waiting `within` seconds for it at most."""
    return future.done() or bool(wait_for([future], timeout=max(0.0, within)).done)


def _settle(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        result = work()
    except Exception as error:  # noqa: BLE001  # handed over to whoever asks for the result
        future.set_exception(error)
    else:
        future.set_result(result)


def _nobody(_part: ConversationEvent) -> None:
    """Tell nobody."""


def _this_process() -> str:
    return f"process {os.getpid()}"


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What a conversation works with.

    `clock` gives epoch seconds. `fallback` and `reflector_in_need` use no model; they are asked where everything else
    has failed for too long. `holder` is the name under which work is claimed: no two processes of one
    name may have the file open, and one that was killed comes again under its name.
    """

    observer: Observer
    reflector: Reflector
    clock: Callable[[], float]
    fallback: Observer = field(default_factory=HeuristicObserver)
    reflector_in_need: Reflector = field(default_factory=HeuristicReflector)
    estimate: Callable[[str], int] = tokens
    background: Background = field(default_factory=Immediate)
    on_part: Callable[[ConversationEvent], None] = _nobody
    faults: Faults = field(default_factory=Faults)
    holder: str = field(default_factory=_this_process)

    @property
    def now_ms(self) -> int:
        """The time in epoch milliseconds."""
        return round(self.clock() * 1_000)

    def tell(self, part: ConversationEvent) -> None:
        """Tell of something that has happened; who listens must not become our fault."""
        try:
            self.on_part(part)
        except Exception as error:  # noqa: BLE001  # whoever looks on is somebody else's code
            self.faults.note("on_part", error)


About = TypeVar("About")


class BackgroundJob(Generic[About]):
    """At most one work of a kind for one conversation; `about` is what it was begun with.

    `works` are the lease that is always taken, and what is said to go on as well where a step waits for it.
    """

    def __init__(
        self,
        store: ConversationStore,
        owner: str,
        works: tuple[Work, Work],
        means: Dependencies,
        deadline: float,
    ) -> None:
        self._store = store
        self._owner = owner
        self._work, self._waited_work = works
        self._means = means
        self._deadline = deadline  # seconds after which nobody counts on it any more
        self._about: About | None = None
        self._future: Future[Distilled] | None = None
        self._ends = 0.0

    @property
    def is_under_way(self) -> bool:
        """Whether something was begun and nothing came of it yet."""
        return self._future is not None

    def start(self, about: About, work: Callable[[], Distilled], *, waited: bool) -> bool:
        """Return whether `work` was begun, for which a step waits or none does; not where another process is at it."""
        if not self._claims(self._work):
            return False
        if waited:
            self._claims(self._waited_work)
        self._about = about
        self._ends = self._means.clock() + self._deadline
        self._future = self._means.background.submit(work)
        return True

    def taken(self, *, within: float = 0.0) -> tuple[About, Distilled | Exception] | None:
        """Return what came of the work, once, waiting `within` seconds for it at most; None while it goes on."""
        about, future = self._about, self._future
        if about is None or future is None:
            return None
        if is_done(future, within=within):
            error = future.exception()
            found = future.result() if error is None else _as_exception(error)
        elif self._means.clock() < self._ends:
            return None
        else:
            found = DistillingFailed(f"{self._work.value} took too long; it is given up.")
        self._about = self._future = None
        for work in (self._work, self._waited_work):
            self._store.clear_flag(self._owner, work, self._means.holder)
        return about, found

    def _claims(self, work: Work) -> bool:
        now = self._means.now_ms
        until = now + round(self._deadline * 1_000)
        holder = self._means.holder
        return self._store.set_flag(self._owner, work, holder, now_ms=now, until_ms=until)

    def tell(self, kind: ConversationEventKind, **data: Json) -> None:
        """Tell of something that has happened to the conversation."""
        self._means.tell(ConversationEvent(kind, self._owner, data))


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else DistillingFailed(repr(error))


_GROWN: Final = 10  # a failed piece is tried again once it has grown by this share of the threshold
_OBSERVING_DOUBLINGS: Final = 3  # how often that share doubles at most, while nothing works


class _Failed(NamedTuple):
    """What came to nothing, and how often in a row: the piece of messages that began at a number, with so many tokens."""

    from_seq: int = 0
    tokens: int = 0
    times: int = 0


class ObservationJob:
    """The observing of one conversation. Its work touches no file; only `keep` does, on the caller's side."""

    def __init__(
        self, store: ConversationStore, owner: str, config: ConversationConfig, means: Dependencies
    ) -> None:
        self._store = store
        self._owner = owner
        self._config = config.observation
        self._means = means
        self._slicing = Slicer(config.observation.message_tokens, means.estimate)
        self._job: BackgroundJob[tuple[Message, ...]] = BackgroundJob(
            store,
            owner,
            (Work.BUFFERING_OBSERVATION, Work.OBSERVING),
            means,
            config.deadline,
        )
        self._failed = _Failed()
        self._is_waited_for = False

    @property
    def is_under_way(self) -> bool:
        """Whether messages are being observed."""
        return self._job.is_under_way

    def start(
        self, record: ObservationalMemoryRecord, piece: Sequence[Message], *, waited: bool = False
    ) -> None:
        """Begin to observe `piece`, the messages behind all that is observed, unless that just failed or goes on already."""
        tokens = _tokens(piece)
        if self.is_under_way or not self._may(piece[0].seq, tokens):
            return
        self._is_waited_for = waited
        work = partial(
            self._slicing.observe, self._means.observer, tuple(piece), self._known(record)
        )
        if self._job.start(tuple(piece), work, waited=waited):
            kind = (
                ConversationEventKind.OBSERVATION_START
                if waited
                else ConversationEventKind.BUFFERING_START
            )
            self._job.tell(kind, from_seq=piece[0].seq, to_seq=piece[-1].seq, tokens=tokens)

    def keep(self, *, within: float = 0.0) -> bool:
        """Return whether more is observed than before, waiting `within` seconds for it at most."""
        taken = self._job.taken(within=within)
        if taken is None:
            return False
        piece, found = taken
        if isinstance(found, Distilled) and not self._is_empty(found):
            chunk = self._chunk(piece, found, self._means.observer)
            is_kept = self._store.update_buffered(self._owner, chunk)
            self._failed = _Failed()
            end = (
                ConversationEventKind.OBSERVATION_END
                if self._is_waited_for
                else ConversationEventKind.BUFFERING_END
            )
            self._job.tell(end, to_seq=chunk.to_seq, tokens=chunk.tokens, is_kept=is_kept)
            return is_kept
        error = found if isinstance(found, Exception) else _nothing()
        self._failed = _Failed(piece[0].seq, _tokens(piece), self._failed.times + 1)
        self._means.faults.note("observer", error)
        failed = (
            ConversationEventKind.OBSERVATION_FAILED
            if self._is_waited_for
            else ConversationEventKind.BUFFERING_FAILED
        )
        self._job.tell(failed, from_seq=piece[0].seq, error=str(error))
        return False

    def observe_in_need(self, record: ObservationalMemoryRecord, piece: Sequence[Message]) -> bool:
        """Return whether `piece` is observed and active by now; by no model, and if all fails by the last resort."""
        observer: Observer = self._means.fallback
        work = partial(self._slicing.observe, observer, piece, self._known(record))
        future = Immediate().submit(work)
        error = future.exception()
        if error is None:
            found = future.result()
        else:
            self._means.faults.note("fallback observer", DistillingFailed(str(error)))
            observer = GistObserver()
            found = observer.observe(piece, "")
        chunk = self._chunk(piece, found, observer, most=max(1, _tokens(piece) // 2))
        is_kept = self._store.update_active(self._owner, chunk)
        self._job.tell(
            ConversationEventKind.OBSERVATION_END, to_seq=chunk.to_seq, tokens=chunk.tokens
        )
        return is_kept

    def _may(self, from_seq: int, tokens: int) -> bool:
        """Whether nothing failed on this piece, or it has grown enough since."""
        failed = self._failed
        share = (
            self._config.message_tokens / _GROWN * 2 ** min(failed.times - 1, _OBSERVING_DOUBLINGS)
        )
        return failed.from_seq != from_seq or tokens >= failed.tokens + share

    def _chunk(
        self,
        piece: Sequence[Message],
        found: Distilled,
        observer: Observer,
        most: int | None = None,
    ) -> Chunk:
        text = found.observations.strip("\n")
        if most is not None:
            text = ending(text, most, self._means.estimate)
        return Chunk(
            piece[0].seq,
            piece[-1].seq,
            text,
            self._means.estimate(text),
            _tokens(piece),
            observer.source,
            found.current_task,
            found.suggested_response,
            self._means.now_ms,
            count=len(piece),
        )

    def _is_empty(self, found: Distilled) -> bool:
        """Whether a model says that there was nothing: a rule that finds nothing is right, a model most likely failed."""
        return self._means.observer.source == "llm" and not found.observations.strip()

    def _known(self, record: ObservationalMemoryRecord) -> str:
        waiting = (each.text for each in record.buffered_observation_chunks)
        text = "\n".join((record.active_observations, *waiting))
        return ending(text, self._config.previous_observer_tokens, self._means.estimate)


def _tokens(messages: Sequence[Message]) -> int:
    return sum(each.tokens for each in messages)


def _nothing() -> DistillingFailed:
    return DistillingFailed("the observer said nothing of what was said; it is asked again later.")


_DOUBLINGS: Final = 5  # how often that share doubles at most
_STILL_MUCH: Final = 0.75  # of the threshold: a reflection of more than that helps for too short


class _Base(NamedTuple):
    """What is reflected upon: all observations of messages up to a number, as generation so and so."""

    generation: int
    upto_seq: int
    tokens: int
    is_needed_now: bool


class ReflectionJob:
    """The reflecting of one conversation. Its work touches no file; only what keeps the result does."""

    def __init__(
        self, store: ConversationStore, owner: str, config: ConversationConfig, means: Dependencies
    ) -> None:
        self._store = store
        self._owner = owner
        self._config = config.reflection
        self._means = means
        self._job: BackgroundJob[_Base] = BackgroundJob(
            store, owner, (Work.BUFFERING_REFLECTION, Work.REFLECTING), means, config.deadline
        )

    def start(self, record: ObservationalMemoryRecord, *, needed_now: bool) -> None:
        """Begin to reflect upon all that is active, unless that failed on as much or goes on already."""
        base = _base(record, needed_now=needed_now)
        if self._job.is_under_way or not self._may(base):
            return
        text, target = record.active_observations, self._target(base)
        work = partial(
            reflect_until, self._means.reflector, text, target, estimate=self._means.estimate
        )
        self._job.start(base, work, waited=needed_now)

    def keep(self, *, within: float = 0.0) -> bool:
        """Return whether there is a new reflection, waiting `within` seconds for it at most."""
        taken = self._job.taken(within=within)
        if taken is None:
            return False
        base, found = taken
        if isinstance(found, Exception):
            self._means.faults.note("reflector", found)
            self._note_try(base, is_good=False)
            return False
        reflection = self._reflection(base, found, self._means.reflector)
        is_kept = self._store.create_generation(self._owner, reflection, active=base.is_needed_now)
        most = _STILL_MUCH * min(base.tokens, self._config.observation_tokens)
        self._note_try(base, is_good=reflection.tokens <= most)
        return is_kept

    def reflect_in_need(self, record: ObservationalMemoryRecord) -> bool:
        """Return whether observations were made fewer at once: by rule, and if that fails by keeping the newest."""
        base = _base(record, needed_now=True)
        text, target = record.active_observations, self._target(base)
        reflector = self._means.reflector_in_need
        # At the hardest level it may keep more than is wanted, where all of that must be kept.
        future = Immediate().submit(partial(reflector.reflect, text, level=HARDEST, target=target))
        error = future.exception()
        if error is not None:
            self._means.faults.note("reflector in need", DistillingFailed(str(error)))
        if error is not None or not self._helps(future.result()):
            reflector = NewestReflector(self._means.estimate)
            found = reflector.reflect(text, level=HARDEST, target=target)
        else:
            found = future.result()
        reflection = self._reflection(base, found, reflector)
        return self._store.create_generation(self._owner, reflection, active=True)

    def _helps(self, found: Distilled) -> bool:
        return 0 < self._size(found) < self._config.observation_tokens

    def _may(self, base: _Base) -> bool:
        """Whether there is clearly more than when it last came to too little."""
        tries, seq, tokens = self._store.tries(self._owner)
        if not tries or base.upto_seq < seq:  # a return to before that
            return True
        share = self._config.observation_tokens / _GROWN * 2 ** min(tries - 1, _DOUBLINGS)
        return base.upto_seq > seq and base.tokens >= tokens + share

    def _note_try(self, base: _Base, *, is_good: bool) -> None:
        tries = 0 if is_good else self._store.tries(self._owner)[0] + 1
        self._store.note_tries(self._owner, tries, base.upto_seq, base.tokens)

    def _target(self, base: _Base) -> int:
        share = self._config.buffer_activation or 0.5
        return max(1, round(share * min(base.tokens, self._config.observation_tokens)))

    def _size(self, found: Distilled) -> int:
        return self._means.estimate(found.observations)

    def _reflection(self, base: _Base, found: Distilled, reflector: Reflector) -> Reflection:
        return Reflection(
            base.generation + 1,
            base.upto_seq,
            found.observations,
            self._size(found),
            reflector.source,
            found.current_task,
            found.suggested_response,
            self._means.now_ms,
        )


def _base(record: ObservationalMemoryRecord, *, needed_now: bool) -> _Base:
    return _Base(record.generation_count, record.cursor, record.observation_token_count, needed_now)
