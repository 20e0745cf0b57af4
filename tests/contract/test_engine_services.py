"""The rest house, the way back after a lost battle, and the team behind START."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.conftest import halting_share
from tests.contract.stations import ALDERBROOK, TOWN, fight, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

USED_CENTRE = 0x04
HP, STATUS, MAX_HP, PP = 1, 4, 34, 29
POISONED = 0x08
MACHINE_FRAMES = 100
ENOUGH = 0.95
NIBBIT = 33


def hurt(game: Game) -> Game:
    for offset, value in ((HP, 0), (HP + 1, 3), (STATUS, POISONED), (PP, 1)):
        game.poke("wPartyMons", value, offset)
    return game


def is_whole(game: Game) -> bool:
    mon = game.block("wPartyMons", 44)
    return mon[HP : HP + 2] == mon[MAX_HP : MAX_HP + 2] and not mon[STATUS] and mon[PP] & 0x3F > 1


def ask_the_nurse(game: Game) -> Game:
    game.go(3, 3).face("up")
    game.press("a")
    return read_on(game, lambda: game.cursor == (12, 8))


def test_the_nurse_heals(start: Callable[[str], Game]) -> None:
    game = ask_the_nurse(hurt(start("rest house")))
    assert (game.byte("wTwoOptionMenuID"), game.byte("wMaxMenuItem")) == (6, 1)
    assert "HEAL" in game.text
    assert "CANCEL" in game.text
    assert game.byte("wLastBlackoutMap") == TOWN
    assert not game.byte("wStatusFlags4") & USED_CENTRE
    game.press("a")
    frames = game.wait(lambda: is_whole(game), 600)
    assert frames >= MACHINE_FRAMES
    read_on(game, lambda: game.is_free)
    assert is_whole(game)
    assert game.byte("wLastBlackoutMap") == ALDERBROOK
    assert game.byte("wStatusFlags4") & USED_CENTRE
    assert game.place.map == 41


@pytest.mark.parametrize("button", ["b", "a"])
def test_who_cancels_is_not_healed(start: Callable[[str], Game], button: str) -> None:
    game = ask_the_nurse(hurt(start("rest house")))
    if button == "a":
        game.press("down")
        assert game.cursor == (12, 10)
    game.press(button)
    read_on(game, lambda: game.is_free)
    assert not is_whole(game)
    assert game.byte("wLastBlackoutMap") == TOWN
    assert not game.byte("wStatusFlags4") & USED_CENTRE


@pytest.mark.parametrize(("last", "money"), [(TOWN, 3100), (ALDERBROOK, 999_999)])
def test_a_lost_battle_ends_where_one_was_healed(
    start: Callable[[str], Game], last: int, money: int
) -> None:
    game = start("lane")
    game.poke("wGrassRate", 0)
    game.poke("wLastBlackoutMap", last)
    for place, byte in enumerate(bytes.fromhex(f"{money:06}")):
        game.poke("wPlayerMoney", byte, place)
    game.poke("wCurEnemyLevel", 3)
    game.poke("wCurOpponent", NIBBIT)
    fight(game, won=False)
    read_on(game, lambda: game.place.map == last and game.is_free)
    assert (game.place.x, game.place.y) == {TOWN: (3, 6), ALDERBROOK: (4, 6)}[last]
    assert game.byte("wIsInBattle") == 0
    assert int(game.block("wPlayerMoney").hex()) == money // 2
    assert is_whole(game)
    assert game.byte("wSpriteStateData1", 9) == 0
    assert game.byte("wJoyIgnore") == 0
    assert game.step("down")


def test_the_team_is_shown_behind_start(start: Callable[[str], Game]) -> None:
    game = start("lane")
    game.tick(10)
    tiles = game.block("wTileMap")
    game.press("start", settle=20)
    game.press("a", settle=60)
    assert game.cursor == (0, 1)
    assert halting_share(game, 100) >= ENOUGH
    game.press("b", settle=60)
    assert game.cursor == (11, 2)
    game.press("b", settle=20)
    assert game.is_free
    assert game.block("wTileMap") == tiles


def test_questions_sleep_while_they_wait(start: Callable[[str], Game]) -> None:
    game = ask_the_nurse(start("rest house"))
    assert halting_share(game, 100) >= ENOUGH
    game = start("lab").go(6, 4).face("up")
    game.press("a")
    read_on(game, lambda: game.cursor == (15, 8))
    assert halting_share(game, 100) >= ENOUGH
