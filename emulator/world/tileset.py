"""Tilesets: blocks, passable tiles, warp and door tiles, obstacles; ledges and warp mats."""

from dataclasses import dataclass, field
from enum import Enum
from struct import unpack
from typing import Final

from emulator.cartridge import Rom
from emulator.profile import table
from emulator.ram.map import Facing

COUNT: Final = 24
NONE: Final = 0xFF

HEADERS: Final = table("Tilesets")
HEADER_SIZE: Final = 12
WARP_TILES: Final = table("WarpTileIDPointers")
DOOR_TILES: Final = table("DoorTileIDPointers")  # tileset, pointer; lists end with zero
PAIRS: Final = table("TilePairCollisionsLand")  # tileset, tile, tile

WATER_PAIRS: Final = table("TilePairCollisionsWater")
SURFABLE: Final = table("WaterTilesets")
SURFABLE_COUNT: Final = 9
WARP_PADS_AND_HOLES: Final = table("WarpPadAndHoleData")  # tileset, tile, kind
HOLE: Final = 2

BLOCK_SIZE: Final = 16  # 4x4 tile ids, row by row
BLOCKS: Final = 0x100
TILES: Final = 0x60  # ids from here on are text and boxes
TILE_SIZE: Final = 16


@dataclass(frozen=True, slots=True)
class Tileset:
    """One tileset; its tile ids are below 0x60."""

    tileset_id: int
    blocks: bytes = field(repr=False)
    graphics: bytes = field(repr=False)  # 2bpp, 16 bytes per tile
    passable: frozenset[int]
    counters: frozenset[int]
    grass: int | None
    animated: bool
    warps: frozenset[int]
    doors: frozenset[int]
    pairs: frozenset[frozenset[int]]
    water_pairs: frozenset[frozenset[int]] = frozenset()  # like `pairs`, while surfing
    surfable: bool = False  # whether the player can SURF on its water
    holes: frozenset[int] = frozenset()

    def block(self, number: int) -> bytes:
        """Return the 16 tile ids of a block."""
        return self.blocks[number * BLOCK_SIZE : (number + 1) * BLOCK_SIZE]

    def joined(self, tile: int, other: int) -> bool:
        """Return whether the player can walk between two passable tiles; cliff edges forbid some pairs."""
        return not self.pairs or frozenset((tile, other)) not in self.pairs


def read_tileset(rom: Rom, tileset_id: int) -> Tileset:
    """Return a tileset of the cartridge; an unknown id gives a tileset without passable tiles."""
    bank, at = HEADERS
    header = rom.span(bank, at + HEADER_SIZE * tileset_id, HEADER_SIZE)
    home, blocks, graphics, passable, *counters, grass, moves = unpack("<B3H5B", header)
    known = tileset_id < COUNT
    return Tileset(
        tileset_id=tileset_id,
        blocks=rom.span(home, blocks, BLOCKS * BLOCK_SIZE),
        graphics=rom.span(home, graphics, TILES * TILE_SIZE),
        passable=frozenset(rom.until(0, passable, NONE) if known else b""),
        counters=frozenset(counters) - {NONE},
        grass=None if grass == NONE else grass,
        animated=moves != 0,
        warps=_warps(rom, tileset_id) if known else frozenset(),
        doors=_doors(rom, tileset_id),
        pairs=_pairs(rom, PAIRS, tileset_id),
        water_pairs=_pairs(rom, WATER_PAIRS, tileset_id),
        surfable=tileset_id in rom.span(*SURFABLE, SURFABLE_COUNT),
        holes=_holes(rom, tileset_id),
    )


def _warps(rom: Rom, tileset_id: int) -> frozenset[int]:
    bank, at = WARP_TILES
    return frozenset(rom.until(bank, rom.pointer(bank, at + 2 * tileset_id), NONE))


def _doors(rom: Rom, tileset_id: int) -> frozenset[int]:
    bank, at = DOOR_TILES
    for row in rom.rows(bank, at, 3, end=NONE):
        if row[0] == tileset_id:
            return frozenset(rom.until(bank, int.from_bytes(row[1:], "little"), 0))
    return frozenset()


def _pairs(rom: Rom, place: tuple[int, int], tileset_id: int) -> frozenset[frozenset[int]]:
    rows = rom.rows(*place, 3, end=NONE)
    return frozenset(frozenset(row[1:]) for row in rows if row[0] == tileset_id)


def _holes(rom: Rom, tileset_id: int) -> frozenset[int]:
    rows = rom.rows(*WARP_PADS_AND_HOLES, 3, end=NONE)
    return frozenset(row[1] for row in rows if (row[0], row[2]) == (tileset_id, HOLE))


OVERWORLD, DOJO, GYM, SHIP_PORT, INTERIOR, FACILITY = 0, 5, 7, 14, 16, 22

TREES: Final = {OVERWORLD: 0x3D, GYM: 0x50}
WATER: Final = 0x14
SHORES: Final = frozenset({0x32, 0x48})  # also water for the game, except in SHORELESS tilesets
SHORELESS: Final = frozenset({DOJO, GYM, SHIP_PORT})
DOORS: Final = {FACILITY: frozenset({0x18, 0x24}), INTERIOR: frozenset({0x5E})}
# SILPH_CO_1F to _11F: on other maps the tiles of such doors are furniture.
DOOR_MAPS: Final = frozenset({181, *range(207, 214), 233, 234, 235})


class Obstacle(Enum):
    """What blocks a square until the player removes or crosses it; the values describe it."""

    TREE = "a tree that can be cut"
    WATER = "water"
    LOCKED_DOOR = "a door that a card key opens"


def obstacle_on(map_id: int, tileset: Tileset, tile: int) -> Obstacle | None:
    """Return the obstacle of a square with this collision tile; None when it is passable or blocked for good."""
    if tile in tileset.passable:
        return None
    is_shore = tile in SHORES and tileset.tileset_id not in SHORELESS
    if tileset.surfable and (tile == WATER or is_shore):
        return Obstacle.WATER
    if tile == TREES.get(tileset.tileset_id):
        return Obstacle.TREE
    if map_id in DOOR_MAPS and tile in DOORS.get(tileset.tileset_id, ()):
        return Obstacle.LOCKED_DOOR
    return None


LEDGES: Final = table("LedgeTiles")  # facing, tile under the player, tile ahead, pad bit
CARPETS: Final = table("WarpTileListPointers")  # in this order:
CARPET_ORDER: Final = (Facing.DOWN, Facing.UP, Facing.LEFT, Facing.RIGHT)


@dataclass(frozen=True, slots=True)
class Ground:
    """Ledges as (facing, tile under the player, tile ahead), and the warp mat tiles per facing."""

    ledges: frozenset[tuple[Facing, int, int]]
    carpets: dict[Facing, frozenset[int]]


def read_ground(rom: Rom) -> Ground:
    """Return the cartridge's ledges and warp mats."""
    bank, at = CARPETS
    lists = [rom.until(bank, rom.pointer(bank, at + 2 * n), NONE) for n in range(4)]
    return Ground(
        ledges=frozenset(
            (Facing(row[0] & 0x0C), row[1], row[2]) for row in rom.rows(*LEDGES, 4, end=NONE)
        ),
        carpets=dict(zip(CARPET_ORDER, map(frozenset, lists), strict=True)),
    )
