"""Trainers see along their line, come up, speak and fight; once beaten they only speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.stations import BEAT_RAMBLER, fight, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

RAMBLER = 1
SIGHT = 4
SEEN, SCRIPTED, ENGAGED = 0x01, 0x01, 0x08
FACES_LEFT = 0xD2
ROW, COLUMN = 23, 13  # he looks to the right


def below_his_line(start: Callable[[str], Game], x: int) -> Game:
    game = start("lane")
    game.poke("wGrassRate", 0)
    assert game.sprite(RAMBLER) == (COLUMN, ROW)
    return game.go(x, ROW + 1)


def enter_his_line(game: Game) -> Game:
    """Take one step up and wait for what comes of it."""
    game.hold("up")
    game.wait(lambda: game.place.y == ROW, 30)
    game.release("up")
    game.tick(6)
    return game


def is_seen(game: Game) -> bool:
    return bool(game.byte("wMiscFlags") & SEEN)


@pytest.mark.parametrize("distance", range(1, SIGHT + 1))
def test_he_sees_and_comes_up(start: Callable[[str], Game], distance: int) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + distance))
    assert is_seen(game)
    assert game.byte("wJoyIgnore") & 0xF0 == 0xF0
    assert game.byte("wStatusFlags7") & ENGAGED
    assert game.byte("wEngagedTrainerClass") == 201
    assert game.byte("wEngagedTrainerSet") == 1
    walked = 0
    for _ in range(400):
        if game.byte("wFontLoaded"):
            break
        if game.byte("wStatusFlags5") & SCRIPTED:
            assert game.byte("wNPCMovementScriptPointerTableNum")
            walked = max(walked, game.byte("wNPCNumScriptedSteps"))
        game.tick()
    assert walked == distance - 1
    assert game.sprite(RAMBLER) == (game.place.x - 1, ROW)
    assert game.byte("wSpriteStateData1", 9) == 8  # the player looks at him
    read_on(game, lambda: game.byte("wCurOpponent") == 201)
    assert game.byte("wTrainerNo") == 1
    game.wait(lambda: game.byte("wIsInBattle") == 2, 300)


def test_out_of_reach_he_sees_nothing(start: Callable[[str], Game]) -> None:
    game = below_his_line(start, COLUMN + SIGHT)
    game.poke("wSpriteStateData2", COLUMN - 1 + 4, 16 * RAMBLER + 5)
    assert not is_seen(enter_his_line(game))
    assert game.is_free


def test_from_behind_and_beside_he_sees_nothing(start: Callable[[str], Game]) -> None:
    game = below_his_line(start, COLUMN + 2)
    game.poke("wMapSpriteData", FACES_LEFT, 2 * (RAMBLER - 1))
    game.tick(8)
    assert game.byte("wSpriteStateData1", 16 * RAMBLER + 9) == 8
    assert not is_seen(enter_his_line(game))
    game = below_his_line(start, COLUMN)
    game.tick(20)
    assert not is_seen(game)


def test_a_win_is_remembered(start: Callable[[str], Game]) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + 2))
    money = game.block("wPlayerMoney")
    read_on(game, lambda: game.byte("wCurOpponent") == 201)
    fight(game, won=True)
    read_on(game, lambda: game.is_free and not is_seen(game))
    assert game.has_happened(BEAT_RAMBLER)
    assert game.block("wPlayerMoney") > money
    assert game.byte("wJoyIgnore") == game.byte("wStatusFlags7") & ENGAGED == 0
    assert (game.place.x, game.place.y) == (COLUMN + 2, ROW)
    game.tick(60)
    assert game.is_free  # though he looks at him
    game.press("a")
    assert "Ledges only go one" in game.read_to_the_end()[0]
    assert game.is_free


def test_talking_to_him_begins_it_too(start: Callable[[str], Game]) -> None:
    game = below_his_line(start, COLUMN).face("up")
    game.press("a")
    read_on(game, lambda: game.byte("wCurOpponent") == 201)
    fight(game, won=True)
    read_on(game, lambda: game.is_free and game.has_happened(BEAT_RAMBLER))


def test_a_loss_is_not_a_win(start: Callable[[str], Game]) -> None:
    game = enter_his_line(below_his_line(start, COLUMN + 1))
    read_on(game, lambda: game.byte("wCurOpponent") == 201)
    fight(game, won=False)
    read_on(game, lambda: game.place.map == 0 and game.is_free)
    assert not game.has_happened(BEAT_RAMBLER)
