"""Everything in the world can be walked to, and its ledges and lane keep their promises."""

import heapq
from collections.abc import Iterator

import pytest

from tests.contract.world_rom import Map, Person, Rom, Square, crossed_maps
from tests.contract.world_ways import FACINGS, WAYS, crossed, landings, neighbours, on_map, walk

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
    """Whether one can stand beside them, or across a counter."""
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


def all_hops(
    rom: Rom, maps: dict[int, Map], reached: set[Square]
) -> list[tuple[Square, int, Square]]:
    return [
        (square, facing, landing)
        for square in sorted(reached)
        for facing, landing in landings(square, rom, maps)
    ]


def test_one_lands_from_a_ledge_on_open_ground(
    rom: Rom, maps: dict[int, Map], reached: set[Square]
) -> None:
    for _, _, (number, x, y) in all_hops(rom, maps, reached):
        here = maps[number]
        assert here.walkable(x, y)
        assert (x, y) not in {(person.x, person.y) for person in here.people}


def test_from_below_each_ledge_there_is_another_way_round(
    rom: Rom, maps: dict[int, Map], reached: set[Square]
) -> None:
    for top, _, landing in all_hops(rom, maps, reached):
        assert top in walk([landing], rom, maps, inside=on_map(top.map))
        assert top not in neighbours(landing, rom, maps)


def test_every_ledge_can_be_hopped(rom: Rom, maps: dict[int, Map], reached: set[Square]) -> None:
    lane = maps[LANE]
    hopped = {
        (top.x + FACINGS[facing][0], top.y + FACINGS[facing][1])
        for top, facing, _ in all_hops(rom, maps, reached)
        if top.map == LANE
    }
    rows = {y for x, y in hopped if (x, y + 1) not in hopped and (x, y - 1) not in hopped}
    assert len(rows) >= LANE_NEEDS_LEDGE_ROWS
    facings = {facing for top, facing, _ in all_hops(rom, maps, reached) if top.map == LANE}
    assert DOWN in facings
    assert facings & SIDEWAYS
    assert all(not lane.walkable(x, y) for x, y in hopped)


def edge_squares(here: Map, direction: str) -> list[Square]:
    squares = (Square(here.number, x, y) for x, y in here.steps() if here.walkable(x, y))
    return [square for square in squares if edge(here, square, direction)]


def in_the_lane(square: Square) -> bool:
    return square.map == LANE


def least_grass(rom: Rom, maps: dict[int, Map]) -> tuple[int, int]:
    """Return how many patches, and how many steps of grass, the way north through the lane needs."""
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
    """Yield the squares the trainer of the lane looks at."""
    trainer, header = lane.people[TRAINER_SLOT - 1], lane.trainer_headers()[0]
    across, down = FACINGS[(trainer.facing - 0xD0) * 4]
    for distance in range(1, (rom.data[header + 1] >> 4) + 1):
        yield Square(LANE, trainer.x + across * distance, trainer.y + down * distance)


def test_nobody_passes_the_trainer_unseen(rom: Rom, maps: dict[int, Map]) -> None:
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
    wanderers = {person.x for person in lab.people if person.movement == WALKS}
    assert not wanderers & {4, 5}
    assert all(person.facing == UP_AND_DOWN for person in lab.people if person.movement == WALKS)
