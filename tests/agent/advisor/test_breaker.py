"""A service that fails is left alone, and tried again with one call."""

from dataclasses import dataclass, field

import pytest

from agent.advisor.calls import IN_A_ROW, BreakerPolicy, BreakerState, CircuitBreaker
from agent.advisor.model import FaultKind


@dataclass
class Game:
    """A breaker and the seconds of the game that it goes by."""

    patience: BreakerPolicy = field(default_factory=lambda: BreakerPolicy(first=10, longest=60))
    seconds: float = 1_000.0

    def __post_init__(self) -> None:
        self.breaker = CircuitBreaker(lambda: self.seconds, self.patience)

    def break_it(self) -> None:
        for _ in range(3):
            self.breaker.failed(FaultKind.SERVER)
        assert self.breaker.state is BreakerState.OPEN


@pytest.mark.parametrize("kind", FaultKind)
def test_it_opens_after_so_many_faults_of_a_kind_in_a_row(kind: FaultKind) -> None:
    breaker = Game().breaker
    for _ in range(IN_A_ROW[kind] - 1):
        breaker.failed(kind)
        assert breaker.allows()
    breaker.failed(kind)
    assert not breaker.allows()
    assert (breaker.faults[kind], breaker.opened[kind]) == (IN_A_ROW[kind], 1)
    assert breaker.held_back == 1


def test_a_message_ends_the_row() -> None:
    breaker = Game().breaker
    for _ in range(4):
        breaker.failed(FaultKind.SERVER)
        breaker.worked()
    assert breaker.allows()


def test_it_opens_when_half_of_the_last_calls_failed() -> None:
    breaker = Game().breaker
    for _ in range(4):
        breaker.failed(FaultKind.SERVER)
        breaker.worked()
    breaker.failed(FaultKind.SERVER)
    assert not breaker.allows()


def test_after_a_while_one_call_is_let_through() -> None:
    game = Game()
    game.break_it()
    game.seconds += 9.5
    assert not game.breaker.allows()
    game.seconds += 0.5
    assert game.breaker.allows()
    assert game.breaker.state is BreakerState.HALF_OPEN
    assert not game.breaker.allows()


def test_a_call_let_through_that_works_closes_it() -> None:
    game = Game()
    game.break_it()
    game.seconds += 10
    assert game.breaker.allows()
    game.breaker.worked()
    assert game.breaker.state is BreakerState.CLOSED
    game.breaker.failed(FaultKind.SERVER)
    assert game.breaker.allows()


def test_a_call_let_through_that_fails_makes_it_wait_longer_up_to_a_cap() -> None:
    game = Game()
    game.break_it()
    waits = []
    for wait in (10, 20, 40, 60, 60):
        game.seconds += wait - 1
        waits.append(game.breaker.allows())
        game.seconds += 1
        assert game.breaker.allows()
        game.breaker.failed(FaultKind.TIMEOUT)
    assert not any(waits)


def test_waiting_begins_anew_after_it_was_closed() -> None:
    game = Game()
    game.break_it()
    game.seconds += 10
    game.breaker.allows()
    game.breaker.failed(FaultKind.SERVER)
    game.seconds += 20
    game.breaker.allows()
    game.breaker.worked()
    game.break_it()
    game.seconds += 10
    assert game.breaker.allows()


def test_a_call_let_through_that_nobody_hears_of_is_followed_by_another() -> None:
    game = Game()
    game.break_it()
    game.seconds += 10
    assert game.breaker.allows()
    game.seconds += 10
    assert game.breaker.allows()


def test_it_waits_as_long_as_the_service_asks() -> None:
    game = Game()
    game.breaker.failed(FaultKind.RATE_LIMIT, 5)
    game.seconds += 4
    assert not game.breaker.allows()
    game.seconds += 1
    assert game.breaker.allows()


def test_seconds_of_the_service_are_stretched_to_the_pace_of_the_game() -> None:
    game = Game(BreakerPolicy(first=1, longest=1_000, pace=100))
    game.breaker.failed(FaultKind.OVERLOADED, 3)
    game.seconds += 299
    assert not game.breaker.allows()
    game.seconds += 1
    assert game.breaker.allows()


@pytest.mark.parametrize("asked", [float("inf"), 1e300])
def test_what_a_service_asks_for_is_waited_for_no_longer_than_the_cap(asked: float) -> None:
    game = Game()
    game.breaker.failed(FaultKind.RATE_LIMIT, asked)
    game.seconds += 60
    assert game.breaker.allows()


@pytest.mark.parametrize("asked", [float("nan"), -5.0, 0.0])
def test_nonsense_from_the_service_is_not_waited_for(asked: float) -> None:
    game = Game()
    game.breaker.failed(FaultKind.RATE_LIMIT, asked)
    assert game.breaker.allows()


def test_a_wrong_key_is_waited_for_as_long_as_anything() -> None:
    game = Game()
    game.breaker.failed(FaultKind.DENIED)
    game.seconds += 59
    assert not game.breaker.allows()
    game.seconds += 1
    assert game.breaker.allows()


def test_a_call_under_way_when_it_opened_may_lengthen_the_wait() -> None:
    game = Game()
    game.break_it()
    game.breaker.failed(FaultKind.RATE_LIMIT, 30)
    game.seconds += 29
    assert not game.breaker.allows()
    game.seconds += 1
    assert game.breaker.allows()


def test_going_back_in_the_game_does_not_lengthen_the_wait() -> None:
    game = Game()
    game.break_it()
    game.seconds -= 500
    assert not game.breaker.allows()
    game.seconds += 10
    assert game.breaker.allows()
