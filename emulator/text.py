"""Text and numbers as the game codes them, turned into strings and integers.

Knows the character codes; knows nothing of where text lies.
"""

import codecs
import json
from functools import lru_cache
from pathlib import Path
from typing import Final

CHARMAP_FILE: Final = Path(__file__).parent / "data" / "charmap.json"
END: Final = 0x50  # ends a name; what follows it is left over from longer ones
# Codes that only names hold, and that print as several letters.
SHORTHANDS: Final = {0x4A: "PKMN", 0x54: "POKé"}
HEALTH_BAR: Final = b"\x71\x62"  # how one begins, wherever its tiles have replaced the others
PRIVATE: Final = 0xE000  # where codes that print several letters wait for them
COLUMNS: Final = 20
ROWS: Final = 18
BLANK: Final = (" " * COLUMNS,) * ROWS


def charmap(*, bars: bool = False) -> dict[int, str]:
    """Return what each code prints; a code that is not a key prints as a space.

    While health bars are shown their tiles replace some others: `bars` asks for those.
    """
    return dict(_charmap(bars=bars))


@lru_cache(maxsize=2)
def _charmap(*, bars: bool) -> dict[int, str]:
    tables = json.loads(CHARMAP_FILE.read_text(encoding="utf-8"))
    codes = tables["codes"] | (tables["bars"] if bars else {})
    return {int(code, 16): letters for code, letters in codes.items()}


@lru_cache(maxsize=2)
def _single_letters(*, bars: bool) -> str:
    letters = [_charmap(bars=bars).get(code, " ") for code in range(0x100)]
    return "".join(
        letter if len(letter) == 1 else chr(PRIVATE + code) for code, letter in enumerate(letters)
    )


@lru_cache(maxsize=2)
def _several_letters(*, bars: bool) -> dict[int, str]:
    return {code: text for code, text in _charmap(bars=bars).items() if len(text) > 1}


@lru_cache(maxsize=2)
def _singles(*, bars: bool) -> bytes:
    """Return the codes that print one letter or a space."""
    return bytes(code for code in range(0x100) if code not in _several_letters(bars=bars))


@lru_cache(maxsize=256)
def decode(codes: bytes, *, bars: bool = False) -> str:
    """Return `codes` as text, whatever is no character as a space."""
    text, _ = codecs.charmap_decode(codes, "strict", _single_letters(bars=bars))
    return _spelt(text, codes, bars=bars)


def _spelt(text: str, codes: bytes, *, bars: bool) -> str:
    """Return `text` with what prints several letters spelt out."""
    # Decoding by a table of single letters runs in C; the few codes that print more come after.
    several = _several_letters(bars=bars)
    for code in set(codes.translate(None, delete=_singles(bars=bars))):
        text = text.replace(chr(PRIVATE + code), several[code])
    return text


@lru_cache(maxsize=64)
def decode_name(codes: bytes) -> str:
    """Return a stored name up to its end mark."""
    name = codes.split(bytes([END]), 1)[0]
    letters = _charmap(bars=False) | SHORTHANDS
    return "".join(letters.get(code, " ") for code in name)


@lru_cache(maxsize=64)
def decode_screen(tiles: bytes) -> tuple[str, ...]:
    """Return the 18 rows of a tile map as text, trailing spaces kept."""
    bars = HEALTH_BAR in tiles
    text, _ = codecs.charmap_decode(tiles, "strict", _single_letters(bars=bars))
    if not text.strip(" "):
        return BLANK  # as while one walks, when every step brings other tiles
    rows = [text[at : at + COLUMNS] for at in range(0, COLUMNS * ROWS, COLUMNS)]
    return tuple(_spelt("\n".join(rows), tiles, bars=bars).split("\n"))


def bcd(digits: bytes) -> int:
    """Return a number whose every nibble is a decimal digit, highest first."""
    return int(digits.hex()) if digits.hex().isdecimal() else 0


def bits(value: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set, lowest first."""
    return tuple([bit for bit in range(8) if value >> bit & 1])


def word(data: bytes, at: int) -> int:
    """Return the number in two bytes, the high one first, as the numbers of mons are stored."""
    return data[at] << 8 | data[at + 1]
