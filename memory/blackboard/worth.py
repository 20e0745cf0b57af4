"""How relevance fades, and which of two entries is worth more."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.blackboard.entry import Entry

_LEAST_UTILITY = 0.05


def faded(entry: Entry, now_s: float, decay_per_min: float) -> float:
    """Return the relevance of `entry` at `now_s`: relevance·(1-rate)^minutes."""
    minutes = max(0.0, now_s - entry.game_s) / 60.0
    return float(entry.relevance * (1.0 - decay_per_min) ** minutes)


def worth(entry: Entry, decay_per_min: float) -> float:
    """Return what `entry` is worth, as a logarithm that never changes.

    Importance times utility times relevance. All entries of a scope fade alike, so the order of any two stays what
    it is, and time need not pass for it: the older by m minutes is worth less by m times -log(1-rate).
    """
    value = entry.importance * max(entry.utility, _LEAST_UTILITY) * max(entry.relevance, 1e-9)
    if not decay_per_min:
        return log(value)
    return log(value) - entry.game_s / 60.0 * log(1.0 - decay_per_min)
