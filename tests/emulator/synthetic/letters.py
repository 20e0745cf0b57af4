"""Names in the codes of the game."""

from functools import cache
from typing import Final

from tests.emulator.synthetic.facts import load

END: Final = 0x50
FIRST_OF_FONT: Final = 0x7F  # lower codes show other glyphs for the same letters
SHORTHANDS: Final = {"#": 0x54, "POKé": 0x54, "<PKMN>": 0x4A}


@cache
def _codes() -> dict[str, int]:
    chars = {text: int(code, 16) for code, text in load("data/charmap.json")["chars"].items()}
    return {text: code for text, code in chars.items() if code >= FIRST_OF_FONT} | SHORTHANDS


def spell(name: str) -> bytes:
    """Return a name in the game's codes, without an end mark."""
    codes, longest = [], max(map(len, _codes()))
    while name:
        part = next(name[:n] for n in range(longest, 0, -1) if name[:n] in _codes())
        codes.append(_codes()[part])
        name = name.removeprefix(part)
    return bytes(codes)


def ended(name: str) -> bytes:
    """Return a name with its end mark."""
    return spell(name) + bytes([END])


def padded(name: str, size: int) -> bytes:
    """Return a name padded to a fixed size."""
    return spell(name).ljust(size, bytes([END]))
