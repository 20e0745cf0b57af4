"""Moves that raise or lower stats, and what a mon that fights is like after one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final, NamedTuple

from emulator.ram.battle_mon import BattleMon
from emulator.ram.party import Stats
from emulator.rules.book import STAGES, RuleBook
from emulator.rules.stats import boosted, staged

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
    """Return `mon` after one of its stats has changed; what ails it is not counted anew.

    `badges` are the bit numbers of those that its trainer has: each counts again for its stat.
    """
    old = getattr(mon.stages, change.stat)
    stage = min(max(old + change.by, STAGES.start), STAGES.stop - 1)
    stages = mon.stages._replace(**{change.stat: stage})
    if change.stat in WITHOUT_NUMBER:
        return replace(mon, stages=stages, stats=_with_badges(mon.stats, badges))
    value = staged(getattr(mon.unmodified, change.stat), stage, book)
    stats = mon.stats._replace(**{change.stat: value})
    return replace(mon, stages=stages, stats=_with_badges(stats, badges))


def _with_badges(stats: Stats, badges: Collection[int]) -> Stats:
    names = [stat for badge, stat in BADGE_STATS.items() if badge in badges]
    return stats._replace(**{name: boosted(getattr(stats, name)) for name in names})
