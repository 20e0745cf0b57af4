"""What a mon of the team can do outside of battles: the entries above STATS of its menu."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from emulator.profile import symbol
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.view import Ram

FIELD_MOVES: Final = symbol("wFieldMoves")
ENTRIES: Final = 4
OTHERS: Final = 2  # the number of the last entry of a menu without moves: STATS, SWITCH, CANCEL
# The game counts them in an order of their own; the values are moves.
MOVES: Final = MappingProxyType({1: 15, 2: 19, 4: 57, 5: 70, 6: 148, 7: 91, 8: 100, 9: 135})


def read_field_moves(ram: Ram, menu: Menu | None) -> tuple[int, ...]:
    """Return the numbers of the moves that the open menu of a mon begins with; nothing when it is not open."""
    if menu is None or menu.kind is not MenuKind.PARTY_FIELD:
        return ()
    listed = ram.span(FIELD_MOVES, ENTRIES)[: menu.maximum - OTHERS]
    return tuple([MOVES.get(each, 0) for each in listed])
