"""Moves: what they are called and what they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from emulator.dex.names import read_names
from emulator.profile import table
from emulator.rules.records import MoveData
from emulator.world.rom import Rom

MOVES: Final = table("Moves")
NAMES: Final = table("MoveNames")
HIGH_CRITICAL: Final = table("HighCriticalMoves")
COUNT: Final = 165
SIZE: Final = 6
END: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Move(MoveData):
    """A move of the cartridge, and how often a mon can use it."""

    name: str
    pp: int


def read_moves(rom: Rom) -> dict[int, Move]:
    """Return the moves by number; a number whose record is blank has none."""
    sharp = rom.until(*HIGH_CRITICAL, END)
    data = rom.span(*MOVES, COUNT * SIZE)
    moves = {}
    for number, name in enumerate(read_names(rom, NAMES, COUNT), start=1):
        record = data[(number - 1) * SIZE : number * SIZE]
        _, effect, power, type_, accuracy, pp = record
        if any(record):
            moves[number] = Move(number, effect, power, type_, accuracy, number in sharp, name, pp)
    return moves
