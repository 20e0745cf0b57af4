"""What a move costs its user: turns before and after it, turns it cannot be left, HP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from emulator.rules.effects import (
    CHARGES,
    CRASH,
    DRAIN,
    DREAM_EATER,
    EXPLODE,
    LAST_RESORT,
    RECHARGE,
    RECOIL,
    THRASH,
    TRAP,
)
from emulator.rules.records import MoveData

ONCE: Final[Mapping[int, float]] = {1: 1.0}
HELD: Final[Mapping[int, float]] = {2: 3 / 8, 3: 3 / 8, 4: 1 / 8, 5: 1 / 8}
THRASHED: Final[Mapping[int, float]] = {3: 1 / 2, 4: 1 / 2}


@dataclass(frozen=True, slots=True)
class Course:
    """How a use of a move goes on.

    `before` are turns that pass until it strikes, `after` those that its user must rest unless it
    missed or knocked out. `strikes` says with which chance it strikes in how many turns running,
    none of which its user may spend on another move; `holds` whether the other side cannot act in
    them.
    """

    before: int = 0
    after: int = 0
    strikes: Mapping[int, float] = field(default_factory=lambda: ONCE)
    holds: bool = False


_PLAIN: Final = Course()
_COURSES: Final = {
    **dict.fromkeys(CHARGES, Course(before=1)),
    RECHARGE: Course(after=1),
    THRASH: Course(strikes=THRASHED),
    TRAP: Course(strikes=HELD, holds=True),
}


def course(move: MoveData) -> Course:
    """Return how a use of `move` goes on."""
    return _COURSES.get(move.effect, _PLAIN)


def own_change(move: MoveData, taken: int, own_hp: int) -> int:
    """Return what a use that took `taken` HP, 0 for a miss, changes of its user's own HP."""
    if move.effect == EXPLODE:
        return -own_hp
    if not taken:
        return -1 if move.effect == CRASH else 0
    if move.effect in (DRAIN, DREAM_EATER):
        return max(taken // 2, 1)
    if move.effect == RECOIL:
        return -max(taken // (2 if move.number == LAST_RESORT else 4), 1)
    return 0
