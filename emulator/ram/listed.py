"""The entries of a list that scrolls, from where the game keeps what it lists."""

from __future__ import annotations

from typing import Final

from emulator.profile import symbol
from emulator.ram.menu import Menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.view import Ram

POINTER: Final = symbol("wListPointer")
END: Final = 0xFF


def read_entries(ram: Ram, menu: Menu) -> tuple[int, ...]:
    """Return the numbers of what `menu` lists, in order; nothing when it is no list, or not one of RAM.

    They are items or species, as the kind of menu says; the end mark is not among them.
    """
    if not menu.is_list:
        return ()
    size = 2 if menu.kind is MenuKind.ITEMS else 1  # items of the bag come with a quantity
    start = ram.byte(POINTER) | ram.byte(POINTER + 1) << 8
    length = 1 + size * menu.list_count + 1
    if not ram.covers(start, length):
        return ()
    block = ram.span(start, length)
    if block[0] != menu.list_count or block[-1] != END:
        return ()
    return tuple(block[1:-1:size])
