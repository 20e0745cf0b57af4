"""Battles of the demo seen from outside: menus, running, and waiting."""

from __future__ import annotations

import pytest

from tests.contract import battles
from tests.contract.battles import BAG, FIGHT, FIRST_MOVE, RUN, TEAM, Mon
from tests.contract.game import Game, Start, halting_share
from tests.contract.test_engine_battle_damage import Chance, watch_chance
from tests.contract.test_engine_menus import STACK_BOTTOM, STACK_TOP

SINGLE_SPACED = 0x02
LAST_RESORT = 165
ALARM = 0x80


@pytest.fixture
def arena(start: Start) -> Game:
    """A wild battle at its first menu, with two Pokemon in the team."""
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(
        game,
        Mon(3, hp=200, max_hp=200, moves=(1, 2, 3), experience=1000),
        Mon(7, hp=150, max_hp=150, moves=(4,), experience=1000),
    )
    return battles.meet(game, 33, 5)


def menu(game: Game) -> tuple[int, int, int]:
    return tuple(game.byte(f"w{name}") for name in ("TopMenuItemX", "TopMenuItemY", "MaxMenuItem"))  # type: ignore[return-value]


def open_moves(game: Game) -> Game:
    battles.choose(game, FIGHT)
    assert game.cursor is not None
    assert game.cursor[0] == FIRST_MOVE[0]
    return game


def test_the_right_column_of_the_battle_menu_counts_on_when_chosen(arena: Game) -> None:
    battles.point(arena, TEAM).hold_until(
        "a", lambda: arena.byte("wBattleAndStartSavedMenuItem") == 2, 10
    )
    arena.wait(lambda: arena.cursor == (0, 1), 60)
    arena.press("b")
    arena.wait(lambda: arena.cursor == TEAM, 60)


def test_moves_are_numbered_from_one_and_wrap(arena: Game) -> None:
    open_moves(arena)
    assert menu(arena)[:2] == (5, 12)
    assert arena.byte("hUILayoutFlags") & SINGLE_SPACED
    for item in (1, 2, 3, 1):
        assert (arena.byte("wCurrentMenuItem"), arena.cursor) == (item, (5, 12 + item))
        arena.press("down")
    arena.press("up")
    arena.press("up")
    assert arena.cursor == (5, 15)
    rows = arena.text.splitlines()
    assert (rows[9][1:5], rows[11][5:10]) == ("TYPE", "20#30")
    arena.press("b")
    assert arena.cursor == FIGHT
    assert not arena.byte("hUILayoutFlags") & SINGLE_SPACED
    assert arena.byte("wCurrentMenuItem") == 0


def test_a_move_costs_pp_and_stays_selected(arena: Game) -> None:
    battles.fight(arena, slot=1)
    assert arena.byte("wPlayerMoveListIndex") == 1
    assert arena.byte("wPlayerSelectedMove") == 2
    assert arena.byte("wEnemySelectedMove") in arena.block("wEnemyMon", 12)[8:]
    assert arena.block("wBattleMon", 29)[25:] == bytes([20, 19, 20, 0])
    assert battles.party_mon(arena, 0)[29:33] == bytes([20, 19, 20, 0])
    open_moves(arena)
    assert arena.cursor == (5, 14)


def test_a_move_without_pp_is_refused_and_struggle_replaces_all(arena: Game) -> None:
    arena.poke("wBattleMon", bytes([0, 20]), 25)
    (said,) = battles.fight(arena)
    assert "tired" in said
    assert battles.is_at_menu(arena)
    assert arena.byte("wPlayerSelectedMove") == 0
    arena.poke("wBattleMon", bytes(4), 25)
    battles.choose(arena, FIGHT)
    battles.read_on(arena)
    assert arena.byte("wPlayerSelectedMove") == LAST_RESORT
    assert battles.field(arena, "own", "hp") < 200


def test_an_empty_bag_costs_no_turn(arena: Game) -> None:
    before = arena.block("wEnemyMon", 29) + arena.block("wBattleMon", 29)
    battles.choose(arena, BAG)
    arena.wait(lambda: arena.cursor == (5, 4), 60)
    assert arena.text.splitlines()[4][6:12] == "CANCEL"
    arena.press("a")
    arena.wait(lambda: arena.cursor == BAG, 60)
    assert arena.block("wEnemyMon", 29) + arena.block("wBattleMon", 29) == before
    assert arena.byte("wEnemySelectedMove") == 0


def open_team(game: Game) -> Game:
    battles.choose(game, TEAM)
    game.wait(lambda: game.cursor == (0, 1), 60)
    game.tick(4)
    return game


def test_the_party_list_and_its_submenu(arena: Game) -> None:
    open_team(arena)
    assert menu(arena) == (0, 1, 1)
    assert arena.text.splitlines()[0][3:7] == "AAAA"
    arena.press("a")
    assert menu(arena) == (12, 12, 2)
    rows = [arena.text.splitlines()[row][13:19].strip() for row in (12, 14, 16)]
    assert rows == ["SWITCH", "STATS", "CANCEL"]
    arena.press("a", settle=20)
    arena.wait(lambda: arena.has_arrow, 60)
    assert arena.said == "AAAA is out already!"
    arena.press("b", settle=20)
    arena.press("a", settle=20)
    arena.press("down")
    arena.press("a", settle=20)
    assert "SPECIAL" in arena.text
    arena.press("b", settle=20)
    arena.press("b", settle=40)
    assert arena.cursor == TEAM
    assert arena.byte("wEnemySelectedMove") == 0


def test_switching_costs_the_turn(arena: Game) -> None:
    open_team(arena)
    arena.press("down")
    arena.press("a", settle=20)
    arena.press("a", settle=20)
    battles.read_on(arena)
    assert arena.byte("wPlayerMonNumber") == 1
    assert battles.field(arena, "own", "species") == 7
    assert arena.byte("wEnemySelectedMove") in arena.block("wEnemyMon", 29)[8:12]
    assert arena.cursor == FIGHT
    assert arena.byte("wPartyGainExpFlags") == 0b11
    assert battles.party_mon(arena, 0)[1:3] == (200).to_bytes(2)


def test_a_direction_pressed_with_a_moves_and_does_not_choose(arena: Game) -> None:
    arena.hold("right")
    arena.press("a")
    arena.release("right")
    assert arena.cursor == TEAM
    battles.point(arena, FIGHT)
    open_moves(arena)
    arena.hold("down")
    arena.press("a")
    arena.release("down")
    assert arena.cursor == (FIRST_MOVE[0], FIRST_MOVE[1] + 1)


def test_the_alarm_sounds_while_the_bar_is_red(arena: Game) -> None:
    battles.set_moves(arena, "enemy", [battles.with_effect(10).number])
    for hp, alarm in ((200, 0), (30, ALARM), (43, 0), (1, ALARM)):
        battles.set_field(arena, "own", "hp", hp)
        open_moves(arena).press("b")
        arena.tick(8)
        assert arena.byte("wLowHealthAlarm") == alarm
    battles.set_field(arena, "own", "speed", 999)
    battles.choose(arena, RUN)
    battles.read_on(arena)
    arena.wait(lambda: arena.is_free, 200)
    assert arena.byte("wLowHealthAlarm") == 0


def test_the_processor_mostly_halts_during_a_turn(start: Start) -> None:
    game = start("bedroom")
    battles.set_team(game, Mon(3, hp=300, max_hp=300, experience=1000))
    battles.meet(game, 33, 3)
    battles.choose(game, FIGHT)
    game.press("a", hold=2, settle=2)
    assert halting_share(game, 120) >= 0.8


def test_the_stack_stays_above_the_last_label(start: Start) -> None:
    game = start("bedroom")
    strong = Mon(3, 6, 200, 200, (500, 500, 500, 500), (24,), experience=200)
    battles.set_team(game, strong, Mon(7, experience=1000))
    battles.challenge(game, 1, 1)
    for _ in range(30):
        battles.choose(game, FIGHT)
        game.press("a", hold=2, settle=2)
        battles.read_on(game)
        if game.cursor == (1, 8):
            game.press("b", settle=30)
            battles.read_on(game)
        if not game.byte("wIsInBattle"):
            break
    stack = bytes(game.pyboy.memory[STACK_BOTTOM : STACK_TOP + 1])
    untouched = next(i for i, byte in enumerate(stack) if byte)
    assert untouched >= 64
    assert game.pyboy.register_file.SP > STACK_BOTTOM


def wild(start: Start, *, own_speed: int, enemy_speed: int) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(game, Mon(3, hp=500, max_hp=500, experience=1000))
    battles.meet(game, 33, 3)
    battles.set_field(game, "own", "speed", own_speed)
    battles.set_field(game, "enemy", "speed", enemy_speed)
    return game


def escapes(own: int, enemy: int, attempt: int, byte: int) -> bool:
    """Return whether the formula lets the n-th consecutive attempt, from 1, succeed."""
    divisor = enemy // 4 % 256
    if own >= enemy or not divisor:
        return True
    odds = own * 32 // divisor + 30 * (attempt - 1)
    return odds > 255 or byte <= odds


def test_a_slower_pokemon_runs_by_the_formula(start: Start) -> None:
    outcomes = set()
    for own, enemy in ((20, 120), (5, 200), (30, 300), (60, 500), (3, 999)):
        game = wild(start, own_speed=own, enemy_speed=enemy)
        chances: list[Chance] = []
        hook = watch_chance(game, chances)
        for attempt in range(1, 12):
            chances.clear()
            battles.choose(game, RUN)
            battles.read_on(game)
            fled = game.byte("wBattleResult") == battles.LEFT
            assert fled == escapes(own, enemy, attempt, chances[0].byte)
            outcomes.add(fled)
            if fled:
                break
            assert game.byte("wNumRunAttempts") == attempt
            assert game.byte("wEnemySelectedMove")  # the turn was lost
            battles.set_field(game, "own", "hp", 500)
            battles.set_field(game, "enemy", "speed", enemy)
        game.pyboy.hook_deregister(0, hook)
    assert outcomes == {False, True}


def test_fighting_resets_the_run_attempts(start: Start) -> None:
    game = wild(start, own_speed=1, enemy_speed=999)
    battles.choose(game, RUN)
    battles.read_on(game)
    assert game.byte("wNumRunAttempts") == 1
    battles.fight(game)
    assert game.byte("wNumRunAttempts") == 0
