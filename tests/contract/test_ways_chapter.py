"""The ways between Alderbrook and the first badge keep their promises: who must be met, and what joins what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.chapter import GYM, HEATHER_WAY, NORTH_GATE, SOUTH_GATE, WOOD
from tests.contract.world_rom import Map, Person, Rom, Square, made_maps, opened_maps
from tests.contract.world_ways import FACINGS, WALKS, off_map, on_map, walk

if TYPE_CHECKING:
    from collections.abc import Callable

SAPLING = 0x3D
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
    """Return who fights on a map, and the squares each looks at."""
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
    """Whether one gets from `start` to `goal` on one map without standing on a `shut` square."""
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


def test_a_trainer_who_has_come_up_is_never_in_the_way(rom: Rom, opened: dict[int, Map]) -> None:
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
        around = walk([SOUTH_END], rom, maps, inside=off_map(closed))
        assert NORTH_END not in around


def test_a_sapling_closes_the_short_cut(rom: Rom, maps: dict[int, Map]) -> None:
    here = maps[HEATHER_WAY]
    (sapling,) = [(x, y) for x, y in here.steps() if here.tile(x, y) == SAPLING]
    x, y = sapling
    assert SAPLING not in here.tileset.passable
    south = walk([SOUTH_END], rom, maps, inside=on_map(HEATHER_WAY))
    north = walk([NORTH_END], rom, maps, inside=on_map(HEATHER_WAY))
    assert Square(HEATHER_WAY, x, y + 1) in south
    assert Square(HEATHER_WAY, x, y - 1) in north


def test_somebody_wanders_in_a_corridor_one_step_wide(rom: Rom, maps: dict[int, Map]) -> None:
    (walker,) = [person for person in maps[HEATHER_WAY].people if person.movement == WALKS]
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


def test_nobody_comes_to_the_leader_before_the_gate_is_open(rom: Rom) -> None:
    assert not can_go(GYM_IN, LEADER, rom, made_maps(rom), set())
    assert can_go(GYM_IN, LEADER, rom, opened_maps(rom), set())
