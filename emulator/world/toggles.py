"""Toggles: who on a map can be hidden and shown, and who is hidden when a game begins."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import table
from emulator.world.rom import Rom

POINTERS: Final = table("ToggleableObjectMapPointers")
STATES: Final = table("ToggleableObjectStates")  # map, object, state
SIZE: Final = 3
COUNT: Final = 228
HIDDEN: Final = 0x11


class Toggle(NamedTuple):
    """Who can be hidden: `slot`, while bit `flag` of wToggleableObjectFlags is set.

    `hidden` is how a new game begins.
    """

    flag: int
    slot: int
    hidden: bool


def read_toggles(rom: Rom, map_id: int) -> tuple[Toggle, ...]:
    """Return the toggles of a map."""
    bank, start = STATES
    first = rom.pointer(POINTERS.bank, POINTERS.address + 2 * map_id) - start
    toggles = []
    for flag in range(first // SIZE, COUNT) if first >= 0 else ():
        owner, slot, state = rom.span(bank, start + flag * SIZE, SIZE)
        if owner != map_id:
            break
        toggles.append(Toggle(flag, slot, state == HIDDEN))
    return tuple(toggles)
