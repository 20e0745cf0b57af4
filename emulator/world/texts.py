"""What signs and people of a map say: its table of texts, and the scripts that they are.

A script is strings with control codes, and the commands before, between and behind them. Knows what the game prints
(TextCommandProcessor) and where it fills something in.
"""

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.cartridge import BANK_SIZE, Rom
from emulator.text import END, SHORTHANDS, charmap

MOST_BYTES: Final = 0x800  # of a whole script; the box shows 36 letters at a time
MOST_COMMANDS: Final = 64  # more than a text needs; one that leads to itself has no end
ROM_END: Final = 2 * BANK_SIZE  # addresses from here on are RAM

BOLD: Final = range(0x60, 0x6D)  # letters that print here, as on the screen, as spaces
LINE, PAGE = "\n", "\n\n"
# What the other codes of a string print, or where they go on.
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
# What ends the whole script and not only a string, and what it prints: DONE, PROMPT, DEXEND.
LAST: Final = {0x57: "", 0x58: "", 0x5F: "."}

STRING: Final = 0x00  # TX_START
DOTS: Final = 0x0C  # TX_DOTS, and how many
PROGRAM: Final = 0x08  # TX_START_ASM
FAR: Final = 0x17  # TX_FAR, an address and its bank


class Command(NamedTuple):
    """How many bytes of arguments a command has, and what it prints."""

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
    PROGRAM = "program"  # code makes it, or makes more of it than is printed before
    NONSENSE = "nonsense"  # what is no command and no code, or not within bounds


class TextService(Enum):
    """What DisplayTextID begins in place of a text, by the byte that stands there."""

    NURSE = 0xFF
    MART = 0xFE
    BILLS_PC = 0xFD
    PLAYERS_PC = 0xFC
    PC = 0xF9
    PRIZES = 0xF7
    LINK = 0xF6
    VENDING = 0xF5


class Text(NamedTuple):
    """One text; `words` are what is sure to be printed first.

    A line begins after a newline, a page after two. `{player}`, `{rival}`, `{target}` and `{user}` are names that
    the game fills in, `{string}` and `{number}` what it finds in RAM.
    """

    kind: TextKind
    words: str = ""
    service: TextService | None = None


def read_script(rom: Rom, bank: int, address: int) -> Text:
    """Return what the script prints that begins at `bank`:`address`; whatever lies there, it is read to an end."""
    reader = _Reader(rom, bank, address)
    ending = None
    while ending is None:
        ending = reader.command()
    return Text(ending, "".join(reader.words))


class _Reader:
    """Reads one command after the other, and comes back from other banks."""

    def __init__(self, rom: Rom, bank: int, address: int) -> None:
        self._rom, self._bank, self._address = rom, bank, address
        self._back: list[tuple[int, int]] = []
        self._bytes, self._commands = MOST_BYTES, MOST_COMMANDS
        self.words: list[str] = []

    def command(self) -> TextKind | None:
        """Carry out a command; return how the script ended, or None."""
        self._commands -= 1
        if self._commands < 0 or self._bytes <= 0 or self._address >= ROM_END:
            return TextKind.NONSENSE
        (code,) = self._take(1)
        if code == STRING:
            return self._string()
        if code == END:
            return self._end()
        if code == PROGRAM:
            return TextKind.PROGRAM
        if code not in COMMANDS:
            return TextKind.NONSENSE
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
        last = rest[0] if rest else None  # None when it would have to go on for too long
        if last == END:
            return None
        if last not in LAST:
            return TextKind.NONSENSE
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
        """Go on behind the jump that led here, if one did."""
        if not self._back:
            return TextKind.PRINTED
        self._bank, self._address = self._back.pop()
        return None


@lru_cache(maxsize=1)
def _letters() -> dict[int, str]:
    """Return what each code prints that a string goes on after."""
    return dict.fromkeys(BOLD, " ") | charmap() | CONTROLS


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
        return read_script(self.rom, self.bank, place)


_SERVICES: Final = {service.value: service for service in TextService}
