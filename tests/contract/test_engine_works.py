"""The tallow works: tins with switches under them, quiz mouths, locked doors, an elevator, brass plates."""

from __future__ import annotations

import pytest

from tests.contract.game import Game, Start
from tests.contract.places import enter, through_the_door
from tests.contract.story_moments import fight

ALDERBROOK = 1
TINS, QUIZ, HALL, LOFT, ATTIC, PLATES, LIFT = 92, 168, 181, 207, 208, 209, 236
LOCKS, GATE, GUEST = (0x161, 0x160), 0x2A8, 0x29A
DOORS = {2: 0x6FD, 12: 0x6FE}  # the events, by the column of the door
CARD, CRANK = 48, 74
FLOOR_ITEMS = bytes([86, 87, 88])
SPECIAL_LIST = 4
ON_PAD = 1
WARP_MAPS = 0xCC5B  # the agent does not read it
RAMBLER = 201
LOCKED, LOCKED_TOP = 0x18, 0x24


def test_an_opened_lock_stays_open(start: Start) -> None:
    game = start("alderbrook").set_event(*LOCKS)
    game = through_the_door(lambda _: game, TINS)
    assert game.is_open(4, 5)
    assert "nothing" in game.go_beside(1, 7).read_all()


@pytest.mark.parametrize("won", [True, False])
def test_a_wrong_answer_starts_a_battle_and_winning_it_opens_the_way(
    start: Start, *, won: bool
) -> None:
    room = through_the_door(start, QUIZ).go(5, 14).face("up").press("a")
    room.read_until(lambda: room.cursor == (15, 8)).press("down").press("a", settle=20)
    fight(room.read_until(lambda: room.byte("wCurOpponent") == RAMBLER), won=won)
    room.read_until(lambda: room.is_free and (room.place.map == QUIZ) is won)
    assert [room.has_happened(each) for each in (GUEST, GATE)] == [won, won]
    assert not won or room.is_open(2, 13)


@pytest.fixture
def hall(start: Start) -> Game:
    return through_the_door(start, HALL)


def test_doors_stay_closed_without_the_card_key(hall: Game) -> None:
    hall.bag = []
    for side in DOORS:
        assert (hall.step_tile(side, 9), hall.step_tile(side, 8)) == (LOCKED, LOCKED_TOP)
    assert "wants" in hall.go(3, 7).face("down").read_all()
    assert not any(hall.has_happened(door) for door in DOORS.values())
    assert not hall.is_open(3, 9)


@pytest.mark.parametrize("side", DOORS)
def test_with_the_card_key_a_press_opens_the_door_ahead_for_good(hall: Game, side: int) -> None:
    hall.bag = [(CARD, 1)]
    assert "Click" in hall.go(side, 7).face("down").read_all()
    assert [at for at, door in DOORS.items() if hall.has_happened(door)] == [side]
    assert all(hall.is_open(x, y) for x in (side, side + 1) for y in (8, 9))
    assert not hall.is_open(14 - side, 9)
    assert hall.byte("wCardKeyDoorY") == hall.byte("wCardKeyDoorX") == 0
    assert hall.bag == [(CARD, 1)]
    enter(hall.go(6, 2), "up", TINS).until_free().go(4, 13)
    assert enter(hall, "down", HALL).is_open(side, 9)


@pytest.fixture
def panel(start: Start) -> Game:
    """The panel of the elevator."""
    car = through_the_door(start, LIFT).go(3, 1).face("up").press("a")
    return car.to_cursor((5, 4), 200).tick(4)


def leave(car: Game) -> int:
    car.read_to_the_end()
    car.until_free().go(1, 2).hold_until("down", lambda: car.place.map != LIFT, 200)
    return car.until_free().place.map


def test_without_a_chosen_floor_the_elevator_exits_where_it_was_entered(panel: Game) -> None:
    assert leave(panel.press("b", settle=20)) == ALDERBROOK


def test_the_panel_lists_the_floors(panel: Game) -> None:
    assert panel.byte("wListMenuID") == SPECIAL_LIST
    assert panel.byte("wListCount") == len(FLOOR_ITEMS)
    pointer = panel.word("wListPointer")
    listed = bytes(panel.at(pointer + offset) for offset in range(len(FLOOR_ITEMS) + 2))
    assert listed == bytes([len(FLOOR_ITEMS), *FLOOR_ITEMS, 0xFF])
    assert [panel.at(WARP_MAPS + n) for n in range(6)] == [4, HALL, 0, LOFT, 0, ATTIC]


@pytest.mark.parametrize(("item", "floor"), [(CARD, ALDERBROOK), (CRANK, ATTIC)])
def test_the_top_floor_needs_the_crank(panel: Game, item: int, floor: int) -> None:
    panel.bag = [(item, 1)]
    assert leave(panel.press("down", "down").press("a", settle=20)) == floor


def test_a_plate_warps_once_until_the_player_steps_off(start: Start) -> None:
    chambers = through_the_door(start, PLATES).go(1, 8).hold("down")
    chambers.wait(lambda: chambers.byte("wStandingOnWarpPadOrHole") == ON_PAD, 60)
    chambers.wait(lambda: chambers.place[1:] == (7, 4), 200).release("down")
    assert chambers.until_free().tick(60).place == (PLATES, 7, 4)
