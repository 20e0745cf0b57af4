"""The circuit breaker stops calls to a failing service, then allows one trial call."""

from dataclasses import dataclass

import pytest

from agent.advisor.calls import FAULTS_TO_OPEN, MAX_WAIT_S, MIN_WAIT_S, BreakerState, CircuitBreaker
from agent.advisor.model import FaultKind


@dataclass
class Game:
    """A breaker with the game seconds that it counts."""

    seconds: float = 1_000.0

    def __post_init__(self) -> None:
        self.breaker = CircuitBreaker(lambda: self.seconds)

    def open_it(self) -> None:
        for _ in range(3):
            self.breaker.record_failure(FaultKind.SERVER)
        assert self.breaker.state is BreakerState.OPEN

    def allows_after(self, wait: float) -> bool:
        """Return whether a call is allowed after `wait` seconds but not one second earlier."""
        self.seconds += wait - 1
        early = self.breaker.allows()
        self.seconds += 1
        return self.breaker.allows() and not early


@pytest.fixture
def game() -> Game:
    return Game()


@pytest.mark.parametrize("kind", FaultKind)
def test_consecutive_faults_of_each_kind_open_the_breaker(kind: FaultKind, game: Game) -> None:
    for _ in range(FAULTS_TO_OPEN[kind] - 1):
        game.breaker.record_failure(kind)
        assert game.breaker.allows()
    game.breaker.record_failure(kind)
    assert not game.breaker.allows()
    assert game.breaker.openings[kind] == 1


def test_the_breaker_opens_when_half_of_recent_calls_failed(game: Game) -> None:
    for _ in range(4):
        game.breaker.record_failure(FaultKind.SERVER)
        game.breaker.record_success()
    assert game.breaker.allows()
    game.breaker.record_failure(FaultKind.SERVER)
    assert not game.breaker.allows()


def test_an_open_breaker_allows_a_trial_call_after_each_wait_until_one_has_a_result(
    game: Game,
) -> None:
    game.open_it()
    for _ in range(2):
        assert game.allows_after(MIN_WAIT_S)
        assert game.breaker.state is BreakerState.HALF_OPEN
        assert not game.breaker.allows()
    game.breaker.record_success()
    assert game.breaker.state is BreakerState.CLOSED
    game.breaker.record_failure(FaultKind.SERVER)
    assert game.breaker.allows()


def test_a_failed_trial_call_doubles_the_wait_up_to_a_maximum(game: Game) -> None:
    game.open_it()
    for wait in (60, 120, 240, 480, 960, 1_800, 1_800):
        assert game.allows_after(wait)
        game.breaker.record_failure(FaultKind.TIMEOUT)


def test_a_closed_breaker_starts_again_with_the_first_wait(game: Game) -> None:
    game.open_it()
    assert game.allows_after(MIN_WAIT_S)
    game.breaker.record_failure(FaultKind.SERVER)
    assert game.allows_after(2 * MIN_WAIT_S)
    game.breaker.record_success()
    game.open_it()
    assert game.allows_after(MIN_WAIT_S)


@pytest.mark.parametrize(
    ("kind", "asked", "wait"),
    [
        (FaultKind.RATE_LIMIT, 5, 5),
        (FaultKind.RATE_LIMIT, float("inf"), MAX_WAIT_S),
        (FaultKind.RATE_LIMIT, 1e300, MAX_WAIT_S),
        (FaultKind.DENIED, None, MAX_WAIT_S),
    ],
)
def test_the_breaker_waits_as_the_service_asks_up_to_the_maximum(
    kind: FaultKind, asked: float | None, wait: float, game: Game
) -> None:
    game.breaker.record_failure(kind, asked)
    assert game.allows_after(wait)


@pytest.mark.parametrize("asked", [float("nan"), -5.0, 0.0])
def test_an_invalid_wait_from_the_service_is_ignored(asked: float, game: Game) -> None:
    game.breaker.record_failure(FaultKind.RATE_LIMIT, asked)
    assert game.breaker.allows()


def test_a_call_started_before_opening_can_lengthen_the_wait(game: Game) -> None:
    game.open_it()
    game.breaker.record_failure(FaultKind.RATE_LIMIT, 90)
    assert game.allows_after(90)


def test_restoring_earlier_game_time_does_not_lengthen_the_wait(game: Game) -> None:
    game.open_it()
    game.seconds -= 500
    assert not game.breaker.allows()
    assert game.allows_after(MIN_WAIT_S)
