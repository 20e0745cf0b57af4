"""On what terms a model is asked."""

from decimal import Decimal
from pathlib import Path

import pytest

from agent.advisor import Purpose
from agent.advisor.money import Ceiling, load_prices, load_terms, nanos_of
from agent.advisor.money.prices import MEMORY
from agent.errors import UsageError


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


def test_a_file_of_terms_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_terms(tmp_path / "none.toml")


def test_a_ceiling_below_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="negative"):
        Ceiling(calls=-1)


def test_dollars_are_turned_into_billionths_exactly() -> None:
    assert nanos_of(Decimal("0.1")) * 3 == nanos_of(Decimal("0.3"))
