"""The room of the stones: one is handed in, and after a turn about the bazaar somebody comes out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from emulator import MenuKind
from tests.contract import battles, pcs
from tests.contract.battles import Mon
from tests.contract.chapter import bag, enter, through_the_door

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

ROOM, BAZAAR = 170, 122
KEEPER = 1
DOME, HELIX, AMBER = 41, 42, 31
WOKEN: Final = {DOME: 75, HELIX: 142, AMBER: 110}
LEVEL: Final = 12
GAVE, STILL_WAKING, HANDING_OVER = 0x2E0, 0x2E1, 0x2E2
CORNER: Final = (1, 2)


@pytest.fixture
def room(start: Callable[[str], Game]) -> Game:
    game = through_the_door(start, ROOM)
    battles.hurry(game)
    battles.set_team(game, Mon(3))
    return game


def ask(game: Game) -> None:
    game.go_beside(*game.sprite(KEEPER)).press("a")


def hand_in(game: Game, row: int) -> None:
    """Choose a stone of the list, and agree."""
    ask(game)
    pcs.to(game, CORNER)
    pcs.choose(game, row, (15, 8)).press("a")
    game.read_to_the_end()


def take_a_turn(game: Game) -> None:
    """Go out into the hall, and come back."""
    game.go(2, 7)
    enter(game, "down", BAZAAR)
    enter(game, "up", ROOM)


def test_whoever_has_none_is_sent_away(room: Game) -> None:
    pcs.set_list(room, "wNumBagItems", (4, 1))
    ask(room)
    assert "stone" in " ".join(room.read_to_the_end())
    assert not room.has_happened(GAVE)


def test_the_list_has_those_of_the_bag(room: Game) -> None:
    pcs.set_list(room, "wNumBagItems", (AMBER, 1), (4, 1), (HELIX, 1))
    ask(room)
    pcs.to(room, CORNER)
    assert pcs.kind(room) is MenuKind.FOSSILS
    assert room.byte("wMaxMenuItem") == 1
    assert pcs.rows(room, 2, 14, (2, 4)) == ["FROND STONE", "OLD RESIN"]
    room.press("b")
    room.read_to_the_end()
    assert room.is_free
    assert not room.has_happened(GAVE)


@pytest.mark.parametrize("stone", list(WOKEN))
def test_a_stone_becomes_somebody_of_the_team(room: Game, stone: int) -> None:
    pcs.set_list(room, "wNumBagItems", (stone, 1))
    hand_in(room, 0)
    assert bag(room) == {}
    assert (room.byte("wFossilItem"), room.byte("wFossilMon")) == (stone, WOKEN[stone])
    assert room.has_happened(GAVE)
    assert room.has_happened(STILL_WAKING)
    room.press("a")
    room.read_to_the_end()
    assert room.byte("wPartyCount") == 1
    take_a_turn(room)
    assert not room.has_happened(STILL_WAKING)
    ask(room)
    room.read_to_the_end()
    assert room.block("wPartySpecies", 3) == bytes([3, WOKEN[stone], 0xFF])
    assert battles.party_mon(room, 1)[33] == LEVEL
    assert not any(room.has_happened(each) for each in (GAVE, STILL_WAKING, HANDING_OVER))


def test_no_means_that_one_keeps_it(room: Game) -> None:
    pcs.set_list(room, "wNumBagItems", (DOME, 1))
    ask(room)
    pcs.to(room, CORNER)
    pcs.choose(room, 0, (15, 8)).press("b")
    room.read_to_the_end()
    assert bag(room) == {DOME: 1}
    assert not room.has_happened(GAVE)


def test_a_full_team_has_it_wait(room: Game) -> None:
    battles.set_team(room, *[Mon(3)] * 6)
    room.set_event(GAVE)
    room.poke("wFossilMon", WOKEN[DOME])
    ask(room)
    room.read_to_the_end()
    assert room.byte("wPartyCount") == 6
    assert room.has_happened(GAVE)
    battles.set_team(room, *[Mon(3)] * 5)
    room.press("a")
    room.read_to_the_end()
    assert room.block("wPartySpecies", 7) == bytes([3, 3, 3, 3, 3, WOKEN[DOME], 0xFF])
