"""What happens on the way: poison, a smell that keeps creatures off, things on the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, things
from tests.contract.battles import POISON, Mon
from tests.contract.stations import TOWN, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

ALWAYS = 255
TOGGLE = 200


@pytest.fixture
def bedroom(start: Callable[[str], Game]) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    return game


def hp(game: Game, place: int) -> int:
    return int.from_bytes(battles.party_mon(game, place)[1:3])


def pace(game: Game, steps: int) -> None:
    """Walk to and fro between two open squares."""
    for _ in range(steps):
        assert game.step("right" if game.place.x == 3 else "left")


def test_every_fourth_step_poison_takes_one(bedroom: Game) -> None:
    team = (Mon(3, hp=9, status=POISON), Mon(7, hp=9), Mon(3, hp=0, status=POISON))
    battles.set_team(bedroom, *team)
    bedroom.poke("wStepCounter", 0)
    pace(bedroom, 3)
    assert hp(bedroom, 0) == 9
    pace(bedroom, 1)
    assert [hp(bedroom, place) for place in range(3)] == [8, 9, 0]
    pace(bedroom, 4)
    assert [hp(bedroom, place) for place in range(3)] == [7, 9, 0]


def test_who_falls_on_the_way_is_told_of(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, status=POISON), Mon(7, hp=9))
    bedroom.poke("wStepCounter", 1)
    bedroom.hold("right")
    bedroom.wait(lambda: bool(bedroom.byte("wFontLoaded") & 1), 60)
    bedroom.release("right")
    bedroom.tick(20)
    assert things.words(bedroom) == "AAAA fainted!"
    bedroom.press("b", settle=30)
    assert bedroom.is_free
    assert (hp(bedroom, 0), battles.party_mon(bedroom, 0)[4]) == (0, 0)


def test_when_the_last_falls_the_way_is_lost(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, status=POISON))
    things.set_money(bedroom, 1001)
    bedroom.poke("wStepCounter", 1)
    bedroom.hold("right")
    bedroom.wait(lambda: bool(bedroom.byte("wFontLoaded") & 1), 60)
    bedroom.release("right")
    read_on(bedroom, lambda: bedroom.place.map == TOWN and bedroom.is_free)
    assert (bedroom.place.x, bedroom.place.y) == (3, 6)
    assert hp(bedroom, 0) == 40
    assert things.money(bedroom) == 500


def in_grass(game: Game, lead: int) -> Game:
    """Make every square one where a creature of level 4 is met."""
    battles.set_team(game, Mon(3, level=lead))
    game.poke("wGrassRate", ALWAYS)
    for slot in range(10):
        game.poke("wGrassMons", 4, 2 * slot)
        game.poke("wGrassMons", 33, 2 * slot + 1)
    game.poke("wNumberOfNoRandomBattleStepsLeft", 0)
    return game


def meets(game: Game, steps: int) -> bool:
    for i in range(steps):
        game.hold("left" if i % 2 else "right")
        game.tick(20)
        game.release("left" if i % 2 else "right")
        game.tick(6)
        if game.byte("wIsInBattle"):
            return True
    return False


@pytest.mark.parametrize(("lead", "steps"), [(5, 8), (4, 0)])
def test_a_smell_keeps_weaker_ones_off(bedroom: Game, lead: int, steps: int) -> None:
    in_grass(bedroom, lead).poke("wRepelRemainingSteps", 100)
    assert meets(bedroom, 8) is (steps == 0)
    assert bedroom.byte("wRepelRemainingSteps") < 100


def test_without_it_they_come(bedroom: Game) -> None:
    assert meets(in_grass(bedroom, 50), 8)


def test_the_smell_is_used_up_step_by_step(bedroom: Game) -> None:
    in_grass(bedroom, 50)
    bedroom.poke("wGrassRate", 0)
    game = things.open_bag(bedroom, (things.REPEL, 1))
    game.press("a")
    things.to_cursor(game, things.USE).press("a")
    things.read(game)
    things.to_cursor(game, things.LIST)
    assert game.byte("wRepelRemainingSteps") == 100
    assert things.bag(game) == []
    for _ in range(2):
        game.press("b", settle=20)
    pace(game, 3)
    turns_and_steps = 3 + 3
    assert game.byte("wRepelRemainingSteps") == 100 - turns_and_steps
    game.poke("wRepelRemainingSteps", 1)
    game.hold("left")
    game.wait(lambda: bool(game.byte("wFontLoaded") & 1), 60)
    game.release("left")
    game.tick(40)
    assert "smell" in things.words(game)
    game.press("b", settle=30)
    assert game.is_free
    assert game.byte("wRepelRemainingSteps") == 0


@pytest.fixture
def found(start: Callable[[str], Game]) -> Game:
    """Stand before somebody who is made a thing on the ground."""
    game = start("lab").go(6, 4).face("up")
    battles.hurry(game)
    slot = next(
        slot
        for slot in range(1, game.byte("wNumSprites") + 1)
        if game.sprite(slot) == (game.place.x, game.place.y - 1)
    )
    game.poke("wMapSpriteExtraData", things.POTION, 2 * (slot - 1))
    for i, byte in enumerate((slot, TOGGLE, 0xFF)):
        game.poke("wToggleableObjectList", byte, i)
    return game


def is_gone(game: Game) -> bool:
    return bool(game.byte("wToggleableObjectFlags", TOGGLE // 8) & 1 << TOGGLE % 8)


def test_what_lies_there_goes_into_the_bag(found: Game) -> None:
    things.fill_bag(found)
    found.press("a", settle=30)
    assert things.words(found).startswith("JUNO found a")
    found.press("b", settle=30)
    assert found.is_free
    assert is_gone(found)
    assert things.bag(found) == [(things.POTION, 1)]
    assert found.byte("wSpriteStateData1", 16 * found.byte("wToggleableObjectList") + 2) == 0xFF


def test_a_full_bag_leaves_it_there(found: Game) -> None:
    stacks = [(item, 1) for item in range(30, 50)]
    things.fill_bag(found, *stacks)
    found.press("a", settle=30)
    assert "bag is full" in things.words(found)
    found.press("b", settle=30)
    assert found.is_free
    assert not is_gone(found)
    assert things.bag(found) == stacks


def test_what_is_hidden_is_found_once(bedroom: Game) -> None:
    things.fill_bag(bedroom)
    game = bedroom.go(1, 7).face("left")
    game.press("a", settle=30)
    assert "found" in things.words(game)
    game.press("b", settle=30)
    assert game.is_free
    assert things.bag(game) == [(things.POTION, 1)]
    assert game.byte("wObtainedHiddenItemsFlags") & 1
    game.press("a", settle=30)
    assert game.is_free
    assert things.bag(game) == [(things.POTION, 1)]


def test_a_full_bag_leaves_it_hidden(bedroom: Game) -> None:
    things.fill_bag(bedroom, *[(item, 1) for item in range(30, 50)])
    game = bedroom.go(1, 7).face("left")
    game.press("a", settle=30)
    assert "bag is full" in things.words(game)
    game.press("b", settle=30)
    assert not game.byte("wObtainedHiddenItemsFlags") & 1
