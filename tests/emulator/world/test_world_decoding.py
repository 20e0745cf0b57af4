"""The decoded world: of the demo, and of a hand-written cartridge that uses every rule."""

import random
from dataclasses import replace
from typing import Final

import pytest

from emulator import (
    Cartridge,
    CartridgeError,
    Facing,
    GameMap,
    Position,
    PyBoyConsole,
    Step,
    World,
    read_state,
)
from emulator.cartridge import Rom
from emulator.world.game_map import WarpTrigger
from emulator.world.map_objects import MapObjectKind
from emulator.world.tileset import Ground, read_ground
from tests.emulator.conftest import WALK
from tests.emulator.synthetic.image import offset, word


@pytest.fixture
def world(demo: Cartridge) -> World:
    return World.of(demo)


def test_a_world_is_decoded_once(demo: Cartridge, world: World) -> None:
    assert World.of(demo) is world
    assert world.map(38) is world.map(38)


def test_every_map_id_gives_a_map_used_or_not(world: World) -> None:
    for map_id in world.map_ids:
        here = world.map(map_id)
        assert here.map_id == map_id
        assert len(here.header.blocks) == here.header.width * here.header.height
        assert here.passable(0, 0) in (True, False)


@pytest.mark.parametrize("map_id", [248, 255, -1])
def test_a_map_id_out_of_range_is_refused(map_id: int, world: World) -> None:
    with pytest.raises(CartridgeError, match="ids are 0 to 247"):
        world.map(map_id)


def test_every_warp_of_the_demo_has_a_destination(world: World) -> None:
    last_map = 0xFF
    for map_id in world.map_ids:
        here = world.map(map_id)
        for warp in here.warps:
            assert here.contains(*warp.position)
            assert here.warp_at(*warp.position) is not None
            assert warp.trigger is not WarpTrigger.NONE
            assert warp.press or warp.steps
            if warp.map_id == last_map:
                end = world.end_of(map_id, warp)
                assert end is not None
                assert map_id in {door.map_id for door in world.map(end.map_id).warps}
            else:
                assert world.map(warp.map_id).contains(*world.arrival(warp.map_id, warp.warp_index))


def test_a_connected_map_shows_beyond_the_edge(world: World) -> None:
    town = world.map(0)
    for x in range(town.columns):
        there = town.crossing((x, 0), Facing.UP)
        if there is not None and world.map(there.map_id).contains(there.x, there.y):
            assert town.tile(x, -1) == world.map(there.map_id).tile(there.x, there.y)


def test_an_arrival_that_does_not_exist_is_refused(world: World) -> None:
    with pytest.raises(CartridgeError, match="none with index 200"):
        world.arrival(38, 200)


def test_walking_in_the_game_matches_the_decoded_map(bedroom: PyBoyConsole, world: World) -> None:
    chance = random.Random(5)
    here = world.map(38)
    bumps = 0
    for _ in range(80):
        square = read_state(bedroom.ram(), 0).position
        facing = chance.choice(list(WALK))
        ahead = (square.x + facing.dx, square.y + facing.dy)
        if here.warp_at(*ahead):
            continue
        bedroom.perform(Step(WALK[facing], 12, 12))
        walks = here.can_step(square, facing)
        bumps += not walks
        assert read_state(bedroom.ram(), 0).position == (ahead if walks else square)
    assert 0 < bumps < 80


# A hand-written cartridge: bank 2 holds one tileset whose block n is 16 times tile n, and its maps.
BLOCKS, PASSABLE, GRAPHICS = 0x4000, 0x1735, 0x5000
FLOOR, EDGE, WALL, DOOR, MAT, LEDGE, GRASS, COUNTER = range(1, 9)


class HandmadeCartridge:
    """A cartridge image into which tests write tables."""

    def __init__(self) -> None:
        self.image = bytearray(0x10 * 0x4000)
        self.put(2, BLOCKS, b"".join(bytes([n]) * 16 for n in range(256)))
        self.put(0, PASSABLE, bytes([FLOOR, EDGE, DOOR, MAT, GRASS, 0xFF]))
        self.put(0, 0x0C7E, bytes([0, FLOOR, EDGE, 17, FLOOR, EDGE, 0xFF]))
        self.put(6, 0x66CF, bytes([0, FLOOR, LEDGE, 0x80, 0xFF]))
        self.put(6, 0x662C, bytes([0]) + word(0x6700) + b"\xff")
        self.put(6, 0x6700, bytes([DOOR, 0]))
        for n in range(24):
            header = bytes([2]) + word(BLOCKS) + word(GRAPHICS) + word(PASSABLE)
            self.put(3, 0x47BE + 12 * n, header + bytes([COUNTER, 0xFF, 0xFF, GRASS, 0]))
            self.put(3, 0x44CC + 2 * n, word(0x4600))
        self.put(3, 0x4600, b"\xff")
        for n in range(4):
            self.put(3, 0x4477 + 2 * n, word(0x4610 + 4 * n))
            self.put(3, 0x4610 + 4 * n, bytes([MAT if n == 0 else 0xFE, 0xFF]))
        self.put(3, 0x423D, bytes([2] * 248))

    def put(self, bank: int, address: int, data: bytes) -> None:
        start = offset(bank, address)
        self.image[start : start + len(data)] = data

    def map(self, map_id: int, tileset: int, blocks: list[bytes], objects: bytes) -> None:
        """Write a map without connections; `objects` begins with the border block."""
        at = 0x6000 + 0x100 * map_id
        size = bytes([tileset, len(blocks), len(blocks[0])])
        pointers = word(at + 0x40) + word(0) + word(0)
        self.put(2, at, size + pointers + b"\0" + word(at + 0x80))
        self.put(2, at + 0x40, b"".join(blocks))
        self.put(2, at + 0x80, objects)
        self.put(0, 0x01AE + 2 * map_id, word(at))

    def world(self) -> World:
        rom = Rom(bytes(self.image))
        return World(rom, read_ground(rom))


def world_of(*maps: tuple[int, list[bytes], bytes]) -> World:
    """Return the world of a cartridge with maps of these tilesets, blocks and objects, numbered from 0."""
    paper = HandmadeCartridge()
    for number, each in enumerate(maps):
        paper.map(number, *each)
    return paper.world()


NOTHING: Final = bytes([WALL, 0, 0, 0])
ROWS: Final = [
    bytes([FLOOR, EDGE, FLOOR]),
    bytes([LEDGE, WALL, GRASS]),
    bytes([FLOOR, COUNTER, MAT]),
]


def test_walls_and_the_edge_of_the_map_stop_a_walker() -> None:
    here = world_of((0, ROWS, NOTHING)).map(0)
    assert here.can_step((0, 0), Facing.RIGHT)
    assert not here.can_step((2, 1), Facing.DOWN)
    assert not here.can_step((0, 0), Facing.UP)
    assert not here.can_step((5, 5), Facing.RIGHT)
    assert here.crossing((0, 0), Facing.UP) is None


def test_cliffs_stop_a_walker_between_two_passable_tiles() -> None:
    world = world_of((0, ROWS, NOTHING), (5, ROWS, NOTHING))
    for square, facing in (((1, 0), Facing.RIGHT), ((2, 0), Facing.LEFT)):
        assert not world.map(0).can_step(square, facing)
        assert world.map(1).can_step(square, facing)


def test_ledges_are_jumped_two_squares_one_way_and_outdoors_only() -> None:
    world = world_of((0, ROWS, NOTHING), (5, ROWS, NOTHING))
    assert world.map(0).hop((0, 1), Facing.DOWN) == (0, 3)
    assert world.map(0).hop((0, 4), Facing.UP) is None
    assert world.map(0).hop((0, 0), Facing.DOWN) is None
    assert world.map(1).hop((0, 1), Facing.DOWN) is None
    assert not world.map(0).can_step((0, 1), Facing.DOWN)


def test_grass_and_counters_are_recognised_by_their_tiles() -> None:
    here = world_of((0, ROWS, NOTHING)).map(0)
    assert here.tile(4, 2) == here.tileset.grass
    assert here.tile(0, 0) != here.tileset.grass
    assert here.tile(2, 4) in here.tileset.counters


def warps(*squares: tuple[int, int]) -> bytes:
    rows = b"".join(bytes([y, x, 0, 7]) for x, y in squares)
    return bytes([WALL, len(squares)]) + rows + bytes(2)


def test_a_warp_fires_by_stepping_on_a_door_or_pressing_towards_a_mat() -> None:
    blocks = [bytes([DOOR, FLOOR]), bytes([FLOOR, MAT])]
    here = world_of((0, blocks, warps((0, 0), (2, 1), (1, 1), (9, 9)))).map(0)
    assert [warp.trigger for warp in here.warps] == [
        WarpTrigger.STEP,
        WarpTrigger.PRESS,
        WarpTrigger.STEP,
        WarpTrigger.NONE,
    ]
    assert here.warps[1].press == {Facing.DOWN}


def test_indoors_a_warp_at_the_edge_fires_by_pressing_outwards() -> None:
    presses = [
        warp.press
        for warp in world_of((5, [bytes([FLOOR, FLOOR])], warps((1, 1), (3, 1), (0, 0))))
        .map(0)
        .warps
    ]
    assert presses == [{Facing.DOWN}, {Facing.DOWN, Facing.RIGHT}, {Facing.UP, Facing.LEFT}]


def test_stairs_at_the_edge_fire_again_when_pressing_outwards() -> None:
    paper = HandmadeCartridge()
    paper.put(3, 0x4600, bytes([DOOR, 0xFF]))
    paper.map(0, 5, [bytes([FLOOR, DOOR])], warps((3, 0)))
    (stairs,) = paper.world().map(0).warps
    assert stairs.steps
    assert stairs.press == {Facing.UP, Facing.RIGHT}


def test_signs_and_objects_of_a_map_are_read() -> None:
    people = (
        bytes([9, 4 + 2, 4 + 1, 0xFE, 1, 3])
        + bytes([10, 4, 4, 0xFF, 0xD0, 0x40 | 4, 205, 1])
        + bytes([11, 5, 5, 0xFF, 0xFF, 0x80 | 5, 20])
        + bytes([12, 6, 6, 0xFF, 0x10, 6])
        + bytes([13, 7, 7, 0xFF, 0xD3, 0x40 | 7, 6, 40])
    )
    here = world_of((0, ROWS, bytes([WALL, 0, 1, 3, 2, 8, 5]) + people)).map(0)
    assert [(sign.x, sign.y, sign.text_id) for sign in here.header.signs] == [(2, 3, 8)]
    kinds = [(person.slot, person.kind, person.text_id) for person in here.people]
    assert kinds == [
        (1, MapObjectKind.PERSON, 3),
        (2, MapObjectKind.TRAINER, 4),
        (3, MapObjectKind.ITEM, 5),
        (4, MapObjectKind.BOULDER, 6),
        (5, MapObjectKind.MON, 7),
    ]
    walker, trainer, ball, boulder, mon = here.people
    assert walker.position == (1, 2)
    assert [person.walks for person in here.people] == [True, False, False, False, False]
    assert walker.ways == {Facing.UP, Facing.DOWN}
    assert (walker.facing, trainer.facing, mon.facing) == (None, Facing.DOWN, Facing.RIGHT)
    assert (trainer.opponent, ball.item, mon.mon) == ((5, 1), 20, (6, 40))
    assert (boulder.opponent, boulder.item, boulder.mon) == (None, None, None)


def test_an_invalid_header_gives_an_empty_map() -> None:
    paper = HandmadeCartridge()
    paper.put(0, 0x01AE, word(0x7FFE))
    paper.put(2, 0x7FFE, bytes([0xFF, 0xFF]))
    here = paper.world().map(0)
    assert not here.passable(0, 0)
    assert not here.warps
    assert not here.header.connections


LANE = 12  # the demo's map with ledges


@pytest.fixture
def lane(demo: Cartridge) -> GameMap:
    return World.of(demo).map(LANE)


def with_ledge(lane: GameMap, square: Position, facing: Facing) -> GameMap:
    """Return the map with a ledge ahead of `square`."""
    ahead = (square.x + facing.dx, square.y + facing.dy)
    edge = (facing, lane.tile(*square), lane.tile(*ahead))
    return replace(lane, ground=Ground(frozenset({edge}), {}))


@pytest.mark.parametrize("facing", Facing)
def test_a_ledge_may_face_any_direction_and_is_one_way(lane: GameMap, facing: Facing) -> None:
    square = Position(10, 10)
    here = with_ledge(lane, square, facing)
    assert here.hop(square, facing) == (10 + 2 * facing.dx, 10 + 2 * facing.dy)
    assert all(here.hop(square, other) is None for other in Facing if other is not facing)


def test_the_square_behind_a_ledge_is_not_checked(lane: GameMap) -> None:
    solid = next(
        Position(x, y)
        for y in range(2, lane.rows)
        for x in range(lane.columns)
        if not lane.passable(x, y)
    )
    above = Position(solid.x, solid.y - 2)
    assert with_ledge(lane, above, Facing.DOWN).hop(above, Facing.DOWN) == solid


@pytest.mark.parametrize(
    ("column", "row", "facing"),
    [
        (3, -2, Facing.DOWN),
        (3, -1, Facing.DOWN),
        (3, 1, Facing.UP),
        (3, 0, Facing.UP),
        (1, 3, Facing.LEFT),
        (-2, 3, Facing.RIGHT),
    ],
)
def test_no_ledge_leads_off_the_map(lane: GameMap, column: int, row: int, facing: Facing) -> None:
    square = Position(column % lane.columns, row % lane.rows)
    assert with_ledge(lane, square, facing).hop(square, facing) is None
