"""One mon against another to the end: the exact chances of how both stand when one falls.

Both sides' damage is drawn independently, so the chance of each end is a product of two: how much one has taken
after so many turns, and in which turn the other falls.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.capabilities.tactics.blows import HORIZON, Blows
from emulator import BattleMon, Odds

Rows: TypeAlias = NDArray[np.float64]  # by turn: the chances of each damage taken, while standing
NEGLIGIBLE: Final = 1e-3  # a chance to stand that need not be followed further


class Duel(NamedTuple):
    """How it ends: the chances to win by the damage taken then, to lose by the damage done, and the turns."""

    won: Odds
    lost: Odds
    turns: float

    @property
    def chance(self) -> float:
        """The chance to win."""
        return float(self.won.sum())


def standing_at(mon: BattleMon) -> Odds:
    """Return the certainty that a mon has taken what it lacks of its HP."""
    odds = np.zeros(mon.max_hp)
    odds[min(mon.max_hp - mon.hp, mon.max_hp - 1)] = 1.0
    return odds


def after(start: Odds, blow: Odds) -> Odds:
    """Return the chances of each damage taken after one more blow, for who still stands."""
    return np.convolve(start, blow)[: len(start)]


def endure(start: Odds, taken: Blows) -> Rows:
    """Return the chances of each damage taken after 0, 1, ... turns."""
    rows = np.zeros((HORIZON + 1, len(start)))
    rows[0] = now = start
    last = len(taken.turns) - 1
    for turn in range(HORIZON):
        now = after(now, taken.turns[min(turn, last)])
        if taken.regained:
            now = _healed(now, taken.regained)
        rows[turn + 1] = now
        if now.sum() < NEGLIGIBLE:
            break
    return rows if taken.naps == (0,) else _delayed(rows, taken.naps)


def fought_out(own: Odds, enemy: Odds, theirs: Blows, ours: Blows, first: float) -> Duel:
    """Return how a duel ends between two who have taken damage already.

    `theirs` are the blows that the own mon takes, `ours` those of the enemy; `first` is the chance to
    strike first.
    """
    taken, dealt = endure(own, theirs), endure(enemy, ours)
    alive, left = taken.sum(axis=1), dealt.sum(axis=1)
    wins, falls = left[:-1] - left[1:], alive[:-1] - alive[1:]
    won = first * (wins @ taken[:-1]) + (1 - first) * (wins @ taken[1:])
    lost = first * (falls @ dealt[1:]) + (1 - first) * (falls @ dealt[:-1])
    return Duel(won, lost, float(left[:-1].sum()))


def _healed(odds: Odds, gain: int) -> Odds:
    gain = min(gain, len(odds) - 1)
    healed = np.zeros(len(odds))
    healed[: len(odds) - gain] = odds[gain:]
    healed[0] += odds[:gain].sum()
    return healed


def _delayed(rows: Rows, naps: tuple[int, ...]) -> Rows:
    turns = np.arange(HORIZON + 1)
    mixed = np.zeros(rows.shape)
    for nap in naps:
        mixed += rows[np.maximum(turns - nap, 0)]
    return mixed / len(naps)
