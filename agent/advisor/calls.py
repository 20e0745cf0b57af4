"""One call of a model with all that belongs to it: permission to spend, retries, and the circuit breaker.

A service that fails is left alone for a while, longer each time, and then tried with one call. Time is what the caller
counts, such as seconds of the game; no wall clock decides what is played.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from agent.advisor.model import FaultKind, Model, ModelFault, Permit, Reply, Request
from agent.advisor.money.limits import most_input_tokens
from agent.advisor.money.wallet import Wallet
from agent.advisor.port import Silence, Silent


class BreakerState(Enum):
    """Whether calls may be tried."""

    CLOSED = "closed"  # all of them
    OPEN = "open"  # none
    HALF_OPEN = "half_open"  # one, to see


# How many faults in a row are too many when the last one is of this kind.
IN_A_ROW: Final = {
    FaultKind.TIMEOUT: 2,
    FaultKind.RATE_LIMIT: 2,
    FaultKind.OVERLOADED: 2,
    FaultKind.SERVER: 3,
    FaultKind.CONNECTION: 2,
    FaultKind.BROKEN_STREAM: 3,
    FaultKind.TOO_LONG: 3,
    FaultKind.MALFORMED: 3,
    FaultKind.BAD_REQUEST: 3,  # one question may be a bad one; all of them are no chance
    FaultKind.DENIED: 1,  # a key or a model does not become right by trying again
}


MOST: Final = 5  # faults among the last so many calls
AMONG: Final = 10
FIRST_S: Final = 60.0
LONGEST_S: Final = 1800.0


class CircuitBreaker:
    """The breaker of one service; `opened` counts how often it opened, by the kind of the last fault.

    It opens after so many faults in a row (`IN_A_ROW`, by the kind of the last), after `MOST` of the last `AMONG` calls,
    or for as long as the service asks. It stays open for `FIRST_S`, twice as long each time the call that was let through
    fails too, and never longer than `LONGEST_S`, which is also how long DENIED lasts.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.state = BreakerState.CLOSED
        self.opened: Counter[FaultKind] = Counter()
        self._now = now
        self._recent: deque[bool] = deque(maxlen=AMONG)  # whether each failed
        self._row = 0
        self._wait = FIRST_S  # of the next time it opens
        self._left = 0.0  # until it may be tried again
        self._seen = now()

    def allows(self) -> bool:
        """Return whether a call may be tried now; where one is let through to see, it is the only one for a while."""
        if self.state is BreakerState.CLOSED:
            return True
        self._pass_time()
        if self._left > 0:
            return False
        self.state = BreakerState.HALF_OPEN
        self._left = FIRST_S  # should nothing ever be heard of it
        return True

    def failed(self, kind: FaultKind, retry_after_s: float | None = None) -> None:
        """Take note of a call that failed, and of the seconds after which the service wants to be asked again."""
        self._recent.append(True)
        self._row += 1
        # A service may ask for nonsense, such as less than nothing.
        asked = min(retry_after_s, LONGEST_S) if retry_after_s and retry_after_s > 0 else 0.0
        is_too_much = self._row >= IN_A_ROW[kind] or sum(self._recent) >= MOST
        if self.state is BreakerState.OPEN:  # a call that was under way when it opened
            self._pass_time()
            self._left = max(self._left, asked)
        elif self.state is BreakerState.HALF_OPEN or is_too_much:
            self._open(kind, max(self._next_wait(kind), asked))
        elif asked > 0:
            self._open(kind, asked)

    def worked(self) -> None:
        """Take note of a call that brought a message."""
        self._row = 0
        self._recent.append(False)
        if self.state is not BreakerState.CLOSED:
            self.state = BreakerState.CLOSED
            self._recent.clear()
            self._wait = FIRST_S

    def _next_wait(self, kind: FaultKind) -> float:
        wait = LONGEST_S if kind is FaultKind.DENIED else self._wait
        self._wait = min(2 * self._wait, LONGEST_S)
        return wait

    def _open(self, kind: FaultKind, wait: float) -> None:
        self.state = BreakerState.OPEN
        self.opened[kind] += 1
        self._seen = self._now()
        self._left = wait

    def _pass_time(self) -> None:
        # Counted in steps forward: going back to a checkpoint sets the game's time back, which is no time to wait.
        now = self._now()
        self._left -= max(0.0, now - self._seen)
        self._seen = now


# The others fail again, however often they are tried.
PASSING: Final = set(FaultKind) - {FaultKind.TOO_LONG, FaultKind.BAD_REQUEST, FaultKind.DENIED}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a call is tried again: after `first_s` seconds, then twice as long each time, `longest_s` at most.

    A service that asks for a longer wait is not asked again now. No try begins later than `in_all_s` after the first.
    """

    retries: int = 2
    first_s: float = 0.5
    longest_s: float = 10.0
    in_all_s: float = 90.0

    def wait_s(self, attempt: int, fault: ModelFault) -> float | None:
        """Return how long to wait after that attempt, counted from 1; None: do not try again."""
        if attempt > self.retries or fault.kind not in PASSING:
            return None
        wait = min(self.first_s * 2 ** (attempt - 1), self.longest_s)
        asked = fault.retry_after_s or 0.0
        return None if asked > self.longest_s else max(wait, asked)


RETRY_POLICY: Final = RetryPolicy()


class Calls:
    """Asks a model as far as wallet and breaker allow; a call that fails is tried again while that makes sense.

    `clock` gives seconds from any moment, `sleep` lets them pass. `counts` has the faults by kind, retries, and calls not
    made.
    """

    def __init__(
        self,
        model: Model,
        wallet: Wallet,
        breaker: CircuitBreaker,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
        patience: RetryPolicy = RETRY_POLICY,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._model = model
        self._wallet = wallet
        self._breaker = breaker
        self._clock = clock
        self._sleep = sleep
        self._patience = patience

    def ready(self, purpose: str) -> str | Silent:
        """Return the model to ask for that purpose, or why nobody is to be asked now."""
        model = self._wallet.choose(purpose)
        if model is None:
            return self._kept_back(Silence.CEILING)
        return model if self._breaker.allows() else self._kept_back(Silence.BREAKER)

    def complete(self, request: Request, purpose: str) -> Reply | Silent | ModelFault:
        """Return the reply, why nobody was asked, or the fault of the last try.

        `ready` was asked before the first call of a question.
        """
        began = self._clock()
        attempt = 1
        while True:
            outcome = self._try(replace(request, attempt=attempt), purpose)
            if not isinstance(outcome, ModelFault):
                return outcome
            wait = self._patience.wait_s(attempt, outcome)
            waited = self._clock() - began + (wait or 0.0)
            if wait is None or waited > self._patience.in_all_s or not self._breaker.allows():
                return outcome
            self.counts["retries"] += 1
            self._sleep(wait)
            attempt += 1

    def _try(self, request: Request, purpose: str) -> Reply | Silent | ModelFault:
        tokens = most_input_tokens(request)
        permit = self._wallet.permit(request.model, tokens, request.max_tokens, purpose)
        if permit is None:
            return self._kept_back(Silence.CEILING)
        try:
            reply = self._model.complete(request)
        except ModelFault as fault:
            self._failed(permit, fault, request.attempt)
            return fault
        self._wallet.settle(permit, reply.usage)
        self._breaker.worked()
        self.counts["calls"] += 1
        return reply

    def _failed(self, permit: Permit, fault: ModelFault, attempt: int) -> None:
        if fault.is_free:
            self._wallet.cancel(permit)
        else:
            self._wallet.settle(permit, None)
        # A wait that the service asks for and that is waited for here is none for the breaker to keep.
        is_waited_for = self._patience.wait_s(attempt, fault) is not None
        self._breaker.failed(fault.kind, None if is_waited_for else fault.retry_after_s)
        self.counts[f"fault:{fault.kind.value}"] += 1

    def _kept_back(self, why: Silence) -> Silent:
        self.counts[f"kept back:{why.value}"] += 1
        return Silent(why)
