"""Moves that raise or lower stats, and what a mon that fights is like after one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from emulator.ram.battle_mon import BattleMon
from emulator.rules.book import STAGES, RuleBook
from emulator.rules.stats import staged

ORDER: Final = ("attack", "defense", "speed", "special", "accuracy", "evasion")
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


def after_change(mon: BattleMon, change: StageChange, book: RuleBook) -> BattleMon:
    """Return `mon` after one of its stats has changed; what ails it is not counted anew."""
    old = getattr(mon.stages, change.stat)
    stage = min(max(old + change.by, STAGES.start), STAGES.stop - 1)
    stages = mon.stages._replace(**{change.stat: stage})
    if change.stat in WITHOUT_NUMBER:
        return replace(mon, stages=stages)
    value = staged(getattr(mon.unmodified, change.stat), stage, book)
    return replace(mon, stages=stages, stats=mon.stats._replace(**{change.stat: value}))
