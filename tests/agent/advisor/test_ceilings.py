"""No ceiling is ever passed: whatever is asked, billed, lost and killed, in whatever order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.advisor.calls import Permit
from agent.advisor.model import Usage
from agent.advisor.money import Ceiling, Price, Prices, Rates
from agent.advisor.money.prices import KINDS
from memory import open_run_store
from memory.store.calls import HOUR_MS
from tests.agent.advisor.money import BIG, NO_CEILING, SMALL, Purses, terms

rates = st.builds(Rates, *[st.sampled_from([0, 10, 999, 1_000, 5_000])] * 5)
prices = st.builds(Price, rates) | st.builds(Price, rates, st.sampled_from([0, 500]), rates)
# One limit or two that a few calls fill: only what is nearly full can be passed.
limits = st.lists(
    st.tuples(
        st.sampled_from(["run", "hour", "milestone"]),
        st.one_of(
            st.tuples(st.just("nanos"), st.sampled_from([0, 1_500, 4_000, 9_000])),
            st.tuples(st.just("calls"), st.integers(1, 3)),
            st.tuples(st.just("tokens"), st.sampled_from([0, 1_500, 3_000])),
        ),
    ),
    min_size=1,
    max_size=2,
)
counts = st.sampled_from([0, 1, 400, 1_000])
asks = st.tuples(
    st.just("ask"),
    st.sampled_from([BIG, SMALL, None]),
    counts,
    counts,
    st.sampled_from(KINDS),
    st.sampled_from([1, 1, 3]),
)
others = st.one_of(
    *[
        st.tuples(st.just(name), st.integers(0, 3))
        for name in ("answer", "fault", "unsent", "twice")
    ],
    st.tuples(st.just("kill")),
    st.tuples(st.just("clock"), st.integers(-4, 4).map(lambda times: times * HOUR_MS // 3)),
    st.tuples(st.just("milestone"), st.sampled_from("ab")),
)
scripts = st.lists(asks | others, min_size=20, max_size=50)


def within(most_input: int, most_output: int, kind: str, *, part: int) -> Usage:
    """Return what an honest service may take of a call: a prompt of one kind or several, and an answer."""
    if kind == "output":
        parts = dict.fromkeys(KINDS, most_input // 4)
        return Usage(**{**parts, "output": most_output})
    return Usage(**{kind: most_input // part, "output": most_output // part})


def bill(price: Price, usage: Usage) -> Fraction:
    """Return nanodollars, by other means than those under test."""
    prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
    is_long = price.long is not None and price.long_over is not None and prompt > price.long_over
    tier = price.long if is_long and price.long is not None else price.rates
    return sum(
        (Fraction(getattr(tier, kind) * getattr(usage, kind), 1000) for kind in KINDS), Fraction(0)
    )


@dataclass
class Billed:
    """One call in the books of the service."""

    at_ms: int
    milestone: str
    nanos: Fraction
    tokens: int


@cache
def empty_run() -> bytes:
    """Return a run's file without anything in it; making one takes longer than all the rest."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        open_run_store(path, run_id="r").close()
        return path.read_bytes()


class World:
    """The service with its own books, and one run that asks it through wallets that come and go."""

    def __init__(self, purses: Purses) -> None:
        self.purses = purses
        self.open: list[tuple[Permit, Usage, Billed]] = []
        # As a wallet saw the clock go forward; going back is no time passing. Of what a wallet saw before it was
        # killed, only the times of bookings are known.
        self.now = self.booked_ms = 0
        self.milestone = ""
        self.bills: list[Billed] = []

    def ask(
        self, model: str | None, most_input: int, most_output: int, kind: str, part: int
    ) -> None:
        self.now = max(self.now, self.purses.clock.ms)
        model = model or self.purses.wallet.choose("stuck")
        if model is None:
            return
        permit = self.purses.wallet.permit(model, most_input, most_output, "stuck")
        if permit is None:
            return
        self.booked_ms = self.now
        usage = within(most_input, most_output, kind, part=part)
        # The service bills what reaches it, whether anybody hears of it or not.
        price = self.purses.prices.of(model)
        assert price is not None
        tokens = sum(getattr(usage, kind) for kind in KINDS)
        billed = Billed(self.now, self.milestone, bill(price, usage), tokens)
        self.bills.append(billed)
        self.open.append((permit, usage, billed))

    def answer(self, which: int) -> None:
        if which < len(self.open):
            permit, usage, _ = self.open.pop(which)
            self.purses.wallet.settle(permit, usage)

    def twice(self, which: int) -> None:
        if which < len(self.open):
            permit, usage, _ = self.open.pop(which)
            self.purses.wallet.settle(permit, usage)
            self.purses.wallet.cancel(permit)

    def fault(self, which: int) -> None:
        if which < len(self.open):
            self.purses.wallet.settle(self.open.pop(which)[0], None)

    def unsent(self, which: int) -> None:
        """Let a call turn out never to have left, so that the service knows nothing of it."""
        if which < len(self.open):
            permit, _, billed = self.open.pop(which)
            self.bills = [each for each in self.bills if each is not billed]
            self.purses.wallet.cancel(permit)

    def kill(self) -> None:
        self.open.clear()
        self.now = self.booked_ms
        self.purses.next().milestone(self.milestone)  # as whoever goes on with a run knows it

    def clock(self, delta: int) -> None:
        self.purses.clock.ms = max(1, self.purses.clock.ms + delta)

    def milestone_is(self, name: str) -> None:
        self.milestone = name
        self.purses.wallet.milestone(name)

    def check(self) -> None:
        ceilings = self.purses.terms.ceilings
        keep(ceilings.run, self.bills)
        for name in {each.milestone for each in self.bills}:
            keep(ceilings.milestone, [each for each in self.bills if each.milestone == name])
        for end in {each.at_ms for each in self.bills}:
            keep(ceilings.hour, [each for each in self.bills if end - HOUR_MS < each.at_ms <= end])


def keep(ceiling: Ceiling, bills: list[Billed]) -> None:
    assert ceiling.nanos is None or sum(each.nanos for each in bills) <= ceiling.nanos
    assert ceiling.calls is None or len(bills) <= ceiling.calls
    assert ceiling.tokens is None or sum(each.tokens for each in bills) <= ceiling.tokens


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(prices, prices, limits, scripts)
def test_no_ceiling_is_ever_passed(
    big: Price,
    small: Price,
    limits: list[tuple[str, tuple[str, int]]],
    script: list[tuple[object, ...]],
) -> None:
    ceilings: dict[str, Ceiling] = {}
    for stretch, (unit, limit) in limits:
        ceilings[stretch] = replace(ceilings.get(stretch, NO_CEILING), **{unit: limit})
    with TemporaryDirectory() as folder:
        (Path(folder) / "run.sqlite").write_bytes(empty_run())
        purses = Purses(Path(folder), terms(**ceilings), Prices({BIG: big, SMALL: small}, {}))
        world = World(purses)
        try:
            for name, *arguments in script:
                act = "milestone_is" if name == "milestone" else str(name)
                getattr(world, act)(*arguments)
                world.check()
            assert not purses.faults
        finally:
            purses.close()
