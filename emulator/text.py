"""Decoding of the game's text and numbers to strings and integers.

Covers the character codes; not where text is stored.
"""

import codecs
import json
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

CHARMAP_FILE: Final = Path(__file__).parent / "data" / "charmap.json"
END: Final = 0x50  # ends a name; the bytes after it are left over from longer names
# Codes that occur only in names and print several letters.
SHORTHANDS: Final = {0x4A: "PKMN", 0x54: "POKé"}
HEALTH_BAR: Final = b"\x71\x62"  # the first tiles of a health bar; its tiles replace some others
PRIVATE: Final = 0xE000  # placeholder characters for codes that print several letters
COLUMNS: Final = 20
ROWS: Final = 18
BLANK: Final = (" " * COLUMNS,) * ROWS


def charmap(*, bars: bool = False) -> dict[int, str]:
    """Return what each code prints; a code that is not a key prints as a space.

    `bars` selects the codes that hold while health bars are shown, whose tiles replace some others.
    """
    return dict(_codes(bars=bars).letters)


class _Codes(NamedTuple):
    """Printed text per code, also split into one table of single letters and the codes of several letters."""

    letters: dict[int, str]
    single: str
    several: dict[int, str]
    singles: bytes  # the codes that print one letter or a space


@lru_cache(maxsize=2)
def _codes(*, bars: bool) -> _Codes:
    tables = json.loads(CHARMAP_FILE.read_text(encoding="utf-8"))
    codes = tables["codes"] | (tables["bars"] if bars else {})
    letters = {int(code, 16): printed for code, printed in codes.items()}
    several = {code: printed for code, printed in letters.items() if len(printed) > 1}
    single = [
        chr(PRIVATE + code) if code in several else letters.get(code, " ") for code in range(0x100)
    ]
    singles = bytes(code for code in range(0x100) if code not in several)
    return _Codes(letters, "".join(single), several, singles)


@lru_cache(maxsize=256)
def decode(codes: bytes, *, bars: bool = False) -> str:
    """Return `codes` as text; a code that is not a character becomes a space."""
    # A table of single letters decodes in C; the few codes that print more are replaced afterwards.
    known = _codes(bars=bars)
    text, _ = codecs.charmap_decode(codes, "strict", known.single)
    return _expand(text, codes, known)


def _expand(text: str, codes: bytes, known: _Codes) -> str:
    """Return `text` with the placeholders of codes that print several letters replaced."""
    for code in set(codes.translate(None, delete=known.singles)):
        text = text.replace(chr(PRIVATE + code), known.several[code])
    return text


@lru_cache(maxsize=64)
def decode_name(codes: bytes) -> str:
    """Return a stored name up to its end mark."""
    name = codes.split(bytes([END]), 1)[0]
    letters = _codes(bars=False).letters | SHORTHANDS
    return "".join(letters.get(code, " ") for code in name)


@lru_cache(maxsize=64)
def decode_screen(tiles: bytes) -> tuple[str, ...]:
    """Return the 18 rows of a tile map as text, with trailing spaces."""
    known = _codes(bars=HEALTH_BAR in tiles)
    text, _ = codecs.charmap_decode(tiles, "strict", known.single)
    if not text.strip(" "):
        return BLANK  # common while walking, when every step has other tiles
    rows = [text[at : at + COLUMNS] for at in range(0, COLUMNS * ROWS, COLUMNS)]
    return tuple(_expand("\n".join(rows), tiles, known).split("\n"))


def bcd(digits: bytes) -> int:
    """Return the number in big-endian binary-coded decimal digits, or 0 if a nibble is not a digit."""
    return int(digits.hex()) if digits.hex().isdecimal() else 0


def bits(value: int) -> tuple[int, ...]:
    """Return the numbers of the set bits, lowest first."""
    return tuple([bit for bit in range(8) if value >> bit & 1])


def word(data: bytes, at: int) -> int:
    """Return the big-endian number in two bytes, the byte order of Pokemon structures."""
    return data[at] << 8 | data[at + 1]
