"""Moves, types, and the tables of the battle arithmetic."""

from dataclasses import dataclass
from typing import Final

from emulator.cartridge import Rom, read_names
from emulator.errors import CartridgeError
from emulator.profile import table
from emulator.rules.moves import MoveData
from emulator.rules.rule_book import STAGES, RuleBook, StageRatio, TypeChart
from emulator.text import END, decode_name

MOVES: Final = table("Moves")
MOVE_NAMES: Final = table("MoveNames")
HIGH_CRITICAL: Final = table("HighCriticalMoves")
MOVE_COUNT: Final = 165
MOVE_SIZE: Final = 6
HIGH_CRITICAL_END: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Move(MoveData):
    """A move of the cartridge, with its name and base PP."""

    name: str
    pp: int


def read_moves(rom: Rom) -> dict[int, Move]:
    """Return the moves by number; blank records are left out."""
    high = rom.until(*HIGH_CRITICAL, HIGH_CRITICAL_END)
    names = read_names(rom, MOVE_NAMES, MOVE_COUNT)
    records = zip(names, rom.table(MOVES, MOVE_SIZE, MOVE_COUNT), strict=True)
    moves = {}
    for number, (name, record) in enumerate(records, start=1):
        _, effect, power, type_, accuracy, pp = record
        if any(record):
            moves[number] = Move(number, effect, power, type_, accuracy, number in high, name, pp)
    return moves


TYPE_NAMES: Final = table("TypeNames")  # pointers
TYPE_COUNT: Final = 27
TYPE_EFFECTS: Final = table("TypeEffects")  # attacking, defending, tenths
STAGE_RATIOS: Final = table("StatModifierRatios")


def read_type_names(rom: Rom) -> tuple[str, ...]:
    """Return the name of every type; unused type ids share names."""
    bank, at = TYPE_NAMES
    pointers = [rom.pointer(bank, at + 2 * number) for number in range(TYPE_COUNT)]
    return tuple([decode_name(rom.until(bank, pointer, END)) for pointer in pointers])


def read_rule_book(rom: Rom) -> RuleBook:
    """Return the tables of the battle arithmetic."""
    ratios = tuple([StageRatio(*pair) for pair in rom.table(STAGE_RATIOS, 2, len(STAGES))])
    if not all(ratio.denominator for ratio in ratios):
        message = "the cartridge has no stat stage table; use another, or build the demo again"
        raise CartridgeError(message)
    rows = rom.rows(*TYPE_EFFECTS, 3)
    return RuleBook(TypeChart.of([(row[0], row[1], row[2]) for row in rows]), ratios)
