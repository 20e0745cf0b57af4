"""Reachability in the demo's world, chapter by chapter."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping

import pytest

from tests.contract.places import GYM, HEATHER_WAY, NORTH_GATE, SOUTH_GATE, WOOD
from tests.contract.world_rom import Map, Person, Rom, Square, crossed_maps, made_maps, opened_maps
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
LANE, TRAINER_SLOT, WALKER_SLOT = 12, 1, 2
LANE_NEEDS_GRASS, LANE_NEEDS_LEDGE_ROWS = 2, 3
DOWN, SIDEWAYS = 0, {8, 12}
WALKS, UP_AND_DOWN = 0xFE, 0x01


@pytest.fixture(scope="session")
def reached(rom: Rom) -> set[Square]:
    start = Square(*(rom.number(f"START_{name}") for name in ("MAP", "X", "Y")))
    return set(walk([start], rom, crossed_maps(rom, trees=True, water=True)))


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


def all_ledges(
    rom: Rom, maps: dict[int, Map], reached: set[Square]
) -> list[tuple[Square, int, Square]]:
    return [
        (square, facing, landing)
        for square in sorted(reached)
        for facing, landing in landings(square, rom, maps)
    ]


def test_ledges_land_on_open_ground(rom: Rom, maps: dict[int, Map], reached: set[Square]) -> None:
    for _, _, (number, x, y) in all_ledges(rom, maps, reached):
        here = maps[number]
        assert here.walkable(x, y)
        assert (x, y) not in {(person.x, person.y) for person in here.people}


def test_every_ledge_has_another_way_back_up(
    rom: Rom, maps: dict[int, Map], reached: set[Square]
) -> None:
    trees_cut = crossed_maps(rom, trees=True, water=False)
    for top, _, landing in all_ledges(rom, maps, reached):
        passed = trees_cut if top.map == LEAP_LANE else maps
        assert top in walk([landing], rom, passed, inside=on_map(top.map))
        assert top not in neighbours(landing, rom, maps)


def test_only_a_cut_tree_opens_a_way_back_out_of_the_one_way_land(
    rom: Rom, maps: dict[int, Map]
) -> None:
    beyond = walk([Square(BURR_LANE, 4, 6)], rom, maps)
    assert {square.map for square in beyond} == {LEAP_LANE, BURR_LANE}
    assert min(square.x for square in beyond if square.map == LEAP_LANE) == 13


def test_every_ledge_can_be_jumped(rom: Rom, maps: dict[int, Map], reached: set[Square]) -> None:
    lane = maps[LANE]
    hopped = {
        (top.x + FACINGS[facing][0], top.y + FACINGS[facing][1])
        for top, facing, _ in all_ledges(rom, maps, reached)
        if top.map == LANE
    }
    rows = {y for x, y in hopped if (x, y + 1) not in hopped and (x, y - 1) not in hopped}
    assert len(rows) >= LANE_NEEDS_LEDGE_ROWS
    facings = {facing for top, facing, _ in all_ledges(rom, maps, reached) if top.map == LANE}
    assert DOWN in facings
    assert facings & SIDEWAYS
    assert all(not lane.walkable(x, y) for x, y in hopped)


def edge_squares(here: Map, direction: str) -> list[Square]:
    squares = (Square(here.number, x, y) for x, y in here.steps() if here.walkable(x, y))
    return [square for square in squares if edge(here, square, direction)]


def in_the_lane(square: Square) -> bool:
    return square.map == LANE


def least_grass(rom: Rom, maps: dict[int, Map]) -> tuple[int, int]:
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
        for square in filter(in_the_lane, neighbours(here, rom, maps)):
            is_grass = lane.tile(square.x, square.y) == grass
            cost = (patches + (is_grass and not was_grass), steps + is_grass)
            if square not in best or cost < best[square]:
                best[square] = cost
                heapq.heappush(queue, (cost, square))
    pytest.fail("the lane cannot be walked north")


def test_the_way_north_crosses_grass_twice(rom: Rom, maps: dict[int, Map]) -> None:
    patches, steps = least_grass(rom, maps)
    assert patches >= LANE_NEEDS_GRASS
    assert steps >= LANE_NEEDS_GRASS


def seen(rom: Rom, lane: Map) -> Iterator[Square]:
    """Yield the squares that the trainer of the lane sees."""
    trainer, header = lane.people[TRAINER_SLOT - 1], lane.trainer_headers()[0]
    across, down = FACINGS[(trainer.facing - 0xD0) * 4]
    for distance in range(1, (rom.data[header + 1] >> 4) + 1):
        yield Square(LANE, trainer.x + across * distance, trainer.y + down * distance)


def test_the_trainer_of_the_lane_cannot_be_passed_unseen(rom: Rom, maps: dict[int, Map]) -> None:
    lane, watched = maps[LANE], set(seen(rom, maps[LANE]))
    south, north = edge_squares(lane, "south"), edge_squares(lane, "north")
    assert set(north) <= set(walk(south, rom, maps, inside=in_the_lane))
    unseen = walk(south, rom, maps, inside=lambda s: in_the_lane(s) and s not in watched)
    assert not set(north) & set(unseen)


def test_the_way_home_is_shorter(rom: Rom, maps: dict[int, Map]) -> None:
    lane = maps[LANE]
    south, north = edge_squares(lane, "south"), edge_squares(lane, "north")
    up, down = (walk(starts, rom, maps, inside=in_the_lane) for starts in (south, north))
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


@pytest.fixture(scope="module")
def opened(rom: Rom) -> dict[int, Map]:
    return opened_maps(rom)


def trainers(here: Map, rom: Rom) -> list[tuple[Person, set[Square]]]:
    """Return the trainers of a map, and the squares each sees."""
    people = [person for person in here.people if person.is_trainer]
    found = []
    for person, header in zip(people, here.trainer_headers(), strict=True):
        across, down = FACINGS[(person.facing - 0xD0) * 4]
        sight = range(1, (rom.data[header + 1] >> 4) + 1)
        seen = {Square(here.number, person.x + across * n, person.y + down * n) for n in sight}
        found.append((person, seen))
    return found


def distance_to(person: Person) -> Callable[[Square], int]:
    return lambda square: abs(square.x - person.x) + abs(square.y - person.y)


def can_go(start: Square, goal: Square, rom: Rom, maps: dict[int, Map], shut: set[Square]) -> bool:
    """Return whether a way from `start` to `goal` on one map avoids the `shut` squares."""
    return goal in walk([start], rom, maps, inside=lambda s: s.map == start.map and s not in shut)


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
    rom: Rom, opened: dict[int, Map], start: Square, goal: Square, met: list[bool]
) -> None:
    people = trainers(opened[start.map], rom)
    assert [not can_go(start, goal, rom, opened, seen) for _, seen in people] == met
    avoidable = {s for (_, seen), must in zip(people, met, strict=True) if not must for s in seen}
    assert can_go(start, goal, rom, opened, avoidable)


def test_a_trainer_who_walked_up_never_blocks_the_way(rom: Rom, opened: dict[int, Map]) -> None:
    goals = {HEATHER_WAY: (GATE_DOOR, NORTH_END), WOOD: (WOOD_OUT,), GYM: (LEADER,)}
    for number, ends in goals.items():
        for person, seen in trainers(opened[number], rom):
            for met in seen:
                if not opened[number].walkable(met.x, met.y):
                    continue
                lane = {Square(number, person.x, person.y), *seen}
                beside = {s for s in lane if abs(s.x - met.x) + abs(s.y - met.y) == 1}
                nearest = min(beside, key=distance_to(person))
                assert any(can_go(met, goal, rom, opened, {nearest}) for goal in ends)


def test_the_halves_of_the_route_meet_only_through_the_wood(rom: Rom, maps: dict[int, Map]) -> None:
    here = maps[HEATHER_WAY]
    assert (2 * here.width, 2 * here.height) >= (20, 54)
    assert not can_go(SOUTH_END, NORTH_END, rom, maps, set())
    assert NORTH_END in walk([SOUTH_END], rom, maps)
    for closed in (WOOD, SOUTH_GATE, NORTH_GATE):
        assert NORTH_END not in walk([SOUTH_END], rom, maps, inside=off_map(closed))


def test_a_cut_tree_closes_the_short_cut(rom: Rom, maps: dict[int, Map]) -> None:
    here = maps[HEATHER_WAY]
    (cut_tree,) = [(x, y) for x, y in here.steps() if here.tile(x, y) == CUT_TREE]
    x, y = cut_tree
    assert CUT_TREE not in here.tileset.passable
    south = walk([SOUTH_END], rom, maps, inside=on_map(HEATHER_WAY))
    north = walk([NORTH_END], rom, maps, inside=on_map(HEATHER_WAY))
    assert Square(HEATHER_WAY, x, y + 1) in south
    assert Square(HEATHER_WAY, x, y - 1) in north


def test_a_person_wanders_in_a_corridor_one_step_wide(rom: Rom, maps: dict[int, Map]) -> None:
    (walker,) = [person for person in maps[HEATHER_WAY].people if person.movement == CHAPTER_WALKS]
    where = Square(HEATHER_WAY, walker.x, walker.y)
    assert not can_go(SOUTH_END, GATE_DOOR, rom, maps, {where})


def test_the_way_through_the_wood_is_a_maze_but_not_long(rom: Rom, maps: dict[int, Map]) -> None:
    wood = maps[WOOD]
    found = walk([WOOD_IN], rom, maps, inside=on_map(WOOD))
    assert found[WOOD_OUT] <= LONGEST_WAY
    assert len(found) > 4 * found[WOOD_OUT]  # most of it leads elsewhere
    assert wood.elevations


def test_the_raised_moss_is_climbed_from_the_east_only(rom: Rom, maps: dict[int, Map]) -> None:
    west, moss = Square(WOOD, 15, 26), Square(WOOD, 16, 26)
    found = walk([west], rom, maps, inside=on_map(WOOD))
    assert maps[WOOD].walkable(*moss[1:])
    assert found[moss] > LONG_WAY_ROUND


def test_the_leader_cannot_be_reached_before_the_gate_is_open(rom: Rom) -> None:
    assert not can_go(GYM_IN, LEADER, rom, made_maps(rom), set())
    assert can_go(GYM_IN, LEADER, rom, opened_maps(rom), set())


STONECROSS, FENMOUTH, CAIRN_ISLE, SORREL_ROAD = 2, 3, 8, 14
CARVER, LAMP_HOUSE, FERRYMAN, STEVEDORE = 55, 57, 62, 63
MURK_HOLLOW, CAIRN_HOLLOW, FEN_GYM, ISLE_GYM = 82, 108, 65, 166
ROAD_END = Square(STONECROSS, 19, 14)
HOLLOW_IN, HOLLOW_OUT = Square(CAIRN_HOLLOW, 2, 15), Square(CAIRN_HOLLOW, 12, 0)
CAVERN = 17
ISLE_LONGEST_WAY = 40


@pytest.fixture(scope="module")
def walked(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=False, water=False)


@pytest.fixture(scope="module")
def cut(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=True, water=False)


@pytest.fixture(scope="module")
def surfed(rom: Rom) -> Mapping[int, Map]:
    return crossed_maps(rom, trees=True, water=True)


def places(rom: Rom, maps: Mapping[int, Map]) -> set[int]:
    """Return every map that is reachable from the end of Stonecross."""
    return {square.map for square in walk([ROAD_END], rom, maps)}


def test_the_giver_of_cut_lives_before_the_tree(rom: Rom, walked: Mapping[int, Map]) -> None:
    found = places(rom, walked)
    assert {SORREL_ROAD, CARVER, LAMP_HOUSE} <= found
    assert not {MURK_HOLLOW, FENMOUTH} & found


def test_behind_the_tree_lies_fenmouth_all_of_it_before_the_water(
    rom: Rom, cut: Mapping[int, Map]
) -> None:
    found = places(rom, cut)
    assert {MURK_HOLLOW, FENMOUTH, FERRYMAN, STEVEDORE, FEN_GYM} <= found
    assert not {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} & found


def test_fenmouth_is_reached_only_through_the_dark_cave(
    rom: Rom, surfed: Mapping[int, Map]
) -> None:
    around = walk([ROAD_END], rom, surfed, inside=off_map(MURK_HOLLOW))
    assert FENMOUTH not in {square.map for square in around}


def test_the_last_gym_is_reached_over_the_water_and_through_the_hollow(
    rom: Rom, surfed: Mapping[int, Map]
) -> None:
    assert {CAIRN_ISLE, CAIRN_HOLLOW, ISLE_GYM} <= places(rom, surfed)
    around = walk([ROAD_END], rom, surfed, inside=off_map(CAIRN_HOLLOW))
    assert ISLE_GYM not in {square.map for square in around}


def test_the_slab_is_in_the_only_way_through_the_hollow(rom: Rom) -> None:
    shut = walk([HOLLOW_IN], rom, made_maps(rom), inside=on_map(CAIRN_HOLLOW))
    assert HOLLOW_OUT not in shut
    opened = walk([HOLLOW_IN], rom, opened_maps(rom), inside=on_map(CAIRN_HOLLOW))
    assert opened[HOLLOW_OUT] <= ISLE_LONGEST_WAY


def test_the_hollows_are_caves(surfed: Mapping[int, Map]) -> None:
    assert {surfed[number].tileset_id for number in (MURK_HOLLOW, CAIRN_HOLLOW)} == {CAVERN}
