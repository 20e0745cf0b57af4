"""The tile map: 18 rows of 20 tile ids, and the squares of the map that they show around the player.

Covers where squares are on the screen, not maps.
"""

from typing import Final, TypeAlias

from emulator.profile import symbol
from emulator.ram.map import Position
from emulator.ram.view import Ram

TILE_MAP: Final = symbol("wTileMap")
COLUMNS: Final = 20
ROWS: Final = 18
TOP_LEFT: Final = 0x79  # corners of every box
TOP_RIGHT: Final = 0x7B
BOTTOM_LEFT: Final = 0x7D
BOTTOM_RIGHT: Final = 0x7E


def read_tiles(ram: Ram) -> bytes:
    """Return the 360 tile ids of the tile map, row by row."""
    return ram.span(TILE_MAP, COLUMNS * ROWS)


Square: TypeAlias = tuple[int, int]

SQUARES_WIDE: Final = COLUMNS // 2
SQUARES_HIGH: Final = ROWS // 2
# The player stands in the fifth column and fifth row of squares.
LEFT: Final = 4
ABOVE: Final = 4
CORNERS: Final = frozenset({TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT})


def read_tiles_in_sight(ram: Ram, here: Position) -> dict[Square, int] | None:
    """Return the collision tile of each square in sight of `here`; None while a box covers some.

    These are 10 columns and 9 rows of squares; some may be beyond the edges of the map.
    """
    tiles = read_tiles(ram)
    if not CORNERS.isdisjoint(tiles):
        return None
    return dict(zip(squares_in_sight(here), collision_tiles(tiles), strict=True))


def squares_in_sight(here: Position) -> list[Square]:
    """Return the squares that the screen shows around the player, row by row."""
    left, top = here.x - LEFT, here.y - ABOVE
    return [
        (x, y) for y in range(top, top + SQUARES_HIGH) for x in range(left, left + SQUARES_WIDE)
    ]


def is_in_sight(here: Position, square: Square) -> bool:
    """Return whether the screen shows a square when the player stands on `here`."""
    column, row = square[0] - here.x + LEFT, square[1] - here.y + ABOVE
    return 0 <= column < SQUARES_WIDE and 0 <= row < SQUARES_HIGH


def collision_tiles(tiles: bytes) -> bytes:
    """Return the collision tiles of the screen, the bottom left tile of each square."""
    return b"".join(tiles[row * COLUMNS : (row + 1) * COLUMNS : 2] for row in range(1, ROWS, 2))
