"""Names as the cartridge stores them: one after the other, each up to its end mark."""

from __future__ import annotations

from typing import Final

from emulator.text import END, decode_name
from emulator.world.rom import Rom

LONGEST: Final = 16  # end mark included


def read_names(rom: Rom, place: tuple[int, int], count: int) -> tuple[str, ...]:
    """Return the first names of a list, and empty ones where the list ends early."""
    parts = rom.span(*place, count * LONGEST).split(bytes([END]))[:count]
    return tuple([decode_name(part) for part in parts]) + ("",) * (count - len(parts))


def read_padded_names(rom: Rom, place: tuple[int, int], count: int, size: int) -> tuple[str, ...]:
    """Return names that all take the same room."""
    data = rom.span(*place, count * size)
    return tuple([decode_name(data[at : at + size]) for at in range(0, len(data), size)])
