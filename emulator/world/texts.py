"""Texts of a map's signs and people: its text table, and the scripts in it.

A script consists of strings with control codes, and of commands between them. The decoder follows
TextCommandProcessor and marks the places where the game inserts a name or number.
"""

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.cartridge import BANK_SIZE, Rom
from emulator.text import END, SHORTHANDS, charmap

MAX_BYTES: Final = 0x800  # of a whole script; the text box shows 36 letters at a time
MAX_COMMANDS: Final = 64  # more than a text needs; a script that jumps to itself never ends
ROM_END: Final = 2 * BANK_SIZE  # addresses from here on are RAM

BOLD: Final = range(0x60, 0x6D)  # letters that print as spaces here, as on the decoded screen
LINE, PAGE = "\n", "\n\n"
# What the other control codes of a string print, or the line break they make.
CONTROLS: Final = SHORTHANDS | {
    0x49: PAGE,
    0x4B: LINE,
    0x4C: LINE,
    0x4E: LINE,
    0x4F: LINE,
    0x51: PAGE,
    0x52: "{player}",
    0x53: "{rival}",
    0x55: LINE,
    0x56: "……",
    0x59: "{target}",
    0x5A: "{user}",
    0x5B: "PC",
    0x5C: "TM",
    0x5D: "TRAINER",
    0x5E: "ROCKET",
}
# Control codes that end the whole script, and what they print: DONE, PROMPT, DEXEND.
LAST: Final = {0x57: "", 0x58: "", 0x5F: "."}

STRING: Final = 0x00  # TX_START
DOTS: Final = 0x0C  # TX_DOTS, and their number
PROGRAM: Final = 0x08  # TX_START_ASM
FAR: Final = 0x17  # TX_FAR, an address and its bank


class Command(NamedTuple):
    """The number of argument bytes of a command, and what it prints."""

    arguments: int
    words: str = ""


COMMANDS: Final = {
    0x01: Command(2, "{string}"),  # TX_RAM
    0x02: Command(3, "{number}"),  # TX_BCD
    0x03: Command(2, LINE),  # TX_MOVE
    0x04: Command(4),  # TX_BOX
    0x05: Command(0, LINE),  # TX_LOW
    0x06: Command(0),  # TX_PROMPT_BUTTON
    0x07: Command(0, LINE),  # TX_SCROLL
    0x09: Command(3, "{number}"),  # TX_NUM
    0x0A: Command(0),  # TX_PAUSE
    0x0B: Command(0),  # TX_SOUND_GET_ITEM_1
    DOTS: Command(1),
    **dict.fromkeys(range(0x0D, 0x17), Command(0)),  # sounds, and a wait
    FAR: Command(3),
}


class TextKind(Enum):
    """What a text is, or how its script ends."""

    PRINTED = "printed"
    SERVICE = "service"
    PROGRAM = "program"  # code prints all of it, or the rest after what is decoded
    INVALID = "invalid"  # no valid command or code, or too long


class TextService(Enum):
    """What DisplayTextID starts instead of a text, by the first byte."""

    NURSE = 0xFF
    MART = 0xFE
    BILLS_PC = 0xFD
    PLAYERS_PC = 0xFC
    PC = 0xF9
    PRIZES = 0xF7
    LINK = 0xF6
    VENDING = 0xF5


class Text(NamedTuple):
    """One text; `words` is the part that is certain to be printed first.

    A line begins after a newline, a page after two. `{player}`, `{rival}`, `{target}` and `{user}` are names that
    the game fills in; `{string}` and `{number}` are values from RAM.
    """

    kind: TextKind
    words: str = ""
    service: TextService | None = None


def read_script(rom: Rom, bank: int, address: int) -> Text:
    """Return the text of the script at `bank`:`address`; invalid data ends the decoding, too."""
    reader = _Reader(rom, bank, address)
    ending = None
    while ending is None:
        ending = reader.command()
    return Text(ending, "".join(reader.words))


class _Reader:
    """Reads one command after the other, and returns from jumps to other banks."""

    def __init__(self, rom: Rom, bank: int, address: int) -> None:
        self._rom, self._bank, self._address = rom, bank, address
        self._back: list[tuple[int, int]] = []
        self._bytes, self._commands = MAX_BYTES, MAX_COMMANDS
        self.words: list[str] = []

    def command(self) -> TextKind | None:
        """Execute a command; return how the script ended, or None."""
        self._commands -= 1
        if self._commands < 0 or self._bytes <= 0 or self._address >= ROM_END:
            return TextKind.INVALID
        (code,) = self._take(1)
        if code == STRING:
            return self._string()
        if code == END:
            return self._end()
        if code == PROGRAM:
            return TextKind.PROGRAM
        if code not in COMMANDS:
            return TextKind.INVALID
        self._carry_out(code)
        return None

    def _take(self, size: int) -> bytes:
        data = self._rom.span(self._bank, self._address, size)
        self._address += size
        self._bytes -= size
        return data

    def _string(self) -> TextKind | None:
        data = self._rom.span(self._bank, self._address, self._bytes)
        rest = data.lstrip(bytes(_letters()))
        codes = data[: len(data) - len(rest)]
        self._take(len(codes) + 1)
        self.words += map(_letters().__getitem__, codes)
        last = rest[0] if rest else None  # None when the string is too long
        if last == END:
            return None
        if last not in LAST:
            return TextKind.INVALID
        self.words.append(LAST[last])
        return self._end()

    def _carry_out(self, code: int) -> None:
        command = COMMANDS[code]
        arguments = self._take(command.arguments)
        self.words.append(command.words)
        if code == DOTS:
            self.words.append("…" * arguments[0])
        if code == FAR:
            self._back.append((self._bank, self._address))
            self._bank, self._address = arguments[2], int.from_bytes(arguments[:2], "little")

    def _end(self) -> TextKind | None:
        """Continue after the jump that led here; without one, end the script."""
        if not self._back:
            return TextKind.PRINTED
        self._bank, self._address = self._back.pop()
        return None


@lru_cache(maxsize=1)
def _letters() -> dict[int, str]:
    """Return what each code prints that does not end a string."""
    return dict.fromkeys(BOLD, " ") | charmap() | CONTROLS


@dataclass(frozen=True, slots=True)
class TextTable:
    """The texts of a map, read on request; the cartridge does not store their number."""

    rom: Rom = field(repr=False)
    bank: int
    address: int

    def place(self, text_id: int) -> int | None:
        """Return the address of a text, in this bank or the first; None when it is not in ROM."""
        room = BANK_SIZE - self.address % BANK_SIZE  # a table never crosses the end of a bank
        if not 0 < text_id <= room // 2 or self.address >= ROM_END:
            return None
        # Text ids begin at 1.
        place = self.rom.pointer(self.bank, self.address + 2 * (text_id - 1))
        return place if place < ROM_END else None

    def read(self, text_id: int) -> Text:
        """Return a text; its kind is INVALID when the id has no text or the text cannot be decoded."""
        place = self.place(text_id)
        if place is None:
            return Text(TextKind.INVALID)
        service = _SERVICES.get(self.rom.byte(self.bank, place))
        if service:
            return Text(TextKind.SERVICE, service=service)
        return read_script(self.rom, self.bank, place)


_SERVICES: Final = {service.value: service for service in TextService}
