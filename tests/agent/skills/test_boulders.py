"""Boulders and other obstacles: fewest pushes, trees, water, locked doors, script squares."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from agent.skills import Destination, Outcome, Terrain, travel
from agent.skills.boulders import BoulderRoom, Push, Square, find_pushes
from agent.skills.distances import Distances
from agent.skills.route import OBSTACLE_COSTS, WARP_COST, Hop, Spot, enclosure, find_route, hops
from agent.skills.terrain import boulders_elsewhere
from emulator import Facing, MapSquare, Obstacle
from emulator.world import MapObjectKind
from emulator.world.world import Floor
from tests.agent.demo import WORLD, free_in
from tests.agent.skills.drawn import (
    HIGH,
    LANE,
    LOW,
    SIDE,
    STAIRS,
    TREE,
    WALL,
    WATER,
    Drawn,
    world_of,
)
from tests.agent.support import Game, game_fixture
from tests.emulator.synthetic.facts import FOLDER, MISSING

BOULDER: Final = MapObjectKind.BOULDER
FACTS: Final = FOLDER / "progression.json"
TILES: Final = {"#": WALL, ".": LOW, "^": HIGH, "=": STAIRS}
WAYS: Final = {"down": Facing.DOWN, "up": Facing.UP, "left": Facing.LEFT, "right": Facing.RIGHT}


def room(*rows: str) -> tuple[BoulderRoom, Spot, Square]:
    """Return a drawn room: boulders 1, 2..., `@` the player, `!` the goal, `x` a hidden or collected object."""
    signs = {
        sign: (x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in "123@!x"
    }
    floor = [[TILES.get(sign, LOW) for sign in row] for row in rows]
    x, y = signs["@"]
    boulders = {int(sign): at for sign, at in signs.items() if sign.isdigit()}
    blocked = frozenset({signs["x"]} if "x" in signs else ())
    world = world_of(Drawn(floor))
    return BoulderRoom(world, boulders, frozenset(), blocked), Spot(LANE, x, y), signs["!"]


def pushes(*rows: str) -> list[Push] | None:
    drawn, here, goal = room(*rows)
    return find_pushes(drawn, here, 1, goal)


def test_a_boulder_is_pushed_straight_and_round_a_corner() -> None:
    found = pushes("......", ".@1...", "......", "....!.", "......")
    assert found is not None
    assert len(found) == 4
    assert found[0][:3] in {(1, (1, 1), Facing.RIGHT), (1, (2, 0), Facing.DOWN)}
    assert found[0].way[-1].to[1:3] == found[0].stand


def test_a_boulder_in_a_corner_cannot_be_pushed() -> None:
    assert pushes("1...", "....", "..!@") is None


@pytest.mark.parametrize("closed", ["#", "=", "x"])
def test_walls_stairs_and_hidden_objects_block_boulders(closed: str) -> None:
    assert pushes("#####", f"@1{closed}.!", "#####") is None
    assert pushes("#####", "@1..!", "#####") is not None


def test_a_boulder_is_not_pushed_over_a_height_edge() -> None:
    assert pushes("#####", "@1^.!", "#####") is None


def test_another_boulder_is_passed_rather_than_pushed() -> None:
    wide = "........."
    found = pushes(wide, wide, "@1..2.!..", wide, wide)
    assert found is not None
    assert [push.slot for push in found] == [1] * 7


def test_a_boulder_in_the_only_way_is_pushed_first() -> None:
    found = pushes("########", "@2...###", "##.1.!##", "##...###")
    assert found is not None
    assert [push.slot for push in found] == [2, 2, 1, 1]


def test_a_mat_is_stood_on_only_if_needed() -> None:
    rows = [[LOW] * 5 for _ in range(5)]
    mats = [(x, 4) for x in range(5)]
    room = BoulderRoom(world_of(Drawn(rows), mats=mats), {1: (2, 3)}, frozenset(), frozenset())
    from_below = find_pushes(room, Spot(LANE, 0, 0), 1, (2, 1))
    assert from_below is not None
    assert [push.stand for push in from_below] == [(2, 4), (2, 3)]
    along = find_pushes(room, Spot(LANE, 0, 3), 1, (4, 3))
    assert along is not None
    assert not {(hop.to.x, hop.to.y) for push in along for hop in push.way} & set(mats)


def solved_puzzles() -> list[Mapping[str, Any]]:
    if not FACTS.exists():
        return []
    puzzles: list[Mapping[str, Any]] = json.loads(FACTS.read_text(encoding="utf-8"))[
        "strength_puzzles"
    ]
    return puzzles


@pytest.mark.skipif(not FACTS.exists(), reason=MISSING)
@pytest.mark.parametrize("puzzle", solved_puzzles(), ids=lambda each: each["id"])
def test_solved_puzzles_of_red_take_no_more_pushes(puzzle: Mapping[str, Any]) -> None:
    """The facts hold no blocks: the room is the path of the solution, one step around it, mats, and walls."""
    start, goal = tuple(puzzle["boulder_start"]), tuple(puzzle["goal"])
    facts = _map(puzzle["map"])
    floor = {(x, y) for x, y in _floor(puzzle) if x < facts["w_steps"] and y < facts["h_steps"]}
    width, height = (max(at) + 2 for at in zip(*floor, strict=True))
    drawn = Drawn([[LOW if (x, y) in floor else WALL for x in range(width)] for y in range(height)])
    x, y = puzzle["pushes"][0]["stand"]
    # The exit mats.
    mats = [(each["x"], each["y"]) for each in facts["warps"] if each["trigger"] == "press"]
    world = world_of(drawn, mats=mats)
    found = find_pushes(
        BoulderRoom(world, {1: start}, frozenset(), frozenset()), Spot(LANE, x, y), 1, goal
    )
    assert found is not None
    assert len(found) <= puzzle["total_pushes"]
    assert len(found) >= abs(start[0] - goal[0]) + abs(start[1] - goal[1])


def _map(map_id: int) -> Mapping[str, Any]:
    maps = json.loads((FOLDER / "maps.json").read_text(encoding="utf-8"))["maps"]
    return next(each for each in maps if each["id"] == map_id)


def _floor(puzzle: Mapping[str, Any]) -> Iterator[Square]:
    """Yield the squares that the boulder or the player crosses, and all squares around them."""
    for push in puzzle["pushes"]:
        facing = WAYS[push["dir"]]
        x, y = push["stand"]
        for step in range(push["count"] + 2):
            at = (x + step * facing.dx, y + step * facing.dy)
            around = ((at[0] + dx, at[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
            yield from (square for square in around if min(square) >= 0)


TOWN, HEATHER_WAY, BEDROOM = 0, 13, 38
BY_THE_POND, ON_THE_POND = (13, 9), (13, 10)  # of the town
CUT_TREE = (16, 12)  # of Heather Way
ALL: Final = frozenset(Obstacle)
NOTHING: Final = frozenset[Obstacle]()


def corridor(*tiles: int) -> Drawn:
    """Return a corridor from west to east with walls around."""
    rows = [[WALL] * SIDE for _ in range(SIDE)]
    rows[3][: len(tiles)] = tiles
    return Drawn(rows)


def way(drawn: Drawn, passes: frozenset[Obstacle], end: int) -> list[Hop] | None:
    """Return the route along a corridor from its beginning."""
    return find_route(
        world_of(drawn, passes), Spot(LANE, 0, 3), lambda spot: (spot.x, spot.y) == (end, 3)
    )


def obstacles_of(route: list[Hop] | None) -> list[Obstacle | Floor | None]:
    assert route is not None
    return [hop.by for hop in route]


def test_an_obstacle_that_cannot_be_cleared_is_a_wall() -> None:
    assert way(corridor(LOW, TREE, LOW), NOTHING, 2) is None
    assert way(corridor(LOW, WATER, LOW), frozenset({Obstacle.TREE}), 2) is None


def test_a_tree_is_cut_and_then_walked_over() -> None:
    route = way(corridor(LOW, TREE, LOW), ALL, 2)
    assert obstacles_of(route) == [Obstacle.TREE, None]
    assert route is not None
    assert [hop.cost for hop in route] == [1 + OBSTACLE_COSTS[Obstacle.TREE], 1]


def test_surf_starts_once_and_ends_by_a_step() -> None:
    route = way(corridor(LOW, WATER, WATER, LOW), ALL, 3)
    assert obstacles_of(route) == [Obstacle.WATER, None, None]


def test_an_edge_between_shore_and_water_blocks_surf() -> None:
    assert way(corridor(HIGH, WATER, LOW), ALL, 2) is None
    assert way(corridor(LOW, WATER, HIGH), ALL, 2) is None


def test_a_short_detour_is_preferred_to_clearing_an_obstacle() -> None:
    rows = [[LOW] * SIDE for _ in range(SIDE)]
    rows[3][1] = TREE
    route = way(Drawn(rows), ALL, 2)
    assert obstacles_of(route) == [None] * 4


def test_a_step_onto_a_script_square_ends_elsewhere() -> None:
    slide = {(LANE, 1, 3): (LANE, 4, 3), (LANE, 5, 3): (BEDROOM, 2, 2)}
    world = world_of(corridor(*[LOW] * 6), carries=slide)
    start = Spot(LANE, 0, 3)
    (first,) = [hop for hop in hops(world, start) if hop.facing is Facing.RIGHT]
    assert (first.to, first.cost) == (start._replace(x=4), 5)
    (last,) = [hop for hop in hops(world, first.to) if hop.facing is Facing.RIGHT]
    assert (last.to, last.cost) == (Spot(BEDROOM, 2, 2), WARP_COST)


def test_the_same_cleared_obstacles_give_the_same_world() -> None:
    surfing = WORLD.passing(frozenset({Obstacle.WATER}))
    assert surfing is not WORLD
    assert surfing.plain is WORLD
    assert WORLD.passing(frozenset({Obstacle.WATER})) is surfing
    assert surfing.passing(NOTHING) is WORLD
    assert WORLD.passing(NOTHING) is WORLD


def test_cleared_obstacles_and_changed_blocks_combine() -> None:
    surfing = WORLD.passing(frozenset({Obstacle.WATER}))
    changes = {BEDROOM: bytes(len(WORLD.map(BEDROOM).layout.blocks))}
    changed = surfing.with_blocks(changes)
    assert (changed.passes, changed.changed) == (surfing.passes, changes)
    assert changed is WORLD.with_blocks(changes).passing(surfing.passes)
    assert changed.with_blocks({}) is surfing


def test_maps_without_obstacles_share_the_hops_of_the_plain_world() -> None:
    surfing = WORLD.passing(ALL)
    inside = Spot(BEDROOM, 3, 6)
    assert surfing.simplest_equal(BEDROOM) is WORLD
    assert hops(surfing, inside) is hops(WORLD, inside)
    assert surfing.simplest_equal(TOWN) is surfing


def test_pond_and_cut_tree_of_the_demo_are_obstacles() -> None:
    assert WORLD.map(TOWN).obstacle(*ON_THE_POND) is Obstacle.WATER
    assert WORLD.map(TOWN).obstacle(*BY_THE_POND) is None
    assert WORLD.map(HEATHER_WAY).obstacle(*CUT_TREE) is Obstacle.TREE
    assert WORLD.map(TOWN).obstacle(-1, 0) is None


def test_distances_and_enclosures_include_cleared_obstacles() -> None:
    surfing = WORLD.passing(frozenset({Obstacle.WATER}))
    shore, pond = Spot(TOWN, *BY_THE_POND), Spot(TOWN, *ON_THE_POND)

    def arrived(spot: Spot) -> bool:
        return spot == pond

    assert enclosure(WORLD, shore, arrived, walls=frozenset()) is not None
    assert enclosure(surfing, shore, arrived, walls=frozenset()) is None
    assert pond in Distances.of(surfing).to(BEDROOM, shore)
    assert pond not in Distances.of(WORLD).to(BEDROOM, shore)


by_the_pond = game_fixture(free_in(TOWN))


def test_an_obstacle_that_cannot_be_cleared_blocks_at_once(by_the_pond: Game) -> None:
    """No mon knows SURF, although the passage claims so."""
    terrain = Terrain(WORLD)
    terrain.set_passages([lambda _state: ALL])
    there = Destination(TOWN, frozenset({ON_THE_POND}))
    skill = travel(terrain, there, by_the_pond.state, patience=3)
    assert by_the_pond.carry_out(skill) is Outcome.BLOCKED
    assert not terrain.world(by_the_pond.state).map(TOWN).passable(*ON_THE_POND)


def test_boulders_of_other_maps_are_in_the_way_unless_they_are_hidden() -> None:
    with_boulders = {
        each.map_id: {(each.map_id, who.x, who.y) for who in each.people if who.kind is BOULDER}
        for each in WORLD.maps
    }
    every = set[MapSquare]().union(*with_boulders.values())
    none, all_ = bytes(32), bytes([0xFF] * 32)
    for map_id, own in with_boulders.items():
        assert boulders_elsewhere(WORLD, map_id, none) == every - own
        assert boulders_elsewhere(WORLD, map_id, all_) <= every - own
    assert every
