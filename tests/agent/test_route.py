"""Routes over all maps of the demo and over drawn ones: cheapest, and never through anything solid."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.skills.hops import GRASS_COST, LEDGE_COST, Hop, Spot, hops
from agent.skills.route import find_route
from emulator import Facing, GameMap, World, demo_cartridge_path, load_cartridge
from emulator.world.ground import Ground
from emulator.world.header import MapHeader
from emulator.world.layout import Layout
from emulator.world.tileset import Tileset

WORLD = World.of(load_cartridge(demo_cartridge_path()))
BEDROOM, HOUSE, TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE = 38, 37, 0, 12, 40, 1, 41
ALL = (BEDROOM, HOUSE, TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE)
START = Spot(BEDROOM, 3, 6, last_map=TOWN)


def spots(route: list[Hop]) -> list[Spot]:
    return [hop.to for hop in route]


def test_the_way_out_of_the_house_uses_stairs_and_doormat() -> None:
    route = find_route(WORLD, START, lambda spot: spot.map_id == TOWN)
    assert route is not None
    maps = [START.map_id, *(spot.map_id for spot in spots(route))]
    assert sorted(set(maps), key=maps.index) == [BEDROOM, HOUSE, TOWN]
    assert route[-1].facing is Facing.DOWN  # over the mat, with the key held


def test_a_map_edge_is_crossed_like_any_step() -> None:
    in_town = Spot(TOWN, 9, 3, last_map=TOWN)
    route = find_route(WORLD, in_town, lambda spot: spot.map_id == LANE)
    assert route is not None
    assert [hop.facing for hop in route] == [Facing.UP] * 4
    assert spots(route)[-1].map_id == LANE


def test_somebody_in_the_way_is_walked_round() -> None:
    free = find_route(WORLD, START, lambda spot: (spot.x, spot.y) == (3, 3))
    assert free is not None
    taken = spots(free)[0]
    around = find_route(WORLD, START, lambda spot: (spot.x, spot.y) == (3, 3), occupied={taken})
    assert around is not None
    assert taken not in spots(around)


def test_a_place_that_cannot_be_reached_has_no_route() -> None:
    assert find_route(WORLD, START, lambda spot: spot.map_id == 200) is None


def test_one_is_where_one_is() -> None:
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
def test_every_hop_is_allowed_and_leads_on(start: Spot, goal: Spot) -> None:
    route = find_route(WORLD, start, lambda spot: spot[:3] == goal[:3])
    assert route is not None
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
            for hop in hops(WORLD, Spot(map_id, x, y, TOWN)):
                assert WORLD.map(hop.to.map_id).passable(hop.to.x, hop.to.y)


# Maps of one screen, drawn at random: floor of two heights, grass, walls, and ledges that lead down.
LOW, HIGH, GRASS, WALL, LEDGE = range(5)
SIDE = 8
LEDGES = frozenset({(Facing.DOWN, HIGH, LEDGE), (Facing.LEFT, HIGH, LEDGE)})
CLIFF = frozenset({LOW, HIGH})  # two floors that do not join
GROUND = st.lists(
    st.lists(st.sampled_from([LOW, HIGH, GRASS, WALL, LEDGE]), min_size=SIDE, max_size=SIDE),
    min_size=SIDE,
    max_size=SIDE,
)
SQUARES = st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1))


@dataclass(frozen=True)
class Drawn:
    """What lies where."""

    rows: list[list[int]]

    def tile(self, x: int, y: int) -> int:
        inside = 0 <= x < SIDE and 0 <= y < SIDE
        return self.rows[y][x] if inside else WALL


@dataclass(frozen=True, eq=False)
class Paper:
    """A world of one map."""

    only: GameMap

    def map(self, _map_id: int) -> GameMap:
        return self.only


def world_of(drawn: Drawn) -> World:
    tileset = Tileset(
        tileset_id=0,
        blocks=b"",
        graphics=b"",
        passable=frozenset({LOW, HIGH, GRASS}),
        counters=frozenset(),
        grass=GRASS,
        animated=False,
        warps=frozenset(),
        doors=frozenset(),
        pairs=frozenset({CLIFF}),
    )
    header = SimpleNamespace(width=SIDE // 2, height=SIDE // 2, connections=())
    game_map = GameMap(
        map_id=LANE,
        header=cast("MapHeader", header),
        tileset=tileset,
        layout=cast("Layout", drawn),
        ground=Ground(LEDGES, {facing: frozenset() for facing in Facing}),
        warps=(),
    )
    return cast("World", Paper(game_map))


@given(rows=GROUND, start=SQUARES, goal=SQUARES)
def test_no_route_crosses_what_the_collision_data_forbids(
    rows: list[list[int]], start: tuple[int, int], goal: tuple[int, int]
) -> None:
    drawn = Drawn(rows)
    here = Spot(LANE, *start, TOWN)
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


def test_a_ledge_is_hopped_down_and_never_climbed() -> None:
    rows = [[WALL] * SIDE for _ in range(SIDE)]
    for y, tile in enumerate([HIGH, HIGH, LEDGE, LOW, LOW]):
        rows[y][3] = tile
    world = world_of(Drawn(rows))
    above, below = Spot(LANE, 3, 0, TOWN), Spot(LANE, 3, 4, TOWN)
    down = find_route(world, above, lambda spot: spot == below)
    assert down is not None
    assert spots(down) == [Spot(LANE, 3, y, TOWN) for y in (1, 3, 4)]
    assert find_route(world, below, lambda spot: spot == above) is None


def test_grass_is_walked_round_when_that_is_cheap() -> None:
    rows = [[LOW] * SIDE for _ in range(SIDE)]
    rows[1][3] = GRASS
    route = find_route(
        world_of(Drawn(rows)), Spot(LANE, 3, 0, TOWN), lambda spot: (spot.x, spot.y) == (3, 2)
    )
    assert route is not None
    assert len(route) == 4
