"""Who gives what teaches a field move, for a badge, and the guard before the road to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.contract.chapter import SORREL_ROAD, STONECROSS, bag, empty_bag, fill_bag
from tests.contract.chapter import through_the_door as behind_a_door

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

FIRST_BADGE, SECOND_BADGE = 0x01, 0x02
BEFORE_THE_EDGE = (18, 14)


class Giver(NamedTuple):
    """A house with somebody in it, what they want to see, and what they give."""

    house: int
    badge: int
    item: int
    event: int


CARVER = Giver(55, FIRST_BADGE, 196, 0x5E0)
LAMP_MAKER = Giver(57, FIRST_BADGE, 200, 0x3D8)
FERRYMAN = Giver(62, SECOND_BADGE, 198, 0x880)
STEVEDORE = Giver(63, SECOND_BADGE, 199, 0x238)
GIVERS = (CARVER, LAMP_MAKER, FERRYMAN, STEVEDORE)


def asks(game: Game) -> str:
    """Talk to the only person of a house, and return what is said."""
    game.go_beside(*game.sprite(1)).press("a")
    return " ".join(" ".join(game.read_to_the_end()).replace("#", " ").split())


@pytest.mark.parametrize("giver", GIVERS)
def test_nobody_gives_anything_without_the_badge(
    start: Callable[[str], Game], giver: Giver
) -> None:
    game = behind_a_door(start, giver.house)
    empty_bag(game)
    game.poke("wObtainedBadges", 0xFF & ~giver.badge)
    assert asks(game)
    assert not game.has_happened(giver.event)
    assert bag(game) == {}


@pytest.mark.parametrize("giver", GIVERS)
def test_the_badge_gets_one_machine_and_no_second(
    start: Callable[[str], Game], giver: Giver
) -> None:
    game = behind_a_door(start, giver.house)
    empty_bag(game)
    game.poke("wObtainedBadges", giver.badge)
    assert "JUNO got" in asks(game)
    assert game.has_happened(giver.event)
    assert bag(game) == {giver.item: 1}
    assert "got" not in asks(game)
    assert bag(game) == {giver.item: 1}


def test_a_full_bag_costs_another_visit(start: Callable[[str], Game]) -> None:
    game = behind_a_door(start, CARVER.house)
    fill_bag(game)
    game.poke("wObtainedBadges", CARVER.badge)
    asks(game)
    assert not game.has_happened(CARVER.event)
    empty_bag(game)
    asks(game)
    assert bag(game) == {CARVER.item: 1}


def in_stonecross(start: Callable[[str], Game]) -> Game:
    """Leave the carver's as if it stood in Stonecross: through the door of its rest house."""
    game = behind_a_door(start, 58)
    game.poke("wLastMap", STONECROSS)
    game.go(3, 6)
    game.hold("down")
    game.wait(lambda: game.place.map == STONECROSS, 200)
    game.release("down")
    game.wait(lambda: game.is_free, 200)
    return game


def test_the_guard_turns_back_who_has_no_badge_and_lets_pass_who_has(
    start: Callable[[str], Game],
) -> None:
    game = in_stonecross(start).go(*BEFORE_THE_EDGE)
    game.hold("right")
    game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
    game.release("right")
    assert "Wait, please!" in " ".join(game.read_to_the_end())
    game.wait(lambda: game.is_free, 60)
    assert game.place[1:] == BEFORE_THE_EDGE
    game.poke("wObtainedBadges", FIRST_BADGE)
    game.step("right")
    game.step("right")
    assert game.place == (SORREL_ROAD, 0, 14)
