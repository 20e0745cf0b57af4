"""Turning, stepping, bumping: frames and RAM of a step."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

FRAMES_PER_STEP = 16
BITS = {"down": 4, "up": 8, "left": 2, "right": 1}
FACINGS = {"down": 0, "up": 4, "left": 8, "right": 12}


@pytest.mark.parametrize("direction", ["left", "up", "right"])
def test_a_tap_turns_and_does_not_step(start: Callable[[str], Game], direction: str) -> None:
    game = start("bedroom")
    before = game.place
    game.press(direction, hold=2, settle=20)
    assert game.place == before
    assert game.byte("wSpriteStateData1", 9) == FACINGS[direction]
    assert game.byte("wPlayerLastStopDirection") == BITS[direction]
    assert game.byte("wPlayerMovingDirection") == 0


def test_a_tap_ahead_steps(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.press("down", hold=2, settle=20)
    assert game.place == (38, 3, 7)


def test_holding_turns_first_and_then_walks(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("up")
    turned = game.wait(lambda: game.byte("wSpriteStateData1", 9) == FACINGS["up"], 10)
    walked = game.wait(lambda: game.byte("wWalkCounter") != 0, 10)
    assert turned <= 4
    assert walked <= 3
    game.release("up")


def test_a_step_takes_sixteen_frames_and_walking_is_steady(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("up")
    arrivals = []
    for frame in range(100):
        before = game.place.y
        game.tick()
        if game.place.y != before:
            arrivals.append(frame)
    game.release("up")
    gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
    assert len(gaps) >= 3
    assert set(gaps) == {FRAMES_PER_STEP}


def test_coordinates_change_when_the_counter_has_run_out(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("down")
    counters = []
    for _ in range(20):
        game.tick()
        counters.append(game.byte("wWalkCounter"))
        assert (game.place.y == 7) == (counters[-1] == 0 and len(set(counters)) > 1)
        if game.place.y == 7:
            break
    game.release("down")
    moving = [counter for counter in counters if counter]
    assert moving == sorted(moving, reverse=True)
    assert set(moving) == set(range(1, 8))


def test_the_view_moves_when_the_step_begins(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("down")
    game.wait(lambda: game.byte("wWalkCounter") not in {0, 8}, 10)
    game.tick()
    assert game.place.y == 6
    assert view(game) == expected_view(game, 3, 7)
    assert game.byte("wYBlockCoord") == 1
    game.release("down")


def test_a_wall_is_bumped_and_faced(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    x, y = next(
        (x, y)
        for y in range(7, 0, -1)
        for x in range(8)
        if game.is_open(x, y) and not game.is_open(x, y - 1) and game.route(x, y)
    )
    game.go(x, y)
    game.hold("up")
    for _ in range(40):
        game.tick()
        assert game.byte("wWalkCounter") == 0
    assert game.place == (38, x, y)
    assert game.byte("wSpriteStateData1", 9) == FACINGS["up"]
    assert game.byte("wTileInFrontOfPlayer") not in game.passable
    game.release("up")


def test_idle_passes_ask_for_a_turn_first(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    assert game.byte("wCheckFor180DegreeTurn") == 1
    game.hold("up")
    game.wait(lambda: game.byte("wWalkCounter") == 4, 30)
    assert game.byte("wCheckFor180DegreeTurn") == 0
    game.release("up")


def test_a_direction_changes_at_once_while_walking(start: Callable[[str], Game]) -> None:
    game = start("town")
    game.step("down")
    game.hold("down")
    game.wait(lambda: game.byte("wWalkCounter") == 2, 40)
    game.release("down")
    game.hold("right")
    game.wait(lambda: game.byte("wWalkCounter") == 0, 10)
    assert game.wait(lambda: game.byte("wWalkCounter") != 0, 10) <= 3
    assert game.byte("wPlayerDirection") == BITS["right"]
    game.release("right")


def test_each_finished_step_counts(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    before = game.byte("wStepCounter")
    assert game.step("up")
    assert game.step("up")
    assert game.byte("wStepCounter") == (before - 2) & 0xFF


@pytest.mark.parametrize("station", ["bedroom", "house", "town"])
def test_the_screen_buffer_is_the_map_around_the_player(
    start: Callable[[str], Game], station: str
) -> None:
    game = start(station)
    for direction in ("down", "left", "up", "right", "right", "down"):
        x, y = game.place.x, game.place.y
        assert view(game) == expected_view(game, x, y)
        assert (game.byte("wXBlockCoord"), game.byte("wYBlockCoord")) == (x % 2, y % 2)
        for column in range(10):
            for row in range(9):
                there = (x - 4 + column, y - 4 + row)
                if min(there) >= 0 and game.is_open(*there):
                    assert game.tile(2 * column, 2 * row + 1) == game.step_tile(*there)
        before = game.place.map
        game.step(direction)
        if game.place.map != before:
            break


def view(game: Game) -> int:
    return game.word("wCurrentTileBlockMapViewPointer")


def expected_view(game: Game, x: int, y: int) -> int:
    return 0xC6E8 + (y // 2 + 1) * (game.byte("wCurMapWidth") + 6) + x // 2 + 1


def test_the_players_own_slot_holds_no_map_position(start: Callable[[str], Game]) -> None:
    """The written contract says otherwise; all sixteen RAM images of the real game hold 0 there."""
    game = start("town")
    game.step("down")
    assert game.byte("wSpriteStateData2", 4) == game.byte("wSpriteStateData2", 5) == 0
