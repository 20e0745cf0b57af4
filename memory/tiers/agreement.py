"""The one rule by which several words about one thing become one: the most trusted stands, then the newest."""

from __future__ import annotations

from typing import Final, NamedTuple

TRUST: Final = {"retracted": -1, "claim": 0, "inferred": 1, "verified": 2}


class Word(NamedTuple):
    """What somebody says, as far as it decides whether it stands; `name` settles what nothing else does."""

    status: str
    at: float
    importance: int
    name: str


def standing(word: Word) -> tuple[int, float, int, str]:
    """Return how a word stands among others about the same thing: the highest is believed."""
    return TRUST[word.status], word.at, word.importance, word.name
