"""Hedge Road and what lies behind its doors: houses that say which road is outside, lifts, ladders, a current."""

from __future__ import annotations

import pytest

from tests.contract.game import Game, Start
from tests.contract.places import leave, led_to
from tests.contract.test_engine_ground import SURFING, WALKING

HEDGE_ROAD, DITCH_ROAD, MOOR_ROAD, SORREL_ROAD = 16, 17, 18, 14
HEDGE_HOUSE, TUNNEL, DITCH_HOUSE, MOOR_GATE = 71, 119, 74, 193
MILL_HALL, MILL_PIT, MILL_LOFT, MILL_LIFT = 233, 202, 235, 203
TOWER_HALL, TOWER_MIDDLE, TOWER_TOP, TOWER_LIFT = 123, 124, 125, 127
ROOT_CAVE, ROOT_CELLAR, DRIP_CAVE, SUMP = 60, 61, 160, 161
MILL_KEY = 43
CURRENT_IS_STILL = 0x9D0


@pytest.mark.parametrize(
    ("inside", "warp", "exit_at", "direction", "road", "arrival"),
    [
        (HEDGE_HOUSE, 2, (2, 4), "down", HEDGE_ROAD, (9, 6)),
        (DITCH_HOUSE, 2, (2, 4), "down", DITCH_ROAD, (15, 6)),
        # A gate house between two roads, all of whose exits lead to the last map: the row decides.
        (MOOR_GATE, 0, (4, 1), "up", MOOR_ROAD, (3, 5)),
        (MOOR_GATE, 0, (5, 1), "up", MOOR_ROAD, (4, 5)),
        (MOOR_GATE, 2, (5, 6), "down", DITCH_ROAD, (3, 6)),
    ],
)
def test_an_exit_leads_to_its_own_road_wherever_one_came_from(
    start: Start,
    inside: int,
    warp: int,
    exit_at: tuple[int, int],
    direction: str,
    road: int,
    arrival: tuple[int, int],
) -> None:
    for came_from in (HEDGE_ROAD, SORREL_ROAD):
        game = led_to(start, inside, warp).poke("wLastMap", came_from).tick(4)
        assert inside == MOOR_GATE or game.byte("wLastMap") == road
        leave(game.go(*exit_at), direction, road)
        assert game.place[1:] == arrival


def test_the_tunnel_joins_the_houses(start: Start) -> None:
    game = led_to(start, TUNNEL, 0)
    game.go(22, 1).until_free(DITCH_HOUSE)
    game.go(2, 2).go(1, 2).until_free(TUNNEL)
    assert game.place[1:] == (22, 1)


def ask_panel(game: Game) -> Game:
    game.go(3, 1).face("up").press("a")
    return game.wait(lambda: game.cursor is not None or game.has_arrow, 300).tick(4)


def test_without_its_key_the_panel_of_the_mill_lists_no_floor(start: Start) -> None:
    game = led_to(start, MILL_HALL, 0).go(2, 2)
    game.bag = []
    leave(game, "up", MILL_LIFT)
    assert ask_panel(game).cursor is None
    assert "its key" in " ".join(game.read_to_the_end())
    leave(game.go(1, 2), "down", MILL_HALL)


@pytest.mark.parametrize(("row", "floor"), [(1, MILL_PIT), (2, MILL_LOFT)])
def test_with_its_key_the_lift_of_the_mill_goes_to_each_floor(
    start: Start, row: int, floor: int
) -> None:
    game = led_to(start, MILL_LIFT, 0)
    game.bag = [(MILL_KEY, 1)]
    ask_panel(game).press(*["down"] * row).press("a", settle=20).read_to_the_end()
    leave(game.until_free().go(1, 2), "down", floor)


def test_a_lift_leads_where_one_came_in_and_its_table_to_the_ground_floor(start: Start) -> None:
    game = led_to(start, TOWER_TOP, 1).go(4, 2)
    leave(game, "up", TOWER_LIFT)
    assert {warp[2] for warp in game.warps} == {TOWER_TOP}
    leave(game.go(1, 2), "down", TOWER_TOP)


def test_the_stairs_of_the_tower_lead_to_the_ground(start: Start) -> None:
    game = led_to(start, TOWER_TOP, 1).poke("wLastMap", HEDGE_ROAD)
    for stairs, floor in (((2, 2), TOWER_MIDDLE), ((10, 2), TOWER_HALL)):
        leave(game.go(*stairs), "up", floor)
    leave(game.go(5, 6), "down", HEDGE_ROAD)


@pytest.mark.parametrize(
    ("ladder", "arrival", "wall"), [((7, 7), (4, 3), 7), ((16, 3), (14, 3), 17)]
)
def test_each_ladder_leads_to_a_room_without_another_way_out(
    start: Start, ladder: tuple[int, int], arrival: tuple[int, int], wall: int
) -> None:
    game = led_to(start, ROOT_CAVE, 0).go(*ladder)
    game.until_free(ROOT_CELLAR).poke("wGrassRate", 0)
    assert game.place[1:] == arrival
    for direction in ("left",) * 4 + ("down",) + ("right",) * 10:
        game.step(direction)
    assert game.place.x == wall


@pytest.fixture
def shore(start: Start) -> Game:
    """The shore of the sump, below its hole."""
    game = led_to(start, DRIP_CAVE, 0)
    game.go(5, 8).step("down")
    assert game.until_free(SUMP).place[1:] == (3, 3)
    return game.go(5, 4).face("right").poke("wWalkBikeSurfState", SURFING)


def test_who_swims_into_the_current_is_carried_to_the_south_shore(shore: Game) -> None:
    for _ in range(3):
        shore.step("right")
    shore.hold_until("right", lambda: shore.place.x == 9, 60)
    shore.wait(lambda: shore.place[1:] == (9, 8), 200).until_free()
    assert shore.byte("wWalkBikeSurfState") == WALKING


def test_the_current_is_still_with_a_boulder_in_the_water(shore: Game) -> None:
    shore.set_event(CURRENT_IS_STILL)
    for _ in range(9):
        shore.step("right")
    assert (shore.place[1:], shore.byte("wWalkBikeSurfState")) == ((14, 4), WALKING)


def test_a_person_flagged_as_an_item_with_number_0_speaks_and_stays(start: Start) -> None:
    game = led_to(start, HEDGE_HOUSE, 2)
    before = game.byte("wNumBagItems")
    assert "I knit" in game.go_beside(1, 3).read_all()
    assert (game.byte("wNumBagItems"), game.sprite(1)) == (before, (1, 3))
