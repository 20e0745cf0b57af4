"""The mons of the current box: those that are not with the player, and are not put away in another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

NUMBER: Final = symbol("wCurrentBoxNum")
COUNT: Final = symbol("wBoxCount")
SPECIES: Final = symbol("wBoxSpecies")
SPECIES_END: Final = 0xFF
MONS: Final = symbol("wBoxMons")
OT_NAMES: Final = symbol("wBoxMonOT")  # behind the mons
MON_SIZE: Final = 33
LEVEL: Final = 3  # of the box's structure, which has no other
CAPACITY: Final = 20
NUMBER_BITS: Final = 0x7F  # the last bit says that the boxes have been changed before


class BoxedMon(NamedTuple):
    """What a box tells of a mon at a glance."""

    species: int
    level: int


@dataclass(frozen=True, slots=True)
class Box:
    """Box `number`, from 0 on, which is the one that catches what the team has no room for."""

    number: int
    mons: tuple[BoxedMon, ...]

    def __len__(self) -> int:
        return len(self.mons)

    @property
    def full(self) -> bool:
        """Whether no other mon fits in."""
        return len(self.mons) >= CAPACITY


def read_box(ram: Ram) -> Box:
    """Return the current box."""
    mons = _decode_mons(ram.span(COUNT, OT_NAMES - COUNT))
    return Box(ram.byte(NUMBER) & NUMBER_BITS, mons)


@lru_cache(maxsize=16)
def _decode_mons(block: bytes) -> tuple[BoxedMon, ...]:
    # A count that the species list does not bear out is memory that nobody has set up yet.
    count = block[0]
    if count > CAPACITY or block[SPECIES - COUNT :].find(SPECIES_END) != count:
        return ()
    starts = range(MONS - COUNT, MONS - COUNT + MON_SIZE * count, MON_SIZE)
    return tuple([BoxedMon(block[start], block[start + LEVEL]) for start in starts])
