"""Tilesets: what blocks are made of, and which tiles can be walked on or do something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from emulator.profile import table
from emulator.world.rom import Rom

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
WARP_PAD, HOLE = 1, 2

BLOCK_SIZE: Final = 16  # 4x4 tile ids, row by row
BLOCKS: Final = 0x100
TILES: Final = 0x60  # ids from here on are text and boxes
TILE_SIZE: Final = 16


@dataclass(frozen=True, slots=True)
class Tileset:
    """One tileset; its tiles are ids below 0x60."""

    tileset_id: int
    blocks: bytes = field(repr=False)
    graphics: bytes = field(repr=False)  # 2bpp, 16 bytes a tile
    passable: frozenset[int]
    counters: frozenset[int]
    grass: int | None
    animated: bool
    warps: frozenset[int]
    doors: frozenset[int]
    pairs: frozenset[frozenset[int]]
    water_pairs: frozenset[frozenset[int]] = frozenset()  # as `pairs`, for who surfs
    surfable: bool = False  # whether its water is for surfing
    warp_pads: frozenset[int] = frozenset()
    holes: frozenset[int] = frozenset()

    def block(self, number: int) -> bytes:
        """Return the 16 tile ids of a block."""
        return self.blocks[number * BLOCK_SIZE : (number + 1) * BLOCK_SIZE]

    def joined(self, tile: int, other: int) -> bool:
        """Return whether one may walk between two passable tiles, which edges of cliffs forbid."""
        return not self.pairs or frozenset((tile, other)) not in self.pairs

    def joined_on_water(self, tile: int, other: int) -> bool:
        """Return whether one may surf between two tiles, onto water or off it."""
        return not self.water_pairs or frozenset((tile, other)) not in self.water_pairs


def read_tileset(rom: Rom, tileset_id: int) -> Tileset:
    """Return a tileset of the cartridge; an id that no tileset has gives one without floor."""
    bank, at = HEADERS
    header = rom.span(bank, at + HEADER_SIZE * tileset_id, HEADER_SIZE)
    home, blocks, graphics, passable = header[0], *[_word(header, at) for at in (1, 3, 5)]
    known = tileset_id < COUNT
    return Tileset(
        tileset_id=tileset_id,
        blocks=rom.span(home, blocks, BLOCKS * BLOCK_SIZE),
        graphics=rom.span(home, graphics, TILES * TILE_SIZE),
        passable=frozenset(rom.until(0, passable, NONE) if known else b""),
        counters=frozenset(header[7:10]) - {NONE},
        grass=None if header[10] == NONE else header[10],
        animated=header[11] != 0,
        warps=_warps(rom, tileset_id) if known else frozenset(),
        doors=_doors(rom, tileset_id),
        pairs=_pairs(rom, PAIRS, tileset_id),
        water_pairs=_pairs(rom, WATER_PAIRS, tileset_id),
        surfable=tileset_id in rom.span(*SURFABLE, SURFABLE_COUNT),
        warp_pads=_special(rom, WARP_PAD, tileset_id),
        holes=_special(rom, HOLE, tileset_id),
    )


def _word(header: bytes, at: int) -> int:
    return header[at] | header[at + 1] << 8


def _warps(rom: Rom, tileset_id: int) -> frozenset[int]:
    bank, at = WARP_TILES
    return frozenset(rom.until(bank, rom.pointer(bank, at + 2 * tileset_id), NONE))


def _doors(rom: Rom, tileset_id: int) -> frozenset[int]:
    bank, at = DOOR_TILES
    for row in rom.rows(bank, at, 3, end=NONE):
        if row[0] == tileset_id:
            return frozenset(rom.until(bank, _word(row, 1), 0))
    return frozenset()


def _pairs(rom: Rom, place: tuple[int, int], tileset_id: int) -> frozenset[frozenset[int]]:
    rows = rom.rows(*place, 3, end=NONE)
    return frozenset(frozenset(row[1:]) for row in rows if row[0] == tileset_id)


def _special(rom: Rom, kind: int, tileset_id: int) -> frozenset[int]:
    rows = rom.rows(*WARP_PADS_AND_HOLES, 3, end=NONE)
    return frozenset(row[1] for row in rows if (row[0], row[2]) == (tileset_id, kind))
