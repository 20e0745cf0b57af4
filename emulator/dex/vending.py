"""What vending machines sell, and for how much: they have their own prices."""

from __future__ import annotations

from typing import Final

from emulator.profile import table
from emulator.ram.numbers import bcd
from emulator.world.rom import Rom

PRICES: Final = table("VendingPrices")  # item, three BCD bytes
SIZE: Final = 4
COUNT: Final = 3


def read_vending(rom: Rom) -> dict[int, int]:
    """Return the prices by item number, in the order of the machine's menu."""
    data = rom.span(*PRICES, COUNT * SIZE)
    rows = [data[at : at + SIZE] for at in range(0, len(data), SIZE)]
    return {row[0]: bcd(row[1:]) for row in rows if bcd(row[1:])}
