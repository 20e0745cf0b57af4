"""Moves that do what another does, types taken over, leaving a fight, and doing nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles
from tests.contract.arena import Dice, begin, blow, enter, lost, read_until, status, tells, use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.contract.conftest import Game

MIRROR, CONVERT, LEAVE, CHARGE, ANYTHING, NOTHING, RAISE = 9, 24, 28, 39, 83, 85, 11
CHARGING = 0x10
PLAIN = 1


@pytest.fixture
def arena(start: Callable[[str], Game]) -> Game:
    return enter(start)


@pytest.fixture
def dice(arena: Game) -> Iterator[Dice]:
    with Dice(arena) as dice:
        yield dice


def with_effect(game: Game, number: int) -> int:
    return battles.with_effect(game, number).id


def test_anything_may_come(arena: Game, dice: Dice) -> None:
    dice.roll([0, PLAIN])
    use(arena, with_effect(arena, ANYTHING))
    assert lost(arena, "enemy") == blow(battles.move(arena, PLAIN).power)
    assert arena.byte("wPlayerUsedMove") == PLAIN
    assert arena.byte("wBattleMonPP") == 19


@pytest.mark.parametrize("byte", [0, 118, 164, 165, 255])
def test_what_comes_is_a_move_that_there_is(arena: Game, dice: Dice, byte: int) -> None:
    number = with_effect(arena, ANYTHING)
    dice.roll([0, byte])
    begin(arena, number)
    arena.wait(lambda: arena.byte("wPlayerUsedMove") not in {0, number}, 120)
    assert battles.move(arena, arena.byte("wPlayerUsedMove")).pp
    assert arena.byte("wPlayerUsedMove") < 165


def test_what_comes_may_take_two_turns(arena: Game, dice: Dice) -> None:
    charge = battles.with_effect(arena, CHARGE)
    dice.roll([0, charge.id])
    begin(arena, with_effect(arena, ANYTHING))
    read_until(arena, "gathers strength")
    assert status(arena, "own") == CHARGING
    battles.read_on(arena)
    assert lost(arena, "enemy") == blow(charge.power, defense=60)
    assert status(arena, "own") == 0


def test_a_copy_needs_something_to_copy(arena: Game, dice: Dice) -> None:
    number = with_effect(arena, MIRROR)
    assert tells(use(arena, number), "nothing comes")
    assert arena.byte("wEnemyUsedMove") == arena.byte("wEnemyMonMoves")
    use(arena, number)
    assert arena.byte("wPlayerMonStatMods", 3) == 8
    assert arena.byte("wPlayerUsedMove") == arena.byte("wEnemyUsedMove")
    assert len(dice.drawn) == 2


def test_types_are_taken_over(arena: Game) -> None:
    battles.set_field(arena, "enemy", "type1", 5)
    battles.set_field(arena, "enemy", "type2", 7)
    use(arena, with_effect(arena, CONVERT))
    assert battles.field(arena, "own", "type1") == 5
    assert battles.field(arena, "own", "type2") == 7


def test_sitting_about_does_nothing(arena: Game) -> None:
    assert tells(use(arena, with_effect(arena, NOTHING)), "nothing comes")
    assert lost(arena, "enemy") == lost(arena, "own") == 0


@pytest.mark.parametrize(("byte", "leaves"), [(0, False), (30, False), (31, True)])
def test_a_fight_in_the_wild_can_be_blown_apart(
    arena: Game,
    dice: Dice,
    byte: int,
    leaves: bool,  # noqa: FBT001
) -> None:
    battles.set_field(arena, "enemy", "level", 21)  # a quarter is 5; of the two levels 42
    dice.roll([0, byte])
    lines = use(arena, with_effect(arena, LEAVE))
    assert tells(lines, "blown apart") == leaves
    assert (arena.byte("wIsInBattle") == battles.NOTHING) == leaves
    if leaves:
        assert arena.byte("wBattleResult") == battles.LEFT


def test_nobody_is_blown_away_from_a_trainer(arena: Game) -> None:
    battles.poke(arena, "wIsInBattle", bytes([battles.TRAINER]))
    assert tells(use(arena, with_effect(arena, LEAVE)), "nothing comes")
