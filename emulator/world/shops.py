"""Shops: what those sell whose text is a list of wares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from emulator.world.residents import Resident
from emulator.world.texts import Service, TextTable

SHOP: Final = Service.MART.value  # what such a text begins with; a count and the wares follow
END: Final = 0xFF


class Shop(NamedTuple):
    """What somebody sells, as item numbers in the order of the list; `slot` is who sells it."""

    slot: int
    items: tuple[int, ...]


def read_shops(texts: TextTable, people: Iterable[Resident]) -> tuple[Shop, ...]:
    """Return the shops of a map."""
    return tuple(_shops(texts, people))


def _shops(texts: TextTable, people: Iterable[Resident]) -> Iterator[Shop]:
    for person in people:
        place = texts.place(person.text_id)
        if place is None:
            continue
        mark, count = texts.rom.span(texts.bank, place, 2)
        wares = texts.rom.span(texts.bank, place + 2, count + 1)
        if mark == SHOP and wares.endswith(bytes([END])):
            yield Shop(person.slot, tuple(wares[:-1]))
