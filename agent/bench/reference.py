"""The program that never halts: what PyBoy needs for a frame of it is what everything is measured against.

The image is ours and has 32 KiB. Its V-blank interrupt saves registers, counts frames and moves the
picture by a pixel. Its main program goes round for ever with the mix of a game's inner loops: 64
bytes are read, added, combined with their neighbours, tested and written back, so that every round
has other numbers; then a subroutine sums 32 of them up in 16 bits, by pushes, calls, carries and
branches. The LCD is on. Nothing waits and nothing spins on the spot: every frame's 17,556 cycles
are ordinary instructions.
"""

from hashlib import sha1
from pathlib import Path
from typing import Final

from emulator import Cartridge, CartridgeKind, PyBoyConsole, Step
from emulator.cartridge import HEADER_CHECKSUM, header_checksum

TITLE: Final = b"NEVER HALTS"
ENTRY: Final = bytes.fromhex("00 C3 50 01")  # nop; jp main
VBLANK: Final = bytes.fromhex("C3 00 02")  # jp 0200

MAIN: Final = bytes.fromhex(
    "31 FE FF  3E 01  E0 FF  FB"  # sp = FFFE; allow V-blank interrupts
    "21 00 C1  11 00 C1  06 40"  # again: hl = de = C100; b = 64
    "2A  80  AE  12  13"  # next: a = (hl+) + b ^ (hl); (de+) = a
    "CB 7F  28 03  CB 37  4F"  # when bit 7 of a is set: c = a with its nibbles swapped
    "05  20 F2"  # b -= 1, and back to next until it is 0
    "CD 80 01  18 E4"  # call sum; back to again
)
SUM: Final = bytes.fromhex(
    "C5  21 00 C1  01 00 00  1E 20"  # keep bc; hl = C100; bc = 0; e = 32
    "2A  81  4F  30 01  04"  # next: c += (hl+), with the carry into b
    "1D  20 F7"  # e -= 1, and back to next until it is 0
    "78  EA 00 C3  C1  C9"  # (C300) = b; give bc back
)
COUNT_FRAMES: Final = bytes.fromhex(
    "F5 E5  21 00 C0  34  20 02  23 34"  # keep af and hl; count at C000, carry to C001
    "F0 43  3C  E0 43"  # rSCX += 1
    "E1 F1  D9"
)
START_UP: Final = 120  # frames; PyBoy's own boot program takes about half of them
PROGRAM: Final = {
    0x0040: VBLANK,
    0x0100: ENTRY,
    0x0134: TITLE,
    0x0150: MAIN,
    0x0180: SUM,
    0x0200: COUNT_FRAMES,
}


def never_halting() -> PyBoyConsole:
    """Return a console with the program in its slot, past PyBoy's own start-up."""
    console = PyBoyConsole(reference_cartridge())
    console.perform(Step(None, 0, START_UP))
    return console


def reference_cartridge() -> Cartridge:
    """Return the image, made in memory."""
    rom = bytearray(0x8000)
    for address, code in PROGRAM.items():
        rom[address : address + len(code)] = code
    rom[HEADER_CHECKSUM] = header_checksum(bytes(rom))
    return Cartridge(
        path=Path("never_halts.gb"),  # of no file: the image is only ever in memory
        rom=bytes(rom),
        title=TITLE.decode(),
        sha1=sha1(rom, usedforsecurity=False).hexdigest(),
        kind=CartridgeKind.DEMO,
    )
