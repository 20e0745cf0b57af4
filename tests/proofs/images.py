"""Damaged cartridge images: copy errors and worst cases for the table readers, and the outcome of each."""

import hashlib
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final, TypeAlias

from emulator import Cartridge, CartridgeError, CartridgeKind, demo_cartridge_path
from emulator.cartridge import (
    BANK_SIZE,
    DEMO_TITLE,
    HEADER_CHECKSUM,
    HEADER_END,
    SMALLEST,
    TITLE,
    Rom,
    header_checksum,
    identify,
)
from emulator.profile import RED, RomAddress, table
from emulator.soundness.survey import require_valid, survey
from tests.emulator.synthetic.cartridge import build
from tests.emulator.synthetic.facts import FOLDER
from tests.proofs.workers import Row

Damage: TypeAlias = Callable[[bytes, Random], bytes]

MOST_S: Final = 10.0  # of processor time: only an endless loop takes longer
HEADER_START: Final = 0x100
LONGEST_RUN: Final = 1024
LARGEST: Final = 1 << 20
MAP_IDS: Final = 248
MAP_HEADER: Final = 56  # bytes with every connection
MAP_OBJECTS: Final = 64
OBJECTS: Final = -2  # offset of the address of the objects from the end of a map header
UNKNOWN_SIZE: Final = 64
# Targets of bad pointers beside random ones: ends of banks, RAM, and invalid addresses.
TRAPS: Final = (0x0000, 0x3FFF, 0x4000, 0x7FFF, 0x8000, 0xC000, 0xFFFE, 0xFFFF)
TABLES: Final = tuple(sorted(RED.rom_tables))
POINTER_TABLES: Final = tuple(each for each in TABLES if "Pointer" in each or each == "TypeNames")
REFUSED, UNSOUND, SOUND = "cannot be decoded", "named as unsound", "sound"


def corruption_job(number: int) -> Row:
    """Damage an image, both selected by `number`, and check the reaction of the program."""
    turn, at = divmod(number, len(bases()))
    base, kind = bases()[at], tuple(KINDS)[turn % len(KINDS)]
    image = damaged(base, kind, Random(number))
    problems: list[str] = []
    is_accepted, outcome, error_line = False, "", ""
    start = perf_counter()
    try:
        with time_limit(MOST_S):
            is_accepted = _is_accepted(image)
            outcome, error_line = _decoded(image, base)
    except Exception:  # noqa: BLE001  # any other exception is a finding
        problems.append(traceback.format_exc())
    seconds = perf_counter() - start
    return {
        "name": f"image {number}, {kind}",
        "base": _title(base),
        "damage": kind,
        "let in": is_accepted,
        "outcome": outcome,
        "line": error_line,
        "seconds": round(seconds, 3),
        "problems": problems,
    }


@cache
def bases() -> Sequence[bytes]:
    """Return the demo, and if the facts are available, an image with the tables of the real game without its code."""
    demo = demo_cartridge_path().read_bytes()
    return (demo, build()) if FOLDER.exists() else (demo,)


def damaged(image: bytes, kind: str, chance: Random) -> bytes:
    """Return a copy of `image` with one kind of damage, which differs in at least one byte."""
    found = KINDS[kind](image, chance)
    while found == image:  # a blank bank was overwritten with blanks
        found = _bytes(image, chance)
    return found


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError after a processor time, so that an endless loop is a finding."""

    def stop(*_: object) -> None:
        message = f"took over {seconds} s"
        raise TimeoutError(message)

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _is_accepted(image: bytes) -> bool:
    """Return whether header and checksums are accepted; otherwise the error must be one line."""
    try:
        identify(Path("damaged.gb"), image)
    except CartridgeError as error:
        _error_line(error)
        return False
    return True


def _decoded(image: bytes, base: bytes) -> tuple[str, str]:
    """Decode an image completely as the kind of its base, and survey it."""
    title = _title(base)
    kind = CartridgeKind.DEMO if title == DEMO_TITLE else CartridgeKind.RED
    sha1 = hashlib.sha1(image, usedforsecurity=False).hexdigest()
    cartridge = Cartridge(Path("damaged.gb"), image, title, sha1, kind)
    try:
        checks = survey(cartridge)
    except CartridgeError as error:
        return REFUSED, _error_line(error)
    try:
        require_valid(cartridge, checks)
    except CartridgeError as error:
        return UNSOUND, _error_line(error)
    return SOUND, ""


def _error_line(error: CartridgeError) -> str:
    """Return the error text, which must be one non-empty printable line."""
    error_line = str(error)
    if not error_line.strip() or not error_line.isprintable():
        message = f"no clear line: {error_line!r}"
        raise ValueError(message)
    return error_line


def _title(image: bytes) -> str:
    return image[TITLE].rstrip(b"\0").decode("ascii", "replace")


def _bit(image: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(image))
    return _with(image, at, bytes([image[at] ^ 1 << chance.randrange(8)]))


def _bytes(image: bytes, chance: Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 16))):
        image = _with(image, chance.randrange(len(image)), chance.randbytes(1))
    return image


def _run(image: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(image))
    return _with(image, at, chance.randbytes(chance.randint(2, LONGEST_RUN)))


def _blank_bank(image: bytes, chance: Random) -> bytes:
    filler = chance.choice((b"\x00", b"\xff"))
    return _with(image, BANK_SIZE * chance.randrange(_banks(image)), filler * BANK_SIZE)


def _swapped_banks(image: bytes, chance: Random) -> bytes:
    one, other = (BANK_SIZE * chance.randrange(_banks(image)) for _ in range(2))
    first, second = image[one : one + BANK_SIZE], image[other : other + BANK_SIZE]
    return _with(_with(image, one, second), other, first)


def _cut(image: bytes, chance: Random) -> bytes:
    banks = BANK_SIZE * chance.randrange(_banks(image))
    return image[: chance.choice((banks, chance.randrange(len(image))))]


def _header(image: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(1, 4)):
        image = _with(image, chance.randrange(HEADER_START, HEADER_END), chance.randbytes(1))
    if chance.getrandbits(1):
        image = _with(image, HEADER_CHECKSUM, bytes([header_checksum(image)]))
    return image


def _tables(image: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(1, 4)):
        at, size = _span(chance.choice(TABLES))
        data = chance.choice((chance.randbytes(1), b"\x00", b"\xff", chance.randbytes(16)))
        image = _with(image, at + chance.randrange(size), data)
    return image


def _whole_table(image: bytes, chance: Random) -> bytes:
    at, size = _span(chance.choice(TABLES))
    return _with(image, at, chance.choice((chance.randbytes(size), chance.randbytes(1) * size)))


def _pointers(image: bytes, chance: Random) -> bytes:
    at, size = _span(chance.choice(POINTER_TABLES))
    for _ in range(chance.choice((1, 1, size // 2))):
        pointer = chance.choice((*TRAPS, chance.randrange(1 << 16)))
        image = _with(image, at + 2 * chance.randrange(size // 2), pointer.to_bytes(2, "little"))
    return image


def _maps(image: bytes, chance: Random) -> bytes:
    rom = Rom(image)
    banks, headers = table("MapHeaderBanks"), table("MapHeaderPointers")
    for _ in range(chance.choice((1, 4, MAP_IDS))):
        map_id = chance.randrange(MAP_IDS)
        bank = rom.byte(banks.bank, banks.address + map_id)
        address, size = rom.pointer(headers.bank, headers.address + 2 * map_id), MAP_HEADER
        if chance.getrandbits(1):
            address, size = rom.pointer(bank, address + MAP_HEADER + OBJECTS), MAP_OBJECTS
        at = _offset(RomAddress(bank, address)) + chance.randrange(size)
        image = _with(image, at, chance.choice((b"\x00", b"\xff", chance.randbytes(1))))
    return image


def _garbage(_: bytes, chance: Random) -> bytes:
    return chance.randbytes(chance.choice((chance.randrange(1, LARGEST), LARGEST)))


def _garbage_behind_header(image: bytes, chance: Random) -> bytes:
    density = chance.choice((2, 16, 256))  # few different bytes give long lists and deep pointers
    body = chance.randbytes(len(image)).translate(bytes([n % density for n in range(0x100)]))
    return _with(body, 0, image[:HEADER_END])


def _with(image: bytes, at: int, data: bytes) -> bytes:
    """Return `image` with other bytes from `at` on, at the same length."""
    at %= max(len(image), 1)
    data = data[: len(image) - at]
    return image[:at] + data + image[at + len(data) :]


def _banks(image: bytes) -> int:
    return max(len(image) // BANK_SIZE, SMALLEST // BANK_SIZE)


def _span(label: str) -> tuple[int, int]:
    """Return the offset and the size of a table."""
    entry = RED.rom_tables[label]
    return _offset(entry.place), entry.size or UNKNOWN_SIZE


def _offset(place: RomAddress) -> int:
    bank = place.bank if place.address >= BANK_SIZE else 0
    return bank * BANK_SIZE + place.address % BANK_SIZE


KINDS: Final[dict[str, Damage]] = {
    "one bit": _bit,
    "1 to 16 bytes": _bytes,
    "a run of bytes": _run,
    "a blank bank": _blank_bank,
    "two banks swapped": _swapped_banks,
    "cut short": _cut,
    "the header": _header,
    "bytes of tables": _tables,
    "a whole table": _whole_table,
    "pointers of tables": _pointers,
    "headers and objects of maps": _maps,
    "garbage": _garbage,
    "garbage behind a good header": _garbage_behind_header,
}
