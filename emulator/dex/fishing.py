"""Who bites: the tables of the good and the super rod. The old rod's catch is in a routine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from emulator.profile import table
from emulator.world.rom import Rom

GOOD: Final = table("GoodRodMons")  # level, species
GOOD_COUNT: Final = 2
SUPER: Final = table("SuperRodData")  # map, pointer to a group
SUPER_SIZE: Final = 3
HIGHEST_LEVEL: Final = 100


class Catch(NamedTuple):
    """One who may bite."""

    level: int
    species: int


@dataclass(frozen=True, slots=True)
class Fishing:
    """Who may bite at each rod, all of them equally often."""

    good_rod: tuple[Catch, ...]  # wherever there is water
    super_rod: dict[int, tuple[Catch, ...]]  # by map; elsewhere nobody


def read_fishing(rom: Rom) -> Fishing:
    """Return what can be caught with rods."""
    rows = rom.rows(*SUPER, SUPER_SIZE)
    groups = {row[0]: _group(rom, row[1] | row[2] << 8) for row in rows}
    return Fishing(
        good_rod=_catches(rom.span(*GOOD, 2 * GOOD_COUNT)),
        super_rod={map_id: group for map_id, group in groups.items() if group},
    )


def _group(rom: Rom, address: int) -> tuple[Catch, ...]:
    # A count comes before the mons; that is how Universal Pokemon Randomizer reads them.
    count = rom.byte(SUPER.bank, address)
    return _catches(rom.span(SUPER.bank, address + 1, 2 * count))


def _catches(data: bytes) -> tuple[Catch, ...]:
    catches = [Catch(*data[at : at + 2]) for at in range(0, len(data), 2)]
    return tuple([catch for catch in catches if 0 < catch.level <= HIGHEST_LEVEL])
