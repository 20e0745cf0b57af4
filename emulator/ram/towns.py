"""Towns that were seen, and whether the map lies in the dark."""

from __future__ import annotations

from typing import Final

from emulator.profile import symbol
from emulator.ram.numbers import bits
from emulator.ram.view import Ram

VISITED: Final = symbol("wTownVisitedFlag")  # a bit for each of the towns, whose map ids come first
PALETTE_OFFSET: Final = symbol("wMapPalOffset")
FIRST_ROUTE: Final = 11


def read_visited(ram: Ram) -> frozenset[int]:
    """Return the map ids of the towns that were entered."""
    low, high = ram.span(VISITED, 2)
    return frozenset((*bits(low), *(8 + bit for bit in bits(high)))) & frozenset(range(FIRST_ROUTE))


def read_dark(ram: Ram) -> bool:
    """Say whether the map is dark until somebody lights it."""
    return ram.byte(PALETTE_OFFSET) != 0
