"""Observing messages: ahead of need beside play, or while a step waits; what comes of it is kept as a chunk."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.background import Immediate
from memory.thread.chunks import Chunk
from memory.thread.job import Job
from memory.thread.last_resort import Gist, ending
from memory.thread.lease import Work
from memory.thread.parts import PartKind
from memory.thread.port import Distilled, DistillingFailed
from memory.thread.slices import Slicing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.thread.config import ThreadConfig
    from memory.thread.means import Means
    from memory.thread.message import Message
    from memory.thread.port import Observer
    from memory.thread.record import ObservationalMemoryRecord
    from memory.thread.store import ThreadStore

_GROWN: Final = 10  # a failed piece is tried again once it has grown by this share of the threshold
_DOUBLINGS: Final = 3  # how often that share doubles at most, while nothing works


class _Failed(NamedTuple):
    """What came to nothing, and how often in a row: the piece of messages that began at a number, with so many tokens."""

    from_seq: int = 0
    tokens: int = 0
    times: int = 0


class Buffering:
    """The observing of one conversation. Its work touches no file; only `keep` does, on the caller's side."""

    def __init__(self, store: ThreadStore, owner: str, config: ThreadConfig, means: Means) -> None:
        self._store = store
        self._owner = owner
        self._config = config.observation
        self._means = means
        self._slicing = Slicing(config.observation.message_tokens, means.estimate)
        self._job: Job[tuple[Message, ...]] = Job(
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
            kind = PartKind.OBSERVATION_START if waited else PartKind.BUFFERING_START
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
            end = PartKind.OBSERVATION_END if self._is_waited_for else PartKind.BUFFERING_END
            self._job.tell(end, to_seq=chunk.to_seq, tokens=chunk.tokens, is_kept=is_kept)
            return is_kept
        error = found if isinstance(found, Exception) else _nothing()
        self._failed = _Failed(piece[0].seq, _tokens(piece), self._failed.times + 1)
        self._means.faults.note("observer", error)
        failed = PartKind.OBSERVATION_FAILED if self._is_waited_for else PartKind.BUFFERING_FAILED
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
            observer = Gist()
            found = observer.observe(piece, "")
        chunk = self._chunk(piece, found, observer, most=max(1, _tokens(piece) // 2))
        is_kept = self._store.update_active(self._owner, chunk)
        self._job.tell(PartKind.OBSERVATION_END, to_seq=chunk.to_seq, tokens=chunk.tokens)
        return is_kept

    def _may(self, from_seq: int, tokens: int) -> bool:
        """Whether nothing failed on this piece, or it has grown enough since."""
        failed = self._failed
        share = self._config.message_tokens / _GROWN * 2 ** min(failed.times - 1, _DOUBLINGS)
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
