"""Items of a map besides its visible ones: hidden items, and the stock of its shops.

Hidden items are stored in two tables. One lists the squares in the order of the bits that record what was picked
up; the hidden events of the map hold the items. An entry of only one table cannot be found in the game.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from emulator.cartridge import Rom
from emulator.profile import table
from emulator.world.map_objects import MapObject
from emulator.world.texts import TextService, TextTable

ITEMS: Final = table("HiddenItemCoords")  # map, Y, X
ITEM_COUNT: Final = 54
COORDS_SIZE: Final = 3
MAPS: Final = table("HiddenEventMaps")
POINTERS: Final = table("HiddenEventPointers")  # in the order of MAPS
EVENT_SIZE: Final = 6  # Y, X, argument, bank and address of a routine
END: Final = 0xFF


class HiddenItem(NamedTuple):
    """A hidden item, present until bit `flag` of wObtainedHiddenItemsFlags is set."""

    x: int
    y: int
    flag: int
    item: int


def read_hidden_items(rom: Rom, map_id: int) -> tuple[HiddenItem, ...]:
    """Return the hidden items of a map."""
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
    """Return the arguments of a map's hidden events by square."""
    number = rom.until(*MAPS, END).find(map_id)
    if number < 0:
        return {}
    bank, pointers = POINTERS
    events = rom.rows(bank, rom.pointer(bank, pointers + 2 * number), EVENT_SIZE)
    return {(row[1], row[0]): row[2] for row in reversed(events)}  # first event per square


SHOP: Final = TextService.MART.value  # first byte of a shop's text; a count and the stock follow


class Shop(NamedTuple):
    """The stock of a shop as item numbers in list order; `slot` is the sprite of the seller."""

    slot: int
    items: tuple[int, ...]


def read_shops(texts: TextTable, people: Iterable[MapObject]) -> Iterator[Shop]:
    """Yield the shops of a map."""
    for person in people:
        place = texts.place(person.text_id)
        if place is None:
            continue
        mark, count = texts.rom.span(texts.bank, place, 2)
        stock = texts.rom.span(texts.bank, place + 2, count + 1)
        if mark == SHOP and stock.endswith(bytes([END])):
            yield Shop(person.slot, tuple(stock[:-1]))
