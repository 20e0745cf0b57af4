"""One call with all that goes with it: leave to spend, tries, and what the breaker must know."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from agent.advisor.model import FaultKind, Model, ModelFault, Reply, Request
from agent.advisor.port import Silence, Silent
from agent.advisor.purse import Breaker, Permit, Purse

PASSING: Final = frozenset(
    {
        FaultKind.TIMEOUT,
        FaultKind.RATE_LIMIT,
        FaultKind.OVERLOADED,
        FaultKind.SERVER,
        FaultKind.CONNECTION,
        FaultKind.BROKEN_STREAM,
        FaultKind.MALFORMED,
    }
)


@dataclass(frozen=True, slots=True)
class Patience:
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


PATIENCE: Final = Patience()


@dataclass(frozen=True, slots=True)
class Time:
    """Seconds from any moment, and a way to let them pass."""

    clock: Callable[[], float]
    sleep: Callable[[float], None]


class Calls:
    """Asks a model as far as purse and breaker allow; a call that fails is tried again while that makes sense.

    `most_tokens` returns a number that the input of a request cannot have more tokens than. `counts` has the faults by
    kind, retries, and calls not made.
    """

    def __init__(
        self,
        model: Model,
        purse: Purse,
        breaker: Breaker,
        time: Time,
        *,
        most_tokens: Callable[[Request], int],
        patience: Patience = PATIENCE,
    ) -> None:
        self.purse = purse
        self.counts: Counter[str] = Counter()
        self._model = model
        self._breaker = breaker
        self._time = time
        self._patience = patience
        self._most_tokens = most_tokens

    def ready(self, purpose: str) -> str | Silent:
        """Return the model to ask for that purpose, or why nobody is to be asked now."""
        model = self.purse.choose(purpose)
        if model is None:
            return self._kept_back(Silence.CEILING)
        return model if self._breaker.allows() else self._kept_back(Silence.BREAKER)

    def complete(self, request: Request, purpose: str) -> Reply | Silent | ModelFault:
        """Return the reply, why nobody was asked, or the fault of the last try.

        `ready` was asked before the first call of a question.
        """
        began = self._time.clock()
        attempt = 1
        while True:
            outcome = self._try(replace(request, attempt=attempt), purpose)
            if not isinstance(outcome, ModelFault):
                return outcome
            wait = self._patience.wait_s(attempt, outcome)
            waited = self._time.clock() - began + (wait or 0.0)
            if wait is None or waited > self._patience.in_all_s or not self._breaker.allows():
                return outcome
            self.counts["retries"] += 1
            self._time.sleep(wait)
            attempt += 1

    def _try(self, request: Request, purpose: str) -> Reply | Silent | ModelFault:
        tokens = self._most_tokens(request)
        permit = self.purse.permit(request.model, tokens, request.max_tokens, purpose)
        if permit is None:
            return self._kept_back(Silence.CEILING)
        try:
            reply = self._model.complete(request)
        except ModelFault as fault:
            self._failed(permit, fault, request.attempt)
            return fault
        self.purse.settle(permit, reply.usage)
        self._breaker.worked()
        self.counts["calls"] += 1
        return reply

    def _failed(self, permit: Permit, fault: ModelFault, attempt: int) -> None:
        if fault.is_free:
            self.purse.cancel(permit)
        else:
            self.purse.settle(permit, None)
        # A wait that the service asks for and that is waited for here is none for the breaker to keep.
        is_waited_for = self._patience.wait_s(attempt, fault) is not None
        self._breaker.failed(fault.kind, None if is_waited_for else fault.retry_after_s)
        self.counts[f"fault:{fault.kind.value}"] += 1

    def _kept_back(self, why: Silence) -> Silent:
        self.counts[f"kept back:{why.value}"] += 1
        return Silent(why)
