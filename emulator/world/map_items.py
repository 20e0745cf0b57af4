"""Items that a map holds apart from those that lie in sight: hidden items, and what its shops sell.

Where something is hidden is written twice. One list has all squares of a kind, and its order is that of the bits that
remember what was taken; the records of a map have what lies there. What only one of them knows cannot be found.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from emulator.cartridge import Rom
from emulator.profile import table
from emulator.world.residents import Resident
from emulator.world.texts import TextService, TextTable

ITEMS: Final = table("HiddenItemCoords")  # map, Y, X
ITEM_COUNT: Final = 54
COORDS_SIZE: Final = 3
MAPS: Final = table("HiddenEventMaps")
POINTERS: Final = table("HiddenEventPointers")  # in the order of MAPS
EVENT_SIZE: Final = 6  # Y, X, argument, bank and address of a routine
END: Final = 0xFF


class HiddenItem(NamedTuple):
    """An item in the ground, until bit `flag` of wObtainedHiddenItemsFlags is set."""

    x: int
    y: int
    flag: int
    item: int


def read_hidden_items(rom: Rom, map_id: int) -> tuple[HiddenItem, ...]:
    """Return the items that lie hidden on a map."""
    arguments = _arguments(rom, map_id)
    rows = rom.table(ITEMS, COORDS_SIZE, ITEM_COUNT)
    return tuple(
        [
            HiddenItem(x, y, flag, arguments[x, y])
            for flag, (owner, y, x) in enumerate(rows)
            if owner == map_id and (x, y) in arguments
        ]
    )


def _arguments(rom: Rom, map_id: int) -> dict[tuple[int, int], int]:
    """Return the arguments of a map's hidden events by their squares."""
    number = rom.until(*MAPS, END).find(map_id)
    if number < 0:
        return {}
    bank, pointers = POINTERS
    events = rom.rows(bank, rom.pointer(bank, pointers + 2 * number), EVENT_SIZE)
    return {(row[1], row[0]): row[2] for row in reversed(events)}  # the first of a square counts


SHOP: Final = TextService.MART.value  # what such a text begins with; a count and the wares follow


class Shop(NamedTuple):
    """What a person sells, as item numbers in the order of the list; `slot` is the sprite of the seller."""

    slot: int
    items: tuple[int, ...]


def read_shops(texts: TextTable, people: Iterable[Resident]) -> Iterator[Shop]:
    """Yield the shops of a map."""
    for person in people:
        place = texts.place(person.text_id)
        if place is None:
            continue
        mark, count = texts.rom.span(texts.bank, place, 2)
        wares = texts.rom.span(texts.bank, place + 2, count + 1)
        if mark == SHOP and wares.endswith(bytes([END])):
            yield Shop(person.slot, tuple(wares[:-1]))
