"""Types by name, and the tables that battles are computed with."""

from __future__ import annotations

from typing import Final

from emulator.errors import CartridgeError
from emulator.profile import table
from emulator.rules.book import STAGES, Ratio, RuleBook
from emulator.rules.chart import TypeChart
from emulator.text import END, decode_name
from emulator.world.rom import Rom

NAMES: Final = table("TypeNames")  # pointers
COUNT: Final = 27
EFFECTS: Final = table("TypeEffects")  # attacking, defending, tenths
RATIOS: Final = table("StatModifierRatios")


def read_type_names(rom: Rom) -> tuple[str, ...]:
    """Return what every type is called; ids without a type share names."""
    bank, at = NAMES
    pointers = [rom.pointer(bank, at + 2 * number) for number in range(COUNT)]
    return tuple([decode_name(rom.until(bank, pointer, END)) for pointer in pointers])


def read_rule_book(rom: Rom) -> RuleBook:
    """Return the tables that battles are computed with."""
    pairs = rom.span(*RATIOS, 2 * len(STAGES))
    ratios = tuple([Ratio(*pairs[at : at + 2]) for at in range(0, len(pairs), 2)])
    if not all(ratio.denominator for ratio in ratios):
        message = "the cartridge has no table of stages; it is no game, or an old demo: build it"
        raise CartridgeError(message)
    rows = rom.rows(*EFFECTS, 3)
    return RuleBook(TypeChart.of([(row[0], row[1], row[2]) for row in rows]), ratios)
