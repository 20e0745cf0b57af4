"""Calls of a model: permission to spend, retries, and the circuit breaker.

After repeated faults no call is made for a while, longer each time; then one trial call is allowed. The caller supplies
the time, for example game seconds, so that no wall clock changes what is played.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from agent.advisor.deadline import Patience
from agent.advisor.model import FaultKind, Model, ModelFault, Permit, Reply, Request
from agent.advisor.money.limits import input_token_bound
from agent.advisor.money.wallet import Wallet
from agent.advisor.port import NoAnswer, NoAnswerReason
from agent.advisor.request import CacheReport
from memory import Faults


class BreakerState(Enum):
    """Which calls are allowed."""

    CLOSED = "closed"  # all calls
    OPEN = "open"  # no calls
    HALF_OPEN = "half_open"  # one trial call


# How many consecutive faults open the breaker, by the kind of the last fault.
FAULTS_TO_OPEN: Final = {
    **dict.fromkeys(FaultKind, 3),  # one question may be invalid; three in a row are no coincidence
    FaultKind.TIMEOUT: 2,
    FaultKind.RATE_LIMIT: 2,
    FaultKind.OVERLOADED: 2,
    FaultKind.CONNECTION: 2,
    FaultKind.DENIED: 1,  # a wrong key or model stays wrong
    FaultKind.INTERRUPTED: 1,  # no time is left for another call
}


MAX_RECENT_FAULTS: Final = 5  # among the last RECENT_CALLS calls
RECENT_CALLS: Final = 10
MIN_WAIT_S: Final = 60.0
MAX_WAIT_S: Final = 1800.0


class CircuitBreaker:
    """The circuit breaker of one service; `openings` counts its openings by the kind of the last fault.

    It opens after `FAULTS_TO_OPEN` consecutive faults, when `MAX_RECENT_FAULTS` of the last `RECENT_CALLS` calls failed,
    or when the service asks for a wait. It stays open for `MIN_WAIT_S`, then twice as long after each failed trial call,
    at most `MAX_WAIT_S`. After DENIED it waits `MAX_WAIT_S` at once.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.state = BreakerState.CLOSED
        self.openings: Counter[FaultKind] = Counter()
        self._now = now
        self._recent: deque[bool] = deque(maxlen=RECENT_CALLS)  # True for a failed call
        self._in_a_row = 0
        self._wait = MIN_WAIT_S  # when it opens next
        self._remaining = 0.0  # seconds until the trial call
        self._last_time = now()

    def allows(self) -> bool:
        """Return whether a call is allowed now; a trial call is the only one until it ends or `MIN_WAIT_S` pass."""
        if self.state is BreakerState.CLOSED:
            return True
        self._pass_time()
        if self._remaining > 0:
            return False
        self.state = BreakerState.HALF_OPEN
        self._remaining = MIN_WAIT_S  # in case its result is never recorded
        return True

    def record_failure(self, kind: FaultKind, retry_after_s: float | None = None) -> None:
        """Record a failed call and the seconds that the service asks to wait, if it does."""
        self._recent.append(True)
        self._in_a_row += 1
        # A service may send invalid waits, such as negative ones.
        asked = min(retry_after_s, MAX_WAIT_S) if retry_after_s and retry_after_s > 0 else 0.0
        is_over = self._in_a_row >= FAULTS_TO_OPEN[kind] or sum(self._recent) >= MAX_RECENT_FAULTS
        if self.state is BreakerState.OPEN:  # the call started before the breaker opened
            self._pass_time()
            self._remaining = max(self._remaining, asked)
        elif self.state is BreakerState.HALF_OPEN or is_over:
            self._open(kind, max(self._next_wait(kind), asked))
        elif asked > 0:
            self._open(kind, asked)

    def record_success(self) -> None:
        """Record a call that returned a message."""
        self._in_a_row = 0
        self._recent.append(False)
        if self.state is not BreakerState.CLOSED:
            self.state = BreakerState.CLOSED
            self._recent.clear()
            self._wait = MIN_WAIT_S

    def _next_wait(self, kind: FaultKind) -> float:
        wait = MAX_WAIT_S if kind is FaultKind.DENIED else self._wait
        self._wait = min(2 * self._wait, MAX_WAIT_S)
        return wait

    def _open(self, kind: FaultKind, wait: float) -> None:
        self.state = BreakerState.OPEN
        self.openings[kind] += 1
        self._last_time = self._now()
        self._remaining = wait

    def _pass_time(self) -> None:
        # Only forward steps count: restoring a checkpoint sets game time back, which must not lengthen the wait.
        now = self._now()
        self._remaining -= max(0.0, now - self._last_time)
        self._last_time = now


# All faults but those that every retry would meet again.
TRANSIENT: Final = set(FaultKind) - {
    FaultKind.TOO_LONG,
    FaultKind.BAD_REQUEST,
    FaultKind.DENIED,
    FaultKind.UNEXPECTED,
    FaultKind.INTERRUPTED,
}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a call is retried: after `first_wait_s`, then twice as long each time, at most `max_wait_s`.

    A call is not retried when the service asks for a longer wait. No retry starts later than `max_total_s` after the first try.
    """

    retries: int = 2
    first_wait_s: float = 0.5
    max_wait_s: float = 10.0
    max_total_s: float = 90.0

    def wait_s(self, attempt: int, fault: ModelFault) -> float | None:
        """Return the seconds to wait after that attempt (counted from 1), or None: do not retry."""
        if attempt > self.retries or fault.kind not in TRANSIENT:
            return None
        wait = min(self.first_wait_s * 2 ** (attempt - 1), self.max_wait_s)
        asked = fault.retry_after_s or 0.0
        return None if asked > self.max_wait_s else max(wait, asked)


RETRY_POLICY: Final = RetryPolicy()


@dataclass(slots=True)
class Calls:
    """Calls a model when wallet and breaker allow it, and retries transient faults.

    `counts` holds faults by kind, retries, and calls that were not allowed; `cache` what questions read from the prompt
    cache; `answered_by` the name that the last reply gave its model, by purpose. `faults` gets the errors that nothing
    expects.
    """

    model: Model
    wallet: Wallet
    breaker: CircuitBreaker
    patience: Patience
    retry_policy: RetryPolicy = RETRY_POLICY
    faults: Faults = field(default_factory=Faults)
    counts: Counter[str] = field(default_factory=Counter)
    cache: CacheReport = field(default_factory=CacheReport)
    answered_by: dict[str, str] = field(default_factory=dict)

    def model_for(self, purpose: str) -> str | NoAnswer:
        """Return the model to call for that purpose, or why no call is allowed now."""
        model = self.wallet.choose(purpose)
        if model is None:
            return self._not_allowed(NoAnswerReason.CEILING)
        return model if self.breaker.allows() else self._not_allowed(NoAnswerReason.BREAKER)

    def complete(self, request: Request, purpose: str) -> Reply | NoAnswer | ModelFault:
        """Return the reply, why no call was made, or the fault of the last try.

        Call `model_for` before the first call of a question.
        """
        started = self.patience.clock()
        attempt = 1
        while True:
            outcome = self._try(replace(request, attempt=attempt), purpose)
            if not isinstance(outcome, ModelFault):
                return outcome
            if outcome.asks_again:  # it ends: each time a part is left out
                continue
            wait = self.retry_policy.wait_s(attempt, outcome)
            elapsed = self.patience.clock() - started + (wait or 0.0)
            if wait is None or elapsed > self.retry_policy.max_total_s or not self.breaker.allows():
                return outcome
            self.counts["retries"] += 1
            self.patience.pause(wait)
            attempt += 1

    def _try(self, request: Request, purpose: str) -> Reply | NoAnswer | ModelFault:
        tokens = input_token_bound(request)
        permit = self.wallet.permit(request.model, tokens, request.settings.max_tokens, purpose)
        if permit is None:
            return self._not_allowed(NoAnswerReason.CEILING)
        try:
            reply = self.model.complete(request)
        except ModelFault as fault:
            self._failed(permit, fault, request.attempt)
            return fault
        self.wallet.settle(permit, reply.usage if reply.is_counted else None, reply.model)
        self.answered_by[purpose] = reply.model
        self.breaker.record_success()
        self.counts["calls"] += 1
        return reply

    def failed_outside(self, error: Exception) -> ModelFault:
        """Count an error in asking outside of a call, in a tool for example, as a fault; return the fault."""
        self.faults.note("ask the model", error)
        fault = ModelFault(FaultKind.UNEXPECTED, type(error).__name__)
        self._count_fault(fault, None)
        return fault

    def _failed(self, permit: Permit, fault: ModelFault, attempt: int) -> None:
        if fault.is_free:
            self.wallet.cancel(permit)
        else:
            self.wallet.settle(permit, None)
        if fault.asks_again:
            self.counts["parts left out"] += 1
            return
        # The breaker need not repeat a wait that the retry of this call already waits for.
        is_retried = self.retry_policy.wait_s(attempt, fault) is not None
        self._count_fault(fault, None if is_retried else fault.retry_after_s)

    def _count_fault(self, fault: ModelFault, retry_after_s: float | None) -> None:
        self.breaker.record_failure(fault.kind, retry_after_s)
        self.counts[f"fault:{fault.kind.value}"] += 1

    def _not_allowed(self, why: NoAnswerReason) -> NoAnswer:
        self.counts[f"kept back:{why.value}"] += 1
        return NoAnswer(why)
