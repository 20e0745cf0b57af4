"""Experience: how much a level needs, and how much a victory gives."""

from __future__ import annotations

from typing import Final, NamedTuple

HIGHEST_LEVEL: Final = 100
STORED: Final = 1 << 24  # what three bytes hold; one growth begins below zero and wraps


class Growth(NamedTuple):
    """How fast a mon learns: the numbers of a polynomial in its level."""

    numerator: int  # of the cube
    denominator: int
    square: int
    linear: int
    minus: int

    def experience_at(self, level: int) -> int:
        """Return the experience at which `level` is reached."""
        cube = self.numerator * level**3 // self.denominator
        return (cube + self.square * level**2 + self.linear * level - self.minus) % STORED

    def level_at(self, experience: int) -> int:
        """Return the level that so much experience gives."""
        level = 1
        while level < HIGHEST_LEVEL and self.experience_at(level + 1) <= experience:
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
