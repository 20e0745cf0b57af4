"""Which menu is active, identified by its position and number of items.

The game stores no names for its menus. The position of the first item and the number of the last
identify most of them; where two menus share both, other values in RAM distinguish them.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from emulator.ram.tile_map import BOTTOM_RIGHT, COLUMNS, TOP_LEFT, TOP_RIGHT

A_ALONE: Final = 0x01  # of wMenuWatchedKeys
START: Final = 0x08
TWO_OPTIONS: Final = 0x7F  # of wTwoOptionMenuID; the last bit is the option that comes first
NO_YES: Final = 7
PC: Final = b"\x8f\x82"  # the letters that end the first item of the PC selection menu


class MenuKind(Enum):
    """The kind of a menu; the values describe what is chosen."""

    OTHER = "an unknown menu"
    MAIN = "the main menu after the title"
    NAMES = "suggested names"
    KEYBOARD = "the letters of a name"
    OPTIONS = "options"
    START = "the START menu"
    POKEDEX = "the entries of the dex"
    POKEDEX_ENTRY = "an action with a dex entry"
    ITEMS = "items of the bag or a PC"
    PRICED_ITEMS = "items of a shop"
    BOXED_MONS = "Pokemon of a box or the party, at a PC"
    MOVE_NAMES = "moves, as a list"
    FLOORS = "floors or badges"
    USE_TOSS = "an action with an item"
    QUANTITY = "how many"
    YES_NO = "yes or no"
    NO_YES = "no or yes"
    SAVE_YES_NO = "whether to save"
    CHANGE_MON = "whether to switch before the trainer's next Pokemon"
    NEXT_MON = "whether to continue with another Pokemon"
    NURSE = "whether to heal"
    MART = "an action in a shop"
    PARTY = "a Pokemon of the party"
    PARTY_FIELD = "an action with a Pokemon of the party"
    PARTY_BATTLE = "an action with a Pokemon of the party, in battle"
    BATTLE_LEFT = "an action in battle, left column"
    BATTLE_RIGHT = "an action in battle, right column"
    SAFARI_LEFT = "an action in the Safari Zone, left column"
    SAFARI_RIGHT = "an action in the Safari Zone, right column"
    MOVES = "a move to fight with"
    MOVES_OF_ENEMY = "a move of the enemy to copy"
    MOVES_TO_RESTORE = "a move to use an item on"
    MOVES_TO_FORGET = "a move to forget"
    PC = "whose PC to use"
    PLAYER_PC = "an action with stored items"
    BILLS_PC = "an action with stored Pokemon"
    BILLS_PC_MON = "an action with one stored Pokemon"
    BOXES = "a box to change to"
    VENDING = "a drink"
    PRIZES = "a prize"
    FOSSILS = "a fossil"


class MenuContext(NamedTuple):
    """Values that distinguish menus at the same position."""

    maximum: int
    watched_keys: int
    list_menu_id: int
    two_option_id: int
    in_battle: bool
    tiles: bytes


Place: TypeAlias = tuple[int, int, int]  # column and row of the first item, number of the last
Choice: TypeAlias = Callable[[MenuContext], MenuKind]

LISTS: Final = (
    MenuKind.BOXED_MONS,
    MenuKind.MOVE_NAMES,
    MenuKind.PRICED_ITEMS,
    MenuKind.ITEMS,
    MenuKind.FLOORS,
)


def menu_kind(place: Place, context: MenuContext) -> MenuKind:
    """Return the kind of the menu at `place`."""
    # Three boxes, one below the other; the cursor's column and row vary with the selection.
    upper, middle = context.tiles[5 * COLUMNS], context.tiles[10 * COLUMNS]
    if upper == middle == TOP_LEFT and context.tiles[5 * COLUMNS - 1] == BOTTOM_RIGHT:
        return MenuKind.OPTIONS
    found = _TABLE.get(place, MenuKind.OTHER)
    return found if isinstance(found, MenuKind) else found(context)


def _list(context: MenuContext) -> MenuKind:
    return LISTS[context.list_menu_id] if context.list_menu_id < len(LISTS) else MenuKind.OTHER


def _two_options(context: MenuContext) -> MenuKind:
    reversed_ = context.two_option_id & TWO_OPTIONS == NO_YES
    return MenuKind.NO_YES if reversed_ else MenuKind.YES_NO


def _left_yes_no(context: MenuContext) -> MenuKind:
    return MenuKind.CHANGE_MON if context.in_battle else MenuKind.SAVE_YES_NO


def _bare_mon(context: MenuContext) -> MenuKind:
    return MenuKind.PARTY_BATTLE if context.in_battle else MenuKind.PARTY_FIELD


def _corner(context: MenuContext) -> MenuKind:
    if context.watched_keys & START:
        return MenuKind.MAIN
    if context.watched_keys == A_ALONE:
        return MenuKind.NAMES if context.maximum == 3 else MenuKind.OTHER
    return _wide_box(context)


def _wide_box(context: MenuContext) -> MenuKind:
    match context.tiles.find(TOP_RIGHT, 0, COLUMNS), context.maximum:
        case 13, 4:
            return MenuKind.BILLS_PC
        case 14, 0 | 1 | 2:
            return MenuKind.FOSSILS
        case 15, 2 | 3 | 4 if PC in context.tiles[2 * COLUMNS : 3 * COLUMNS]:
            return MenuKind.PC
        case 15, 3:
            return MenuKind.PLAYER_PC
        case _:
            return MenuKind.OTHER


def _rows() -> Iterator[tuple[MenuKind | Choice, int, int, range]]:
    """Yield kind, column and row of the first item, and the possible numbers of the last item."""
    yield _corner, 1, 2, range(5)
    for column in range(1, 18, 2):
        yield MenuKind.KEYBOARD, column, 3, range(7, 8)
    yield MenuKind.START, 11, 2, range(1, 8)
    yield MenuKind.POKEDEX, 0, 3, range(7)
    yield MenuKind.POKEDEX_ENTRY, 15, 8, range(3, 4)
    yield _list, 5, 4, range(3)
    yield MenuKind.USE_TOSS, 14, 11, range(1, 2)
    yield _two_options, 15, 8, range(1, 2)
    yield _left_yes_no, 1, 8, range(1, 2)
    yield MenuKind.NEXT_MON, 14, 10, range(1, 2)
    yield MenuKind.NURSE, 12, 8, range(1, 2)
    yield MenuKind.MART, 1, 1, range(2, 3)
    yield MenuKind.PARTY, 0, 1, range(6)
    yield _bare_mon, 12, 12, range(2, 3)
    for moves in range(1, 5):  # the menu grows upwards, and to the left for a long name
        for column in (8, 10, 12):
            yield MenuKind.PARTY_FIELD, column, 12 - 2 * moves, range(2 + moves, 3 + moves)
    yield MenuKind.BATTLE_LEFT, 9, 14, range(1, 2)
    yield MenuKind.BATTLE_RIGHT, 15, 14, range(1, 2)
    yield MenuKind.SAFARI_LEFT, 1, 14, range(1, 2)
    yield MenuKind.SAFARI_RIGHT, 13, 14, range(1, 2)
    yield MenuKind.MOVES, 5, 12, range(1, 6)
    yield MenuKind.MOVES_OF_ENEMY, 1, 7, range(1, 6)
    yield MenuKind.MOVES_TO_RESTORE, 5, 7, range(1, 6)
    yield MenuKind.MOVES_TO_FORGET, 5, 8, range(4)
    yield MenuKind.BILLS_PC_MON, 10, 12, range(2, 3)
    yield MenuKind.BOXES, 12, 1, range(11, 12)
    yield MenuKind.VENDING, 1, 5, range(3, 4)
    yield MenuKind.PRIZES, 1, 4, range(3, 4)


_TABLE: Final[dict[Place, MenuKind | Choice]] = {
    (column, row, last): kind for kind, column, row, lasts in _rows() for last in lasts
}
