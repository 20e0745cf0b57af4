"""Battles of the demo seen from outside: menus, running, and waiting."""

from __future__ import annotations

import pytest

from tests.contract import battles, menus
from tests.contract.battles import BAG, FIGHT, FIRST_MOVE, FIRST_OF_TEAM, TEAM, Mon
from tests.contract.game import Game, halting_share
from tests.contract.random_bytes import watch_chance

SINGLE_SPACED = 0x02
LAST_RESORT = 165
ALARM = 0x80
STACK_BOTTOM, STACK_TOP = 0xDEE2, 0xDFFF  # above the last name of the last box
HP = 200


@pytest.fixture
def wild(bedroom: Game) -> Game:
    """A wild battle at its first menu, with two Pokemon in the team."""
    first = Mon(3, hp=HP, max_hp=HP, moves=(1, 2, 3), experience=1000)
    second = Mon(7, hp=150, max_hp=150, moves=(4,), experience=1000)
    return battles.meet(battles.set_team(bedroom, first, second), 33, 5)


def menu(game: Game) -> tuple[int, ...]:
    return tuple(game.byte(f"w{name}") for name in ("TopMenuItemX", "TopMenuItemY", "MaxMenuItem"))


def open_moves(game: Game) -> Game:
    battles.choose(game, FIGHT)
    assert game.cursor is not None
    assert game.cursor[0] == FIRST_MOVE[0]
    return game


def open_team(game: Game) -> Game:
    return battles.choose(game, TEAM).to_cursor(FIRST_OF_TEAM).tick(2)


def test_the_right_column_of_the_battle_menu_counts_on_when_chosen(wild: Game) -> None:
    battles.point(wild, TEAM)
    wild.hold_until("a", lambda: wild.byte("wBattleAndStartSavedMenuItem") == 2, 10)
    wild.to_cursor(FIRST_OF_TEAM).press("b").to_cursor(TEAM)


def test_moves_are_numbered_from_one_and_wrap(wild: Game) -> None:
    open_moves(wild)
    assert menu(wild)[:2] == (5, 12)
    assert wild.byte("hUILayoutFlags") & SINGLE_SPACED
    for item in (1, 2, 3, 1):
        assert (wild.byte("wCurrentMenuItem"), wild.cursor) == (item, (5, 12 + item))
        wild.press("down")
    assert wild.press("up", "up").cursor == (5, 15)
    assert menus.rows(wild, 1, 5, (9,)) + menus.rows(wild, 5, 10, (11,)) == ["TYPE", "20#30"]
    assert wild.press("b").cursor == FIGHT
    assert not wild.byte("hUILayoutFlags") & SINGLE_SPACED
    assert wild.byte("wCurrentMenuItem") == 0


def test_a_move_costs_pp_and_stays_selected(wild: Game) -> None:
    battles.fight(wild, slot=1)
    assert (wild.byte("wPlayerMoveListIndex"), wild.byte("wPlayerSelectedMove")) == (1, 2)
    assert wild.byte("wEnemySelectedMove") in wild.enemy.data[8:12]
    assert wild.own.data[25:] == battles.party_mon(wild, 0)[29:33] == bytes([20, 19, 20, 0])
    assert open_moves(wild).cursor == (5, 14)


def test_a_move_without_pp_is_refused_and_struggle_replaces_all(wild: Game) -> None:
    wild.poke("wBattleMon", bytes([0, 20]), 25)
    (said,) = battles.fight(wild)
    assert "tired" in said
    assert battles.is_at_menu(wild)
    assert wild.byte("wPlayerSelectedMove") == 0
    battles.read_on(battles.choose(wild.poke("wBattleMon", bytes(4), 25), FIGHT))
    assert wild.byte("wPlayerSelectedMove") == LAST_RESORT
    assert wild.own.hp < HP


def test_an_empty_bag_costs_no_turn(wild: Game) -> None:
    before = wild.enemy.data + wild.own.data
    battles.choose(wild, BAG).to_cursor(menus.LIST)
    assert menus.rows(wild, 6, 12, (4,)) == ["CANCEL"]
    wild.press("a").to_cursor(BAG)
    assert wild.enemy.data + wild.own.data == before
    assert wild.byte("wEnemySelectedMove") == 0


def test_the_party_list_and_its_submenu(wild: Game) -> None:
    assert menu(open_team(wild)) == (0, 1, 1)
    assert menus.rows(wild, 3, 7, (0,)) == ["AAAA"]
    assert menu(wild.press("a")) == (12, 12, 2)
    assert menus.rows(wild, 13, 19, (12, 14, 16)) == ["SWITCH", "STATS", "CANCEL"]
    assert menus.said(wild.press("a", settle=20)) == "AAAA is out already!"
    wild.press("b", "a", settle=20).press("down").press("a", settle=20)
    assert "SPECIAL" in wild.text
    assert wild.press("b", "b", settle=40).cursor == TEAM
    assert wild.byte("wEnemySelectedMove") == 0


def test_switching_costs_the_turn(wild: Game) -> None:
    battles.send_second(wild)
    assert (wild.byte("wPlayerMonNumber"), wild.own.species, wild.cursor) == (1, 7, FIGHT)
    assert wild.byte("wEnemySelectedMove") in wild.enemy.data[8:12]
    assert wild.byte("wPartyGainExpFlags") == 0b11
    assert battles.party_hp(wild) == HP


def test_a_direction_pressed_with_a_moves_and_does_not_choose(wild: Game) -> None:
    assert wild.hold("right").press("a").release("right").cursor == TEAM
    open_moves(battles.point(wild, FIGHT)).hold("down").press("a").release("down")
    assert wild.cursor == (FIRST_MOVE[0], FIRST_MOVE[1] + 1)


def test_the_alarm_sounds_while_the_bar_is_red(wild: Game) -> None:
    wild.enemy.knows(battles.with_effect(10).number)
    for hp, alarm in ((HP, 0), (30, ALARM), (43, 0), (1, ALARM)):
        wild.own.hp = hp
        open_moves(wild).press("b").tick(8)
        assert wild.byte("wLowHealthAlarm") == alarm
    wild.own.speed = 999
    battles.run(wild)
    assert wild.until_free().byte("wLowHealthAlarm") == 0


def test_the_processor_mostly_halts_during_a_turn(wild: Game) -> None:
    assert halting_share(battles.begin_move(wild), 120) >= 0.8


def test_the_stack_stays_above_the_last_label(bedroom: Game) -> None:
    strong = Mon(3, 6, HP, HP, (500, 500, 500, 500), (24,), experience=200)
    game = battles.challenge(battles.set_team(bedroom, strong, Mon(7, experience=1000)), 1, 1)
    for _ in range(30):
        battles.read_on(battles.choose(game, FIGHT).press("a", hold=2, settle=2))
        if game.cursor == (1, 8):
            battles.read_on(game.press("b", settle=30))
        if not game.byte("wIsInBattle"):
            break
    stack = bytes(game.pyboy.memory[STACK_BOTTOM : STACK_TOP + 1])
    assert next(i for i, byte in enumerate(stack) if byte) >= 64
    assert game.pyboy.register_file.SP > STACK_BOTTOM


def escapes(own: int, enemy: int, attempt: int, byte: int) -> bool:
    """Return whether the formula lets the n-th consecutive attempt, from 1, succeed."""
    divisor = enemy // 4 % 256
    if own >= enemy or not divisor:
        return True
    odds = own * 32 // divisor + 30 * (attempt - 1)
    return odds > 255 or byte <= odds


def test_a_slower_pokemon_runs_by_the_formula(wild: Game) -> None:
    outcomes, first_menu = set(), wild.save()
    for own, enemy in ((20, 120), (5, 200), (30, 300), (60, 500), (3, 999)):
        wild.load(first_menu)
        with watch_chance(wild) as chances:
            for attempt in range(1, 12):
                wild.own.hp, wild.own.speed, wild.enemy.speed = HP, own, enemy
                chances.clear()
                battles.run(wild)
                fled = wild.byte("wBattleResult") == battles.LEFT
                assert fled == escapes(own, enemy, attempt, chances[0].byte)
                outcomes.add(fled)
                if fled:
                    break
                assert wild.byte("wNumRunAttempts") == attempt
                assert wild.byte("wEnemySelectedMove")  # the turn was lost
    assert outcomes == {False, True}


def test_fighting_resets_the_run_attempts(wild: Game) -> None:
    wild.own.speed, wild.enemy.speed = 1, 999
    battles.run(wild)
    assert wild.byte("wNumRunAttempts") == 1
    battles.fight(wild)
    assert wild.byte("wNumRunAttempts") == 0
