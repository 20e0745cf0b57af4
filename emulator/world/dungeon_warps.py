"""Where those land who fall down a hole. The squares of holes are the business of scripts."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import table
from emulator.world.rom import Rom

TARGETS: Final = table("DungeonWarpList")  # map, number
LANDINGS: Final = table("DungeonWarpData")  # view pointer, Y, X, their lowest bits
TARGET_SIZE: Final = 2
LANDING_SIZE: Final = 6
COUNT: Final = 12


class DungeonWarp(NamedTuple):
    """Where a hole leads to; `number` tells the landings on one map apart (wWhichDungeonWarp)."""

    map_id: int
    number: int
    x: int
    y: int


def read_dungeon_warps(rom: Rom) -> tuple[DungeonWarp, ...]:
    """Return every landing, in the order of the cartridge."""
    targets = rom.rows(*TARGETS, TARGET_SIZE)[:COUNT]
    warps = []
    for n, (map_id, number) in enumerate(targets):
        landing = rom.span(LANDINGS.bank, LANDINGS.address + n * LANDING_SIZE, LANDING_SIZE)
        warps.append(DungeonWarp(map_id, number, x=landing[3], y=landing[2]))
    return tuple(warps)
