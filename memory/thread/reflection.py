"""Reflecting upon observations: ahead of need beside play, while a step waits, or without any model.

What cannot be made smaller is left alone until there is clearly more of it, longer after each time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memory.thread.background import Immediate
from memory.thread.chunks import Reflection
from memory.thread.job import Job
from memory.thread.last_resort import Newest
from memory.thread.lease import Work
from memory.thread.port import Distilled, DistillingFailed
from memory.thread.reflecting import HARDEST
from memory.thread.reflecting_ladder import reflect_until

if TYPE_CHECKING:
    from memory.thread.config import ThreadConfig
    from memory.thread.means import Means
    from memory.thread.port import Reflector
    from memory.thread.record import ObservationalMemoryRecord
    from memory.thread.store import ThreadStore

_GROWN: Final = (
    10  # the share of the threshold by which observations must grow after a first failure
)
_DOUBLINGS: Final = 5  # how often that share doubles at most
_STILL_MUCH: Final = 0.75  # of the threshold: a reflection of more than that helps for too short


class _Base(NamedTuple):
    """What is reflected upon: all observations of messages up to a number, as generation so and so."""

    generation: int
    upto_seq: int
    tokens: int
    is_needed_now: bool


class Reflecting:
    """The reflecting of one conversation. Its work touches no file; only what keeps the result does."""

    def __init__(self, store: ThreadStore, owner: str, config: ThreadConfig, means: Means) -> None:
        self._store = store
        self._owner = owner
        self._config = config.reflection
        self._means = means
        self._job: Job[_Base] = Job(
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
            reflector = Newest(self._means.estimate)
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
