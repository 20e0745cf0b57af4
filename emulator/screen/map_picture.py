"""A map as one picture: its tiles side by side, at their size or a whole fraction of it; nobody is on it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from emulator.screen.picture import Shades
from emulator.screen.tiles import BLACK, SIZE, decode_2bpp
from emulator.world.game_map import GameMap
from emulator.world.layout import BORDER_TILES
from emulator.world.tileset import Tileset

DIVISORS: Final = (1, 2, 4, 8)  # what a tile can be divided by
DARKEST: Final = 15
TILE_IDS: Final = 0x100


def draw_map(game_map: GameMap, *, divisor: int = 1) -> Shades:
    """Return a map in 16 shades, 0 (white) to 15 (black), 32 pixels a block or a whole fraction of it.

    Each pixel is the mean of `divisor` times `divisor` pixels, so that at full size only four shades occur.

    Raises:
        ValueError: when `divisor` is none of 1, 2, 4, 8.
    """
    if divisor not in DIVISORS:
        message = f"a map is divided by one of {DIVISORS}, not by {divisor}"
        raise ValueError(message)
    inside = slice(BORDER_TILES, -BORDER_TILES)
    tiles = _tiles(game_map.tileset, divisor)[game_map.layout.tiles[inside, inside]]
    rows, columns, size, _ = tiles.shape
    return tiles.transpose(0, 2, 1, 3).reshape(rows * size, columns * size)


@lru_cache(maxsize=64)
def _tiles(tileset: Tileset, divisor: int) -> Shades:
    """Return the picture of every tile id, shape (256, n, n); ids of text and boxes are white."""
    drawn = decode_2bpp(tileset.graphics)
    size = SIZE // divisor
    parts = drawn.reshape(-1, size, divisor, size, divisor).mean(axis=(2, 4))
    tiles = np.zeros((TILE_IDS, size, size), np.uint8)
    tiles[: len(parts)] = np.rint(parts * (DARKEST / BLACK))
    return tiles
