"""Rules of walking that hold on every map: ledges, and mats that lead out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from emulator.profile import table
from emulator.ram.map import Facing
from emulator.world.rom import Rom

LEDGES: Final = table("LedgeTiles")  # facing, tile stood on, tile ahead, pad bit
CARPETS: Final = table("WarpTileListPointers")  # in this order:
CARPET_ORDER: Final = (Facing.DOWN, Facing.UP, Facing.LEFT, Facing.RIGHT)
NONE: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Ground:
    """Ledges as (facing, tile stood on, tile ahead); per facing the tiles that lead out."""

    ledges: frozenset[tuple[Facing, int, int]]
    carpets: dict[Facing, frozenset[int]]


def read_ground(rom: Rom) -> Ground:
    """Return the cartridge's ledges and mats."""
    bank, at = CARPETS
    lists = [rom.until(bank, rom.pointer(bank, at + 2 * n), NONE) for n in range(4)]
    return Ground(
        ledges=frozenset(
            (Facing(row[0] & 0x0C), row[1], row[2]) for row in rom.rows(*LEDGES, 4, end=NONE)
        ),
        carpets=dict(zip(CARPET_ORDER, map(frozenset, lists), strict=True)),
    )
