"""A service that fails is left alone, and tried again with one call."""

from dataclasses import dataclass

import pytest

from agent.advisor.calls import FIRST_S, IN_A_ROW, LONGEST_S, BreakerState, CircuitBreaker
from agent.advisor.model import FaultKind


@dataclass
class Game:
    """A breaker and the seconds of the game that it goes by."""

    seconds: float = 1_000.0

    def __post_init__(self) -> None:
        self.breaker = CircuitBreaker(lambda: self.seconds)

    def break_it(self) -> None:
        for _ in range(3):
            self.breaker.failed(FaultKind.SERVER)
        assert self.breaker.state is BreakerState.OPEN

    def allows_after(self, wait: float) -> bool:
        """Return whether a call is let through after that many seconds, and none a second before."""
        self.seconds += wait - 1
        early = self.breaker.allows()
        self.seconds += 1
        return self.breaker.allows() and not early


@pytest.fixture
def game() -> Game:
    return Game()


@pytest.mark.parametrize("kind", FaultKind)
def test_it_opens_after_so_many_faults_of_a_kind_in_a_row(kind: FaultKind, game: Game) -> None:
    for _ in range(IN_A_ROW[kind] - 1):
        game.breaker.failed(kind)
        assert game.breaker.allows()
    game.breaker.failed(kind)
    assert not game.breaker.allows()
    assert game.breaker.opened[kind] == 1


def test_a_message_ends_the_row_and_half_of_the_last_calls_failing_opens_it(game: Game) -> None:
    for _ in range(4):
        game.breaker.failed(FaultKind.SERVER)
        game.breaker.worked()
    assert game.breaker.allows()
    game.breaker.failed(FaultKind.SERVER)
    assert not game.breaker.allows()


def test_after_a_while_one_call_is_let_through(game: Game) -> None:
    game.break_it()
    assert game.allows_after(FIRST_S)
    assert game.breaker.state is BreakerState.HALF_OPEN
    assert not game.breaker.allows()


def test_a_call_let_through_that_works_closes_it(game: Game) -> None:
    game.break_it()
    assert game.allows_after(FIRST_S)
    game.breaker.worked()
    assert game.breaker.state is BreakerState.CLOSED
    game.breaker.failed(FaultKind.SERVER)
    assert game.breaker.allows()


def test_a_call_let_through_that_fails_makes_it_wait_longer_up_to_a_cap(game: Game) -> None:
    game.break_it()
    for wait in (60, 120, 240, 480, 960, 1_800, 1_800):
        assert game.allows_after(wait)
        game.breaker.failed(FaultKind.TIMEOUT)


def test_waiting_begins_anew_after_it_was_closed(game: Game) -> None:
    game.break_it()
    assert game.allows_after(FIRST_S)
    game.breaker.failed(FaultKind.SERVER)
    assert game.allows_after(2 * FIRST_S)
    game.breaker.worked()
    game.break_it()
    assert game.allows_after(FIRST_S)


def test_a_call_let_through_that_nobody_hears_of_is_followed_by_another(game: Game) -> None:
    game.break_it()
    assert game.allows_after(FIRST_S)
    assert game.allows_after(FIRST_S)


@pytest.mark.parametrize(
    ("kind", "asked", "wait"),
    [
        (FaultKind.RATE_LIMIT, 5, 5),
        (FaultKind.RATE_LIMIT, float("inf"), LONGEST_S),
        (FaultKind.RATE_LIMIT, 1e300, LONGEST_S),
        (FaultKind.DENIED, None, LONGEST_S),
    ],
)
def test_it_waits_as_long_as_the_service_asks_and_no_longer_than_the_cap(
    kind: FaultKind, asked: float | None, wait: float, game: Game
) -> None:
    game.breaker.failed(kind, asked)
    assert game.allows_after(wait)


@pytest.mark.parametrize("asked", [float("nan"), -5.0, 0.0])
def test_nonsense_from_the_service_is_not_waited_for(asked: float, game: Game) -> None:
    game.breaker.failed(FaultKind.RATE_LIMIT, asked)
    assert game.breaker.allows()


def test_a_call_under_way_when_it_opened_may_lengthen_the_wait(game: Game) -> None:
    game.break_it()
    game.breaker.failed(FaultKind.RATE_LIMIT, 90)
    assert game.allows_after(90)


def test_going_back_in_the_game_does_not_lengthen_the_wait(game: Game) -> None:
    game.break_it()
    game.seconds -= 500
    assert not game.breaker.allows()
    assert game.allows_after(FIRST_S)
