"""How many tokens a text takes, estimated in one way everywhere."""

from typing import Final

CHARACTERS: Final = 4  # a token of English, about


def tokens_of(characters: int) -> int:
    """Return the estimate for that many characters, rounded up."""
    return -(-characters // CHARACTERS)


def tokens(text: str) -> int:
    """Return the estimate for `text`."""
    return tokens_of(len(text))
