"""The dark: where it begins, what it covers, and FLASH."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.contract import battles, things
from tests.contract.battles import Mon
from tests.contract.chapter import through_the_door
from tests.contract.things import PARTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

FLASH, HITTER = 148, 24
CAVE, HOUSE, DARK = 82, 41, 6
LIT_PALETTE, DARK_PALETTE = 0xE4, 0xFE
BACKGROUND_PALETTE: Final = 0xFF47


@pytest.fixture
def cave(start: Callable[[str], Game]) -> Game:
    """Give the dark cave, entered from outdoors, with somebody who can light it."""
    game = through_the_door(start, CAVE)
    battles.hurry(game)
    battles.set_team(game, Mon(3, moves=(FLASH,)))
    game.poke("wObtainedBadges", 1)
    game.poke("wGrassRate", 0)
    game.tick(30)
    return game


def open_team(game: Game) -> Game:
    game.press("start")
    game.wait(lambda: game.cursor is not None, 60)
    game.tick(2)
    while game.byte("wCurrentMenuItem"):
        game.press("up")
    game.press("a")
    return things.to_cursor(game, PARTY)


def leave(game: Game) -> Game:
    for _ in range(8):
        if game.is_free:
            return game
        game.press("b", settle=30)
    pytest.fail(game.text)


def test_it_is_dark_from_the_door_on(cave: Game) -> None:
    assert cave.byte("wMapPalOffset") == DARK
    assert cave.at(BACKGROUND_PALETTE) == DARK_PALETTE


def test_a_house_is_not_dark(start: Callable[[str], Game]) -> None:
    game = through_the_door(start, HOUSE)
    assert game.byte("wMapPalOffset") == 0
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE


def test_whole_screens_are_lit_and_leave_it_dark(cave: Game) -> None:
    game = open_team(cave)
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE
    leave(game)
    assert game.byte("wMapPalOffset") == DARK
    assert game.at(BACKGROUND_PALETTE) == DARK_PALETTE


def test_a_battle_in_the_dark_is_lit_and_leaves_it_dark(cave: Game) -> None:
    game = battles.meet(cave, 33, 2)
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE
    battles.point(game, battles.RUN)
    game.press("a")
    battles.read_on(game)
    game.wait(lambda: game.is_free, 400)
    assert game.byte("wMapPalOffset") == DARK
    assert game.at(BACKGROUND_PALETTE) == DARK_PALETTE


def test_flash_lights_it(cave: Game) -> None:
    game = open_team(cave)
    game.press("a")
    things.to_cursor(game, (12, 10)).press("a")
    leave(game)
    assert game.byte("wMapPalOffset") == 0
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE
    assert game.place.map == CAVE
