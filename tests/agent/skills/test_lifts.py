"""Routes over floors: a lift takes whoever stands before its panel to the floor that they name."""

import pytest

from agent.skills.route import Hop, Obstacles, Spot, find_route, hops
from agent.story.story import Story
from emulator import CartridgeKind, Facing, World, demo_cartridge_path, load_cartridge
from emulator.world import Floor

HALL, LOFT, ATTIC, CAR, ROAD = 181, 207, 208, 236, 14
BEFORE_THE_PANEL = Spot(CAR, 3, 1, ROAD)
IN_THE_HALL = Spot(HALL, 8, 7, ROAD)
LIFTS = Story.of(CartridgeKind.DEMO).lifts


@pytest.fixture(scope="module")
def world() -> World:
    return World.of(load_cartridge(demo_cartridge_path())).riding(LIFTS)


def way(
    world: World, start: Spot, map_id: int, walls: frozenset[tuple[int, int, int]] = frozenset()
) -> list[Hop] | None:
    return find_route(
        world, start, lambda spot: spot.map_id == map_id, obstacles=Obstacles(walls, {})
    )


def test_the_panel_leads_to_every_floor_and_nothing_else_out_of_the_car(world: World) -> None:
    rides = [hop for hop in hops(world, BEFORE_THE_PANEL) if hop.by is not None]
    assert [hop.by for hop in rides] == [Floor(0, HALL, 4), Floor(1, LOFT, 0), Floor(2, ATTIC, 0)]
    assert {hop.facing for hop in rides} == {Facing.UP}
    inside = [Spot(CAR, x, y, ROAD) for x in range(4) for y in range(1, 4)]
    out = [hop for spot in inside for hop in hops(world, spot) if hop.to.map_id != CAR]
    assert out == rides


@pytest.mark.parametrize(("start", "end"), [(IN_THE_HALL, LOFT), (Spot(LOFT, 4, 3, ROAD), HALL)])
def test_one_rides_from_floor_to_floor(world: World, start: Spot, end: int) -> None:
    route = way(world, start, end)
    assert route is not None
    assert [hop.by.map_id for hop in route if isinstance(hop.by, Floor)] == [end]
    x, y = next((warp.x, warp.y) for warp in world.map(end).warps if warp.map_id == CAR)
    assert route[-1].to == Spot(end, x, y, ROAD)


def test_a_floor_that_is_shut_is_not_ridden_to(world: World) -> None:
    assert way(world, IN_THE_HALL, ATTIC) is not None
    assert way(world, IN_THE_HALL, ATTIC, frozenset({(ATTIC, 2, 1)})) is None


def test_the_map_alone_knows_no_way_by_lift(world: World) -> None:
    assert not world.riding({}).lifts
    assert way(world.riding({}), IN_THE_HALL, LOFT) is None
