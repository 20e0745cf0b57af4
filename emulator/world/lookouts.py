"""How far the trainers of a map see, and the events that say they are beaten.

No table of the cartridge says where a map keeps its trainers' headers, but its script does: it notes in
wTrainerHeaderPtr the header it looked at last, or the end of the list when nobody saw the player.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.flags import EVENTS
from emulator.ram.flags import SIZE as EVENT_BYTES
from emulator.ram.view import Ram
from emulator.world.rom import Rom

POINTER: Final = symbol("wTrainerHeaderPtr")  # high byte first
SIZE: Final = 12  # flag bit, sight in the high nibble, address of the flags, four texts
END: Final = 0xFF
BANKED: Final = range(0x4000, 0x8000)


class Lookout(NamedTuple):
    """A trainer's eyes: `sight` steps straight ahead until `event` has happened."""

    sight: int
    event: int


def read_lookouts(rom: Rom, bank: int, ram: Ram, count: int) -> tuple[Lookout, ...]:
    """Return the eyes of the `count` trainers of the player's map, in the order of their sprites.

    Nobody, when the pointer does not lead to so many headers with an end behind them.
    """
    at = int.from_bytes(ram.span(POINTER, 2), "big")
    for end in range(at, at + SIZE * (count + 1), SIZE):
        start = end - SIZE * count
        if start not in BANKED or end not in BANKED:
            break
        if rom.byte(bank, end) == END:
            found = [_lookout(rom.span(bank, each, SIZE)) for each in range(start, end, SIZE)]
            eyes = tuple([each for each in found if each is not None])
            return eyes if len(eyes) == count else ()
    return ()


def _lookout(header: bytes) -> Lookout | None:
    event = 8 * (int.from_bytes(header[2:4], "little") - EVENTS) + header[0]
    return Lookout(header[1] >> 4, event) if 0 <= event < 8 * EVENT_BYTES else None
