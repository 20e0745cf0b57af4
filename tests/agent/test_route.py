"""Routes over all maps of the demo: shortest, and never through anything solid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.skills.route import Hop, Spot, find_route, hops
from emulator import Facing, World, demo_cartridge_path, load_cartridge

WORLD = World.of(load_cartridge(demo_cartridge_path()))
BEDROOM, HOUSE, TOWN, LANE = 38, 37, 0, 12
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
        for target in (BEDROOM, HOUSE, TOWN, LANE)
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


@pytest.mark.parametrize("map_id", [BEDROOM, HOUSE, TOWN, LANE])
def test_no_hop_on_a_map_leads_into_a_solid_tile(map_id: int) -> None:
    game_map = WORLD.map(map_id)
    for x in range(game_map.columns):
        for y in range(game_map.rows):
            if not game_map.passable(x, y):
                continue
            for hop in hops(WORLD, Spot(map_id, x, y, TOWN)):
                assert WORLD.map(hop.to.map_id).passable(hop.to.x, hop.to.y)
