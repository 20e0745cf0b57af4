"""The tallow works: tins with switches under them, quiz mouths, locked doors, an elevator, brass plates."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract.game import Game, Start
from tests.contract.places import enter, through_the_door
from tests.contract.story_moments import fight

ALDERBROOK = 1
TINS, QUIZ, HALL, LOFT, ATTIC, PLATES, LIFT = 92, 168, 181, 207, 208, 209, 236
FIRST_LOCK, SECOND_LOCK = 0x161, 0x160
GATES: Final = (0x2A8, 0x2A9, 0x2AA)
GUESTS: Final = (0x29A, 0x29B, 0x29C)
DOORS: Final = (0x6FD, 0x6FE)
CARD, CRANK = 48, 74
FLOOR_ITEMS: Final = bytes([86, 87, 88])
SPECIAL_LIST = 4
ON_PAD = 1
WARP_MAPS = 0xCC5B  # the agent does not read it
RAMBLER = 201
TIN_ROWS = 3
BARS = (4, 5)
LOCKED, LOCKED_TOP = 0x18, 0x24


def ask_and_answer(game: Game, answer: str) -> Game:
    """Press A, wait for the question, and give the answer."""
    game.press("a")
    read_until_asked(game)
    if answer == "no":
        game.press("down")
    game.press("a", settle=20)
    return game


def read_until_asked(game: Game) -> Game:
    for _ in range(40):
        game.tick(30)
        if game.cursor == (15, 8):
            return game
        if game.has_arrow:
            game.press("b")
    pytest.fail(game.text)


class TestTins:
    """The store of tins."""

    @pytest.fixture
    def store(self, start: Start) -> Game:
        return through_the_door(start, TINS)

    @staticmethod
    def square(tin: int) -> tuple[int, int]:
        return 1 + 2 * (tin // TIN_ROWS), 7 + 2 * (tin % TIN_ROWS)

    def look_under(self, game: Game, tin: int) -> str:
        game.go_beside(*self.square(tin)).press("a")
        return " ".join(game.read_to_the_end())

    def test_an_opened_lock_stays_open(self, start: Start) -> None:
        game = start("alderbrook")
        game.set_event(FIRST_LOCK, SECOND_LOCK)
        game = through_the_door(lambda _: game, TINS)
        assert game.is_open(*BARS)
        assert "nothing" in self.look_under(game, 0)


class TestQuiz:
    """The quiz mouths."""

    MOUTHS: Final = ((5, 13), (1, 9), (5, 5))
    BARS: Final = ((2, 13), (4, 9), (2, 5))
    ANSWERS: Final = ("yes", "no", "yes")

    @pytest.fixture
    def room(self, start: Start) -> Game:
        return through_the_door(start, QUIZ)

    @pytest.mark.parametrize("won", [True, False])
    def test_a_wrong_answer_starts_a_battle_and_winning_it_opens_the_way(
        self, room: Game, *, won: bool
    ) -> None:
        room.go(5, 14).face("up")
        ask_and_answer(room, "no")
        room.read_until(lambda: room.byte("wCurOpponent") == RAMBLER)
        fight(room, won=won)
        room.read_until(lambda: room.is_free and (room.place.map == QUIZ) is won)
        assert room.has_happened(GUESTS[0]) is won
        assert room.has_happened(GATES[0]) is won
        assert not won or room.is_open(*self.BARS[0])


class TestLocks:
    """The doors that need a card key."""

    @pytest.fixture
    def hall(self, start: Start) -> Game:
        return through_the_door(start, HALL)

    def test_doors_stay_closed_without_the_card_key(self, hall: Game) -> None:
        hall.bag = []
        for side, tile in ((2, LOCKED), (12, LOCKED)):
            assert (hall.step_tile(side, 9), hall.step_tile(side, 8)) == (tile, LOCKED_TOP)
        hall.go(3, 7).face("down").press("a")
        assert "wants" in " ".join(hall.read_to_the_end())
        assert not any(hall.has_happened(door) for door in DOORS)
        assert not hall.is_open(3, 9)

    @pytest.mark.parametrize(("side", "door"), [(2, DOORS[0]), (12, DOORS[1])])
    def test_with_the_card_key_a_press_opens_the_door_ahead_for_good(
        self, hall: Game, side: int, door: int
    ) -> None:
        hall.bag = [(CARD, 1)]
        hall.go(side, 7).face("down").press("a")
        assert "Click" in " ".join(hall.read_to_the_end())
        assert [hall.has_happened(each) for each in DOORS] == [each == door for each in DOORS]
        assert all(hall.is_open(x, y) for x in (side, side + 1) for y in (8, 9))
        assert not hall.is_open(14 - side, 9)
        assert hall.byte("wCardKeyDoorY") == hall.byte("wCardKeyDoorX") == 0
        assert hall.bag == [(CARD, 1)]
        hall.go(6, 2)
        assert enter(hall, "up", TINS).place.map == TINS
        hall.until_free().go(4, 13)
        assert enter(hall, "down", HALL).is_open(side, 9)


class TestLift:
    """The elevator and its panel."""

    @pytest.fixture
    def car(self, start: Start) -> Game:
        return through_the_door(start, LIFT)

    @staticmethod
    def press_panel(game: Game) -> Game:
        game.go(3, 1).face("up").press("a").to_cursor((5, 4), 200)
        game.tick(4)
        return game

    def choose(self, game: Game, floor: int) -> Game:
        self.press_panel(game)
        for _ in range(floor):
            game.press("down")
        game.press("a", settle=20).read_to_the_end()
        game.until_free()
        return game

    @staticmethod
    def leave(game: Game) -> int:
        game.go(1, 2).hold_until("down", lambda: game.place.map != LIFT, 200).until_free()
        return game.place.map

    def test_without_a_chosen_floor_the_elevator_exits_where_it_was_entered(
        self, car: Game
    ) -> None:
        self.press_panel(car).press("b", settle=20)
        car.read_to_the_end()
        assert self.leave(car) == ALDERBROOK

    def test_the_panel_lists_the_floors(self, car: Game) -> None:
        self.press_panel(car)
        assert car.byte("wListMenuID") == SPECIAL_LIST
        assert car.byte("wListCount") == len(FLOOR_ITEMS)
        pointer = car.word("wListPointer")
        listed = bytes(car.at(pointer + offset) for offset in range(len(FLOOR_ITEMS) + 2))
        assert listed == bytes([len(FLOOR_ITEMS), *FLOOR_ITEMS, 0xFF])
        leads_to = bytes(car.at(WARP_MAPS + offset) for offset in range(6))
        assert leads_to == bytes([4, HALL, 0, LOFT, 0, ATTIC])

    @pytest.mark.parametrize("item", [CARD, CRANK])
    def test_the_top_floor_needs_the_crank(self, car: Game, item: int) -> None:
        car.bag = [(item, 1)]
        self.choose(car, 2)
        assert self.leave(car) == (ATTIC if item == CRANK else ALDERBROOK)


class TestPlates:
    """The brass plates."""

    PLATES: Final = ((1, 9), (7, 4), (10, 4), (9, 9), (10, 10), (1, 4))
    LANDINGS: Final = ((7, 4), (1, 9), (9, 9), (1, 9), (1, 4))

    @pytest.fixture
    def chambers(self, start: Start) -> Game:
        return through_the_door(start, PLATES)

    def test_a_plate_warps_once_until_the_player_steps_off(self, chambers: Game) -> None:
        chambers.go(1, 8).hold("down")
        chambers.wait(lambda: chambers.byte("wStandingOnWarpPadOrHole") == ON_PAD, 60)
        chambers.wait(lambda: chambers.place[1:] == self.LANDINGS[0], 200).release("down")
        chambers.until_free().tick(60)
        assert (chambers.place[1:], chambers.place.map) == (self.LANDINGS[0], PLATES)
