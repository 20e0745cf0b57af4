"""The logical screen: the tile ids of background and text, 18 rows of 20."""

from __future__ import annotations

from typing import Final

from emulator.profile import symbol
from emulator.ram.view import Ram

TILE_MAP: Final = symbol("wTileMap")
COLUMNS: Final = 20
ROWS: Final = 18
TOP_LEFT: Final = 0x79  # corners of every box
TOP_RIGHT: Final = 0x7B
BOTTOM_LEFT: Final = 0x7D
BOTTOM_RIGHT: Final = 0x7E


def read_tiles(ram: Ram) -> bytes:
    """Return the 360 tile ids of the logical screen, row by row."""
    return ram.span(TILE_MAP, COLUMNS * ROWS)
