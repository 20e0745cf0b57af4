"""Stats and levels: what a mon is born with, what stages, badges and ailments make of it, and what a victory adds."""

from collections.abc import Collection
from dataclasses import replace
from math import isqrt
from typing import Final, NamedTuple

from emulator.ram.battle_mon import BattleMon
from emulator.ram.party import Dvs, Stats
from emulator.rules.rule_book import STAGES, RuleBook

HIGHEST: Final = 999
NO_EXPERIENCE: Final = Stats(0, 0, 0, 0, 0)


def stats_of(base: Stats, dvs: Dvs, level: int, stat_exp: Stats = NO_EXPERIENCE) -> Stats:
    """Return the stats of a mon that has just reached `level`."""
    born = (dvs.hp, dvs.attack, dvs.defense, dvs.speed, dvs.special)
    cores = [_core(b, dv, exp, level) for b, dv, exp in zip(base, born, stat_exp, strict=True)]
    extras = (level + 10, 5, 5, 5, 5)
    return Stats(*[min(core + extra, HIGHEST) for core, extra in zip(cores, extras, strict=True)])


def _core(base: int, dv: int, stat_exp: int, level: int) -> int:
    root = isqrt(stat_exp)
    root += root * root < stat_exp
    return ((base + dv) * 2 + min(root, 0xFF) // 4) * level // 100


def staged(stat: int, stage: int, book: RuleBook) -> int:
    """Return a stat after `stage` raises, or falls when it is negative."""
    return min(book.scaled(stat, stage), HIGHEST)


ORDER: Final = ("attack", "defense", "speed", "special", "accuracy", "evasion")
BADGE_STATS: Final = {0: "attack", 2: "defense", 4: "speed", 6: "special"}  # by bit number
WITHOUT_NUMBER: Final = ("accuracy", "evasion")  # these two have a stage and nothing else


class StageChange(NamedTuple):
    """A stat that a move changes, by so many stages, of its user or of the other side."""

    stat: str
    by: int
    own: bool


# The first effect of each six, in the order of the stats.
_CHANGES: Final = {
    first + at: StageChange(stat, by, own)
    for first, by, own in ((10, 1, True), (18, -1, False), (50, 2, True), (58, -2, False))
    for at, stat in enumerate(ORDER)
}


def stage_change(effect: int) -> StageChange | None:
    """Return what a move with this effect changes, or None when it is not for that."""
    return _CHANGES.get(effect)


def after_change(
    mon: BattleMon, change: StageChange, book: RuleBook, *, badges: Collection[int] = ()
) -> BattleMon:
    """Return `mon` after one of its stats has changed; its ailments are not applied again.

    `badges` are the bit numbers of those that its trainer has: each counts again for its stat.
    """
    old = getattr(mon.stages, change.stat)
    stage = min(max(old + change.by, STAGES.start), STAGES.stop - 1)
    stages = mon.stages._replace(**{change.stat: stage})
    stats = mon.stats
    if change.stat not in WITHOUT_NUMBER:
        value = staged(getattr(mon.unmodified, change.stat), stage, book)
        stats = stats._replace(**{change.stat: value})
    return replace(mon, stages=stages, stats=_with_badges(stats, badges))


def _with_badges(stats: Stats, badges: Collection[int]) -> Stats:
    """Return stats of which each badge makes one an eighth greater."""
    old = {name: getattr(stats, name) for bit, name in BADGE_STATS.items() if bit in badges}
    return stats._replace(**{name: min(stat + stat // 8, HIGHEST) for name, stat in old.items()})


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
