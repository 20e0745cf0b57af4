"""The parcel: the store gives it, HAZEL takes it, and then the guard of Alderbrook lets pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.chapter import (
    ALDERBROOK,
    CAP,
    GOT_CAPS,
    GOT_PARCEL,
    HEATHER_WAY,
    OAK_GOT_PARCEL,
    PARCEL,
    STORE,
    STORE_SCRIPT,
    TOWN_SCRIPT,
    bag,
    empty_bag,
    enter,
    fill_bag,
    through_the_door,
)
from tests.contract.stations import BATTLED_RIVAL, GOT_STARTER, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HAZEL, GUARD, CLERK = 5, 4, 1
COUNTER = (3, 3)
MAP_BANK = 0xFFE8


def speech(game: Game) -> str:
    """Talk to whoever is ahead and return all that is said, in one line."""
    game.press("a")
    return " ".join(" ".join(game.read_to_the_end()).replace("#", " ").split())


@pytest.mark.parametrize("column", [3, 4])
def test_the_clerk_calls_whoever_comes_first(start: Callable[[str], Game], column: int) -> None:
    game = through_the_door(start, STORE, column - 3)
    game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
    assert (game.place.x, game.place.y) == (column, 7)
    assert game.at(STORE_SCRIPT)
    read_on(game, lambda: game.is_free and not game.at(STORE_SCRIPT))
    assert (game.place.x, game.place.y) == COUNTER
    assert game.byte("wSpriteStateData1", 9) == 4
    assert game.has_happened(GOT_PARCEL)
    assert bag(game) == {PARCEL: 1}
    assert "HAZEL" in speech(game)
    game.go(column, 6)
    enter(game, "down", ALDERBROOK)
    game.wait(lambda: game.is_free, 60)
    enter(game, "up", STORE)
    game.tick(60)
    assert game.is_free


def test_a_full_bag_has_no_room_for_the_parcel(start: Callable[[str], Game]) -> None:
    game = start("alderbrook")
    fill_bag(game)
    x, y, _ = game.warps[1]
    enter(game.go(x, y + 1), "up", STORE)
    game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
    read_on(game, lambda: game.is_free and not game.at(STORE_SCRIPT))
    assert not game.has_happened(GOT_PARCEL)
    assert "full" in speech(game)
    empty_bag(game)
    assert "PARCEL" in speech(game)
    assert bag(game) == {PARCEL: 1}


def with_parcel(start: Callable[[str], Game]) -> Game:
    game = start("lab").go_beside(*start("lab").sprite(HAZEL))
    for event in (GOT_STARTER, BATTLED_RIVAL, GOT_PARCEL):
        game.set_event(event)
    empty_bag(game, PARCEL)
    return game


def test_hazel_takes_the_parcel_and_gives_caps(start: Callable[[str], Game]) -> None:
    game = with_parcel(start)
    assert "My parcel" in speech(game)
    assert game.has_happened(OAK_GOT_PARCEL)
    assert game.has_happened(GOT_CAPS)
    assert bag(game) == {CAP: 5}
    assert "STONECROSS" in speech(game)
    assert bag(game) == {CAP: 5}


def test_hazel_keeps_the_caps_for_a_full_bag(start: Callable[[str], Game]) -> None:
    game = with_parcel(start)
    fill_bag(game)
    game.poke("wBagItems", PARCEL, 0)
    game.poke("wBagItems", 2, 1)  # so that its place is not free afterwards
    speech(game)
    assert game.has_happened(OAK_GOT_PARCEL)
    assert not game.has_happened(GOT_CAPS)
    empty_bag(game)
    speech(game)
    assert game.has_happened(GOT_CAPS)
    assert bag(game) == {CAP: 5}


def test_without_the_parcel_in_the_bag_hazel_only_asks(start: Callable[[str], Game]) -> None:
    game = with_parcel(start)
    empty_bag(game)
    speech(game)
    assert not game.has_happened(OAK_GOT_PARCEL)


@pytest.mark.parametrize("column", [9, 10])
def test_the_guard_turns_back_whoever_has_the_errand(
    start: Callable[[str], Game], column: int
) -> None:
    game = start("alderbrook").go(column, 1)
    for _ in range(2):
        game.hold("up")
        game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
        game.release("up")
        assert (game.place.y, bool(game.at(TOWN_SCRIPT))) == (0, True)
        game.read_to_the_end()
        game.wait(lambda: game.is_free and game.place.y == 1, 60)
        assert not game.at(TOWN_SCRIPT)


def test_afterwards_he_lets_pass(start: Callable[[str], Game]) -> None:
    game = start("alderbrook").go_beside(*start("alderbrook").sprite(GUARD))
    before = speech(game)
    game.set_event(OAK_GOT_PARCEL)
    assert speech(game) != before
    game.go(9, 0).step("up")
    assert game.place == (HEATHER_WAY, 9, 55)


def test_the_clerk_sells_afterwards(start: Callable[[str], Game]) -> None:
    game = start("alderbrook")
    for event in (GOT_PARCEL, OAK_GOT_PARCEL):
        game.set_event(event)
    x, y, _ = game.warps[1]
    enter(game.go(x, y + 1), "up", STORE).go(*COUNTER).face("up")
    text = game.byte("wMapSpriteData", 2 * (CLERK - 1) + 1)
    table = game.word("wCurMapTextPtr")
    script = int.from_bytes(game.rom(game.at(MAP_BANK), table + 2 * (text - 1), 2), "little")
    assert game.rom(game.at(MAP_BANK), script, 9) == bytes([0xFE, 6, 4, 20, 11, 12, 14, 15, 0xFF])
