"""Which people and things of the map the story hides: they keep their square in RAM, but are not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from emulator.profile import symbol
from emulator.ram.view import Ram

LIST: Final = symbol("wToggleableObjectList")  # pairs: sprite slot, toggle index
LIST_SIZE: Final = 33
LIST_END: Final = 0xFF


def read_hidden_slots(ram: Ram, hidden: bytes) -> frozenset[int]:
    """Return the sprite slots of this map whose bit is set in `hidden`, wToggleableObjectFlags."""
    return frozenset(
        slot for slot, toggle in _pairs(ram) if hidden[toggle >> 3] >> (toggle & 7) & 1
    )


def _pairs(ram: Ram) -> Iterator[tuple[int, int]]:
    listed = ram.span(LIST, LIST_SIZE).split(bytes([LIST_END]), 1)[0]
    return zip(listed[::2], listed[1::2], strict=False)
