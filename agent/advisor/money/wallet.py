"""The budget of a run: each call is booked at its maximum cost before it is sent, and refused when it would not fit.

The booking is in the run's file before permission is given, so that a killed process cannot make a run overspend: a call
whose cost is unknown stays booked at its maximum.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from operator import add
from threading import Lock
from typing import Final

from agent.advisor.model import Permit, Usage
from agent.advisor.money.limits import Terms
from agent.advisor.money.prices import KINDS, NANO, Prices
from memory import BusyStore, Faults, StoreError
from memory.store import Booking, CallLedger, CallOutcome, CallState, CallSums, Sums

# Per kind; a higher count from the service is cut, since its cost could exceed an integer of the database.
MAX_TOKENS: Final = 10**11
MAX_NAME: Final = 200  # characters of the name that a reply gives its model


# It stops nothing: it is reported and counted, and the ceilings include it from then on.
class Overbilled(Exception):
    """A service billed more for a call than the maximum cost by its prices."""


class Wallet:
    """The budget of a run, safe for threads. Its methods raise nothing: without a booking they give no permission.

    `now_ms` is the wall clock, since the ceiling of an hour means real time, not game time. `refused` counts refused
    calls by ceiling (`run dollars`), `busy`, `file` or `unpriced`; `faults` receives each bill above the maximum and each
    file error.
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
        """Raise UsageError when a model of `terms` has no price, StoreError when the file cannot be read."""
        for model in (terms.usual, terms.small):
            prices.require(model)
        self.refused: Counter[str] = Counter()
        self._ledger = ledger
        self._prices = prices
        self._terms = terms
        self._now_ms = now_ms
        self._faults = faults
        self._lock = Lock()
        last = ledger.last()
        self._latest_ms = last.started_ms
        self._milestone = last.milestone
        self._unsettled: list[tuple[int, CallOutcome]] = []  # not in the file yet

    def milestone(self, name: str) -> None:
        """Count calls for the ceiling of milestone `name` from now on; a milestone reached again keeps its sums.

        A resumed run must set its last milestone again; until then the milestone of the newest call counts.
        """
        with self._lock:
            self._milestone = name

    def choose(self, purpose: str) -> str | None:
        """Return the id of the model to call for `purpose`, or None when no call is allowed."""
        with self._lock:
            sums = self._sums()
            if sums is None:
                return None
            model = self._terms.model_for(purpose, self._terms.ceilings.percent(sums))
            if model is None:
                self.refused["stepped down"] += 1
            return model

    def permit(self, model: str, input_tokens: int, max_tokens: int, purpose: str) -> Permit | None:
        """Return permission for one call, booked at its maximum cost, or None when it does not fit.

        `input_tokens` is an upper bound of the request, not an estimate (see `input_token_bound`).
        """
        with self._lock:
            price = self._prices.of(model)
            if price is None:
                self.refused["unpriced"] += 1
                return None
            worst = Sums(price.max_cost(input_tokens, max_tokens), 1, input_tokens + max_tokens)
            sums = self._sums()
            if sums is None:
                return None
            exceeded = self._terms.ceilings.exceeded_by(_with(sums, worst))
            if exceeded is not None:
                self.refused[exceeded] += 1
                return None
            at = self._milestone, self._latest_ms
            try:
                number = self._ledger.book(Booking(model, purpose, *at, worst.nanos, worst.tokens))
            except StoreError as fault:
                self._fail(fault)
                return None
            return Permit(number, model, worst.nanos, worst.tokens)

    def settle(self, permit: Permit, usage: Usage | None, answered_by: str = "") -> None:
        """Book the usage of a call, and the name that its reply gives the model; without usage the maximum stays booked."""
        with self._lock:
            outcome = self._outcome(permit, usage)
            self._settle(permit.id, replace(outcome, model=answered_by[:MAX_NAME]))

    def cancel(self, permit: Permit) -> None:
        """Remove the booking of a call that is known to cost nothing."""
        with self._lock:
            self._settle(permit.id, CallOutcome(CallState.CANCELLED))

    def _sums(self) -> CallSums | None:
        """Return the current sums, or None when the file cannot be read or an outcome cannot be written to it."""
        # A wall clock that is set back must not free a spent budget.
        self._latest_ms = max(self._latest_ms, self._now_ms())
        try:
            while self._unsettled:
                self._ledger.settle(*self._unsettled[0])
                del self._unsettled[0]
            return self._ledger.sums(now_ms=self._latest_ms, milestone=self._milestone)
        except StoreError as fault:
            self._fail(fault)
            return None

    def _settle(self, number: int, outcome: CallOutcome) -> None:
        try:
            self._ledger.settle(number, outcome)
        except StoreError as fault:
            # No permission is given until it is written: it may exceed the booking.
            self._unsettled.append((number, outcome))
            self._fail(fault)

    def _outcome(self, permit: Permit, usage: Usage | None) -> CallOutcome:
        if usage is None or min(getattr(usage, kind) for kind in KINDS) < 0:
            return CallOutcome(CallState.LOST)
        billed = Usage(**{kind: min(getattr(usage, kind), MAX_TOKENS) for kind in KINDS})
        price = self._prices.require(permit.model).of(billed)
        outcome = CallOutcome(
            CallState.SETTLED, price, **{kind: getattr(billed, kind) for kind in KINDS}
        )
        if outcome.nanos > permit.worst_nanos or outcome.tokens > permit.worst_tokens:
            message = (
                f"call {permit.id} of {permit.model} used {outcome.tokens} tokens for"
                f" {price / NANO:.6f} dollars; the maximum was {permit.worst_tokens} for"
                f" {permit.worst_nanos / NANO:.6f}; check the prices"
            )
            self._faults.note("billed beyond the worst case", Overbilled(message), always=True)
        return outcome

    def _fail(self, fault: StoreError) -> None:
        reason = "busy" if isinstance(fault, BusyStore) else "file"
        self.refused[reason] += 1
        self._faults.note(f"wallet: {reason}", fault)


def _with(sums: CallSums, more: Sums) -> CallSums:
    stretches = (sums.run, sums.hour, sums.milestone)
    return CallSums(*(Sums(*map(add, each, more)) for each in stretches))
