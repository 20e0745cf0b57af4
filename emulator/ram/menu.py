"""The active menu, the entries it lists, and the move it offers to learn."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.menu_kind import LISTS, MenuContext, MenuKind, menu_kind
from emulator.ram.tile_map import (
    BOTTOM_LEFT,
    BOTTOM_RIGHT,
    COLUMNS,
    TILE_MAP,
    TOP_LEFT,
    TOP_RIGHT,
    read_tiles,
)
from emulator.ram.view import Ram

CURSOR: Final = 0xED  # the filled arrow; the hollow one, 0xEC, marks an inactive menu
CURSOR_BYTE: Final = bytes([CURSOR])
CORNERS: Final = bytes([TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT])
TIMES: Final = 0xF1  # precedes a quantity
QUANTITY_TOP: Final = 9 * COLUMNS + 19  # the right corners of its box
QUANTITY_BOTTOM: Final = 11 * COLUMNS + 19
QUANTITY_SIGNS: Final = (10 * COLUMNS + 16, 10 * COLUMNS + 8)  # to the right, or beside a price

TOP_Y: Final = symbol("wTopMenuItemY")
TOP_X: Final = symbol("wTopMenuItemX")
CURRENT: Final = symbol("wCurrentMenuItem")
MAXIMUM: Final = symbol("wMaxMenuItem")
WATCHED_KEYS: Final = symbol("wMenuWatchedKeys")
CURSOR_ADDRESS: Final = symbol("wMenuCursorLocation")
SCROLL: Final = symbol("wListScrollOffset")
LIST_COUNT: Final = symbol("wListCount")
LIST_MENU_ID: Final = symbol("wListMenuID")
QUANTITY: Final = symbol("wItemQuantity")
MAX_QUANTITY: Final = symbol("wMaxItemQuantity")
IN_BATTLE: Final = symbol("wIsInBattle")
TWO_OPTION_ID: Final = symbol("wTwoOptionMenuID")

RIGHT_COLUMNS: Final = (MenuKind.BATTLE_RIGHT, MenuKind.SAFARI_RIGHT)
FROM_ONE: Final = (MenuKind.MOVES, MenuKind.MOVES_OF_ENEMY, MenuKind.MOVES_TO_RESTORE)


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu with its cursor at `cursor` (column, row); `current` is the item under the cursor.

    `current` is the game's own count: visible rows of a list, moves from 1. `index` is the entry it refers
    to. A quantity has no cursor; `cursor` is then the sign before the number.
    """

    kind: MenuKind
    top_x: int
    top_y: int
    current: int
    maximum: int
    cursor: tuple[int, int]
    list_offset: int
    list_count: int

    @property
    def index(self) -> int:
        """The selected entry, from 0, including the scroll offset of a list; or the quantity."""
        if self.kind in LISTS:
            return self.list_offset + self.current
        if self.kind in RIGHT_COLUMNS:
            return self.current + 2 if self.current < 2 else self.current
        return max(self.current - 1, 0) if self.kind in FROM_ONE else self.current

    @property
    def is_list(self) -> bool:
        """Whether it scrolls, with `list_count` entries followed by an end mark."""
        return self.kind in LISTS


def read_menu(ram: Ram) -> Menu | None:
    """Return the menu that has the cursor, or None when no cursor is on the screen."""
    tiles = read_tiles(ram)
    if CURSOR not in tiles:
        return _quantity(ram, tiles) if tiles[QUANTITY_TOP] == TOP_RIGHT else None
    block = ram.span(TOP_Y, SCROLL + 1 - TOP_Y)
    cursor = _cursor(tiles, block)
    if cursor is None:
        return None
    list_menu_id, maximum = ram.byte(LIST_MENU_ID), block[MAXIMUM - TOP_Y]
    top_x, top_y, keys = block[TOP_X - TOP_Y], block[0], block[WATCHED_KEYS - TOP_Y]
    in_battle = ram.byte(IN_BATTLE) != 0
    context = MenuContext(maximum, keys, list_menu_id, ram.byte(TWO_OPTION_ID), in_battle, tiles)
    return Menu(
        kind=menu_kind((top_x, top_y, maximum), context),
        top_x=top_x,
        top_y=top_y,
        current=block[CURRENT - TOP_Y],
        maximum=maximum,
        cursor=cursor,
        list_offset=block[SCROLL - TOP_Y],
        list_count=ram.byte(LIST_COUNT),
    )


def _cursor(tiles: bytes, block: bytes) -> tuple[int, int] | None:
    # The game stores where it drew the cursor. The title picture may use the same tile id, so an
    # arrow at another place counts only when there is also a box on the screen.
    low = CURSOR_ADDRESS - TOP_Y
    noted = (block[low] | block[low + 1] << 8) - TILE_MAP
    if 0 <= noted < len(tiles) and tiles[noted] == CURSOR:
        return _place(noted)
    if any(corner in tiles for corner in CORNERS):
        return _place(tiles.find(CURSOR_BYTE))
    return None


def _place(at: int) -> tuple[int, int]:
    row, column = divmod(at, COLUMNS)
    return column, row


def _quantity(ram: Ram, tiles: bytes) -> Menu | None:
    sign = next((at for at in QUANTITY_SIGNS if tiles[at] == TIMES), None)
    if sign is None or tiles[QUANTITY_BOTTOM] != BOTTOM_RIGHT:
        return None
    column, row = _place(sign)
    return Menu(
        kind=MenuKind.QUANTITY,
        top_x=column,
        top_y=row,
        current=ram.byte(QUANTITY),
        maximum=ram.byte(MAX_QUANTITY),
        cursor=(column, row),
        list_offset=ram.byte(SCROLL),
        list_count=ram.byte(LIST_COUNT),
    )


LIST_POINTER: Final = symbol("wListPointer")
LIST_END: Final = 0xFF


def read_entries(ram: Ram, menu: Menu) -> tuple[int, ...]:
    """Return the item or species numbers that `menu` lists, in order; empty when it is not a list in RAM.

    The kind of the menu decides whether they are items or species; the end mark is not included.
    """
    if not menu.is_list:
        return ()
    size = 2 if menu.kind is MenuKind.ITEMS else 1  # items of the bag come with a quantity
    start = ram.byte(LIST_POINTER) | ram.byte(LIST_POINTER + 1) << 8
    length = 1 + size * menu.list_count + 1
    if not ram.covers(start, length):
        return ()
    block = ram.span(start, length)
    if block[0] != menu.list_count or block[-1] != LIST_END:
        return ()
    return tuple(block[1:-1:size])


FIELD_MOVES: Final = symbol("wFieldMoves")
FIELD_MOVE_ENTRIES: Final = 4
# The last entry number of a menu without moves: STATS, SWITCH, CANCEL.
ENTRIES_BELOW: Final = 2
# The game's own numbers of field moves, to move numbers.
FIELD_MOVE_NUMBERS: Final = MappingProxyType(
    {1: 15, 2: 19, 4: 57, 5: 70, 6: 148, 7: 91, 8: 100, 9: 135}
)


def read_field_moves(ram: Ram, menu: Menu | None) -> tuple[int, ...]:
    """Return the numbers of the field moves in the open menu of a Pokemon; empty when it is not open."""
    if menu is None or menu.kind is not MenuKind.PARTY_FIELD:
        return ()
    listed = ram.span(FIELD_MOVES, FIELD_MOVE_ENTRIES)[: menu.maximum - ENTRIES_BELOW]
    return tuple([FIELD_MOVE_NUMBERS.get(each, 0) for each in listed])


OFFERED_MOVE: Final = symbol("wMoveNum")
OFFERED_TO: Final = symbol("wWhichPokemon")


class MoveOffer(NamedTuple):
    """The party position and the move of an offer to learn; valid only during that question."""

    position: int
    move: int


def read_offer(ram: Ram) -> MoveOffer:
    """Return the last move that was offered, and the Pokemon that would learn it."""
    return MoveOffer(ram.byte(OFFERED_TO), ram.byte(OFFERED_MOVE))
