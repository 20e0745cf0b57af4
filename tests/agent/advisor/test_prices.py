"""Costs of a model: prices, terms, token bounds, and totals by purpose."""

import json
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.model import Request, Usage
from agent.advisor.money import prices as prices_module
from agent.advisor.money.limits import (
    ADDED,
    PICTURE,
    Ceiling,
    input_token_bound,
    load_terms,
    nanos_of,
)
from agent.advisor.money.prices import KINDS, MEMORY, Price, Rates, load_prices, spent_on
from agent.advisor.port import Purpose
from agent.errors import UsageError
from tests.agent.advisor.money import BIG, SMALL, RunWallets, terms

ONE = "input = 1\noutput = 2\ncache_read = 0.125\ncache_write_5m = 1.5\ncache_write_1h = 2\n"


def own_prices(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_prices_come_from_the_data_file() -> None:
    price = load_prices().require("claude-sonnet-5-5")
    usage = Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000)
    assert price.of(usage) == Decimal("2") * 10**9 + Decimal("16.6") * 10**9


def test_every_default_price_has_a_source_a_date_and_the_usual_ratios() -> None:
    """A typing error in the data would surprise the user on the bill."""
    text = Path(prices_module.__file__).with_name("prices.toml").read_text(encoding="utf-8")
    assert all(each["source"] and each["date"] for each in tomllib.loads(text)["models"].values())
    for model, price in load_prices().models.items():
        rates = price.rates
        assert rates.cache_read < rates.input < rates.output, model
        assert rates.input * 5 == rates.output, model
        assert rates.input * 5 == rates.cache_write_5m * 4, model
        assert rates.input * 2 == rates.cache_write_1h, model


def test_a_prompt_above_the_limit_costs_the_long_prompt_rates() -> None:
    price = load_prices().require("claude-haiku-5-5")
    assert price.of(Usage(input=99_000, cache_read=1_000)) == 99_000 * 100 + 1_000 * 10
    assert price.of(Usage(input=99_001, cache_read=1_000)) == 99_001 * 500 + 1_000 * 50
    assert price.of(Usage(cache_write_1h=100_001, output=2)) == 100_001 * 1_000 + 2 * 2_500


def test_a_date_suffix_does_not_change_the_price() -> None:
    for model in ("claude-haiku-4-5", "claude-haiku-4-5-20251001"):
        assert load_prices().require(model).of(Usage(input=1)) == 1_000


def test_an_unknown_model_raises_an_error_that_says_what_to_add() -> None:
    prices = load_prices()
    assert prices.of("claude-unheard-of") is None
    assert prices.of("claude-haiku-4-5-latest") is None
    with pytest.raises(UsageError, match=r'\[models\."claude-unheard-of"\].*--prices'):
        prices.require("claude-unheard-of")


def test_prices_of_the_user_replace_the_default_prices(tmp_path: Path) -> None:
    text = f'[models.claude-opus-5]\n{ONE}\n[models."mine.1"]\n{ONE}\n[aliases]\nbest = "mine.1"\n'
    prices = load_prices(own_prices(tmp_path, text))
    assert prices.require("claude-opus-5").of(Usage(cache_read=3)) == 375
    assert prices.require("best").of(Usage(output=1)) == 2_000
    assert prices.of("claude-sonnet-5-5") == load_prices().of("claude-sonnet-5-5")


def test_a_fraction_of_a_nanodollar_is_rounded_up(tmp_path: Path) -> None:
    text = "[models.m]\n" + ONE.replace("0.125", "0.000001")
    assert load_prices(own_prices(tmp_path, text)).require("m").of(Usage(cache_read=1)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[models.m",
        "models = 3",
        "[models]\nm = 'free'",
        "[models.m]\ninput = 1",
        "[models.m]\n" + ONE.replace("= 1.5", "= 1e-7"),
        "[models.m]\n" + ONE + "long_prompt_over = 5",
        "[models.m]\n" + ONE + "long_prompt_over = -5\n[models.m.long_prompt]\n" + ONE,
        "aliases = [1]",
    ],
)
def test_an_invalid_prices_file_gives_one_error_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"prices\.toml holds no valid prices") as refused:
        load_prices(own_prices(tmp_path, text))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("load", "advice"), [(load_prices, " as --prices"), (load_terms, "")])
def test_a_missing_file_is_refused(
    tmp_path: Path, load: Callable[[Path], object], advice: str
) -> None:
    with pytest.raises(UsageError, match=f"cannot be read .*; name another file{advice}$"):
        load(tmp_path / "none.toml")


rates = st.builds(Rates, *[st.integers(0, 10**9)] * 5)
prices = st.builds(Price, rates) | st.builds(Price, rates, st.integers(0, 100), rates)
counts = st.integers(0, 200)


@given(prices, counts, counts, counts, counts, counts, counts, counts)
def test_no_usage_costs_more_than_its_maximum(
    price: Price, a: int, b: int, c: int, d: int, out: int, more: int, more_out: int
) -> None:
    worst = price.max_cost(a + b + c + d + more, out + more_out)
    assert price.of(Usage(a, out, b, c, d)) <= worst


def test_a_shorter_prompt_costs_no_more_than_its_maximum() -> None:
    high, low = Rates(*[1_000] * 5), Rates(*[100] * 5)
    for price in (Price(high, 50, low), Price(low, 50, high)):
        assert price.max_cost(60, 1) == 61
    assert Price(low, 60, high).max_cost(60, 0) == 6


@given(rates, st.builds(Usage, *[counts] * 5))
def test_the_price_is_exact_and_rounded_up(rates: Rates, usage: Usage) -> None:
    exact = sum(Fraction(getattr(rates, kind), 1000) * getattr(usage, kind) for kind in KINDS)
    assert 0 <= Price(rates).of(usage) - exact < 1


def test_the_default_terms_have_ceilings_and_prices() -> None:
    terms = load_terms()
    prices = load_prices()
    assert terms.ceilings.run.nanos == 2 * 10**9
    for ceiling in (terms.ceilings.run, terms.ceilings.hour, terms.ceilings.milestone):
        assert None not in (ceiling.nanos, ceiling.calls, ceiling.tokens)
    usual, small = prices.require(terms.usual), prices.require(terms.small)
    assert small.max_cost(1_000, 1_000) < usual.max_cost(1_000, 1_000)


def test_the_terms_name_only_known_purposes() -> None:
    terms = load_terms()
    asked = {purpose.value for purpose in Purpose}
    assert terms.always_small == MEMORY
    assert all(step.gives_up <= asked for step in terms.steps)


@pytest.mark.parametrize(
    ("percent", "asked", "model"),
    [
        (0, {each.value for each in Purpose}, "claude-sonnet-5-5"),
        (49, {each.value for each in Purpose}, "claude-sonnet-5-5"),
        (50, {"no_plan", "plan_failed", "stuck", "choice"}, "claude-sonnet-5-5"),
        (75, {"no_plan", "plan_failed", "stuck", "choice"}, "claude-haiku-5-5"),
        (100, set(), ""),
    ],
)
def test_default_terms_drop_purposes_and_change_the_model_by_steps(
    percent: int, asked: set[str], model: str
) -> None:
    terms = load_terms()
    found = {each.value: terms.model_for(each.value, percent) for each in Purpose}
    assert {purpose for purpose, chosen in found.items() if chosen} == asked
    assert {chosen for chosen in found.values() if chosen} == ({model} if asked else set())


def test_terms_can_be_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.hour]\ndollars = 0.0000000015\ncalls = 3\n"
    )
    terms = load_terms(path)
    assert (terms.usual, terms.small) == ("a", "b")
    assert (
        terms.steps == load_terms().steps
    )  # of the default terms, as every table that is left out
    assert terms.ceilings.hour == Ceiling(nanos=1, calls=3)  # rounded down
    assert terms.ceilings.run == Ceiling()


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        "[models]\nusual = 'a'",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.week]\ncalls = 3",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ncoins = 3",
        "[models]\nusual = 'a'\nsmall = 'b'\n[[steps]]\nsmall = true",
        "[thinking]\nthinking = 'deep'",
        "[thinking]\neffort = 'huge'",
        "[thinking]\nmax_tokens = 50",
        "[conversation]\nmessage_tokens = 9",
        "[conversation]\nmessage_tokens = 9_000\nobservation_tokens = '9'",
        "[conversation]\nmessage_tokens = 9_000\nobservation_tokens = 9_000\nsize = 1",
        "[prompt]\nrules = 'none.txt'",
        "[model]\nusual = 'a'",
    ],
)
def test_an_invalid_terms_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"write it like terms\.toml"):
        load_terms(path)


def test_the_rules_can_be_a_file_beside_the_terms(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Advise well.")
    path = tmp_path / "terms.toml"
    path.write_text("[prompt]\nrules = 'mine.txt'\n[prices]\nmine = 0\n")
    terms = load_terms(path)
    assert terms.rules == "Advise well."
    assert terms.prices.require("mine").max_cost(10**6, 10**6) == 0
    assert terms.settings == load_terms().settings


def test_dollars_are_converted_to_nanodollars_exactly() -> None:
    assert nanos_of(Decimal("0.1")) * 3 == nanos_of(Decimal("0.3"))


@pytest.fixture
def wallets(tmp_path: Path) -> Iterator[RunWallets]:
    made = RunWallets(tmp_path, terms())
    yield made
    made.close()


def make_call(
    wallets: RunWallets, model: str, purpose: str, usage: Usage | None, *, sent: bool = True
) -> None:
    permit = wallets.wallet.permit(model, 1_000_000, 1_000_000, purpose)
    assert permit is not None
    if sent:
        wallets.wallet.settle(permit, usage)
    else:
        wallets.wallet.cancel(permit)


def test_totals_have_tokens_by_kind_and_the_share_of_memory(wallets: RunWallets) -> None:
    make_call(wallets, BIG, "stuck", Usage(input=100, output=10, cache_read=1_000))
    make_call(wallets, SMALL, "observer", Usage(input=200, output=20))
    make_call(wallets, SMALL, "stuck", None, sent=False)
    spent = spent_on(wallets.store.calls.all(), observation_tokens=113)
    assert (spent.nanos, spent.calls, spent.tokens) == (100 + 50 + 100 + 20 + 10, 2, 1_330)
    assert spent.kinds == dict(zip(KINDS, (300, 30, 1_000, 0, 0), strict=True))
    assert spent.memory_share == pytest.approx((220 + 113) / 1_330)


def test_calls_of_unknown_cost_are_summed_separately(wallets: RunWallets) -> None:
    spent = spent_on(wallets.store.calls.all())
    assert (spent.nanos, spent.calls, spent.memory_share) == (0, 0, 0)
    make_call(wallets, SMALL, "stuck", None)
    spent = spent_on(wallets.store.calls.all())
    assert spent.unknown_nanos == spent.nanos == 700_000


def request(text: str, **more: object) -> Request:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    return Request("m", [], messages, **more)  # type: ignore[arg-type]


EMPTY = input_token_bound(request(""))


@pytest.mark.parametrize("text", ["abc", "é", "火", "🔥", "\ud800", "\x00", "\u200b", '"\\'])
def test_every_byte_counts_as_a_token(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert input_token_bound(request(text)) - EMPTY >= size


def test_text_counts_in_its_longest_normal_form() -> None:
    assert input_token_bound(request("\ufdfa")) - EMPTY == len("صلى الله عليه وسلم".encode())


def test_every_part_of_a_request_counts() -> None:
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    bare = Request("m", [], [])
    for part in ({"tools": tools}, {"output_schema": schema}, {"system": tools}):
        full = Request(**{"model": "m", "system": [], "messages": [], **part})  # type: ignore[arg-type]
        (sent,) = part.values()
        assert input_token_bound(full) - input_token_bound(bare) >= len(json.dumps(sent)) - 4


def test_every_picture_counts_as_the_largest_one() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    result = {"type": "tool_result", "content": [picture, picture]}
    messages = [{"role": "user", "content": [picture, result]}]
    assert input_token_bound(Request("m", [], messages)) >= ADDED + 3 * PICTURE
