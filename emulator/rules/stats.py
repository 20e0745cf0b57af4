"""Stats: what a mon is born with, what stages, badges and ailments make of it."""

from __future__ import annotations

from math import isqrt
from typing import Final

from emulator.ram.party import Dvs, Stats
from emulator.rules.book import RuleBook

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


def boosted(stat: int) -> int:
    """Return a stat that a badge makes an eighth greater."""
    return min(stat + stat // 8, HIGHEST)


def burned(attack: int) -> int:
    """Return Attack while burned."""
    return max(attack // 2, 1)


def paralyzed(speed: int) -> int:
    """Return Speed while paralyzed."""
    return max(speed // 4, 1)
