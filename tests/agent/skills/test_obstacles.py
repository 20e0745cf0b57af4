"""Ways past what closes a square: trees, water, locked doors; and squares on which a script carries one away."""

from collections.abc import Iterator
from typing import Final

import pytest

from agent.skills import Destination, Outcome, Terrain, travel
from agent.skills.distances import Distances
from agent.skills.route import OBSTACLE_COSTS, WARP_COST, Hop, Spot, enclosure, find_route, hops
from emulator import Facing, Obstacle, State, World, demo_cartridge_path, load_cartridge
from emulator.world import Floor
from tests.agent.skills.drawn import HIGH, LANE, LOW, SIDE, TREE, WALL, WATER, Drawn, world_of
from tests.agent.support import Game, Played, game_at

WORLD: Final = World.of(load_cartridge(demo_cartridge_path()))
TOWN, HEATHER_WAY, BEDROOM = 0, 13, 38
BY_THE_POND, ON_THE_POND = (13, 9), (13, 10)  # of the town
SAPLING = (16, 12)  # of Heather Way
ALL: Final = frozenset(Obstacle)
NOTHING: Final = frozenset[Obstacle]()


def corridor(*tiles: int) -> Drawn:
    """A way from west to east with walls around."""
    rows = [[WALL] * SIDE for _ in range(SIDE)]
    rows[3][: len(tiles)] = tiles
    return Drawn(rows)


def way(drawn: Drawn, passes: frozenset[Obstacle], end: int) -> list[Hop] | None:
    """The route along a corridor from its beginning."""
    return find_route(
        world_of(drawn, passes), Spot(LANE, 0, 3, TOWN), lambda spot: (spot.x, spot.y) == (end, 3)
    )


def opened(route: list[Hop] | None) -> list[Obstacle | Floor | None]:
    assert route is not None
    return [hop.by for hop in route]


def test_an_obstacle_is_a_wall_for_who_does_not_get_past_it() -> None:
    assert way(corridor(LOW, TREE, LOW), NOTHING, 2) is None
    assert way(corridor(LOW, WATER, LOW), frozenset({Obstacle.TREE}), 2) is None


def test_a_tree_is_cut_and_then_walked_over() -> None:
    route = way(corridor(LOW, TREE, LOW), ALL, 2)
    assert opened(route) == [Obstacle.TREE, None]
    assert route is not None
    assert [hop.cost for hop in route] == [1 + OBSTACLE_COSTS[Obstacle.TREE], 1]


def test_one_gets_onto_the_water_once_and_off_it_by_a_step() -> None:
    route = way(corridor(LOW, WATER, WATER, LOW), ALL, 3)
    assert opened(route) == [Obstacle.WATER, None, None]


def test_where_shore_and_water_do_not_join_nobody_gets_on_or_off() -> None:
    assert way(corridor(HIGH, WATER, LOW), ALL, 2) is None
    assert way(corridor(LOW, WATER, HIGH), ALL, 2) is None


def test_a_long_way_round_is_taken_rather_than_an_obstacle_opened() -> None:
    rows = [[LOW] * SIDE for _ in range(SIDE)]
    rows[3][1] = TREE
    route = way(Drawn(rows), ALL, 2)
    assert opened(route) == [None] * 4


def test_who_steps_where_a_script_waits_ends_elsewhere() -> None:
    slide = {(LANE, 1, 3): (LANE, 4, 3), (LANE, 5, 3): (BEDROOM, 2, 2)}
    world = world_of(corridor(*[LOW] * 6), carries=slide)
    start = Spot(LANE, 0, 3, TOWN)
    (first,) = [hop for hop in hops(world, start) if hop.facing is Facing.RIGHT]
    assert (first.to, first.cost) == (start._replace(x=4), 5)
    (last,) = [hop for hop in hops(world, first.to) if hop.facing is Facing.RIGHT]
    assert (last.to, last.cost) == (Spot(BEDROOM, 2, 2, TOWN), WARP_COST)


def test_ways_past_obstacles_are_the_same_world_while_the_same_things_are_passed() -> None:
    swimmer = WORLD.passing(frozenset({Obstacle.WATER}))
    assert swimmer is not WORLD
    assert swimmer.plain is WORLD
    assert WORLD.passing(frozenset({Obstacle.WATER})) is swimmer
    assert swimmer.passing(NOTHING) is WORLD
    assert WORLD.passing(NOTHING) is WORLD


def test_what_is_passed_and_what_has_changed_go_together() -> None:
    swimmer = WORLD.passing(frozenset({Obstacle.WATER}))
    changes = {BEDROOM: bytes(len(WORLD.map(BEDROOM).layout.blocks))}
    changed = swimmer.with_blocks(changes)
    assert (changed.passes, changed.changed) == (swimmer.passes, changes)
    assert changed is WORLD.with_blocks(changes).passing(swimmer.passes)
    assert changed.with_blocks({}) is swimmer


def test_far_from_any_obstacle_the_hops_are_the_plain_worlds_own() -> None:
    swimmer = WORLD.passing(ALL)
    inside = Spot(BEDROOM, 3, 6, TOWN)
    assert swimmer.alike(BEDROOM) is WORLD
    assert hops(swimmer, inside) is hops(WORLD, inside)
    assert swimmer.alike(TOWN) is swimmer


def test_the_pond_and_the_sapling_of_the_demo_are_told_as_what_they_are() -> None:
    assert WORLD.map(TOWN).obstacle(*ON_THE_POND) is Obstacle.WATER
    assert WORLD.map(TOWN).obstacle(*BY_THE_POND) is None
    assert WORLD.map(HEATHER_WAY).obstacle(*SAPLING) is Obstacle.TREE
    assert WORLD.map(TOWN).obstacle(-1, 0) is None


def test_distances_and_enclosures_see_the_ways_past_obstacles() -> None:
    swimmer = WORLD.passing(frozenset({Obstacle.WATER}))
    shore, pond = Spot(TOWN, *BY_THE_POND, TOWN), Spot(TOWN, *ON_THE_POND, TOWN)

    def arrived(spot: Spot) -> bool:
        return spot == pond

    assert enclosure(WORLD, shore, arrived, walls=frozenset()) is not None
    assert enclosure(swimmer, shore, arrived, walls=frozenset()) is None
    assert pond in Distances.of(swimmer).to(BEDROOM, shore)
    assert pond not in Distances.of(WORLD).to(BEDROOM, shore)


@pytest.fixture
def by_the_pond(played: Played) -> Iterator[Game]:
    with game_at(played.folder, free_in_town) as game:
        yield game


def free_in_town(state: State) -> bool:
    return state.game_started and state.in_control and state.map.map_id == TOWN


def test_an_obstacle_that_stays_is_given_up_at_once(by_the_pond: Game) -> None:
    """Nobody of the team knows how to surf, whatever a capability may say."""
    terrain = Terrain(WORLD)
    terrain.open([lambda _state: ALL])
    there = Destination(TOWN, frozenset({ON_THE_POND}))
    skill = travel(terrain, there, by_the_pond.state, patience=3)
    assert by_the_pond.carry_out(skill) is Outcome.BLOCKED
    assert not terrain.world(by_the_pond.state).map(TOWN).passable(*ON_THE_POND)
