"""What signs and people of a map say: its table of texts, each a script, or a service that begins instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from emulator.world.rom import BANK_SIZE, Rom
from emulator.world.text_script import ROM_END, Ending, read_script


class Service(Enum):
    """What DisplayTextID begins in place of a text, by the byte that stands there."""

    NURSE = 0xFF
    MART = 0xFE
    BILLS_PC = 0xFD
    PLAYERS_PC = 0xFC
    PC = 0xF9
    PRIZES = 0xF7
    LINK = 0xF6
    VENDING = 0xF5


class TextKind(Enum):
    """What a text is."""

    PRINTED = "printed"
    SERVICE = "service"
    PROGRAM = "program"  # code makes it, or makes more of it than is printed before
    NONSENSE = "nonsense"


class Text(NamedTuple):
    """One text; `words`, marked as those of a Script, are what is sure to be printed first."""

    kind: TextKind
    words: str = ""
    service: Service | None = None


@dataclass(frozen=True, slots=True)
class TextTable:
    """The texts of a map, read when asked for; the cartridge does not say how many there are."""

    rom: Rom = field(repr=False)
    bank: int
    address: int

    def place(self, text_id: int) -> int | None:
        """Return the address of a text, in this bank or the first; None where that is not in ROM."""
        room = BANK_SIZE - self.address % BANK_SIZE  # no table goes on into another bank
        if not 0 < text_id <= room // 2 or self.address >= ROM_END:
            return None
        # The first text has number one.
        place = self.rom.pointer(self.bank, self.address + 2 * (text_id - 1))
        return place if place < ROM_END else None

    def read(self, text_id: int) -> Text:
        """Return a text; an id that has none, and what cannot be read to an end, is NONSENSE."""
        place = self.place(text_id)
        if place is None:
            return Text(TextKind.NONSENSE)
        service = _SERVICES.get(self.rom.byte(self.bank, place))
        if service:
            return Text(TextKind.SERVICE, service=service)
        script = read_script(self.rom, self.bank, place)
        return Text(_KINDS[script.ending], script.words)


_SERVICES: Final = {service.value: service for service in Service}
_KINDS: Final = {
    Ending.END: TextKind.PRINTED,
    Ending.PROGRAM: TextKind.PROGRAM,
    Ending.NONSENSE: TextKind.NONSENSE,
}
