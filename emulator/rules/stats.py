"""Stats and levels: base values, DVs, stages, badge boosts, growth rates and experience."""

from typing import Final, NamedTuple

from emulator.ram.party import Dvs, Stats
from emulator.rules.arithmetic import (
    HIGHEST,
    HIGHEST_LEVEL,
    experience_at,
    experience_for,
    stat_core,
)
from emulator.rules.rule_book import RuleBook

NO_EXPERIENCE: Final = Stats(0, 0, 0, 0, 0)


def stats_of(base: Stats, dvs: Dvs, level: int, stat_exp: Stats = NO_EXPERIENCE) -> Stats:
    """Return the stats of a Pokemon that has just reached `level`."""
    dv_values = (dvs.hp, dvs.attack, dvs.defense, dvs.speed, dvs.special)
    cores = [
        stat_core(b, dv, exp, level) for b, dv, exp in zip(base, dv_values, stat_exp, strict=True)
    ]
    extras = (level + 10, 5, 5, 5, 5)
    return Stats(*[min(core + extra, HIGHEST) for core, extra in zip(cores, extras, strict=True)])


def staged(stat: int, stage: int, book: RuleBook) -> int:
    """Return a stat at a stat stage, which may be negative."""
    return min(book.scaled(stat, stage), HIGHEST)


ORDER: Final = ("attack", "defense", "speed", "special", "accuracy", "evasion")


class StageChange(NamedTuple):
    """A stat stage that a move changes: the stat, the change, and whether it is the user's own."""

    stat: str
    by: int
    own: bool


# The first of each six consecutive effects, in the order of the stats.
_CHANGES: Final = {
    first + at: StageChange(stat, by, own)
    for first, by, own in ((10, 1, True), (18, -1, False), (50, 2, True), (58, -2, False))
    for at, stat in enumerate(ORDER)
}


def stage_change(effect: int) -> StageChange | None:
    """Return the stage change of a move with this effect, or None."""
    return _CHANGES.get(effect)


class Growth(NamedTuple):
    """A growth rate: the coefficients of a polynomial in the level."""

    numerator: int  # of the cube
    denominator: int
    square: int
    linear: int
    minus: int

    def experience_at(self, level: int) -> int:
        """Return the experience at which `level` is reached."""
        return experience_at(*self, level)

    def level_at(self, experience: int) -> int:
        """Return the level for this much experience."""
        level = 1
        while level < HIGHEST_LEVEL and self.experience_at(level + 1) <= experience:
            level += 1
        return level


def experience_gained(
    base: int, level: int, *, shared_by: int = 1, trainer: bool = False, traded: bool = False
) -> int:
    """Return the experience that each participant gains for a fainted enemy of `level`."""
    return experience_for(base, level, shared_by, traded + trainer)
