"""Fern Reserve: its price, the step limit, leaving it, and its encounters."""

from __future__ import annotations

from typing import Final

import pytest

from emulator import MenuKind
from tests.contract import battles
from tests.contract.battles import Mon
from tests.contract.game import Game, Start
from tests.contract.places import through_the_door
from tests.contract.random_bytes import Dice

GATE, RESERVE = 156, 220
IN_SAFARI = 0x24F
NET, STONE, CRUMB, RUN = (1, 14), (1, 16), (13, 14), (13, 16)
LEFT_RESULT: Final = 2
SAFARI: Final = 2  # wBattleType


@pytest.fixture
def gate(start: Start) -> Game:
    game = battles.hurry(through_the_door(start, GATE))
    battles.set_team(game, Mon(3))
    game.money = 700
    return game.go(3, 3)


def reach_question(game: Game) -> Game:
    game.hold_until("up", lambda: game.is_talking, 60)
    return game.read_until(lambda: game.cursor == (15, 8))


def go_in(game: Game) -> Game:
    reach_question(game).press("a")
    game.read_until(lambda: game.place.map == RESERVE and game.is_free)
    return game


def steps_left(game: Game) -> int:
    return game.number("wSafariSteps")


def test_the_reserve_costs_500_and_gives_nets_and_steps(gate: Game) -> None:
    go_in(gate)
    assert (gate.money, gate.byte("wNumSafariBalls")) == (200, 30)
    assert steps_left(gate) == 502
    assert gate.has_happened(IN_SAFARI)


def test_the_reserve_refuses_players_without_money_and_on_no(gate: Game) -> None:
    gate.money = 499
    reach_question(gate).press("a")
    gate.read_until(lambda: gate.is_free and gate.place.y == 3)
    reach_question(gate).press("b")
    gate.read_until(lambda: gate.is_free and gate.place.y == 3)
    assert (gate.money, gate.place.map) == (499, GATE)
    assert not gate.has_happened(IN_SAFARI)


def test_each_step_counts_and_a_turn_does_not(gate: Game) -> None:
    go_in(gate)
    gate.poke("wGrassRate", 0)
    for _ in range(2):
        gate.step("up")
    gate.press("left", hold=2, settle=20)
    assert steps_left(gate) == 500


@pytest.mark.parametrize("leaves", [True, False])
def test_leaving_early_asks_for_confirmation(gate: Game, *, leaves: bool) -> None:
    go_in(gate)
    gate.go(9, 17).hold_until("down", lambda: gate.place.map == GATE, 200)
    gate.read_until(lambda: gate.cursor == (15, 8))
    gate.wait(lambda: not gate.byte("wIgnoreInputCounter"), 60).press("a" if leaves else "b")
    if leaves:
        gate.read_until(lambda: gate.is_free and gate.place == (GATE, 3, 3))
    else:
        gate.read_until(lambda: gate.is_free and gate.place.map == RESERVE)
    assert gate.has_happened(IN_SAFARI) != leaves


def to_menu(game: Game) -> Game:
    for _ in range(300):
        game.tick(4)
        if game.cursor in {NET, STONE, CRUMB, RUN} or not game.byte("wIsInBattle"):
            return game
        if game.has_arrow:
            game.press("b", hold=2, settle=2)
    pytest.fail(game.text)


@pytest.fixture
def meeting(gate: Game) -> Game:
    """An encounter at its menu."""
    go_in(gate)
    gate.poke("wCurEnemyLevel", 10).poke("wCurOpponent", 33)
    gate.wait(lambda: bool(gate.byte("wIsInBattle")), 120)
    return to_menu(gate)


def choose(game: Game, place: tuple[int, int]) -> Game:
    game.press("right" if place[0] == RUN[0] else "left", hold=2, settle=4)
    game.press("down" if place[1] == RUN[1] else "up", hold=2, settle=4)
    assert game.cursor == place, game.text
    game.press("a", hold=2, settle=4)
    return game


def test_the_safari_menu_follows_the_contract(meeting: Game) -> None:
    assert meeting.byte("wBattleType") == SAFARI
    assert meeting.menu_kind() is MenuKind.SAFARI_LEFT
    meeting.press("right", settle=8)
    assert meeting.menu_kind() is MenuKind.SAFARI_RIGHT


def test_running_always_works(meeting: Game) -> None:
    meeting.enemy.speed = 999
    to_menu(choose(meeting, RUN))
    meeting.read_until(lambda: meeting.is_free and not meeting.byte("wIsInBattle"))
    assert (meeting.byte("wBattleResult"), meeting.byte("wBattleType")) == (LEFT_RESULT, 0)


def test_a_rock_doubles_and_bait_halves_the_catch_rate(meeting: Game, dice: Dice) -> None:
    meeting.enemy.speed = 0
    meeting.poke("wEnemyMonActualCatchRate", 100)
    dice.roll(usual=4)  # 1 + 4 % 5 turns
    to_menu(choose(meeting, STONE))
    assert meeting.byte("wEnemyMonActualCatchRate") == 200
    assert (meeting.byte("wSafariEscapeFactor"), meeting.byte("wSafariBaitFactor")) == (4, 0)
    to_menu(choose(meeting, STONE))
    assert meeting.byte("wEnemyMonActualCatchRate") == 255
    to_menu(choose(meeting, CRUMB))
    assert meeting.byte("wEnemyMonActualCatchRate") == 127
    assert (meeting.byte("wSafariEscapeFactor"), meeting.byte("wSafariBaitFactor")) == (0, 4)


@pytest.mark.parametrize(
    ("order", "speed", "draw", "stays"),
    [
        (None, 128, 140, False),  # doubled, it exceeds a byte
        (None, 40, 80, True),
        (None, 40, 79, False),
        (STONE, 40, 162, True),
        (STONE, 40, 159, False),
        (CRUMB, 44, 22, True),
        (CRUMB, 44, 21, False),
    ],
)
def test_fast_and_angry_pokemon_flee_by_the_formula(
    meeting: Game, dice: Dice, order: tuple[int, int] | None, speed: int, draw: int, *, stays: bool
) -> None:
    meeting.enemy.speed = speed
    meeting.poke("wEnemyMonActualCatchRate", 0)
    dice.roll(usual=draw)
    to_menu(choose(meeting, order or NET))
    assert bool(meeting.byte("wIsInBattle")) == stays


def test_a_safari_net_is_used_up_and_may_catch(meeting: Game) -> None:
    meeting.poke("wEnemyMonActualCatchRate", 255)
    meeting.enemy.hp = 1
    choose(meeting, NET)
    meeting.read_until(lambda: meeting.is_free and not meeting.byte("wIsInBattle"))
    assert meeting.byte("wNumSafariBalls") == 29
    assert meeting.block("wPartySpecies", 3) == bytes([3, 33, 0xFF])


def test_without_nets_the_visit_is_over(meeting: Game) -> None:
    meeting.poke("wEnemyMonActualCatchRate", 0)
    meeting.enemy.speed = 0
    meeting.enemy.hp = 999
    choose(meeting.poke("wNumSafariBalls", 1), NET)
    meeting.read_until(lambda: meeting.place.map == GATE and meeting.is_free)
    assert not meeting.has_happened(IN_SAFARI)
    assert meeting.byte("wNumSafariBalls") == 0
