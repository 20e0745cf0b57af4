"""Shops: what those sell whose text is a list of wares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from emulator.world.residents import Resident
from emulator.world.rom import Rom

SHOP: Final = 0xFE  # what a text begins with that is a shop; a count and the wares follow, then
END: Final = 0xFF


class Shop(NamedTuple):
    """What somebody sells, as item numbers in the order of the list; `slot` is who sells it."""

    slot: int
    items: tuple[int, ...]


def read_shops(rom: Rom, bank: int, texts: int, people: Iterable[Resident]) -> tuple[Shop, ...]:
    """Return the shops of a map; `texts` is the address of its table of texts, in its `bank`."""
    return tuple(_shops(rom, bank, texts, people))


def _shops(rom: Rom, bank: int, texts: int, people: Iterable[Resident]) -> Iterator[Shop]:
    for person in people:
        if not person.text_id:
            continue  # the first text has number one
        text = rom.pointer(bank, texts + 2 * (person.text_id - 1))
        mark, count = rom.span(bank, text, 2)
        wares = rom.span(bank, text + 2, count + 1)
        if mark == SHOP and wares.endswith(bytes([END])):
            yield Shop(person.slot, tuple(wares[:-1]))
