"""Hedge Road and what lies behind its doors: houses that say which road is outside, lifts, ladders, a current."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract.game import Game, Start
from tests.contract.places import leave, led_to
from tests.contract.test_engine_ground import SURFING, WALKING

HEDGE_ROAD, DITCH_ROAD, MOOR_ROAD = 16, 17, 18
HEDGE_HOUSE, TUNNEL, DITCH_HOUSE = 71, 119, 74
MOOR_GATE = 193
MILL_HALL, MILL_PIT, MILL_LOFT, MILL_LIFT = 233, 202, 235, 203
TOWER_HALL, TOWER_MIDDLE, TOWER_TOP, TOWER_LIFT = 123, 124, 125, 127
ROOT_CAVE, ROOT_CELLAR, DRIP_CAVE, SUMP = 60, 61, 160, 161
SORREL_ROAD = 14
MILL_KEY = 43
CURRENT_IS_STILL = 0x9D0
DOORS: Final = {HEDGE_ROAD: (9, 6), DITCH_ROAD: (15, 6)}  # where one comes out


class TestTunnel:
    """The tunnel between two roads, and the houses at its ends."""

    @pytest.mark.parametrize(
        ("house", "road"), [(HEDGE_HOUSE, HEDGE_ROAD), (DITCH_HOUSE, DITCH_ROAD)]
    )
    @pytest.mark.parametrize("came_from", [HEDGE_ROAD, DITCH_ROAD, SORREL_ROAD])
    def test_a_house_leads_to_its_own_road_wherever_one_came_from(
        self, start: Start, house: int, road: int, came_from: int
    ) -> None:
        game = led_to(start, house, 2)
        game.poke("wLastMap", came_from).tick(4)
        assert game.byte("wLastMap") == road
        leave(game.go(2, 4), "down", road)
        assert game.place[1:] == DOORS[road]

    def test_the_tunnel_joins_the_houses(self, start: Start) -> None:
        game = led_to(start, TUNNEL, 0)
        game.go(22, 1).until_free(DITCH_HOUSE)
        game.go(2, 2).go(1, 2).until_free(TUNNEL)
        assert game.place[1:] == (22, 1)


class TestGateHouse:
    """The gate house between two roads, all of whose exits lead to the last map."""

    @pytest.mark.parametrize("came_from", [DITCH_ROAD, MOOR_ROAD, SORREL_ROAD])
    @pytest.mark.parametrize(
        ("exit_at", "direction", "road", "arrival"),
        [
            ((4, 0), "up", MOOR_ROAD, (3, 5)),
            ((5, 0), "up", MOOR_ROAD, (4, 5)),
            ((5, 7), "down", DITCH_ROAD, (3, 6)),
        ],
    )
    def test_the_row_decides_where_an_exit_leads(
        self,
        start: Start,
        came_from: int,
        exit_at: tuple[int, int],
        direction: str,
        road: int,
        arrival: tuple[int, int],
    ) -> None:
        game = led_to(start, MOOR_GATE, 2 if direction == "down" else 0)
        game.poke("wLastMap", came_from)
        x, y = exit_at
        leave(game.go(x, 1 if y == 0 else 6), direction, road)
        assert game.place[1:] == arrival


class TestLifts:
    """The lift of the mill, which wants its key, and the one of the tower."""

    @staticmethod
    def ask(game: Game) -> Game:
        game.go(3, 1).face("up").press("a")
        game.wait(lambda: game.cursor is not None or game.has_arrow, 300).tick(4)
        return game

    def test_without_its_key_a_panel_lists_no_floor(self, start: Start) -> None:
        game = led_to(start, MILL_HALL, 0).go(2, 2)
        game.bag = []
        leave(game, "up", MILL_LIFT)
        assert self.ask(game).cursor is None
        assert "its key" in " ".join(game.read_to_the_end())
        leave(game.go(1, 2), "down", MILL_HALL)

    @pytest.mark.parametrize(("row", "floor"), [(1, MILL_PIT), (2, MILL_LOFT)])
    def test_with_its_key_the_lift_goes_to_each_floor(
        self, start: Start, row: int, floor: int
    ) -> None:
        game = led_to(start, MILL_LIFT, 0)
        game.bag = [(MILL_KEY, 1)]
        self.ask(game)
        for _ in range(row):
            game.press("down")
        game.press("a", settle=20).read_to_the_end()
        game.until_free()
        leave(game.go(1, 2), "down", floor)

    def test_a_lift_leads_where_one_came_in_and_its_table_to_the_ground_floor(
        self, start: Start
    ) -> None:
        game = led_to(start, TOWER_TOP, 1).go(4, 2)
        leave(game, "up", TOWER_LIFT)
        assert {warp[2] for warp in game.warps} == {TOWER_TOP}
        leave(game.go(1, 2), "down", TOWER_TOP)

    def test_the_stairs_of_the_tower_lead_to_the_ground(self, start: Start) -> None:
        game = led_to(start, TOWER_TOP, 1)
        game.poke("wLastMap", HEDGE_ROAD)
        for stairs, floor in (((2, 2), TOWER_MIDDLE), ((10, 2), TOWER_HALL)):
            leave(game.go(*stairs), "up", floor)
        leave(game.go(5, 6), "down", HEDGE_ROAD)


class TestCellar:
    """The two rooms of the root cellar."""

    @pytest.mark.parametrize(("ladder", "arrival"), [((7, 7), (4, 3)), ((16, 3), (14, 3))])
    def test_each_ladder_leads_to_a_room_without_another_way_out(
        self, start: Start, ladder: tuple[int, int], arrival: tuple[int, int]
    ) -> None:
        game = led_to(start, ROOT_CAVE, 0).go(*ladder)
        game.until_free(ROOT_CELLAR).poke("wGrassRate", 0)
        assert game.place[1:] == arrival
        for _ in range(4):
            game.step("left")
        game.step("down")
        for _ in range(10):
            game.step("right")
        assert game.place.x == (7 if arrival == (4, 3) else 17)


class TestCurrent:
    """The water of the sump, and the hole above it."""

    @pytest.fixture
    def shore(self, start: Start) -> Game:
        game = led_to(start, DRIP_CAVE, 0)
        game.go(5, 8).step("down")
        game.until_free(SUMP)
        assert game.place[1:] == (3, 3)
        return game.go(5, 4).face("right")

    @staticmethod
    def swim(game: Game, squares: int) -> Game:
        game.poke("wWalkBikeSurfState", SURFING)
        for _ in range(squares):
            game.step("right")
        return game

    def test_who_swims_into_the_current_is_carried_to_the_south_shore(self, shore: Game) -> None:
        self.swim(shore, 3)
        shore.hold_until("right", lambda: shore.place.x == 9, 60)
        shore.wait(lambda: shore.place[1:] == (9, 8), 200).until_free()
        assert shore.byte("wWalkBikeSurfState") == WALKING

    def test_the_current_is_still_with_a_boulder_in_the_water(self, shore: Game) -> None:
        shore.set_event(CURRENT_IS_STILL)
        self.swim(shore, 9)
        assert shore.place[1:] == (14, 4)
        assert shore.byte("wWalkBikeSurfState") == WALKING


def test_a_person_flagged_as_an_item_with_number_0_speaks_and_stays(start: Start) -> None:
    game = led_to(start, HEDGE_HOUSE, 2)
    before = game.block("wNumBagItems", 1)
    game.go_beside(1, 3).press("a")
    assert "I knit" in " ".join(game.read_to_the_end())
    assert game.block("wNumBagItems", 1) == before
    assert game.sprite(1) == (1, 3)
