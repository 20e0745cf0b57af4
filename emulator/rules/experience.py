"""Experience: how much a level needs, and how much a victory gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

HIGHEST_LEVEL: Final = 100
STORED: Final = 1 << 24  # what three bytes hold; one growth begins below zero and wraps

_GROWTHS: Final[dict[int, Callable[[int], int]]] = {
    0: lambda n: n**3,
    1: lambda n: 3 * n**3 // 4 + 10 * n**2 - 30,
    2: lambda n: 3 * n**3 // 4 + 20 * n**2 - 70,
    3: lambda n: 6 * n**3 // 5 - 15 * n**2 + 100 * n - 140,
    4: lambda n: 4 * n**3 // 5,
    5: lambda n: 5 * n**3 // 4,
}


def experience_at(level: int, growth: int) -> int:
    """Return the experience at which a mon of this growth reaches `level`."""
    return _GROWTHS[growth](level) % STORED


def level_at(experience: int, growth: int) -> int:
    """Return the level of a mon of this growth with so much experience."""
    level = 1
    while level < HIGHEST_LEVEL and experience_at(level + 1, growth) <= experience:
        level += 1
    return level


def experience_gained(
    base: int, level: int, *, shared_by: int = 1, trainer: bool = False, traded: bool = False
) -> int:
    """Return what each of those who fought gets for a fainted enemy of `level`."""
    gained = base // shared_by * level // 7
    for more in (traded, trainer):
        if more:
            gained += gained // 2
    return gained
