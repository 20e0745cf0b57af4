"""How battles end: the fallen and who comes next, victory and prizes, defeat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from emulator import Phase
from tests.contract import battles, growing
from tests.contract.battles import FIGHT, Mon

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HITTER: Final = 24  # never misses
RAMBLER, BASIL = 1, 25
STYLE_SHIFT = 0


def strong(species: int = 3) -> Mon:
    return Mon(species, 60, 200, 200, (500, 500, 500, 500), (HITTER,), experience=200_000)


def weak(species: int = 7) -> Mon:
    return Mon(species, 2, 1, 1, (5, 5, 1, 5), (HITTER,), experience=8)


def begin(start: Callable[[str], Game], *team: Mon, options: int | None = None) -> Game:
    game = start("bedroom")
    battles.hurry(game) if options is None else battles.hurry(game, battles.FAST | options)
    battles.set_team(game, *team)
    return game


def said(screens: list[str]) -> str:
    return " / ".join(battles.words(screen) for screen in screens)


def to_faint(game: Game) -> list[str]:
    """Fight until the own one falls, keeping the opponent from falling or wasting its turns."""
    screens: list[str] = []
    for _ in range(20):
        battles.set_moves(game, "enemy", [HITTER])
        battles.set_field(game, "enemy", "attack", 900)
        screens = battles.fight(game)
        if not battles.is_at_menu(game):
            return screens
    raise AssertionError(game.text)


def test_the_last_one_falls(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, weak()), 33, 30)
    battles.set_moves(game, "enemy", [HITTER])
    battles.choose(game, FIGHT)
    game.press("a", hold=2, settle=2)
    seen, read = set(), set()
    for _ in range(900):
        seen.add((game.byte("wIsInBattle"), game.byte("wBattleResult")))
        if game.byte("wIsInBattle") == battles.LOST:
            break
        game.tick(2)
        if game.has_arrow:
            read.add(battles.words(game.text))
            game.press("b", hold=2, settle=2)
    assert "AAAA fainted!" in read
    assert any("able to fight" in words for words in read)
    assert (battles.LOST, battles.BEATEN) in seen
    assert game.byte("wCurOpponent") == 0


def test_defeat_wakes_the_player_elsewhere(start: Callable[[str], Game]) -> None:
    game = begin(start, weak())
    battles.poke(game, "wPlayerMoney", bytes.fromhex("003001"))
    battles.meet(game, 33, 30)
    to_faint(game)
    for _ in range(20):
        game.press("b", hold=2, settle=40)
    game.wait(lambda: game.is_free, 600)
    assert game.place.map == 0
    assert game.byte("wIsInBattle") == battles.NOTHING
    assert game.block("wPlayerMoney", 3) == bytes.fromhex("001500")
    assert battles.party_mon(game, 0)[1:3] == battles.party_mon(game, 0)[34:36]


def test_another_one_is_asked_for_and_must_come(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    screens = to_faint(game)
    assert "AAAA fainted!" in said(screens)
    assert game.cursor == (14, 10)
    assert growing.phase(game) is Phase.NEXT_MON
    assert battles.words(game.text) == "Send out another?"
    game.press("a", settle=30)
    game.wait(lambda: game.cursor == (0, 1), 60)
    assert game.byte("wMenuWatchedKeys") == 1
    game.press("b", settle=20)
    assert game.cursor == (0, 1)
    game.press("a", settle=20)
    game.wait(lambda: game.has_arrow, 60)
    assert "no strength" in battles.words(game.text)
    game.press("b", settle=20)
    game.press("down")
    game.press("a", settle=20)
    battles.read_on(game)
    assert battles.is_at_menu(game)
    assert game.byte("wPlayerMonNumber") == 1
    assert game.byte("wPartyGainExpFlags") == 0b10


def test_no_means_running(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    to_faint(game)
    battles.set_field(game, "own", "speed", 999)
    game.press("b", settle=30)
    battles.read_on(game)
    game.wait(lambda: game.is_free, 300)
    assert game.byte("wBattleResult") == battles.LEFT
    assert game.byte("wIsInBattle") == battles.NOTHING


def test_no_that_fails_leaves_no_choice(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    to_faint(game)
    battles.set_field(game, "own", "speed", 1)
    battles.set_field(game, "enemy", "speed", 999)
    game.press("b", settle=30)
    assert "There is no way past it!" in said(battles.read_on(game))
    assert game.cursor == (0, 1)
    assert game.byte("wMenuWatchedKeys") == 1


def test_a_trainer_asks_nothing_after_a_fall(start: Callable[[str], Game]) -> None:
    game = battles.challenge(begin(start, weak(), strong()), RAMBLER, 1)
    to_faint(game)
    assert game.cursor == (0, 1)


def test_a_trainer_has_another_and_pays(start: Callable[[str], Game]) -> None:
    game = battles.challenge(begin(start, strong()), RAMBLER, 1)
    party = game.block("wEnemyPartySpecies", 7)
    assert game.byte("wEnemyPartyCount") == party.index(0xFF) == 2
    assert battles.field(game, "enemy", "species") == party[0]
    battles.fight(game)
    assert battles.is_at_menu(game)
    assert battles.field(game, "enemy", "species") == party[1]
    assert battles.field(game, "enemy", "position") == 1
    assert game.block("wEnemyMons", 44)[1:3] == bytes(2)
    level = game.block("wEnemyMons", 88)[44 + 33]
    record = battles.table(game, "TrainerPicAndMoneyPointers", 5 * (RAMBLER - 1), 5)
    prize = int(record[2:4].hex()) * level
    battles.fight(game)
    game.wait(lambda: game.is_free, 300)
    assert int(game.block("wPlayerMoney", 3).hex()) == 3000 + prize
    assert int(game.block("wAmountMoneyWon", 3).hex()) == prize
    assert (game.byte("wBattleResult"), game.byte("wIsInBattle")) == (battles.WON, battles.NOTHING)


@pytest.mark.parametrize(("answer", "number"), [("b", 0), ("a", 1)])
def test_shift_offers_a_change(start: Callable[[str], Game], answer: str, number: int) -> None:
    game = begin(start, strong(), strong(7), options=STYLE_SHIFT)
    battles.challenge(game, RAMBLER, 1)
    battles.fight(game)
    assert game.cursor == (1, 8)
    assert growing.phase(game) is Phase.CHANGE_MON
    assert battles.words(game.text).endswith("change creatures?")
    game.press(answer, settle=30)
    if answer == "a":
        game.wait(lambda: game.cursor == (0, 1), 60)
        game.press("down")
        game.press("a", settle=20)
    battles.read_on(game)
    assert battles.is_at_menu(game)
    assert game.byte("wPlayerMonNumber") == number
    assert game.byte("wPartyGainExpFlags") == 1 << number
    assert battles.field(game, "enemy", "position") == 1


def test_the_map_is_itself_again(start: Callable[[str], Game]) -> None:
    game = begin(start, strong())
    tiles, place = game.block("wTileMap"), game.place
    graphics = bytes(game.pyboy.memory[0x9000:0x9800])
    battles.meet(game, 33, 3)
    battles.fight(game)
    game.wait(lambda: game.block("wTileMap") == tiles, 300)
    game.wait(lambda: game.is_free, 60)
    game.tick(30)
    assert (game.block("wTileMap"), game.place) == (tiles, place)
    assert bytes(game.pyboy.memory[0x9000:0x9800]) == graphics
    assert game.step("down") or game.step("left")


@pytest.mark.parametrize("opponent", [33, 200 + RAMBLER])
def test_a_team_that_cannot_stand_has_lost_at_once(
    start: Callable[[str], Game], opponent: int
) -> None:
    fallen = replace(strong(), hp=0)
    game = begin(start, fallen, replace(fallen, species=7))
    game.poke("wTrainerNo", 1)
    game.poke("wCurEnemyLevel", 5)
    game.poke("wCurOpponent", opponent)
    game.wait(lambda: game.byte("wIsInBattle") != battles.NOTHING, 120)
    screens = []
    for _ in range(100):
        game.press("b", settle=12)
        screens.append(game.text)
        if game.byte("wIsInBattle") == battles.NOTHING and game.is_free:
            break
    assert "able to fight" in said(screens)
    assert game.byte("wBattleResult") == battles.BEATEN
    assert game.place.map == game.byte("wLastBlackoutMap")
    assert [battles.party_mon(game, place)[1:3] for place in (0, 1)] == [b"\0\xc8"] * 2
    assert game.byte("wPartyCount") == 2


def test_rows_remembered_in_battle_are_forgotten_after_it(start: Callable[[str], Game]) -> None:
    game = battles.meet(begin(start, strong(), strong(7)), 33, 3)
    battles.choose(game, battles.TEAM)
    game.tick(20)
    game.press("down")
    game.press("b", settle=30)
    battles.set_field(game, "own", "speed", 999)
    battles.choose(game, battles.RUN)
    battles.read_on(game)
    game.wait(lambda: game.is_free, 300)
    for row in ("PartyAndBillsPC", "Bag", "BattleAndStart"):
        assert game.byte(f"w{row}SavedMenuItem") == 0
    assert game.byte("wListScrollOffset") == game.byte("wNumRunAttempts") == 0
