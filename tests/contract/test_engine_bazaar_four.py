"""The corridor of four: no way back, exits that open one after the other, all anew from the lobby, and the hall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.contract import battles
from tests.contract.battles import Mon
from tests.contract.chapter import enter, through_the_door
from tests.contract.stations import fight, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

LOBBY, HALL, LAST, ROAD = 174, 118, 113, 14
ROOMS: Final = {245: (0x8E1, 0x8E6), 246: (0x8E9, 0x8EE), 247: (0x8F1, 0x8F6)}
LAST_BEATEN, BEAT_LAST, DOOR_LOCKED = 0x8F9, 0x8FE, 0x8FF
CLASSES: Final = {245: 244, 246: 233, 247: 246, 113: 247}
# Of maps whose script indices the agent does not read.
SCRIPTS: Final = {245: 0xD64D, 246: 0xD64E, 247: 0xD64F, 113: 0xD653}
ENTERED_HALL: Final = 0x003
RECORDS: Final = 0xA598  # sHallOfFame
EXIT, BARS = (4, 1), (4, 10)
HOST = 1
NO_TYPE = 9  # nothing is good or bad against it


def to_room(start: Callable[[str], Game], number: int) -> Game:
    """Come into a room, and read whatever is said on the way in."""
    game = through_the_door(start, number)
    battles.hurry(game)
    battles.set_team(
        game, Mon(3, hp=300, max_hp=300, level=30, stats=(90, 90, 90, 90), moves=(battles.HITTER,))
    )
    return walk_in(game)


def walk_in(game: Game) -> Game:
    """Let the scene of coming in play to its end."""
    return read_on(
        game, lambda: game.is_free and game.place.y < 10 and not game.at(SCRIPTS[game.place.map])
    )


def beat(game: Game) -> Game:
    game.go_beside(*game.sprite(HOST)).press("a")
    read_on(game, lambda: bool(game.byte("wCurOpponent")))
    assert game.byte("wCurOpponent") == CLASSES[game.place.map]
    for _ in range(600):
        if not game.byte("wCurOpponent"):
            break
        for name in ("type1", "type2"):
            battles.set_field(game, "enemy", name, NO_TYPE)
        if battles.field(game, "enemy", "hp") > 1:
            battles.set_field(game, "enemy", "hp", 1)
        game.press("a", hold=4, settle=10)
    return read_on(game, lambda: game.is_free)


@pytest.mark.parametrize("number", list(ROOMS))
def test_one_walks_in_and_is_kept_from_leaving(start: Callable[[str], Game], number: int) -> None:
    game = to_room(start, number)
    assert game.has_happened(ROOMS[number][1])
    assert (game.place.x, game.place.y) == (4, 6)
    game.go(4, 9)
    for _ in range(2):
        game.hold("down")
        game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
        game.release("down")
        assert game.place.y == 10
        game.read_to_the_end()
        game.wait(lambda: game.is_free and game.place.y == 9, 120)


@pytest.mark.parametrize("number", [*ROOMS, LAST])
def test_the_exit_opens_when_its_host_is_beaten(start: Callable[[str], Game], number: int) -> None:
    game = to_room(start, number)
    assert not game.is_open(*EXIT)
    beat(game)
    assert game.has_happened(LAST_BEATEN if number == LAST else ROOMS[number][0])
    assert game.has_happened(BEAT_LAST) == (number == LAST)
    assert game.is_open(*EXIT)
    following = {245: 246, 246: 247, 247: LAST, LAST: HALL}[number]
    enter(game.go(4, 0), "up", following)


def test_bars_fall_behind_who_comes_to_the_last(start: Callable[[str], Game]) -> None:
    game = to_room(start, LAST)
    assert game.has_happened(DOOR_LOCKED)
    assert not game.is_open(*BARS)
    assert game.route(4, 13) is None
    assert game.place.y < BARS[1]


def test_the_lobby_begins_all_anew(start: Callable[[str], Game]) -> None:
    game = through_the_door(start, 76)
    for number in range(0x8E0, 0x900):
        game.set_event(number)
    game = through_the_door(start, LOBBY)
    assert not any(game.has_happened(number) for number in range(0x8E0, 0x900))
    assert game.byte("wLastMap") == ROAD


def test_who_loses_wakes_up_on_the_road_before_it(start: Callable[[str], Game]) -> None:
    game = through_the_door(start, LOBBY)
    battles.hurry(game)
    game.go(3, 3).face("up").press("a")
    read_on(game, lambda: game.cursor == (12, 8)).press("a")
    game.read_to_the_end()
    assert game.byte("wLastBlackoutMap") == ROAD
    enter(game.go(6, 0), "up", 245)
    walk_in(game)
    battles.set_team(game, Mon(3, hp=1, max_hp=300))
    game.go_beside(*game.sprite(HOST)).press("a")
    read_on(game, lambda: bool(game.byte("wCurOpponent")))
    fight(game, won=False)
    read_on(game, lambda: game.place.map == ROAD and game.is_free)
    assert not game.has_happened(ROOMS[245][0])


@pytest.fixture
def hall(start: Callable[[str], Game]) -> Game:
    game = through_the_door(start, LAST)
    battles.hurry(game)
    battles.set_team(game, Mon(3, level=30, moves=(battles.HITTER,)), Mon(7, level=12))
    walk_in(game)
    enter(beat(game).go(4, 0), "up", HALL)
    return game


def test_the_hall_writes_the_team_down(hall: Game) -> None:
    read_on(hall, lambda: hall.has_happened(ENTERED_HALL))
    hall.tick(60)
    assert hall.byte("wNumHoFTeams") == 1
    record = bytes(hall.pyboy.memory[0, RECORDS : RECORDS + 33])
    assert (record[0:2], record[16:18], record[32]) == (bytes([3, 30]), bytes([7, 12]), 0xFF)


def test_after_the_credits_the_machine_begins_anew(
    hall: Game, power_on: Callable[..., Game]
) -> None:
    read_on(hall, lambda: "THE END" in hall.text)
    hall.tick(600)
    assert "THE END" in hall.text
    hall.press("a")
    hall.wait(lambda: not hall.byte("wPartyCount"), 120)
    hall.tick(150)
    hall.press("start")
    hall.wait(lambda: hall.cursor == (1, 2), 200)
    assert hall.byte("wMaxMenuItem") == 2  # CONTINUE is there
    hall.tick(8)
    hall.press("a", settle=60)
    hall.press("a")
    hall.wait(lambda: hall.place.map == 0 and hall.is_free, 600)
    assert hall.byte("wPartyCount") == 2
    assert hall.has_happened(ENTERED_HALL)
