"""How far the trainers of a map see, and the events that say they are beaten.

No table of the cartridge says where a map keeps its trainers' headers, but its script does: it notes in
wTrainerHeaderPtr the header it looked at last, or the end of the list when nobody saw the player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


def read_lookouts(rom: Rom, bank: int, ram: Ram, slots: Sequence[int]) -> Mapping[int, Lookout]:
    """Return the eyes of those of the player's map who fight and watch, by sprite slot; `slots` are all who fight.

    As a rule all of them have a header, in their order. Who does not watch, such as the leader of a gym, may have none:
    then the flag bit of each header is the slot that it is of. Nobody, when the pointer leads to no such headers.
    """
    at = int.from_bytes(ram.span(POINTER, 2), "big")
    for end in range(at, at + SIZE * (len(slots) + 1), SIZE):
        if end not in BANKED:
            break
        if rom.byte(bank, end) == END:
            return _before(end, rom, bank, slots)
    return {}


def _before(end: int, rom: Rom, bank: int, slots: Sequence[int]) -> Mapping[int, Lookout]:
    """Return what the headers say that lie before the end of their list."""
    for count in range(len(slots), 0, -1):
        start = end - SIZE * count
        headers = [rom.span(bank, at, SIZE) for at in range(start, end, SIZE)]
        eyes = [_lookout(each) for each in headers]
        named = slots if count == len(slots) else [each[0] for each in headers]
        is_list = start in BANKED and sorted(set(named)) == [*named] and set(named) <= set(slots)
        if is_list and None not in eyes:
            return {slot: each for slot, each in zip(named, eyes, strict=True) if each is not None}
    return {}


def _lookout(header: bytes) -> Lookout | None:
    event = 8 * (int.from_bytes(header[2:4], "little") - EVENTS) + header[0]
    texts = [int.from_bytes(header[at : at + 2], "little") for at in range(4, SIZE, 2)]
    is_one = 0 <= event < 8 * EVENT_BYTES and all(text in BANKED for text in texts)
    return Lookout(header[1] >> 4, event) if is_one else None
