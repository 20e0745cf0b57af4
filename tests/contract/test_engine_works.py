"""The tallow works: tins with switches under them, mouths that ask, doors for a card, a lift, brass plates."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract.chapter import bag, empty_bag, enter, through_the_door
from tests.contract.game import Game, Start
from tests.contract.stations import fight, read_on

ALDERBROOK = 1
TINS, QUIZ, HALL, LOFT, ATTIC, PLATES, LIFT = 92, 168, 181, 207, 208, 209, 236
FIRST_LOCK, SECOND_LOCK = 0x161, 0x160
GATES: Final = (0x2A8, 0x2A9, 0x2AA)
GUESTS: Final = (0x29A, 0x29B, 0x29C)
DOORS: Final = (0x6FD, 0x6FE)
CARD, CRANK = 48, 74
FLOOR_ITEMS: Final = bytes([86, 87, 88])
SPECIAL_LIST = 4
ELEVATOR_USED = 0x80
ON_PAD = 1
WARP_MAPS, TIN_INDEX = 0xCC5B, 0xCD5B  # which the agent does not read
RAMBLER = 201
TIN_COUNT, TIN_ROWS = 15, 3
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

    @staticmethod
    def neighbours(tin: int) -> set[int]:
        column, row = divmod(tin, TIN_ROWS)
        around = ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1))
        return {
            TIN_ROWS * x + y
            for x, y in around
            if 0 <= x < TIN_COUNT // TIN_ROWS and 0 <= y < TIN_ROWS
        }

    def test_the_two_switches_lie_side_by_side_and_open_the_bars(self, store: Game) -> None:
        first = store.byte("wFirstLockTrashCanIndex")
        assert first < TIN_COUNT
        assert not store.is_open(*BARS)
        assert "nothing" in self.look_under(store, (first + 1) % TIN_COUNT)
        assert not store.has_happened(FIRST_LOCK)
        assert "switch" in self.look_under(store, first)
        assert store.at(TIN_INDEX) == first
        assert store.has_happened(FIRST_LOCK)
        second = store.byte("wSecondLockTrashCanIndex")
        assert second in self.neighbours(first)
        assert "other" in self.look_under(store, second)
        assert store.has_happened(SECOND_LOCK)
        assert store.has_happened(FIRST_LOCK)
        assert all(store.is_open(x, y) for x in (4, 5) for y in (4, 5))
        assert store.route(4, 2)

    def test_a_wrong_second_tin_hides_both_anew(self, store: Game) -> None:
        self.look_under(store, store.byte("wFirstLockTrashCanIndex"))
        hidden = {store.byte("wFirstLockTrashCanIndex")}
        for _ in range(4):
            second = store.byte("wSecondLockTrashCanIndex")
            wrong = next(tin for tin in range(TIN_COUNT) if tin != second)
            assert "sprung back" in self.look_under(store, wrong)
            assert not store.has_happened(FIRST_LOCK)
            assert not store.has_happened(SECOND_LOCK)
            hidden.add(store.byte("wFirstLockTrashCanIndex"))
            self.look_under(store, store.byte("wFirstLockTrashCanIndex"))
            assert store.has_happened(FIRST_LOCK)
        assert len(hidden) > 1

    def test_what_is_open_stays_open(self, start: Start) -> None:
        game = start("alderbrook")
        game.set_event(FIRST_LOCK)
        game.set_event(SECOND_LOCK)
        game = through_the_door(lambda _: game, TINS)
        assert game.is_open(*BARS)
        assert "nothing" in self.look_under(game, 0)


class TestQuiz:
    """The mouths that ask."""

    MOUTHS: Final = ((5, 13), (1, 9), (5, 5))
    BARS: Final = ((2, 13), (4, 9), (2, 5))
    ANSWERS: Final = ("yes", "no", "yes")

    @pytest.fixture
    def room(self, start: Start) -> Game:
        return through_the_door(start, QUIZ)

    def test_the_right_answers_open_one_gate_after_the_other(self, room: Game) -> None:
        for mouth, bars, answer, gate in zip(
            self.MOUTHS, self.BARS, self.ANSWERS, GATES, strict=True
        ):
            assert not room.is_open(*bars)
            room.go(mouth[0], mouth[1] + 1).face("up")
            ask_and_answer(room, answer)
            assert "right" in " ".join(room.read_to_the_end())
            assert room.has_happened(gate)
            assert room.is_open(*bars)
            room.press("a")
            assert "nothing" in " ".join(room.read_to_the_end())
        assert not any(room.has_happened(guest) for guest in GUESTS)
        assert room.route(4, 2)

    @pytest.mark.parametrize("won", [True, False])
    def test_a_wrong_answer_is_a_fight_and_who_wins_it_passes(
        self, room: Game, *, won: bool
    ) -> None:
        room.go(5, 14).face("up")
        ask_and_answer(room, "no")
        read_on(room, lambda: room.byte("wCurOpponent") == RAMBLER)
        fight(room, won=won)
        read_on(room, lambda: room.is_free and (room.place.map == QUIZ) is won)
        assert room.has_happened(GUESTS[0]) is won
        assert room.has_happened(GATES[0]) is won
        assert not won or room.is_open(*self.BARS[0])


class TestLocks:
    """The doors that want a card."""

    @pytest.fixture
    def hall(self, start: Start) -> Game:
        return through_the_door(start, HALL)

    def test_without_the_card_they_stay_shut(self, hall: Game) -> None:
        empty_bag(hall)
        for side, tile in ((2, LOCKED), (12, LOCKED)):
            assert hall.step_tile(side, 9) == tile
            assert hall.step_tile(side, 8) == LOCKED_TOP
        hall.go(3, 7).face("down").press("a")
        assert "wants" in " ".join(hall.read_to_the_end())
        assert not any(hall.has_happened(door) for door in DOORS)
        assert not hall.is_open(3, 9)

    @pytest.mark.parametrize(("side", "door"), [(2, DOORS[0]), (12, DOORS[1])])
    def test_with_it_a_press_opens_the_one_ahead_for_good(
        self, hall: Game, side: int, door: int
    ) -> None:
        empty_bag(hall, CARD)
        hall.go(side, 7).face("down").press("a")
        assert "Click" in " ".join(hall.read_to_the_end())
        assert [hall.has_happened(each) for each in DOORS] == [each == door for each in DOORS]
        assert all(hall.is_open(x, y) for x in (side, side + 1) for y in (8, 9))
        assert not hall.is_open(14 - side, 9)
        assert hall.byte("wCardKeyDoorY") == hall.byte("wCardKeyDoorX") == 0
        assert bag(hall) == {CARD: 1}
        hall.go(6, 2)
        assert enter(hall, "up", TINS).place.map == TINS
        hall.wait(lambda: hall.is_free, 100)
        hall.go(4, 13)
        assert enter(hall, "down", HALL).is_open(side, 9)


class TestLift:
    """The lift and its panel."""

    @pytest.fixture
    def car(self, start: Start) -> Game:
        return through_the_door(start, LIFT)

    @staticmethod
    def press_panel(game: Game) -> Game:
        game.go(3, 1).face("up").press("a")
        game.wait(lambda: game.cursor == (5, 4), 200)
        game.tick(4)
        return game

    def choose(self, game: Game, floor: int) -> Game:
        self.press_panel(game)
        for _ in range(floor):
            game.press("down")
        game.press("a", settle=20)
        game.read_to_the_end()
        game.wait(lambda: game.is_free, 200)
        return game

    @staticmethod
    def leave(game: Game) -> int:
        game.go(1, 2)
        game.hold_until("down", lambda: game.place.map != LIFT, 200)
        game.wait(lambda: game.is_free, 300)
        return game.place.map

    def test_who_names_no_floor_steps_out_where_they_came_in(self, car: Game) -> None:
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

    @pytest.mark.parametrize(("floor", "place"), [(0, HALL), (1, LOFT)])
    def test_the_mats_lead_to_the_floor_that_was_named(
        self, car: Game, floor: int, place: int
    ) -> None:
        self.choose(car, floor)
        assert {target for _, _, target in car.warps} == {place}
        assert car.byte("wCurrentMapScriptFlags") & ELEVATOR_USED
        assert self.leave(car) == place
        x, y, _ = next(warp for warp in car.warps if warp[2] == LIFT)
        assert (car.place.x, car.place.y) == (x, y + 1)  # out of the door

    @pytest.mark.parametrize("item", [CARD, CRANK])
    def test_the_top_floor_wants_the_crank(self, car: Game, item: int) -> None:
        empty_bag(car, item)
        self.choose(car, 2)
        assert self.leave(car) == (ATTIC if item == CRANK else ALDERBROOK)


class TestPlates:
    """The brass plates."""

    PLATES: Final = ((1, 9), (7, 4), (10, 4), (9, 9), (10, 10), (1, 4))
    LANDINGS: Final = ((7, 4), (1, 9), (9, 9), (1, 9), (1, 4))

    @pytest.fixture
    def chambers(self, start: Start) -> Game:
        return through_the_door(start, PLATES)

    def test_a_plate_leads_on_at_once_and_not_again_before_one_steps_off(
        self, chambers: Game
    ) -> None:
        chambers.go(1, 8)
        chambers.hold("down")
        chambers.wait(lambda: bool(chambers.byte("wJoyIgnore")), 60)
        assert chambers.byte("wStandingOnWarpPadOrHole") == ON_PAD
        chambers.wait(lambda: (chambers.place.x, chambers.place.y) == self.LANDINGS[0], 200)
        chambers.release("down")
        chambers.wait(lambda: chambers.is_free, 200)
        chambers.tick(60)
        assert (chambers.place.x, chambers.place.y) == self.LANDINGS[0]
        assert chambers.place.map == PLATES

    def test_the_way_through_takes_three_plates_and_ends_in_the_hall(self, chambers: Game) -> None:
        assert chambers.route(3, 3) is None
        for plate in (0, 2, 4):
            x, y = self.PLATES[plate]
            chambers.go(x, y + 1).step("up")
            assert (chambers.place.x, chambers.place.y) == self.LANDINGS[plate]
        assert chambers.route(3, 3)
        chambers.go(2, 4)
        assert enter(chambers, "left", HALL).place.map == HALL
