"""The budget of a run: the worst case of a call is booked before it is sent, and nothing is sent that would not fit.

What is booked is in the run's file before permission is given, so that no end of the process can make a run spend more
than it may: a call whose cost is unknown stays booked at its maximum.
"""

from collections import Counter
from collections.abc import Callable
from operator import add
from threading import Lock
from typing import Final

from agent.advisor.model import Permit, Usage
from agent.advisor.money.limits import Terms
from agent.advisor.money.prices import KINDS, NANO, Prices
from memory import BusyStore, Faults, StoreError
from memory.store.calls import Booking, CallLedger, CallOutcome, CallState, CallSums, Sums

# Of a kind; a service is not believed more, whose price at the dearest rate would not be a number of a file.
MOST_TOKENS: Final = 10**11


# Nothing to stop for: it is told, counted, and the ceilings hold from here.
class BilledBeyond(Exception):
    """A service took more for a call than it could have cost by its prices."""


class Wallet:
    """The purse of a run, for any thread. Raises nothing: where it cannot book, it gives no leave.

    `now_ms` is the wall clock, since prices per hour are those of the world and not of the game. `refused` counts why
    leave was not given, by ceiling (`run dollars`), `busy`, `file` or `unpriced`; `faults` is told of each bill that
    goes beyond its worst case and of files that fail.
    """

    def __init__(
        self,
        ledger: CallLedger,
        prices: Prices,
        terms: Terms,
        *,
        now_ms: Callable[[], int],
        faults: Faults,
    ) -> None:
        """Raise UsageError where a model of `terms` has no price, StoreError where the file cannot be read."""
        for model in (terms.usual, terms.small):
            prices.require(model)
        self.refused: Counter[str] = Counter()
        self._ledger = ledger
        self._prices = prices
        self._terms = terms
        self._now_ms = now_ms
        self._faults = faults
        self._lock = Lock()
        last = ledger.last_call()
        self._latest_ms = last.started_ms
        self._milestone = last.milestone
        self._unsettled: list[tuple[int, CallOutcome]] = []  # what is not in the file yet

    def milestone(self, name: str) -> None:
        """Count for the ceilings of milestones from `name` on; one that is reached again goes on with its count.

        Whoever goes on with a run tells its last one again; until then it is that of the newest call.
        """
        with self._lock:
            self._milestone = name

    def choose(self, purpose: str) -> str | None:
        """Return the id of the model to ask, or None when nobody is to be asked."""
        with self._lock:
            sums = self._sums()
            if sums is None:
                return None
            model = self._terms.model_for(purpose, self._terms.ceilings.percent(sums))
            if model is None:
                self.refused["stepped down"] += 1
            return model

    def permit(self, model: str, input_tokens: int, max_tokens: int, purpose: str) -> Permit | None:
        """Return leave for one call, booked for good at its worst, or None when it does not fit.

        `input_tokens` is no estimate: the request has at most that many (see `most_input_tokens`).
        """
        with self._lock:
            price = self._prices.of(model)
            if price is None:
                self.refused["unpriced"] += 1
                return None
            worst = Sums(price.at_worst(input_tokens, max_tokens), 1, input_tokens + max_tokens)
            sums = self._sums()
            if sums is None:
                return None
            passed = self._terms.ceilings.passed_by(_with(sums, worst))
            if passed is not None:
                self.refused[passed] += 1
                return None
            at = self._milestone, self._latest_ms
            try:
                number = self._ledger.book_call(
                    Booking(model, purpose, *at, worst.nanos, worst.tokens)
                )
            except StoreError as fault:
                self._fail(fault)
                return None
            return Permit(number, model, worst.nanos, worst.tokens)

    def settle(self, permit: Permit, usage: Usage | None) -> None:
        """Book what a call took; None when nobody knows, and then the worst case stays."""
        with self._lock:
            self._settle(permit.id, self._outcome(permit, usage))

    def cancel(self, permit: Permit) -> None:
        """Take back what was booked for a call that is known to cost nothing."""
        with self._lock:
            self._settle(permit.id, CallOutcome(CallState.CANCELLED))

    def _sums(self) -> CallSums | None:
        """Return what counts now, or None where the file does not say or does not take what came of a call."""
        # The clock of a machine may be set back, and must not free what is spent by it.
        self._latest_ms = max(self._latest_ms, self._now_ms())
        try:
            while self._unsettled:
                self._ledger.settle_call(*self._unsettled[0])
                del self._unsettled[0]
            return self._ledger.call_sums(now_ms=self._latest_ms, milestone=self._milestone)
        except StoreError as fault:
            self._fail(fault)
            return None

    def _settle(self, number: int, outcome: CallOutcome) -> None:
        try:
            self._ledger.settle_call(number, outcome)
        except StoreError as fault:
            # Until the file takes it no leave is given: it may be more than was booked.
            self._unsettled.append((number, outcome))
            self._fail(fault)

    def _outcome(self, permit: Permit, usage: Usage | None) -> CallOutcome:
        if usage is None or min(getattr(usage, kind) for kind in KINDS) < 0:
            return CallOutcome(CallState.LOST)
        took = Usage(**{kind: min(getattr(usage, kind), MOST_TOKENS) for kind in KINDS})
        price = self._prices.require(permit.model).of(took)
        outcome = CallOutcome(
            CallState.SETTLED, price, **{kind: getattr(took, kind) for kind in KINDS}
        )
        if outcome.nanos > permit.worst_nanos or outcome.tokens > permit.worst_tokens:
            message = (
                f"call {permit.id} of {permit.model} took {outcome.tokens} tokens for"
                f" {price / NANO:.6f} dollars, and {permit.worst_tokens} for"
                f" {permit.worst_nanos / NANO:.6f} was the most it could; check the prices"
            )
            self._faults.note("billed beyond the worst case", BilledBeyond(message), always=True)
        return outcome

    def _fail(self, fault: StoreError) -> None:
        reason = "busy" if isinstance(fault, BusyStore) else "file"
        self.refused[reason] += 1
        self._faults.note(f"wallet: {reason}", fault)


def _with(sums: CallSums, more: Sums) -> CallSums:
    stretches = (sums.run, sums.hour, sums.milestone)
    return CallSums(*(Sums(*map(add, each, more)) for each in stretches))
