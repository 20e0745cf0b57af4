"""The scenes of the beginning: the shut lane, the choice, the rival."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.stations import (
    ASKED,
    BATTLED_RIVAL,
    GOT_STARTER,
    LAB,
    LANE,
    fight,
    read_on,
    to_challenge,
    to_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

STARTERS = {1: 3, 2: 7, 3: 11}
BEATEN_BY = {3: 7, 7: 11, 11: 3}
RIVAL, HAZEL = 1, 5
RIVAL_OPPONENT = 225


def is_hidden(game: Game, slot: int) -> bool:
    data = game.block("wToggleableObjectList")
    index = data[data.index(bytes([slot])) + 1]
    return bool(game.byte("wToggleableObjectFlags", index // 8) & 1 << index % 8)


def test_nobody_walks_the_lane_alone(start: Callable[[str], Game]) -> None:
    game = start("town").go(9, 2)
    for _ in range(2):
        game.hold("up")
        game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
        game.release("up")
        assert game.byte("wPalletTownCurScript") != 0
        pages = game.read_to_the_end()
        assert "HAZEL" in pages[1]
        game.wait(lambda: game.is_free and game.place.y == 2, 60)
        assert game.byte("wPalletTownCurScript") == 0
    game.set_event(GOT_STARTER)
    game.go(9, 0).step("up")
    assert game.place.map == LANE


def test_hazel_asks_and_then_nobody_leaves(start: Callable[[str], Game]) -> None:
    game = start("lab").go_beside(*start("lab").sprite(HAZEL))
    game.press("a")
    assert game.read_to_the_end()
    assert game.has_happened(ASKED)
    game.go(4, 5)
    game.hold("down")
    game.wait(lambda: bool(game.byte("wOaksLabCurScript")), 60)
    game.release("down")
    read_on(game, lambda: game.is_free and not game.byte("wOaksLabCurScript"))
    assert (game.place.x, game.place.y) == (4, 5)


def test_the_lab_can_be_left_unasked(start: Callable[[str], Game]) -> None:
    game = start("lab").go(4, 5).go(4, 10)
    assert game.is_free
    assert game.place.map == LAB


@pytest.mark.parametrize("button", ["b", "a"])
def test_a_ball_can_be_left(start: Callable[[str], Game], button: str) -> None:
    game = to_table(start("lab"), 2)
    game.press("a")
    read_on(game, lambda: game.cursor == (15, 8))
    assert (game.byte("wTwoOptionMenuID"), game.byte("wMaxMenuItem")) == (0, 1)
    if button == "a":
        game.press("down")
        assert game.cursor == (15, 10)
    game.press(button, settle=40)
    assert game.is_free
    assert game.byte("wPartyCount") == 0
    assert not game.has_happened(GOT_STARTER)
    assert not is_hidden(game, 3)


@pytest.mark.parametrize("starter", STARTERS)
def test_each_of_three_is_answered(start: Callable[[str], Game], starter: int) -> None:
    game = start(f"starter {starter}")
    species = STARTERS[starter]
    assert game.byte("wPartyCount") == 1
    assert game.byte("wPartySpecies") == game.byte("wPlayerStarter") == species
    assert game.byte("wPartyMons", 33) == 5
    assert game.has_happened(GOT_STARTER)
    assert not game.has_happened(BATTLED_RIVAL)
    his = next(ball for ball, kind in STARTERS.items() if kind == BEATEN_BY[species])
    assert game.byte("wRivalStarter") == BEATEN_BY[species]
    assert [is_hidden(game, 1 + ball) for ball in STARTERS] == [
        ball in {starter, his} for ball in STARTERS
    ]
    assert game.sprite(RIVAL) == (5 + his, 4)
    to_challenge(game)
    assert game.byte("wCurOpponent") == RIVAL_OPPONENT
    assert game.byte("wTrainerNo") == starter
    game.wait(lambda: game.byte("wIsInBattle") == 2, 300)
    read_on(game, lambda: game.byte("wEnemyMon") != 0)
    assert game.byte("wEnemyMon") == BEATEN_BY[species]


@pytest.mark.parametrize("end", ["won", "lost"])
def test_the_rival_is_fought_and_leaves(start: Callable[[str], Game], end: str) -> None:
    game = to_challenge(start("starter 2"))
    money = game.block("wPlayerMoney")
    fight(game, won=end == "won")
    read_on(game, lambda: game.is_free and not game.byte("wOaksLabCurScript"))
    assert game.has_happened(BATTLED_RIVAL)
    assert game.byte("wIsInBattle") == 0
    assert game.place == (LAB, 4, 6)
    assert game.block("wPartyMons", 44)[1:3] == game.block("wPartyMons", 44)[34:36]
    assert is_hidden(game, RIVAL)
    assert (game.block("wPlayerMoney") > money) == (end == "won")
    game.go_beside(*game.sprite(HAZEL)).press("a")
    assert "Go north" in game.read_to_the_end()[0]
    assert game.go(4, 10).is_free


def test_directions_are_ignored_while_the_rival_walks(start: Callable[[str], Game]) -> None:
    game = to_challenge(start("starter 1"))
    fight(game, won=True)
    walked = 0
    for frame in range(3000):
        if frame % 30 == 0:
            game.press("b")
        game.tick()
        if not game.byte("wOaksLabCurScript"):
            break
        if game.byte("wStatusFlags5") & 1:
            walked += 1
            assert game.byte("wJoyIgnore") & 0xF0 == 0xF0
    assert walked > 32
    assert game.byte("wJoyIgnore") == 0
