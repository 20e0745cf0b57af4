"""What asking cost, told by what it was for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.advisor.model import Usage
from agent.advisor.money import spent_on
from agent.advisor.money.prices import dollars
from tests.agent.advisor.money import BIG, SMALL, Purses, terms


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


def test_it_is_told_by_purpose_model_and_kind(purses: Purses) -> None:
    ask(purses, BIG, "stuck", Usage(input=100, output=10, cache_read=1_000))
    ask(purses, SMALL, "observer", Usage(input=200, output=20))
    ask(purses, SMALL, "stuck", None, sent=False)
    spent = spent_on(purses.store.calls(), observation_tokens=113)
    assert (spent.nanos, spent.calls, spent.tokens) == (100 + 50 + 100 + 20 + 10, 2, 1_330)
    assert spent.purposes == {"stuck": 250, "observer": 30}
    assert spent.models == {BIG: 250, SMALL: 30}
    assert (spent.kinds["input"], spent.kinds["output"], spent.kinds["cache_read"]) == (
        300,
        30,
        1_000,
    )
    assert spent.states == {"settled": 2, "cancelled": 1}
    assert spent.memory_tokens == 220 + 113
    assert spent.memory_share == pytest.approx(333 / 1_330)


def test_what_nobody_heard_of_is_told_apart(purses: Purses) -> None:
    ask(purses, SMALL, "stuck", None)
    spent = spent_on(purses.store.calls())
    assert spent.unknown_nanos == spent.nanos == 700_000
    assert "at worst, as nobody heard: $0.0007 of it" in spent.lines()


def test_it_is_said_in_words(purses: Purses) -> None:
    ask(purses, BIG, "stuck", Usage(input=900_000, output=100_000))
    ask(purses, SMALL, "observer", Usage(input=1_000_000))
    assert spent_on(purses.store.calls()).lines() == [
        "model: $0.0015 for 2 calls and 2,000,000 tokens, 50% of them memory's own",
        "by purpose: stuck $0.0014, observer $0.0001",
        "by model: big-model $0.0014, small-model $0.0001",
        "tokens: input 1,900,000, output 100,000, cache_read 0, cache_write_5m 0, cache_write_1h 0",
    ]


def test_where_nobody_was_asked_there_is_nothing_to_say(purses: Purses) -> None:
    spent = spent_on(purses.store.calls())
    assert spent.lines() == []
    assert spent.memory_share == 0


@pytest.mark.parametrize(
    ("nanos", "said"), [(0, "$0.0000"), (1, "$0.0001"), (1_234_500_000_000, "$1,234.5000")]
)
def test_dollars_are_rounded_up(nanos: int, said: str) -> None:
    assert dollars(nanos) == said
