"""Leave for a call is booked before it is given, and no ceiling is ever passed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, BrokenBarrierError
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.advisor.model import Permit, Usage
from agent.advisor.money.limits import Ceiling, Terms
from agent.advisor.money.prices import KINDS, Price, Prices, Rates
from agent.advisor.money.wallet import Wallet
from agent.errors import UsageError
from memory import Faults, RunStore, open_run_store
from memory.store.calls import HOUR_MS, CallLedger, CallState, CallSums
from tests.agent.advisor.money import BIG, NO_CEILING, PRICES, SMALL, Purses, terms

Open: TypeAlias = Callable[[Terms], Purses]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[Purses] = []

    def purses(terms: Terms) -> Purses:
        made.append(Purses(tmp_path, terms))
        return made[-1]

    yield purses
    for each in made:
        each.close()


def test_leave_is_booked_at_the_dearest_it_can_be(opened: Open) -> None:
    purses = opened(terms())
    permit = purses.leave(100, 10)
    assert permit.model == BIG
    assert (permit.worst_nanos, permit.worst_tokens) == (100 * 2 + 10 * 5, 110)
    (call,) = purses.store.calls()
    assert (call.id, call.purpose, call.state) == (permit.id, "stuck", CallState.RESERVED)
    assert call.nanos == 250


def test_what_a_call_took_takes_the_place_of_its_worst(opened: Open) -> None:
    purses = opened(terms())
    permit = purses.leave(100, 10)
    purses.wallet.settle(permit, Usage(input=20, output=3, cache_read=55))
    (call,) = purses.store.calls()
    assert (call.nanos, call.tokens) == (20 + 15 + 6, 78)  # 5.5 is rounded up


def test_a_call_nobody_heard_of_stays_at_its_worst(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=300)))
    permit = purses.leave(100)
    purses.wallet.settle(permit, None)
    assert purses.ask(51) is None
    assert purses.ask(50) is not None


def test_a_call_that_cost_nothing_is_taken_back(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=200, calls=1, tokens=100)))
    permit = purses.leave(100)
    assert purses.ask(1) is None
    purses.wallet.cancel(permit)
    assert purses.ask(100) is not None


@pytest.mark.parametrize(
    ("ceiling", "name"),
    [(Ceiling(nanos=10), "dollars"), (Ceiling(calls=1), "calls"), (Ceiling(tokens=5), "tokens")],
    ids=["dollars", "calls", "tokens"],
)
@pytest.mark.parametrize("stretch", ["run", "hour", "milestone"])
def test_each_ceiling_holds(opened: Open, stretch: str, ceiling: Ceiling, name: str) -> None:
    purses = opened(terms(**{stretch: ceiling}))
    assert purses.ask(5) is not None
    assert purses.ask(1) is None
    assert purses.wallet.choose("stuck") is None
    assert purses.wallet.refused[f"{stretch} {name}"] == 1


def test_a_ceiling_of_nothing_asks_nobody(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=0)))
    assert purses.wallet.choose("stuck") is None


def test_an_hour_later_there_is_leave_again(opened: Open) -> None:
    purses = opened(terms(hour=Ceiling(nanos=10)))
    purses.ask(5)
    purses.clock.ms += HOUR_MS - 1
    assert purses.ask(5) is None
    purses.clock.ms += 1
    assert purses.ask(5) is not None


@pytest.mark.parametrize("restarts", [False, True])
def test_a_clock_that_is_set_back_frees_nothing(opened: Open, *, restarts: bool) -> None:
    purses = opened(terms(hour=Ceiling(calls=2)))
    purses.ask(1)
    purses.clock.ms -= 50 * HOUR_MS
    wallet = purses.next() if restarts else purses.wallet
    assert wallet.permit(BIG, 1, 0, "stuck") is not None  # within the same hour as the first
    purses.clock.ms += 50 * HOUR_MS
    assert wallet.permit(BIG, 1, 0, "stuck") is None


def test_a_milestone_begins_a_new_count_and_coming_back_to_one_goes_on_with_its(
    opened: Open,
) -> None:
    purses = opened(terms(milestone=Ceiling(nanos=10)))
    wallet = purses.wallet
    assert wallet.permit(BIG, 1, 0, "stuck") is not None
    wallet.milestone("left home")
    assert wallet.permit(BIG, 5, 0, "stuck") is not None
    wallet = purses.next()
    assert wallet.permit(BIG, 4, 0, "stuck") is None  # still after leaving home
    wallet.milestone("got a map")
    assert wallet.permit(BIG, 5, 0, "stuck") is not None
    wallet.milestone("left home")
    assert wallet.permit(BIG, 5, 0, "stuck") is None


def test_a_run_that_was_killed_goes_on_with_what_it_had_booked(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=200)))
    assert purses.ask(60) is not None
    again = purses.next()
    assert again.permit(BIG, 60, 0, "stuck") is None
    assert again.permit(BIG, 40, 0, "stuck") is not None


def test_a_bill_beyond_the_worst_case_is_told_and_ends_asking(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=1_000)))
    told: list[str] = []
    purses.faults.on_fault = lambda _name, error: told.append(str(error))
    for _ in range(2):
        permit = purses.leave(10, 1)
        purses.wallet.settle(permit, Usage(input=490))
    assert purses.faults["billed beyond the worst case"] == 2
    assert len(told) == 2
    assert "490 tokens" in told[0]
    assert purses.ask(20) is None
    assert purses.wallet.choose("stuck") == SMALL
    permit = purses.leave(1, model=SMALL)
    purses.wallet.settle(permit, Usage(output=10**30))
    assert purses.wallet.choose("stuck") is None


def test_tokens_below_zero_free_nothing(opened: Open) -> None:
    purses = opened(terms())
    permit = purses.leave(10)
    purses.wallet.settle(permit, Usage(input=5, output=-1_000_000))
    (call,) = purses.store.calls()
    assert (call.state, call.nanos) == (CallState.LOST, 20)


def hold(purses: Purses) -> None:
    """Let somebody else have the file, and waiting for it end at once."""
    purses.store._open_calls()._connection.execute("PRAGMA busy_timeout = 0")
    purses.store._database.execute("BEGIN IMMEDIATE")


def test_a_file_that_is_held_gives_no_leave(opened: Open) -> None:
    purses = opened(terms())
    hold(purses)
    assert purses.ask(1) is None
    assert purses.wallet.refused["busy"] == 1
    assert purses.faults["wallet: busy"] == 1
    purses.store._database.execute("ROLLBACK")
    assert purses.ask(1) is not None


def test_nothing_is_asked_while_a_bill_waits_for_the_file(opened: Open) -> None:
    purses = opened(terms(Ceiling(nanos=100)))
    permit = purses.leave(10)
    hold(purses)
    purses.wallet.settle(permit, Usage(output=19))  # 95, of which 20 were booked
    assert purses.wallet.choose("stuck") is None
    purses.store._database.execute("ROLLBACK")
    assert purses.ask(3) is None
    assert [call.nanos for call in purses.store.calls()] == [95]


class Slow(CallLedger):
    """A ledger that, once it was read, waits for a second reader to have read the same."""

    def __init__(self, store: RunStore) -> None:
        self._database = store._database
        self._store = store
        self._both = Barrier(2)

    def call_sums(self, *, now_ms: int, milestone: str) -> CallSums:
        sums = self._store.call_sums(now_ms=now_ms, milestone=milestone)
        with suppress(BrokenBarrierError):
            self._both.wait(timeout=0.1)
        return sums


def test_two_threads_do_not_pass_a_ceiling_together(opened: Open) -> None:
    purses = opened(terms(Ceiling(calls=1)))
    wallet = Wallet(
        Slow(purses.store), PRICES, purses.terms, now_ms=purses.clock, faults=purses.faults
    )
    with ThreadPoolExecutor(2) as pool:
        leaves = list(pool.map(lambda _: wallet.permit(BIG, 1, 1, "observer"), range(2)))
    assert sum(leave is not None for leave in leaves) == 1


def test_a_model_without_a_price_is_not_asked(opened: Open) -> None:
    purses = opened(terms())
    assert purses.wallet.permit("no-such-model", 1, 1, "stuck") is None
    assert purses.wallet.refused["unpriced"] == 1
    assert purses.wallet.permit("also-small", 1, 1, "stuck") is not None
    with pytest.raises(UsageError, match="big-model"):
        Wallet(
            purses.store,
            Prices({SMALL: Price(Rates(1, 1, 1, 1, 1))}, {}),
            terms(),
            now_ms=purses.clock,
            faults=Faults(),
        )


@pytest.mark.parametrize(
    ("spent", "purpose", "model"),
    [
        (49, "routine", BIG),
        (50, "routine", None),
        (50, "milestone", None),
        (50, "stuck", BIG),
        (74, "no_plan", BIG),
        (75, "no_plan", SMALL),
        (75, "routine", None),
        (99, "stuck", SMALL),
        (100, "stuck", None),
        (100, "observer", None),
        (0, "observer", SMALL),
        (0, "reflector", SMALL),
    ],
)
@pytest.mark.parametrize("stretch", ["run", "hour", "milestone"])
def test_asking_steps_down_towards_a_ceiling(
    opened: Open, stretch: str, spent: int, purpose: str, model: str | None
) -> None:
    ceiling = Ceiling(nanos=1_000_000)
    purses = opened(terms(**{stretch: ceiling}))
    if spent:
        permit = purses.leave(spent * 5_000, 0)
        assert permit.worst_nanos == spent * 10_000
    assert purses.wallet.choose(purpose) == model


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


@settings(max_examples=80)
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
