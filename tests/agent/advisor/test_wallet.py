"""Permits are booked before they are given, and no ceiling is ever exceeded."""

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
from agent.advisor.money.wallet import MAX_NAME, Wallet
from agent.errors import UsageError
from memory import Faults, RunStore, open_run_store
from memory.store.calls import HOUR_MS, CallLedger, CallState, CallSums
from tests.agent.advisor.money import BIG, NO_CEILING, PRICES, SMALL, RunWallets, terms

OpenWallets: TypeAlias = Callable[[Terms], RunWallets]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenWallets]:
    made: list[RunWallets] = []

    def wallets(terms: Terms) -> RunWallets:
        made.append(RunWallets(tmp_path, terms))
        return made[-1]

    yield wallets
    for each in made:
        each.close()


def test_a_permit_is_booked_at_its_maximum_cost_until_it_is_settled(opened: OpenWallets) -> None:
    wallets = opened(terms())
    permit = wallets.require_permit(100, 10)
    assert permit.model == BIG
    assert (permit.worst_nanos, permit.worst_tokens) == (100 * 2 + 10 * 5, 110)
    (call,) = wallets.store.calls.all()
    assert (call.id, call.purpose, call.state) == (permit.id, "stuck", CallState.RESERVED)
    assert call.nanos == 250
    wallets.wallet.settle(permit, Usage(input=20, output=3, cache_read=55))
    (call,) = wallets.store.calls.all()
    assert (call.nanos, call.tokens) == (20 + 15 + 6, 78)  # 5.5 is rounded up


def test_a_settled_call_has_the_name_that_its_reply_gives_the_model(opened: OpenWallets) -> None:
    """A proxy does not change it, and a new file takes it over from the log."""
    wallets = opened(terms())
    for name in ("fake-claude:big-model", "", "x" * 10_000):
        wallets.wallet.settle(wallets.require_permit(9), Usage(input=1), name)
    names = ["fake-claude:big-model", BIG, "x" * MAX_NAME]
    assert [each.model for each in wallets.store.calls.all()] == names
    wallets.close()
    wallets._stores.clear()
    wallets.path.unlink()
    wallets.next()
    wallets.permit()
    assert [each.model for each in wallets.store.calls.all()][:3] == names


def test_a_call_of_unknown_cost_stays_booked_at_its_maximum(opened: OpenWallets) -> None:
    wallets = opened(terms(Ceiling(nanos=300)))
    permit = wallets.require_permit(100)
    wallets.wallet.settle(permit, None)
    again = wallets.next()  # also in the next process, whose run was killed before
    assert again.permit(BIG, 51, 0, "stuck") is None
    assert again.permit(BIG, 50, 0, "stuck") is not None


def test_a_cancelled_call_frees_its_booking_and_a_ceiling_of_zero_allows_none(
    opened: OpenWallets,
) -> None:
    assert opened(terms(Ceiling(nanos=0))).wallet.choose("stuck") is None
    wallets = opened(terms(Ceiling(nanos=200, calls=1, tokens=100)))
    permit = wallets.require_permit(100)
    assert wallets.permit(1) is None
    wallets.wallet.cancel(permit)
    assert wallets.permit(100) is not None


@pytest.mark.parametrize(
    ("ceiling", "name"),
    [(Ceiling(nanos=10), "dollars"), (Ceiling(calls=1), "calls"), (Ceiling(tokens=5), "tokens")],
    ids=["dollars", "calls", "tokens"],
)
@pytest.mark.parametrize("stretch", ["run", "hour", "milestone"])
def test_each_ceiling_holds(opened: OpenWallets, stretch: str, ceiling: Ceiling, name: str) -> None:
    wallets = opened(terms(**{stretch: ceiling}))
    assert wallets.permit(5) is not None
    assert wallets.permit(1) is None
    assert wallets.wallet.choose("stuck") is None
    assert wallets.wallet.refused[f"{stretch} {name}"] == 1


def test_the_ceiling_of_an_hour_frees_calls_after_an_hour(opened: OpenWallets) -> None:
    wallets = opened(terms(hour=Ceiling(nanos=10)))
    wallets.permit(5)
    wallets.clock.ms += HOUR_MS - 1
    assert wallets.permit(5) is None
    wallets.clock.ms += 1
    assert wallets.permit(5) is not None


@pytest.mark.parametrize("restarts", [False, True])
def test_a_clock_that_is_set_back_frees_no_budget(opened: OpenWallets, *, restarts: bool) -> None:
    wallets = opened(terms(hour=Ceiling(calls=2)))
    wallets.permit(1)
    wallets.clock.ms -= 50 * HOUR_MS
    wallet = wallets.next() if restarts else wallets.wallet
    assert wallet.permit(BIG, 1, 0, "stuck") is not None  # within the same hour as the first
    wallets.clock.ms += 50 * HOUR_MS
    assert wallet.permit(BIG, 1, 0, "stuck") is None


def test_each_milestone_has_its_own_sums_also_when_reached_again(opened: OpenWallets) -> None:
    wallets = opened(terms(milestone=Ceiling(nanos=10)))
    wallet = wallets.wallet
    assert wallet.permit(BIG, 1, 0, "stuck") is not None
    wallet.milestone("left home")
    assert wallet.permit(BIG, 5, 0, "stuck") is not None
    wallet = wallets.next()
    assert wallet.permit(BIG, 4, 0, "stuck") is None  # the milestone is still `left home`
    wallet.milestone("got a map")
    assert wallet.permit(BIG, 5, 0, "stuck") is not None
    wallet.milestone("left home")
    assert wallet.permit(BIG, 5, 0, "stuck") is None


def test_a_bill_above_the_maximum_is_reported_and_counts(opened: OpenWallets) -> None:
    wallets = opened(terms(Ceiling(nanos=1_000)))
    faults: list[str] = []
    wallets.faults.on_fault = lambda _name, error: faults.append(str(error))
    for _ in range(2):
        permit = wallets.require_permit(10, 1)
        wallets.wallet.settle(permit, Usage(input=490))
    assert wallets.faults["billed beyond the worst case"] == 2
    assert len(faults) == 2
    assert "490 tokens" in faults[0]
    assert wallets.permit(20) is None
    assert wallets.wallet.choose("stuck") == SMALL
    permit = wallets.require_permit(1, model=SMALL)
    wallets.wallet.settle(permit, Usage(output=10**30))
    assert wallets.wallet.choose("stuck") is None


def test_negative_tokens_free_no_budget(opened: OpenWallets) -> None:
    wallets = opened(terms())
    permit = wallets.require_permit(10)
    wallets.wallet.settle(permit, Usage(input=5, output=-1_000_000))
    (call,) = wallets.store.calls.all()
    assert (call.state, call.nanos) == (CallState.LOST, 20)


def lock_file(wallets: RunWallets) -> None:
    """Lock the file from another connection, and let waits for it end at once."""
    wallets.store.calls._opened()._connection.execute("PRAGMA busy_timeout = 0")
    wallets.store._database.execute("BEGIN IMMEDIATE")


def test_a_locked_file_gives_no_permit(opened: OpenWallets) -> None:
    wallets = opened(terms())
    lock_file(wallets)
    assert wallets.permit(1) is None
    assert wallets.wallet.refused["busy"] == 1
    assert wallets.faults["wallet: busy"] == 1
    wallets.store._database.execute("ROLLBACK")
    assert wallets.permit(1) is not None


def test_no_call_is_allowed_while_a_bill_is_not_written(opened: OpenWallets) -> None:
    wallets = opened(terms(Ceiling(nanos=100)))
    permit = wallets.require_permit(10)
    lock_file(wallets)
    wallets.wallet.settle(permit, Usage(output=19))  # 95 nanodollars, 20 of them booked
    assert wallets.wallet.choose("stuck") is None
    wallets.store._database.execute("ROLLBACK")
    assert wallets.permit(3) is None
    assert [call.nanos for call in wallets.store.calls.all()] == [95]


class SlowLedger(CallLedger):
    """A ledger whose readers wait until a second reader has read the same sums."""

    def __init__(self, store: RunStore) -> None:
        self._database = store._database
        self._store = store
        self._both = Barrier(2)

    def sums(self, *, now_ms: int, milestone: str) -> CallSums:
        sums = self._store.calls.sums(now_ms=now_ms, milestone=milestone)
        with suppress(BrokenBarrierError):
            self._both.wait(timeout=0.1)
        return sums


def test_two_threads_together_do_not_exceed_a_ceiling(opened: OpenWallets) -> None:
    wallets = opened(terms(Ceiling(calls=1)))
    wallet = Wallet(
        SlowLedger(wallets.store),
        PRICES,
        wallets.terms,
        now_ms=wallets.clock,
        faults=wallets.faults,
    )
    with ThreadPoolExecutor(2) as pool:
        permits = list(pool.map(lambda _: wallet.permit(BIG, 1, 1, "observer"), range(2)))
    assert sum(each is not None for each in permits) == 1


def test_a_model_without_a_price_is_not_asked(opened: OpenWallets) -> None:
    wallets = opened(terms())
    assert wallets.wallet.permit("no-such-model", 1, 1, "stuck") is None
    assert wallets.wallet.refused["unpriced"] == 1
    assert wallets.wallet.permit("also-small", 1, 1, "stuck") is not None
    with pytest.raises(UsageError, match="big-model"):
        Wallet(
            wallets.store.calls,
            Prices({SMALL: Price(Rates(1, 1, 1, 1, 1))}, {}),
            terms(),
            now_ms=wallets.clock,
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
def test_purposes_and_model_change_by_steps_below_a_ceiling(
    spent: int, purpose: str, model: str | None
) -> None:
    assert terms().model_for(purpose, spent) == model


@pytest.mark.parametrize("stretch", ["run", "hour", "milestone"])
def test_the_step_follows_what_is_spent_of_any_ceiling(opened: OpenWallets, stretch: str) -> None:
    wallets = opened(terms(**{stretch: Ceiling(nanos=1_000_000)}))
    for spent, model in ((74, BIG), (1, SMALL), (25, None)):
        assert wallets.require_permit(spent * 5_000).worst_nanos == spent * 10_000
        assert wallets.wallet.choose("no_plan") == model


rates = st.builds(Rates, *[st.sampled_from([0, 10, 999, 1_000, 5_000])] * 5)
prices = st.builds(Price, rates) | st.builds(Price, rates, st.sampled_from([0, 500]), rates)
# One or two limits that a few calls fill, since only a nearly full limit can be exceeded.
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
    """Return a usage within the booked tokens: a prompt of one kind or several, and an answer."""
    if kind == "output":
        parts = dict.fromkeys(KINDS, most_input // 4)
        return Usage(**{**parts, "output": most_output})
    return Usage(**{kind: most_input // part, "output": most_output // part})


def bill(price: Price, usage: Usage) -> Fraction:
    """Return the price in nanodollars, computed independently of the tested code."""
    prompt = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
    is_long = price.long is not None and price.long_over is not None and prompt > price.long_over
    tier = price.long if is_long and price.long is not None else price.rates
    return sum(
        (Fraction(getattr(tier, kind) * getattr(usage, kind), 1000) for kind in KINDS), Fraction(0)
    )


@dataclass
class Billed:
    """One call in the records of the service."""

    at_ms: int
    milestone: str
    nanos: Fraction
    tokens: int


@cache
def empty_run() -> bytes:
    """Return the bytes of an empty run file; cached, since creating one is slow."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.sqlite"
        open_run_store(path, run_id="r").close()
        return path.read_bytes()


class BilledService:
    """The service with its own records, and one run whose wallets are replaced as processes end."""

    def __init__(self, wallets: RunWallets) -> None:
        self.wallets = wallets
        self.open: list[tuple[Permit, Usage, Billed]] = []
        # The latest time that a wallet has seen; a clock set back does not count. After a kill only the times of
        # bookings are known.
        self.now = self.booked_ms = 0
        self.milestone = ""
        self.bills: list[Billed] = []

    def ask(
        self, model: str | None, most_input: int, most_output: int, kind: str, part: int
    ) -> None:
        self.now = max(self.now, self.wallets.clock.ms)
        model = model or self.wallets.wallet.choose("stuck")
        if model is None:
            return
        permit = self.wallets.wallet.permit(model, most_input, most_output, "stuck")
        if permit is None:
            return
        self.booked_ms = self.now
        usage = within(most_input, most_output, kind, part=part)
        # The service bills every request that reaches it, even when its reply is lost.
        price = self.wallets.prices.of(model)
        assert price is not None
        tokens = sum(getattr(usage, kind) for kind in KINDS)
        billed = Billed(self.now, self.milestone, bill(price, usage), tokens)
        self.bills.append(billed)
        self.open.append((permit, usage, billed))

    def answer(self, which: int) -> None:
        if which < len(self.open):
            permit, usage, _ = self.open.pop(which)
            self.wallets.wallet.settle(permit, usage)

    def twice(self, which: int) -> None:
        if which < len(self.open):
            permit, usage, _ = self.open.pop(which)
            self.wallets.wallet.settle(permit, usage)
            self.wallets.wallet.cancel(permit)

    def fault(self, which: int) -> None:
        if which < len(self.open):
            self.wallets.wallet.settle(self.open.pop(which)[0], None)

    def unsent(self, which: int) -> None:
        """Cancel a call that never reached the service."""
        if which < len(self.open):
            permit, _, billed = self.open.pop(which)
            self.bills = [each for each in self.bills if each is not billed]
            self.wallets.wallet.cancel(permit)

    def kill(self) -> None:
        self.open.clear()
        self.now = self.booked_ms
        self.wallets.next().milestone(self.milestone)  # as a resumed run does

    def clock(self, delta: int) -> None:
        self.wallets.clock.ms = max(1, self.wallets.clock.ms + delta)

    def milestone_is(self, name: str) -> None:
        self.milestone = name
        self.wallets.wallet.milestone(name)

    def check(self) -> None:
        ceilings = self.wallets.terms.ceilings
        fits(ceilings.run, self.bills)
        for name in {each.milestone for each in self.bills}:
            fits(ceilings.milestone, [each for each in self.bills if each.milestone == name])
        for end in {each.at_ms for each in self.bills}:
            fits(ceilings.hour, [each for each in self.bills if end - HOUR_MS < each.at_ms <= end])


def fits(ceiling: Ceiling, bills: list[Billed]) -> None:
    assert ceiling.nanos is None or sum(each.nanos for each in bills) <= ceiling.nanos
    assert ceiling.calls is None or len(bills) <= ceiling.calls
    assert ceiling.tokens is None or sum(each.tokens for each in bills) <= ceiling.tokens


@settings(max_examples=30)
@given(prices, prices, limits, scripts)
def test_no_ceiling_is_ever_exceeded(
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
        wallets = RunWallets(Path(folder), terms(**ceilings), Prices({BIG: big, SMALL: small}, {}))
        service = BilledService(wallets)
        try:
            for name, *arguments in script:
                act = "milestone_is" if name == "milestone" else str(name)
                getattr(service, act)(*arguments)
                service.check()
            assert not wallets.faults
        finally:
            wallets.close()
