"""Cartridge images: loading, checks, identification, and read-only access by bank and address.

Covers headers, banks, name lists and the supported games; not what the games' data means.
"""

import hashlib
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

import numpy as np

from emulator.errors import CartridgeError
from emulator.profile import RED
from emulator.text import END, decode_name

BLUE_SHA1: Final = "d7037c83e1ae5b39bde3c30787637ba1d4c48ce2"
BLUE_TITLE: Final = "POKEMON BLUE"
DEMO_TITLE: Final = "RED AGENT DEMO"

TITLE: Final = slice(0x0134, 0x0143)
CHECKED: Final = slice(0x0134, 0x014D)  # the bytes that the header checksum covers
SIZE_CODE: Final = 0x0148
HEADER_CHECKSUM: Final = 0x014D
IMAGE_CHECKSUM: Final = slice(0x014E, 0x0150)  # a big-endian sum of all other bytes
HEADER_END: Final = 0x0150
SMALLEST: Final = 0x8000  # size code 0: two banks
LARGEST: Final = SMALLEST << 8  # size code 8

ARCHIVES: Final = {b"PK": "zip", b"7z": "7z", b"\x1f\x8b": "gzip", b"Rar": "rar"}
SAVES: Final = frozenset({".sav", ".srm"})
SUPPORTED: Final = f"Pokemon Red (US, SHA-1 {RED.sha1}) and our own roms/demo.gb"


class CartridgeKind(Enum):
    """Which supported game a cartridge is."""

    DEMO = "demo"
    RED = "red"

    @property
    def label(self) -> str:
        """The name for display."""
        return "Red Agent Demo" if self is CartridgeKind.DEMO else "Pokemon Red (US)"


@dataclass(frozen=True, slots=True)
class Cartridge:
    """A cartridge image that passed every check; two are equal when their SHA-1 is."""

    path: Path = field(compare=False)
    rom: bytes = field(repr=False, compare=False)
    title: str
    sha1: str
    kind: CartridgeKind

    @property
    def name(self) -> str:
        """The name for display."""
        return self.kind.label


def demo_cartridge_path() -> Path:
    """Return the path of the demo cartridge in this checkout."""
    return Path(__file__).resolve().parent.parent / "roms" / "demo.gb"


def load_cartridge(path: str | Path) -> Cartridge:
    """Return the cartridge in `path`; raise a CartridgeError that says what to do if it is not supported."""
    path = Path(path)
    return identify(path, _read(path))


def identify(path: Path, rom: bytes) -> Cartridge:
    """Return the cartridge with image `rom`, read from `path`, or raise a CartridgeError."""
    _check_header(path, rom)
    title = rom[TITLE].split(b"\0")[0].decode("ascii", errors="replace").strip()
    sha1 = hashlib.sha1(rom, usedforsecurity=False).hexdigest()
    return Cartridge(path=path, rom=rom, title=title, sha1=sha1, kind=_kind(path, rom, title, sha1))


def _refused(path: Path, why: str) -> CartridgeError:
    return CartridgeError(f"{str(path)!r} {why}")


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise _refused(path, "is a folder; name the cartridge image (.gb) in it")
    if path.exists() and not path.is_file():
        raise _refused(path, "is a device or pipe, not a file; name a cartridge image (.gb)")
    try:
        with path.open("rb") as file:
            rom = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise CartridgeError(f"no cartridge at {str(path)!r}; {_images()}") from None
    except OSError as error:
        message = f"cannot read {str(path)!r} ({error.strerror}); check its permissions"
        raise CartridgeError(message) from error
    if len(rom) > LARGEST:
        raise _refused(path, "is larger than any cartridge; name a cartridge image (.gb)")
    if not rom:
        raise _refused(path, "is empty; copy the cartridge image again")
    return rom


def _images() -> str:
    """Return what to do about a missing image: the images there are, or how to get one."""
    folder = demo_cartridge_path().parent
    found = [each.name for each in sorted(folder.glob("*.gb"))]
    if not found:
        return f"build the demo by {folder}/demo, or name your image with --rom"
    return f"name an image with --rom; {folder} has {', '.join(found)}"


def _check_header(path: Path, rom: bytes) -> None:
    for magic, archive in ARCHIVES.items():
        if rom.startswith(magic):
            raise _refused(path, f"is a {archive} archive; unpack it and name the .gb inside")
    if len(rom) < HEADER_END:
        raise _refused(path, f"is cut short: {len(rom)} bytes hold no header; copy it again")
    if rom[HEADER_CHECKSUM] != header_checksum(rom):
        if path.suffix.lower() in SAVES:
            raise _refused(path, "looks like a save; name the cartridge image (.gb) of its game")
        raise _refused(path, "has a wrong header checksum: not a Game Boy image, or corrupt")
    size = SMALLEST << rom[SIZE_CODE] if rom[SIZE_CODE] <= 8 else 0
    if len(rom) != size:
        fault = "cut short" if len(rom) < size else "the wrong size"
        raise _refused(path, f"is {fault}: {len(rom)} bytes, header says {size}; copy it again")


def header_checksum(rom: bytes) -> int:
    """Return the correct header checksum, the byte at 0x014D."""
    return -sum(byte + 1 for byte in rom[CHECKED]) & 0xFF


def image_checksum(rom: bytes) -> bytes:
    """Return the correct image checksum, the two bytes at 0x014E."""
    total = int(np.frombuffer(rom, np.uint8).sum()) - sum(rom[IMAGE_CHECKSUM])
    return (total & 0xFFFF).to_bytes(2)


def _kind(path: Path, rom: bytes, title: str, sha1: str) -> CartridgeKind:
    if sha1 == RED.sha1:
        return CartridgeKind.RED
    if title == DEMO_TITLE:
        # A corrupt image may reach an illegal opcode, where the emulator would hang.
        if rom[IMAGE_CHECKSUM] != image_checksum(rom):
            raise _refused(path, "is corrupt: its image checksum is wrong; copy or build it again")
        return CartridgeKind.DEMO
    if title == BLUE_TITLE or sha1 == BLUE_SHA1:
        reason = "is Pokemon Blue: its wild tables and ROM offsets differ from Red's"
    elif title == RED.title:
        reason = f"is another revision of Pokemon Red, or a hack (SHA-1 {sha1})"
    else:
        reason = f"is another game, titled {title!r}"
    raise _refused(path, f"{reason}; supported: {SUPPORTED}")


BANK_SIZE: Final = 0x4000
LIST_LIMIT: Final = 0x100  # no list of the game is longer; corrupt data may have no end mark


@dataclass(frozen=True, slots=True)
class Rom:
    """A cartridge image; bytes past the end of a bank read as zero, so that a bad pointer is harmless."""

    data: bytes = field(repr=False)

    def span(self, bank: int, address: int, size: int) -> bytes:
        """Return `size` bytes that begin at `bank`:`address`."""
        offset = address % BANK_SIZE
        start = offset + (bank * BANK_SIZE if address >= BANK_SIZE else 0)
        return self.data[start : start + min(size, BANK_SIZE - offset)].ljust(size, b"\0")

    def byte(self, bank: int, address: int) -> int:
        """Return the byte at `bank`:`address`."""
        return self.span(bank, address, 1)[0]

    def pointer(self, bank: int, address: int) -> int:
        """Return the little-endian address stored at `bank`:`address`."""
        return int.from_bytes(self.span(bank, address, 2), "little")

    def until(self, bank: int, address: int, end: int) -> bytes:
        """Return the bytes from `bank`:`address` up to, but without, the first `end` byte."""
        return self.span(bank, address, LIST_LIMIT).split(bytes([end]), 1)[0]

    def table(self, place: tuple[int, int], size: int, count: int) -> list[bytes]:
        """Return `count` consecutive rows of `size` bytes; `place` is the bank and address of the first."""
        data = self.span(*place, size * count)
        return [data[at : at + size] for at in range(0, len(data), size)]

    def rows(self, bank: int, address: int, size: int, *, end: int = 0xFF) -> tuple[bytes, ...]:
        """Return rows of `size` bytes from `bank`:`address` up to the first row that begins with `end`."""
        rows = []
        for at in range(address, address + LIST_LIMIT * size, size):
            row = self.span(bank, at, size)
            if row[0] == end:
                break
            rows.append(row)
        return tuple(rows)


MAX_NAME_SIZE: Final = 16  # end mark included


def read_names(rom: Rom, place: tuple[int, int], count: int) -> tuple[str, ...]:
    """Return the first `count` names of a list, padded with empty names where the list ends early."""
    parts = rom.span(*place, count * MAX_NAME_SIZE).split(bytes([END]))[:count]
    return tuple([decode_name(part) for part in parts]) + ("",) * (count - len(parts))


def read_padded_names(rom: Rom, place: tuple[int, int], count: int, size: int) -> tuple[str, ...]:
    """Return `count` names of a fixed size."""
    return tuple(map(decode_name, rom.table(place, size, count)))
