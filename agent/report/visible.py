"""Texts of a game, a file or a model as people may safely see them."""

import unicodedata
from typing import Final

SIGN: Final = "\N{REPLACEMENT CHARACTER}"
_DIRECTIONS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(words: str) -> str:
    """Return words with a sign for each character that a screen obeys or cannot show, other than the end of a line."""
    if words.isascii() and (words.isprintable() or words.replace("\n", "").isprintable()):
        return words
    return "".join(SIGN if _is_obeyed(each) else each for each in words)


def cut(words: str, most: int) -> str:
    """Return words that are no longer than `most` characters, with an ellipsis where something was cut away."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _is_obeyed(char: str) -> bool:
    return char != "\n" and (unicodedata.category(char) in {"Cc", "Cs"} or char in _DIRECTIONS)
