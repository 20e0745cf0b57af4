"""Tiles as pixels: decoding the two formats of the cartridge, and cutting a picture into cells.

Knows 8x8 pixels; knows nothing of what is drawn with them.
"""

from __future__ import annotations

from typing import Final, cast

import numpy as np

from emulator.screen.picture import Screen, Shades

SIZE: Final = 8
COLUMNS: Final = 20
ROWS: Final = 18
BLACK: Final = 3
WHOLE: Final = np.dtype((np.void, SIZE * SIZE))  # all pixels of a tile as one thing


def decode_1bpp(data: bytes) -> Shades:
    """Return tiles of 8 bytes each as shades, shape (tiles, 8, 8): white and black."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8)).reshape(-1, SIZE, SIZE)
    return bits * np.uint8(BLACK)


def decode_2bpp(data: bytes) -> Shades:
    """Return tiles of 16 bytes each as shades under palette E4, shape (tiles, 8, 8)."""
    planes = np.unpackbits(np.frombuffer(data, np.uint8)).reshape(-1, SIZE, 2, SIZE)
    return planes[:, :, 0] + planes[:, :, 1] * np.uint8(2)


def cells(screen: Screen) -> Shades:
    """Return the picture cut into its grid, shape (18, 20, 8, 8)."""
    grid = screen.shades.reshape(ROWS, SIZE, COLUMNS, SIZE)
    return np.ascontiguousarray(grid.transpose(0, 2, 1, 3))


def keys(tiles: Shades) -> list[bytes]:
    """Return each tile's pixels as bytes, to look it up by."""
    pixels = np.ascontiguousarray(tiles).reshape(-1, WHOLE.itemsize)
    return cast("list[bytes]", pixels.view(WHOLE).ravel().tolist())
