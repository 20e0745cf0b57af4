"""Moves that do what another does, types that are taken over, and what does nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles
from tests.contract.arena import Dice, begin, blow, enter, lost, read_until, status, tells, use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.contract.conftest import Game

MIRROR, CONVERT, CHARGE, ANYTHING, NOTHING, RAISE = 9, 24, 39, 83, 85, 11
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
