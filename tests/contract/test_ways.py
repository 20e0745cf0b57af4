"""Reachability in the demo's world, chapter by chapter."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import pytest

from tests.contract.places import GYM, HEATHER_WAY, NORTH_GATE, SOUTH_GATE, WOOD
from tests.contract.world_rom import Map, Person, Rom, Square, crossed_maps, opened_maps
from tests.contract.world_ways import (
    FACINGS,
    WAYS,
    crossed,
    landings,
    neighbours,
    off_map,
    on_map,
    walk,
)
from tests.contract.world_ways import WALKS as CHAPTER_WALKS

LEAP_LANE, BURR_LANE = 19, 20  # the one way land behind a ledge
LANE, WALKER_SLOT = 12, 2
LANE_NEEDS_GRASS, LANE_NEEDS_LEDGE_ROWS = 2, 3
DOWN, SIDEWAYS = 0, {8, 12}
WALKS, UP_AND_DOWN = 0xFE, 0x01


@pytest.fixture(scope="module")
def opened(rom: Rom) -> dict[int, Map]:
    return opened_maps(rom)


@pytest.fixture(scope="module")
def cut(rom: Rom) -> dict[int, Map]:
    return crossed_maps(rom, trees=True, water=False)


@pytest.fixture(scope="module")
def surfed(rom: Rom) -> dict[int, Map]:
    return crossed_maps(rom, trees=True, water=True)


@pytest.fixture(scope="module")
def reached(rom: Rom, surfed: dict[int, Map]) -> set[Square]:
    start = Square(*(rom.number(f"START_{name}") for name in ("MAP", "X", "Y")))
    return set(walk([start], surfed))


@pytest.fixture(scope="module")
def ledges(maps: dict[int, Map], reached: set[Square]) -> list[tuple[Square, int, Square]]:
    """All ledges: the square above, the facing of the jump, and the square below."""
    tops = sorted(reached)
    return [(top, facing, below) for top in tops for facing, below in landings(top, maps)]


def beside(square: Square, reached: set[Square]) -> bool:
    return any(Square(square.map, square.x + x, square.y + y) in reached for x, y in WAYS)


def can_be_spoken_to(here: Map, person: Person, reached: set[Square]) -> bool:
    """Return whether the player can stand beside them, or across a counter."""
    counters = set(here.tileset.counters)
    for across, down in WAYS:
        x, y = person.x + across, person.y + down
        if here.holds(x, y) and here.tile(x, y) in counters:
            x, y = x + across, y + down
        if Square(here.number, x, y) in reached:
            return True
    return False


def test_every_place_can_be_reached(maps: dict[int, Map], reached: set[Square]) -> None:
    assert {square.map for square in reached} == set(maps)
    for each in maps.values():
        for warp in each.warps:
            assert Square(each.number, warp.x, warp.y) in reached
        for x, y, _ in each.signs:
            assert beside(Square(each.number, x, y), reached)
        for person in each.people:
            assert can_be_spoken_to(each, person, reached)


def test_every_connection_can_be_walked(maps: dict[int, Map], reached: set[Square]) -> None:
    for each in maps.values():
        for direction in each.connections:
            edges = [s for s in reached if s.map == each.number and edge(each, s, direction)]
            landings = [crossed(each, direction, s.x, s.y) for s in edges]
            assert any(landing in reached for landing in landings)


def edge(each: Map, square: Square, direction: str) -> bool:
    sides = {"north": square.y == 0, "south": square.y == 2 * each.height - 1}
    sides |= {"west": square.x == 0, "east": square.x == 2 * each.width - 1}
    return sides[direction]


def test_no_open_ground_is_walled_off(maps: dict[int, Map], reached: set[Square]) -> None:
    for each in maps.values():
        taken = {(person.x, person.y) for person in each.people}
        for x, y in each.steps():
            if each.walkable(x, y) and (x, y) not in taken:
                assert Square(each.number, x, y) in reached


def test_edges_are_open_only_where_a_map_follows(maps: dict[int, Map]) -> None:
    for each in maps.values():
        warps = {(warp.x, warp.y) for warp in each.warps}
        for x, y in each.steps():
            for direction in each.connections if each.walkable(x, y) else ():
                if edge(each, Square(each.number, x, y), direction) and (x, y) not in warps:
                    landing = crossed(each, direction, x, y)
                    assert maps[landing.map].walkable(landing.x, landing.y)


def test_ledges_land_on_open_ground_with_another_way_back_up(
    maps: dict[int, Map], cut: dict[int, Map], ledges: list[tuple[Square, int, Square]]
) -> None:
    for top, _, landing in ledges:
        number, x, y = landing
        assert maps[number].walkable(x, y)
        assert (x, y) not in {(person.x, person.y) for person in maps[number].people}
        passed = cut if top.map == LEAP_LANE else maps
        assert top in walk([landing], passed, inside=on_map(top.map))
        assert top not in neighbours(landing, maps)


def test_only_a_cut_tree_opens_a_way_back_out_of_the_one_way_land(maps: dict[int, Map]) -> None:
    beyond = walk([Square(BURR_LANE, 4, 6)], maps)
    assert {square.map for square in beyond} == {LEAP_LANE, BURR_LANE}
    assert min(square.x for square in beyond if square.map == LEAP_LANE) == 13


def test_every_ledge_of_the_lane_can_be_jumped(
    maps: dict[int, Map], ledges: list[tuple[Square, int, Square]]
) -> None:
    jumped = [(top, facing) for top, facing, _ in ledges if top.map == LANE]
    hopped = {(x + FACINGS[facing][0], y + FACINGS[facing][1]) for (_, x, y), facing in jumped}
    rows = {y for x, y in hopped if (x, y + 1) not in hopped and (x, y - 1) not in hopped}
    assert len(rows) >= LANE_NEEDS_LEDGE_ROWS
    facings = {facing for _, facing in jumped}
    assert DOWN in facings
    assert facings & SIDEWAYS
    assert all(not maps[LANE].walkable(x, y) for x, y in hopped)


def edge_squares(here: Map, direction: str) -> list[Square]:
    squares = (Square(here.number, x, y) for x, y in here.steps() if here.walkable(x, y))
    return [square for square in squares if edge(here, square, direction)]


def in_the_lane(square: Square) -> bool:
    return square.map == LANE


def least_grass(maps: dict[int, Map]) -> tuple[int, int]:
    """Return how many patches and how many steps of grass the way north through the lane needs."""
    lane = maps[LANE]
    goals, grass = set(edge_squares(lane, "north")), lane.tileset.grass
    best = dict.fromkeys(edge_squares(lane, "south"), (0, 0))
    queue = [(cost, square) for square, cost in best.items()]
    while queue:
        (patches, steps), here = heapq.heappop(queue)
        if here in goals:
            return patches, steps
        was_grass = lane.tile(here.x, here.y) == grass
        for square in filter(in_the_lane, neighbours(here, maps)):
            is_grass = lane.tile(square.x, square.y) == grass
            cost = (patches + (is_grass and not was_grass), steps + is_grass)
            if square not in best or cost < best[square]:
                best[square] = cost
                heapq.heappush(queue, (cost, square))
    pytest.fail("the lane cannot be walked north")


def test_the_way_north_crosses_grass_twice(maps: dict[int, Map]) -> None:
    patches, steps = least_grass(maps)
    assert patches >= LANE_NEEDS_GRASS
    assert steps >= LANE_NEEDS_GRASS


def test_the_trainer_of_the_lane_cannot_be_passed_unseen(maps: dict[int, Map]) -> None:
    lane = maps[LANE]
    ((_, watched),) = trainers(lane)
    south, north = edge_squares(lane, "south"), edge_squares(lane, "north")
    assert set(north) <= set(walk(south, maps, inside=in_the_lane))
    unseen = walk(south, maps, inside=lambda s: in_the_lane(s) and s not in watched)
    assert not set(north) & set(unseen)


def test_the_way_home_is_shorter(maps: dict[int, Map]) -> None:
    lane = maps[LANE]
    south, north = edge_squares(lane, "south"), edge_squares(lane, "north")
    up, down = (walk(starts, maps, inside=in_the_lane) for starts in (south, north))
    assert min(down[square] for square in south) < min(up[square] for square in north)


def test_the_walker_of_the_lane_wanders_where_two_can_pass(maps: dict[int, Map]) -> None:
    lane = maps[LANE]
    walker = lane.people[WALKER_SLOT - 1]
    assert walker.movement == WALKS
    assert sum(lane.walkable(x, walker.y) for x in range(2 * lane.width)) == 2


def test_scenes_have_room_in_the_lab(rom: Rom, maps: dict[int, Map]) -> None:
    lab = maps[rom.number("MAP_LAB")]
    assert [x for x in range(2 * lab.width) if lab.walkable(x, 6)] == [4, 5]
    assert all(lab.walkable(x, y) for x in range(2 * lab.width) for y in (4, 5))
    assert not {person.x for person in lab.people if person.movement == WALKS} & {4, 5}
    assert all(person.facing == UP_AND_DOWN for person in lab.people if person.movement == WALKS)


CUT_TREE = 0x3D
LONGEST_WAY = 150
SOUTH_END, NORTH_END = Square(HEATHER_WAY, 9, 55), Square(HEATHER_WAY, 9, 0)
GATE_DOOR, GATE_BACK = Square(HEATHER_WAY, 3, 31), Square(HEATHER_WAY, 4, 11)
WOOD_IN, WOOD_OUT = Square(WOOD, 14, 33), Square(WOOD, 2, 0)
GYM_IN, GYM_LEVERS, LEADER = Square(GYM, 4, 17), Square(GYM, 2, 8), Square(GYM, 4, 3)
RIGHT_LEVER = Square(GYM, 7, 8)
LONG_WAY_ROUND = 20


def trainers(here: Map) -> list[tuple[Person, set[Square]]]:
    """Return the trainers of a map, and the squares each sees."""
    people = [person for person in here.people if person.is_trainer]
    found = []
    for person, header in zip(people, here.trainer_headers(), strict=True):
        across, down = FACINGS[(person.facing - 0xD0) * 4]
        sight = range(1, (here.rom.data[header + 1] >> 4) + 1)
        seen = {Square(here.number, person.x + across * n, person.y + down * n) for n in sight}
        found.append((person, seen))
    return found


def distance_to(person: Person) -> Callable[[Square], int]:
    return lambda square: abs(square.x - person.x) + abs(square.y - person.y)


def can_go(start: Square, goal: Square, maps: dict[int, Map], shut: set[Square]) -> bool:
    """Return whether a way from `start` to `goal` on one map avoids the `shut` squares."""
    return goal in walk([start], maps, inside=lambda s: s.map == start.map and s not in shut)


@pytest.mark.parametrize(
    ("start", "goal", "met"),
    [
        (SOUTH_END, GATE_DOOR, [True, False]),
        (GATE_BACK, NORTH_END, [False, False]),
        (WOOD_IN, WOOD_OUT, [False, False, True]),
        (GYM_IN, GYM_LEVERS, [True, False, False]),
        (GYM_IN, RIGHT_LEVER, [True, False, False]),
    ],
)
def test_some_trainers_must_be_met_and_others_need_not(
    opened: dict[int, Map], start: Square, goal: Square, met: list[bool]
) -> None:
    people = trainers(opened[start.map])
    assert [not can_go(start, goal, opened, seen) for _, seen in people] == met
    avoidable = {s for (_, seen), must in zip(people, met, strict=True) if not must for s in seen}
    assert can_go(start, goal, opened, avoidable)


def test_a_trainer_who_walked_up_never_blocks_the_way(opened: dict[int, Map]) -> None:
    goals = {HEATHER_WAY: (GATE_DOOR, NORTH_END), WOOD: (WOOD_OUT,), GYM: (LEADER,)}
    for number, ends in goals.items():
        for person, seen in trainers(opened[number]):
            for met in seen:
                if not opened[number].walkable(met.x, met.y):
                    continue
                lane = {Square(number, person.x, person.y), *seen}
                beside = {s for s in lane if abs(s.x - met.x) + abs(s.y - met.y) == 1}
                nearest = min(beside, key=distance_to(person))
                assert any(can_go(met, goal, opened, {nearest}) for goal in ends)


def test_the_halves_of_the_route_meet_only_through_the_wood(maps: dict[int, Map]) -> None:
    here = maps[HEATHER_WAY]
    assert (2 * here.width, 2 * here.height) >= (20, 54)
    assert not can_go(SOUTH_END, NORTH_END, maps, set())
    assert NORTH_END in walk([SOUTH_END], maps)
    for closed in (WOOD, SOUTH_GATE, NORTH_GATE):
        assert NORTH_END not in walk([SOUTH_END], maps, inside=off_map(closed))


def test_a_cut_tree_closes_the_short_cut(maps: dict[int, Map]) -> None:
    here = maps[HEATHER_WAY]
    (cut_tree,) = [(x, y) for x, y in here.steps() if here.tile(x, y) == CUT_TREE]
    x, y = cut_tree
    assert CUT_TREE not in here.tileset.passable
    south = walk([SOUTH_END], maps, inside=on_map(HEATHER_WAY))
    north = walk([NORTH_END], maps, inside=on_map(HEATHER_WAY))
    assert Square(HEATHER_WAY, x, y + 1) in south
    assert Square(HEATHER_WAY, x, y - 1) in north


def test_a_person_wanders_in_a_corridor_one_step_wide(maps: dict[int, Map]) -> None:
    (walker,) = [person for person in maps[HEATHER_WAY].people if person.movement == CHAPTER_WALKS]
    where = Square(HEATHER_WAY, walker.x, walker.y)
    assert not can_go(SOUTH_END, GATE_DOOR, maps, {where})


def test_the_way_through_the_wood_is_a_maze_but_not_long(maps: dict[int, Map]) -> None:
    wood = maps[WOOD]
    found = walk([WOOD_IN], maps, inside=on_map(WOOD))
    assert found[WOOD_OUT] <= LONGEST_WAY
    assert len(found) > 4 * found[WOOD_OUT]  # most of it leads elsewhere
    assert wood.elevations


def test_the_raised_moss_is_climbed_from_the_east_only(maps: dict[int, Map]) -> None:
    west, moss = Square(WOOD, 15, 26), Square(WOOD, 16, 26)
    found = walk([west], maps, inside=on_map(WOOD))
    assert maps[WOOD].walkable(*moss[1:])
    assert found[moss] > LONG_WAY_ROUND


def test_the_leader_cannot_be_reached_before_the_gate_is_open(
    maps: dict[int, Map], opened: dict[int, Map]
) -> None:
    assert not can_go(GYM_IN, LEADER, maps, set())
    assert can_go(GYM_IN, LEADER, opened, set())


STONECROSS, FENMOUTH, CAIRN_ISLE, SORREL_ROAD = 2, 3, 8, 14
CARVER, LAMP_HOUSE, FERRYMAN, STEVEDORE = 55, 57, 62, 63
MURK_HOLLOW, CAIRN_HOLLOW, FEN_GYM, ISLE_GYM = 82, 108, 65, 166
ROAD_END = Square(STONECROSS, 19, 14)
HOLLOW_IN, HOLLOW_OUT = Square(CAIRN_HOLLOW, 2, 15), Square(CAIRN_HOLLOW, 12, 0)
CAVERN = 17
ISLE_LONGEST_WAY = 40


def places(maps: dict[int, Map], shut: int | None = None) -> set[int]:
    """Return every map that is reachable from the end of Stonecross without entering one."""
    return {square.map for square in walk([ROAD_END], maps, inside=lambda s: s.map != shut)}


def test_the_giver_of_cut_lives_before_the_tree(opened: dict[int, Map]) -> None:
    found = places(opened)
    assert {SORREL_ROAD, CARVER, LAMP_HOUSE} <= found
    assert not {MURK_HOLLOW, FENMOUTH} & found


def test_behind_the_tree_lies_fenmouth_all_of_it_before_the_water(cut: dict[int, Map]) -> None:
    found = places(cut)
    assert {MURK_HOLLOW, FENMOUTH, FERRYMAN, STEVEDORE, FEN_GYM} <= found
    assert not {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} & found


def test_the_towns_beyond_are_reached_only_through_their_caves(surfed: dict[int, Map]) -> None:
    assert {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} <= places(surfed)
    for cave, beyond in ((MURK_HOLLOW, FENMOUTH), (CAIRN_HOLLOW, ISLE_GYM)):
        assert surfed[cave].tileset_id == CAVERN
        assert beyond not in places(surfed, shut=cave)


def test_the_slab_is_in_the_only_way_through_the_hollow(
    maps: dict[int, Map], opened: dict[int, Map]
) -> None:
    shut, free = (walk([HOLLOW_IN], each, inside=on_map(CAIRN_HOLLOW)) for each in (maps, opened))
    assert HOLLOW_OUT not in shut
    assert free[HOLLOW_OUT] <= ISLE_LONGEST_WAY
