"""Where maps lie on the town map, and what the places on it are called."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import table
from emulator.text import END, decode_name
from emulator.world.rom import BANK_SIZE, Rom

FIRST_INDOOR_MAP: Final = 37  # lower ids are outdoors, where 0xFF warps lead back to

OUTDOORS: Final = table("ExternalMapEntries")  # by map: yx in nibbles, name
OUTDOORS_SIZE: Final = 3
# By group: the first map id that is no longer in it, yx in nibbles, name. That the bound is
# exclusive is how Universal Pokemon Randomizer reads this table.
INDOORS: Final = table("InternalMapEntries")
INDOORS_SIZE: Final = 4


class TownMapEntry(NamedTuple):
    """A place of the town map, and its square there, from the top left."""

    name: str
    x: int
    y: int


def read_town_map_entry(rom: Rom, map_id: int) -> TownMapEntry | None:
    """Return where a map lies, or None on a cartridge without a town map."""
    bank, at = OUTDOORS
    if map_id < FIRST_INDOOR_MAP:
        return _entry(rom, rom.span(bank, at + OUTDOORS_SIZE * map_id, OUTDOORS_SIZE))
    groups = rom.rows(*INDOORS, INDOORS_SIZE)
    return next((_entry(rom, group[1:]) for group in groups if map_id < group[0]), None)


def _entry(rom: Rom, row: bytes) -> TownMapEntry | None:
    name = int.from_bytes(row[1:], "little")
    if not BANK_SIZE <= name < 2 * BANK_SIZE:
        return None
    y, x = divmod(row[0], 16)
    return TownMapEntry(decode_name(rom.until(OUTDOORS.bank, name, END)), x, y)
