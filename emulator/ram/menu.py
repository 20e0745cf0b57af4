"""The menu that has the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from emulator.ram.screen_tiles import (
    BOTTOM_LEFT,
    BOTTOM_RIGHT,
    COLUMNS,
    TILE_MAP,
    TOP_LEFT,
    TOP_RIGHT,
    read_tiles,
)
from emulator.ram.view import Ram

CURSOR: Final = 0xED  # the filled arrow; the hollow one, 0xEC, marks a menu that waits behind
CURSOR_BYTE: Final = bytes([CURSOR])
CORNERS: Final = bytes([TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT])

TOP_Y: Final = 0xCC24  # wTopMenuItemY
TOP_X: Final = 0xCC25  # wTopMenuItemX
CURRENT: Final = 0xCC26  # wCurrentMenuItem
MAXIMUM: Final = 0xCC28  # wMaxMenuItem
WATCHED_KEYS: Final = 0xCC29  # wMenuWatchedKeys
CURSOR_ADDRESS: Final = 0xCC30  # wMenuCursorLocation
SCROLL: Final = 0xCC36  # wListScrollOffset
LIST_COUNT: Final = 0xD12A  # wListCount
LIST_MENU_ID: Final = 0xCF94  # wListMenuID


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu with its cursor at `cursor` (column, row); `current` is the item it points at."""

    top_x: int
    top_y: int
    current: int
    maximum: int
    watched_keys: int
    cursor: tuple[int, int]
    list_offset: int
    list_count: int
    list_menu_id: int


def read_menu(ram: Ram) -> Menu | None:
    """Return the menu that has the cursor, or None when no cursor is on the screen."""
    tiles = read_tiles(ram)
    if CURSOR not in tiles:
        return None
    block = ram.span(TOP_Y, SCROLL + 1 - TOP_Y)
    cursor = _cursor(tiles, block)
    if cursor is None:
        return None
    return Menu(
        top_x=block[TOP_X - TOP_Y],
        top_y=block[0],
        current=block[CURRENT - TOP_Y],
        maximum=block[MAXIMUM - TOP_Y],
        watched_keys=block[WATCHED_KEYS - TOP_Y],
        cursor=cursor,
        list_offset=block[SCROLL - TOP_Y],
        list_count=ram.byte(LIST_COUNT),
        list_menu_id=ram.byte(LIST_MENU_ID),
    )


def _cursor(tiles: bytes, block: bytes) -> tuple[int, int] | None:
    # The game notes where it drew the cursor. The title's picture may use the same tile id, so
    # an arrow that the game did not note counts only when there is a box for it to be in.
    low = CURSOR_ADDRESS - TOP_Y
    noted = (block[low] | block[low + 1] << 8) - TILE_MAP
    if 0 <= noted < len(tiles) and tiles[noted] == CURSOR:
        at = noted
    elif any(corner in tiles for corner in CORNERS):
        at = tiles.find(CURSOR_BYTE)
    else:
        return None
    row, column = divmod(at, COLUMNS)
    return column, row
