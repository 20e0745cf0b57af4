"""The tile layout of a map, including the border around it.

The game stores a map as blocks surrounded by three blocks of border: the border block, or the edge of a
connected map. This module builds that block map and the tiles it is drawn with.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from emulator.profile import symbol
from emulator.ram.map import Facing
from emulator.world.header import Connection, MapHeader
from emulator.world.tileset import Tileset

LIVE_BLOCKS: Final = symbol("wOverworldMap")
BORDER: Final = 3  # blocks around the map
BORDER_TILES: Final = 4 * BORDER
BLOCK_TILES: Final = 4

Tiles = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Tile ids of a map and its border, row by row; the map begins 12 tiles in.

    `blocks` holds the block ids, row by row, including the border of three blocks.
    """

    blocks: bytes = field(repr=False)
    tiles: Tiles = field(repr=False)
    collision_tiles: bytes = field(repr=False)  # bottom left tile of every square
    floor: bytes = field(repr=False)  # 1 where that tile is passable
    stride: int

    @classmethod
    def of_blocks(cls, tileset: Tileset, blocks: Tiles) -> "Layout":
        """Return the layout of a block map that includes its border."""
        shapes = np.frombuffer(tileset.blocks, np.uint8).reshape(-1, BLOCK_TILES, BLOCK_TILES)
        rows, columns = blocks.shape
        tiles = shapes[blocks].transpose(0, 2, 1, 3).reshape(rows * BLOCK_TILES, -1)
        corners = tiles[1::2, ::2].tobytes()
        floor = corners.translate(bytes([tile in tileset.passable for tile in range(0x100)]))
        return cls(blocks.tobytes(), tiles, corners, floor, 2 * columns)

    @classmethod
    def of_live(cls, header: MapHeader, tileset: Tileset, live: bytes) -> "Layout":
        """Return the layout of the block map in RAM, the bytes of wOverworldMap."""
        shape = (header.height + 2 * BORDER, header.width + 2 * BORDER)
        size = shape[0] * shape[1]
        return cls.of_blocks(tileset, np.frombuffer(live[:size], np.uint8).reshape(shape))

    def has_same_blocks(self, live: bytes) -> bool:
        """Return whether a block map in RAM of this size has the same blocks inside the border.

        The player never walks on the border, so a difference there, as while a connected map is drawn, does not count.
        """
        if live == self.blocks:
            return True
        width = self.stride // 2
        rows = range(BORDER * width, len(live) - BORDER * width, width)
        inside = [slice(row + BORDER, row + width - BORDER) for row in rows]
        return all(live[each] == self.blocks[each] for each in inside)

    def is_floor(self, x: int, y: int) -> bool:
        """Return whether the collision tile of a square is passable."""
        return self.floor[(y + 2 * BORDER) * self.stride + x + 2 * BORDER] == 1

    def tile(self, x: int, y: int) -> int:
        """Return the collision tile of a square."""
        return self.collision_tiles[(y + 2 * BORDER) * self.stride + x + 2 * BORDER]


def lay_out(
    header: MapHeader, tileset: Tileset, strip: Callable[[Connection, int], bytes]
) -> Layout:
    """Return the layout of a map; `strip` returns the given number of blocks of a connected map."""
    rows, columns = header.height + 2 * BORDER, header.width + 2 * BORDER
    blocks = np.full(rows * columns, header.border, np.uint8)
    inside = np.frombuffer(header.blocks, np.uint8).reshape(header.height, header.width)
    blocks.reshape(rows, columns)[BORDER : rows - BORDER, BORDER : columns - BORDER] = inside
    for connection in header.connections:
        _join(blocks, columns, connection, strip)
    return Layout.of_blocks(tileset, blocks.reshape(rows, columns))


def _join(
    blocks: Tiles, stride: int, connection: Connection, strip: Callable[[Connection, int], bytes]
) -> None:
    lying = connection.side in (Facing.UP, Facing.DOWN)
    rows, length = (BORDER, connection.length) if lying else (connection.length, BORDER)
    source = np.frombuffer(strip(connection, rows * connection.width), np.uint8)
    for row in range(rows):
        start = connection.target - LIVE_BLOCKS + row * stride
        part = source[row * connection.width :][:length]
        if start >= 0 and start + len(part) <= len(blocks):
            blocks[start : start + len(part)] = part
