"""Names as the cartridge stores them: words of the font, ended or padded with 0x50."""

from collections.abc import Iterable

from world.errors import WorldError
from world.font import END, Font


def ended(words: Iterable[str], font: Font, longest: int, where: str) -> bytes:
    """Return `words` one after the other, each with its end mark."""
    return b"".join(_letters(word, font, longest, where) + bytes([END]) for word in words)


def padded(words: Iterable[str], font: Font, size: int, where: str) -> bytes:
    """Return `words` in fields of `size`; the longest fill theirs without an end mark."""
    return b"".join(_letters(word, font, size, where).ljust(size, bytes([END])) for word in words)


def macro(word: str) -> str:
    """Return `word` as part of a macro's name."""
    return word.upper().replace(" ", "_")


def _letters(word: str, font: Font, longest: int, where: str) -> bytes:
    letters = font.encode(word)
    if len(letters) > longest:
        message = f"{where}: {word!r} is longer than {longest} letters"
        raise WorldError(message)
    return letters
