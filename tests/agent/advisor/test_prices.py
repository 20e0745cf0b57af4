"""What a model costs, to the last billionth and never too little."""

import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.advisor.model import Usage
from agent.advisor.money import Price, Rates, load_prices
from agent.advisor.money import prices as prices_of_data
from agent.advisor.money.prices import KINDS
from agent.errors import UsageError

ONE = "input = 1\noutput = 2\ncache_read = 0.125\ncache_write_5m = 1.5\ncache_write_1h = 2\n"


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_prices_are_those_of_the_data() -> None:
    price = load_prices().require("claude-sonnet-5-5")
    usage = Usage(1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000)
    assert price.of(usage) == Decimal("2") * 10**9 + Decimal("16.6") * 10**9


def test_every_price_of_the_data_is_of_the_usual_order() -> None:
    """A slip of the pen in the data would be a surprise on the bill."""
    for model, price in load_prices().models.items():
        rates = price.rates
        assert rates.cache_read < rates.input < rates.output, model
        assert rates.input * 5 == rates.output, model
        assert rates.input * 5 == rates.cache_write_5m * 4, model
        assert rates.input * 2 == rates.cache_write_1h, model


def test_every_model_says_where_its_price_is_from() -> None:
    text = Path(prices_of_data.__file__).with_name("prices.toml").read_text(encoding="utf-8")
    for table in tomllib.loads(text)["models"].values():
        assert table["source"]
        assert table["date"]


def test_a_long_prompt_is_dearer_from_the_token_on_that_is_too_much() -> None:
    price = load_prices().require("claude-haiku-5-5")
    assert price.of(Usage(input=99_000, cache_read=1_000)) == 99_000 * 100 + 1_000 * 10
    assert price.of(Usage(input=99_001, cache_read=1_000)) == 99_001 * 500 + 1_000 * 50
    assert price.of(Usage(cache_write_1h=100_001, output=2)) == 100_001 * 1_000 + 2 * 2_500


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "claude-haiku-4-5-20251001"])
def test_a_date_at_the_end_changes_no_price(model: str) -> None:
    assert load_prices().require(model).of(Usage(input=1)) == 1_000


def test_an_unknown_model_is_refused_with_what_to_add() -> None:
    prices = load_prices()
    assert prices.of("claude-unheard-of") is None
    assert prices.of("claude-haiku-4-5-latest") is None
    with pytest.raises(UsageError, match=r'\[models\."claude-unheard-of"\].*--prices'):
        prices.require("claude-unheard-of")


def test_a_file_of_the_user_comes_first(tmp_path: Path) -> None:
    text = f'[models.claude-opus-5]\n{ONE}\n[models."mine.1"]\n{ONE}\n[aliases]\nbest = "mine.1"\n'
    prices = load_prices(own(tmp_path, text))
    assert prices.require("claude-opus-5").of(Usage(cache_read=3)) == 375
    assert prices.require("best").of(Usage(output=1)) == 2_000
    assert prices.of("claude-sonnet-5-5") == load_prices().of("claude-sonnet-5-5")


def test_no_part_of_a_billionth_is_given_away(tmp_path: Path) -> None:
    text = "[models.m]\n" + ONE.replace("0.125", "0.000001")
    assert load_prices(own(tmp_path, text)).require("m").of(Usage(cache_read=1)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[models.m",
        "models = 3",
        "[models]\nm = 3",
        "[models.m]\ninput = 1",
        "[models.m]\n" + ONE.replace("= 1.5", "= -1"),
        "[models.m]\n" + ONE.replace("= 1.5", "= nan"),
        "[models.m]\n" + ONE.replace("= 1.5", "= inf"),
        "[models.m]\n" + ONE.replace("= 1.5", "= 1e-7"),
        "[models.m]\n" + ONE.replace("= 1.5", "= 1e300"),
        "[models.m]\n" + ONE.replace("= 1.5", "= true"),
        "[models.m]\n" + ONE.replace("= 1.5", "= '1.5'"),
        "[models.m]\n" + ONE + "long_prompt_over = 5",
        "[models.m]\n" + ONE + "long_prompt_over = -5\n[models.m.long_prompt]\n" + ONE,
        "aliases = [1]",
    ],
)
def test_a_file_without_sense_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"prices\.toml holds no prices") as refused:
        load_prices(own(tmp_path, text))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name another file as --prices"):
        load_prices(tmp_path / "none.toml")


rates = st.builds(Rates, *[st.integers(0, 10**9)] * 5)
prices = st.builds(Price, rates) | st.builds(Price, rates, st.integers(0, 100), rates)
counts = st.integers(0, 200)


@given(prices, counts, counts, counts, counts, counts, counts, counts)
def test_nothing_costs_more_than_its_worst_case(
    price: Price, a: int, b: int, c: int, d: int, out: int, more: int, more_out: int
) -> None:
    worst = price.at_worst(a + b + c + d + more, out + more_out)
    assert price.of(Usage(a, out, b, c, d)) <= worst


def test_a_prompt_that_turns_out_shorter_is_no_dearer_than_its_worst_case() -> None:
    dear, cheap = Rates(*[1_000] * 5), Rates(*[100] * 5)
    for price in (Price(dear, 50, cheap), Price(cheap, 50, dear)):
        assert price.at_worst(60, 1) == 61
    assert Price(cheap, 60, dear).at_worst(60, 0) == 6


@given(rates, st.builds(Usage, *[counts] * 5))
def test_the_price_is_exact_and_rounded_up(rates: Rates, usage: Usage) -> None:
    exact = sum(Fraction(getattr(rates, kind), 1000) * getattr(usage, kind) for kind in KINDS)
    assert 0 <= Price(rates).of(usage) - exact < 1
