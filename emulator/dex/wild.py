"""Wild Pokemon: encounters per map and rod, with their probabilities."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from emulator.cartridge import Rom
from emulator.dex.trainers import TeamMember
from emulator.profile import table
from emulator.rules.arithmetic import HIGHEST_LEVEL
from emulator.world.header import MAP_COUNT

POINTERS: Final = table("WildDataPointers")
SLOTS: Final = 10
RECORD_SIZE: Final = 2 * (1 + 2 * SLOTS)
# A random byte up to the first threshold selects the first slot, and so on.
THRESHOLDS: Final = (50, 101, 140, 165, 190, 215, 228, 241, 252, 255)
CHANCES: Final = tuple([Fraction(high - low, 256) for low, high in pairwise((-1, *THRESHOLDS))])


class WildSlot(NamedTuple):
    """One of ten encounter slots; `chance` is its share of the encounters."""

    level: int
    species: int
    chance: Fraction


@dataclass(frozen=True, slots=True)
class WildTable:
    """Encounters on one kind of ground; `rate` is the chance out of 256 per step."""

    rate: int
    slots: tuple[WildSlot, ...]

    @property
    def shares(self) -> dict[int, Fraction]:
        """The share of each species in the encounters."""
        shares: dict[int, Fraction] = {}
        for slot in self.slots:
            shares[slot.species] = shares.get(slot.species, Fraction(0)) + slot.chance
        return shares


class Wild(NamedTuple):
    """Encounters on a map: in grass, or anywhere in a cave, and on water."""

    grass: WildTable | None
    water: WildTable | None


def read_wild(rom: Rom) -> dict[int, Wild]:
    """Return the encounters by map id, for the maps that have any."""
    bank, at = POINTERS
    found = {}
    for map_id in range(MAP_COUNT):
        data = rom.span(bank, rom.pointer(bank, at + 2 * map_id), RECORD_SIZE)
        grass = _table(data)
        water = _table(data[1 + 2 * SLOTS if grass else 1 :])
        if grass or water:
            found[map_id] = Wild(grass, water)
    return found


def _table(data: bytes) -> WildTable | None:
    rate, pairs = data[0], data[1 : 1 + 2 * SLOTS]
    if not rate:
        return None
    slots = zip(pairs[::2], pairs[1::2], CHANCES, strict=True)
    return WildTable(rate, tuple([WildSlot(*slot) for slot in slots]))


GOOD: Final = table("GoodRodMons")  # level, species
GOOD_COUNT: Final = 2
SUPER: Final = table("SuperRodData")  # map, pointer to a group
SUPER_SIZE: Final = 3


@dataclass(frozen=True, slots=True)
class Fishing:
    """Possible catches per rod, all equally likely."""

    good_rod: tuple[TeamMember, ...]  # wherever there is water
    super_rod: dict[int, tuple[TeamMember, ...]]  # by map id; other maps have none


def read_fishing(rom: Rom) -> Fishing:
    """Return the possible catches of rods."""
    rows = rom.rows(*SUPER, SUPER_SIZE)
    groups = {row[0]: _group(rom, row[1] | row[2] << 8) for row in rows}
    return Fishing(
        good_rod=_catches(rom.table(GOOD, 2, GOOD_COUNT)),
        super_rod={map_id: group for map_id, group in groups.items() if group},
    )


def _group(rom: Rom, address: int) -> tuple[TeamMember, ...]:
    # A count precedes the entries, as Universal Pokemon Randomizer reads them, too.
    count = rom.byte(SUPER.bank, address)
    return _catches(rom.table((SUPER.bank, address + 1), 2, count))


def _catches(rows: Iterable[bytes]) -> tuple[TeamMember, ...]:
    catches = [TeamMember(*row) for row in rows]
    return tuple([catch for catch in catches if 0 < catch.level <= HIGHEST_LEVEL])
