"""Routes over the maps of the demo and over drawn maps: cheapest, and never through solid tiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.skills.distances import Distances
from agent.skills.route import (
    GRASS_COST,
    LEDGE_COST,
    Hop,
    Obstacles,
    Spot,
    enclosure,
    find_route,
    hops,
)
from emulator import Facing, World
from emulator.world.world import Floor
from tests.agent.demo import STORY, WORLD
from tests.agent.skills.drawn import (
    CLIFF,
    GRASS,
    HIGH,
    LEDGE,
    LEDGES,
    LOW,
    SIDE,
    WALL,
    Drawn,
    world_of,
)

BEDROOM, HOUSE, TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE = 38, 37, 0, 12, 40, 1, 41
ALL = (BEDROOM, HOUSE, TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE)
START = Spot(BEDROOM, 3, 6)
NOWHERE = 99


def spots(route: list[Hop]) -> list[Spot]:
    return [hop.to for hop in route]


def route_of(route: list[Hop] | None) -> list[Hop]:
    assert route is not None
    return route


def at_three(spot: Spot) -> bool:
    return (spot.x, spot.y) == (3, 3)


def test_the_route_out_of_the_house_uses_stairs_and_doormat() -> None:
    route = route_of(find_route(WORLD, START, lambda spot: spot.map_id == TOWN))
    maps = [START.map_id, *(spot.map_id for spot in spots(route))]
    assert sorted(set(maps), key=maps.index) == [BEDROOM, HOUSE, TOWN]
    assert route[-1].facing is Facing.DOWN  # over the mat, with the key held


def test_a_map_edge_is_crossed_like_any_step() -> None:
    in_town = Spot(TOWN, 9, 3)
    route = route_of(find_route(WORLD, in_town, lambda spot: spot.map_id == LANE))
    assert [hop.facing for hop in route] == [Facing.UP] * 4
    assert spots(route)[-1].map_id == LANE


def test_a_person_in_the_way_is_walked_round() -> None:
    free = route_of(find_route(WORLD, START, at_three))
    occupied = spots(free)[0]
    person = Obstacles(walls=frozenset({occupied[:3]}), costs={})
    around = route_of(find_route(WORLD, START, at_three, obstacles=person))
    assert occupied not in spots(around)


def test_a_place_that_cannot_be_reached_has_no_route() -> None:
    assert find_route(WORLD, START, lambda spot: spot.map_id == NOWHERE) is None


def test_the_route_to_the_start_is_empty() -> None:
    assert find_route(WORLD, START, lambda spot: spot == START) == []


REACHABLE = sorted(
    {START}
    | {
        spot
        for target in ALL
        for spot in spots(find_route(WORLD, START, lambda s, t=target: s.map_id == t) or [])  # type: ignore[misc]
    }
)


@given(start=st.sampled_from(REACHABLE), goal=st.sampled_from(REACHABLE))
def test_every_hop_of_a_route_is_allowed(start: Spot, goal: Spot) -> None:
    route = route_of(find_route(WORLD, start, lambda spot: spot[:3] == goal[:3]))
    here = start
    for hop in route:
        assert hop in list(hops(WORLD, here))
        assert WORLD.map(hop.to.map_id).contains(hop.to.x, hop.to.y)
        here = hop.to
    assert here[:3] == goal[:3]


@pytest.mark.parametrize("map_id", ALL)
def test_no_hop_on_a_map_leads_into_a_solid_tile(map_id: int) -> None:
    game_map = WORLD.map(map_id)
    for x in range(game_map.columns):
        for y in range(game_map.rows):
            if not game_map.passable(x, y):
                continue
            for hop in hops(WORLD, Spot(map_id, x, y)):
                assert WORLD.map(hop.to.map_id).passable(hop.to.x, hop.to.y)


def crowd(costs: dict[Spot, int], *walls: Spot) -> Obstacles:
    return Obstacles(
        frozenset(spot[:3] for spot in walls), {spot[:3]: n for spot, n in costs.items()}
    )


def test_costly_squares_are_avoided_only_while_that_is_cheaper() -> None:
    straight = route_of(find_route(WORLD, START, at_three))
    first = spots(straight)[0]
    around = route_of(find_route(WORLD, START, at_three, obstacles=crowd({first: 8})))
    assert first not in spots(around)
    everywhere = {START._replace(x=x, y=y): 8 for x in range(8) for y in range(8)}
    through = route_of(find_route(WORLD, START, at_three, obstacles=crowd(everywhere)))
    assert len(through) == len(straight)


def test_a_route_longer_than_the_limit_is_none() -> None:
    assert find_route(WORLD, START, at_three, longest=2) is None
    assert find_route(WORLD, START, at_three, longest=3) is not None
    wall = crowd({}, START._replace(y=START.y - 1))
    assert find_route(WORLD, START, at_three, obstacles=wall, longest=3) is None
    assert find_route(WORLD, START, at_three, obstacles=wall, longest=5) is not None


@given(
    start=st.sampled_from(REACHABLE),
    target=st.sampled_from(ALL),
    costs=st.dictionaries(st.sampled_from(REACHABLE), st.integers(1, 8), max_size=40),
    occupied=st.sets(st.sampled_from(REACHABLE), max_size=5),
)
def test_a_guided_search_finds_the_cheapest_route_through_a_crowd(
    start: Spot, target: int, costs: dict[Spot, int], occupied: set[Spot]
) -> None:
    def arrived(spot: Spot) -> bool:
        return spot.map_id == target

    def cost_of(route: list[Hop] | None) -> int | None:
        if route is None:
            return None
        return sum(hop.cost + obstacles.costs.get(hop.to[:3], 0) for hop in route)

    obstacles = crowd(costs, *occupied)
    distances = Distances.of(WORLD).to(target, start)
    guided = find_route(WORLD, start, arrived, obstacles=obstacles, distances=distances)
    assert cost_of(guided) == cost_of(find_route(WORLD, start, arrived, obstacles=obstacles))


def test_a_route_does_not_leave_the_map_to_avoid_a_person() -> None:
    below, beyond = Spot(LANE, 10, 35), (LANE, 10, 33)
    person = Obstacles(frozenset({(LANE, 10, 34), (LANE, 9, 34)}), {})
    assert find_route(WORLD, below, lambda spot: spot[:3] == beyond, obstacles=person) is None


GROUND = st.lists(
    st.lists(st.sampled_from([LOW, HIGH, GRASS, WALL, LEDGE]), min_size=SIDE, max_size=SIDE),
    min_size=SIDE,
    max_size=SIDE,
)
SQUARES = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))


@given(rows=GROUND, start=SQUARES, goal=SQUARES)
def test_no_route_crosses_what_the_collision_data_forbids(
    rows: list[list[int]], start: tuple[int, int], goal: tuple[int, int]
) -> None:
    drawn = Drawn(rows)
    here = Spot(LANE, *start)
    route = find_route(world_of(drawn), here, lambda spot: (spot.x, spot.y) == goal)
    for hop in route or []:
        x, y = here.x, here.y
        dx, dy = hop.facing.delta
        stood, ahead = drawn.tile(x, y), drawn.tile(x + dx, y + dy)
        if ahead == LEDGE:
            assert (hop.facing, stood, ahead) in LEDGES  # downhill only
            assert (hop.to.x, hop.to.y) == (x + 2 * dx, y + 2 * dy)
            assert hop.cost == LEDGE_COST
        else:
            assert (hop.to.x, hop.to.y) == (x + dx, y + dy)
            assert ahead in {LOW, HIGH, GRASS}
            assert {stood, ahead} != CLIFF
            assert hop.cost == 1 + GRASS_COST * (ahead == GRASS)
        here = hop.to


def test_a_ledge_leads_down_only() -> None:
    rows = [[WALL] * SIDE for _ in range(SIDE)]
    for y, tile in enumerate([HIGH, HIGH, LEDGE, LOW, LOW]):
        rows[y][3] = tile
    world = world_of(Drawn(rows))
    above, below = Spot(LANE, 3, 0), Spot(LANE, 3, 4)
    down = route_of(find_route(world, above, lambda spot: spot == below))
    assert spots(down) == [Spot(LANE, 3, y) for y in (1, 3, 4)]
    assert find_route(world, below, lambda spot: spot == above) is None


def test_grass_is_walked_round_when_that_is_cheap() -> None:
    rows = [[LOW] * SIDE for _ in range(SIDE)]
    rows[1][3] = GRASS
    route = route_of(
        find_route(world_of(Drawn(rows)), Spot(LANE, 3, 0), lambda spot: (spot.x, spot.y) == (3, 2))
    )
    assert len(route) == 4


def test_an_enclosure_holds_until_one_of_its_walls_goes() -> None:
    world, start = WORLD, Spot(0, 7, 7)
    exits = frozenset(hop.to[:3] for hop in hops(world, start))
    elsewhere = (0, 1, 1)
    distances = Distances.of(world).to(0, start)

    def beyond_the_exits(spot: Spot) -> bool:
        return spot[:3] not in {start[:3], *exits}

    shut = enclosure(world, start, beyond_the_exits, walls=exits | {elsewhere}, distances=distances)
    assert shut is not None
    assert shut.spots == {start}
    assert shut.holds(world, start, exits)  # the wall elsewhere does not matter
    assert not shut.holds(world, start, exits - {min(exits)})
    assert not shut.holds(world, start._replace(x=1), exits)
    assert enclosure(world, start, beyond_the_exits, walls=frozenset(), distances=distances) is None


def test_a_changed_world_differs_on_changed_and_connected_maps() -> None:
    plain = WORLD
    blocks = plain.map(0).layout.blocks
    changed = plain.with_blocks({0: bytes(len(blocks))})
    near = {each.map_id for each in plain.map(0).header.connections}
    assert near
    assert changed.differs_around(0)
    assert all(changed.differs_around(each) for each in near)
    assert not changed.differs_around(37)
    inside = Spot(37, 3, 6)
    assert hops(changed, inside) == hops(plain, inside)


HALL, LOFT, ATTIC, ELEVATOR, ROAD = 181, 207, 208, 236, 14
BEFORE_THE_PANEL = Spot(ELEVATOR, 3, 1)
IN_THE_HALL = Spot(HALL, 8, 7)


@pytest.fixture(scope="module")
def world() -> World:
    return WORLD.moving({}, STORY.lifts)


def way(
    world: World, start: Spot, map_id: int, walls: frozenset[tuple[int, int, int]] = frozenset()
) -> list[Hop] | None:
    return find_route(
        world, start, lambda spot: spot.map_id == map_id, obstacles=Obstacles(walls, {})
    )


def test_only_the_panel_leads_out_of_the_elevator(world: World) -> None:
    rides = [hop for hop in hops(world, BEFORE_THE_PANEL) if hop.by is not None]
    assert [hop.by for hop in rides] == [Floor(0, HALL, 4), Floor(1, LOFT, 0), Floor(2, ATTIC, 0)]
    assert {hop.facing for hop in rides} == {Facing.UP}
    inside = [Spot(ELEVATOR, x, y) for x in range(4) for y in range(1, 4)]
    out = [hop for spot in inside for hop in hops(world, spot) if hop.to.map_id != ELEVATOR]
    assert out == rides


@pytest.mark.parametrize(("start", "end"), [(IN_THE_HALL, LOFT), (Spot(LOFT, 4, 3), HALL)])
def test_a_route_rides_the_elevator_between_floors(world: World, start: Spot, end: int) -> None:
    route = route_of(way(world, start, end))
    assert [hop.by.map_id for hop in route if isinstance(hop.by, Floor)] == [end]
    x, y = next((warp.x, warp.y) for warp in world.map(end).warps if warp.map_id == ELEVATOR)
    assert route[-1].to == Spot(end, x, y)


def test_a_blocked_floor_is_not_ridden_to(world: World) -> None:
    assert way(world, IN_THE_HALL, ATTIC) is not None
    assert way(world, IN_THE_HALL, ATTIC, frozenset({(ATTIC, 2, 1)})) is None


def test_without_story_data_no_route_uses_the_elevator(world: World) -> None:
    assert not world.moving({}, {}).lifts
    assert way(world.moving({}, {}), IN_THE_HALL, LOFT) is None
