"""Helpers for tests of money: wallets on a real file, round prices, and a clock to set."""

from dataclasses import dataclass
from pathlib import Path

from agent.advisor.model import Permit
from agent.advisor.money.limits import BudgetStep, Ceiling, Ceilings, Terms
from agent.advisor.money.prices import Price, Prices, Rates
from agent.advisor.money.wallet import Wallet
from memory import Faults, RunStore, open_run_store

BIG, SMALL = "big-model", "small-model"
# One nanodollar per input token.
RATES = Rates(input=1000, output=5000, cache_read=100, cache_write_5m=1250, cache_write_1h=2000)
PRICES = Prices(
    {BIG: Price(RATES), SMALL: Price(Rates(100, 500, 10, 125, 200))}, {"also-small": SMALL}
)
STEPS = (BudgetStep(50, frozenset({"routine", "milestone"})), BudgetStep(75, small=True))


NO_CEILING = Ceiling()


def terms(
    run: Ceiling = NO_CEILING, hour: Ceiling = NO_CEILING, milestone: Ceiling = NO_CEILING
) -> Terms:
    return Terms(
        BIG, SMALL, frozenset({"observer", "reflector"}), Ceilings(run, hour, milestone), STEPS
    )


@dataclass
class Clock:
    ms: int = 1_000_000_000

    def __call__(self) -> int:
        return self.ms


class RunWallets:
    """The successive wallets of one run, one for each process; no wallet is closed before the next opens."""

    def __init__(self, folder: Path, terms: Terms, prices: Prices = PRICES) -> None:
        self.path = folder / "run.sqlite"
        self.terms = terms
        self.prices = prices
        self.clock = Clock()
        self.faults = Faults()
        self._stores: list[RunStore] = []
        self.wallet = self.next()

    @property
    def store(self) -> RunStore:
        return self._stores[-1]

    def next(self) -> Wallet:
        """Return a new wallet, as after a killed process was replaced by another one."""
        self._stores.append(open_run_store(self.path, run_id="r"))
        self.wallet = Wallet(
            self.store.calls, self.prices, self.terms, now_ms=self.clock, faults=self.faults
        )
        return self.wallet

    def permit(self, tokens: int = 1, answer: int = 0, model: str = BIG) -> Permit | None:
        """Return a permit for one call, or None."""
        return self.wallet.permit(model, tokens, answer, "stuck")

    def require_permit(self, tokens: int, answer: int = 0, model: str = BIG) -> Permit:
        """Return a permit for one call; the test fails without one."""
        permit = self.permit(tokens, answer, model)
        assert permit is not None
        return permit

    def close(self) -> None:
        for store in self._stores:
            store.close()
