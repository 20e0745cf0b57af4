"""What a model costs: prices, terms, bounds of tokens, and what was spent on what."""

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
from agent.advisor.money import prices as prices_of_data
from agent.advisor.money.limits import (
    ADDED,
    PICTURE,
    Ceiling,
    load_terms,
    most_input_tokens,
    nanos_of,
)
from agent.advisor.money.prices import KINDS, MEMORY, Price, Rates, load_prices, spent_on
from agent.advisor.port import Purpose
from agent.errors import UsageError
from tests.agent.advisor.money import BIG, SMALL, Purses, terms

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


@pytest.mark.parametrize(("load", "advice"), [(load_prices, " as --prices"), (load_terms, "")])
def test_a_file_that_is_not_there_is_refused(
    tmp_path: Path, load: Callable[[Path], object], advice: str
) -> None:
    with pytest.raises(UsageError, match=f"cannot be read .*; name another file{advice}$"):
        load(tmp_path / "none.toml")


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


def test_the_terms_that_hold_without_a_word_are_cheap_and_priced() -> None:
    terms = load_terms()
    prices = load_prices()
    assert terms.ceilings.run.nanos == 2 * 10**9
    for ceiling in (terms.ceilings.run, terms.ceilings.hour, terms.ceilings.milestone):
        assert None not in (ceiling.nanos, ceiling.calls, ceiling.tokens)
    usual, small = prices.require(terms.usual), prices.require(terms.small)
    assert small.at_worst(1_000, 1_000) < usual.at_worst(1_000, 1_000)


def test_the_terms_name_purposes_that_there_are() -> None:
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
def test_steps_down_are_those_of_the_table(percent: int, asked: set[str], model: str) -> None:
    terms = load_terms()
    found = {each.value: terms.model_for(each.value, percent) for each in Purpose}
    assert {purpose for purpose, whom in found.items() if whom} == asked
    assert {whom for whom in found.values() if whom} == ({model} if asked else set())


def test_terms_come_from_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.hour]\ndollars = 0.0000000015\ncalls = 3\n"
    )
    terms = load_terms(path)
    assert (terms.usual, terms.small, terms.steps) == ("a", "b", ())
    assert terms.ceilings.hour == Ceiling(nanos=1, calls=3)  # never more than was said
    assert terms.ceilings.run == Ceiling()


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        "[models]\nusual = 'a'",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.week]\ncalls = 3",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ncoins = 3",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ndollars = 'many'",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ndollars = nan",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ncalls = '5'",
        "[models]\nusual = 'a'\nsmall = 'b'\n[ceilings.run]\ntokens = 1.5",
        "[models]\nusual = 'a'\nsmall = 'b'\n[[steps]]\nsmall = true",
    ],
)
def test_a_file_that_says_no_terms_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"write it like terms\.toml"):
        load_terms(path)


def test_a_ceiling_below_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="negative"):
        Ceiling(calls=-1)


def test_dollars_are_turned_into_billionths_exactly() -> None:
    assert nanos_of(Decimal("0.1")) * 3 == nanos_of(Decimal("0.3"))


@pytest.fixture
def purses(tmp_path: Path) -> Iterator[Purses]:
    made = Purses(tmp_path, terms())
    yield made
    made.close()


def ask(
    purses: Purses, model: str, purpose: str, usage: Usage | None, *, sent: bool = True
) -> None:
    permit = purses.wallet.permit(model, 1_000_000, 1_000_000, purpose)
    assert permit is not None
    if sent:
        purses.wallet.settle(permit, usage)
    else:
        purses.wallet.cancel(permit)


def test_it_is_told_by_kind_and_the_share_of_memory(purses: Purses) -> None:
    ask(purses, BIG, "stuck", Usage(input=100, output=10, cache_read=1_000))
    ask(purses, SMALL, "observer", Usage(input=200, output=20))
    ask(purses, SMALL, "stuck", None, sent=False)
    spent = spent_on(purses.store.calls(), observation_tokens=113)
    assert (spent.nanos, spent.calls, spent.tokens) == (100 + 50 + 100 + 20 + 10, 2, 1_330)
    assert spent.kinds == dict(zip(KINDS, (300, 30, 1_000, 0, 0), strict=True))
    assert spent.memory_share == pytest.approx((220 + 113) / 1_330)


def test_what_nobody_heard_of_is_told_apart(purses: Purses) -> None:
    ask(purses, SMALL, "stuck", None)
    spent = spent_on(purses.store.calls())
    assert spent.unknown_nanos == spent.nanos == 700_000


def test_where_nobody_was_asked_nothing_was_spent(purses: Purses) -> None:
    spent = spent_on(purses.store.calls())
    assert (spent.nanos, spent.calls, spent.memory_share) == (0, 0, 0)


def request(text: str, **more: object) -> Request:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    return Request("m", [], messages, 10, **more)  # type: ignore[arg-type]


EMPTY = most_input_tokens(request(""))


@pytest.mark.parametrize("text", ["abc", "é", "火", "🔥", "\ud800", "\x00", "\u200b", '"\\'])
def test_every_byte_counts_for_a_token(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert most_input_tokens(request(text)) - EMPTY >= size


def test_text_that_a_tokenizer_makes_longer_counts_as_what_it_becomes() -> None:
    assert most_input_tokens(request("\ufdfa")) - EMPTY == len("صلى الله عليه وسلم".encode())


def test_all_that_is_sent_counts() -> None:
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    bare = Request("m", [], [], 10)
    for part in ({"tools": tools}, {"output_schema": schema}, {"system": tools}):
        whole = Request(**{"model": "m", "system": [], "messages": [], "max_tokens": 10, **part})  # type: ignore[arg-type]
        (sent,) = part.values()
        assert most_input_tokens(whole) - most_input_tokens(bare) >= len(json.dumps(sent)) - 4


def test_words_of_the_service_count_too() -> None:
    assert most_input_tokens(Request("m", [], [], 10)) >= ADDED


def test_a_picture_counts_for_the_largest_there_is_wherever_it_is() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    result = {"type": "tool_result", "content": [picture, picture]}
    messages = [{"role": "user", "content": [picture, result]}]
    assert most_input_tokens(Request("m", [], messages, 10)) >= ADDED + 3 * PICTURE
