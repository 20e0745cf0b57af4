"""One mon against another to the end: the exact chances of how both stand when one falls.

Both sides' damage is drawn independently, so the chance of each end is a product of two: how much one has taken
after so many turns, and in which turn the other falls.
"""

from functools import lru_cache
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


class Course(NamedTuple):
    """How one side fares: the chances of each damage taken after 0, 1, ... turns, and to stand then."""

    rows: Rows
    alive: Odds


def endure(start: Odds, taken: Blows) -> Course:
    """Return how somebody fares who takes these blows; not to be changed."""
    turns = tuple([odds.tobytes() for odds in taken.turns])
    return _endured(start.tobytes(), turns, taken.naps, taken.regained)


# All attacks of one side meet the same blows of the other.
@lru_cache(maxsize=128)
def _endured(start: bytes, turns: tuple[bytes, ...], naps: tuple[int, ...], gain: int) -> Course:
    now = np.frombuffer(start)
    odds = [np.frombuffer(each) for each in turns]
    rows = np.zeros((HORIZON + 1, len(now)))
    rows[0] = now
    single = HORIZON if gain else len(odds) - 1
    for turn in range(single):
        now = after(now, odds[min(turn, len(odds) - 1)])
        if gain:
            now = _healed(now, gain)
        rows[turn + 1] = now
        if now.sum() < NEGLIGIBLE:
            break
    else:
        _repeat(odds[-1], rows[single:])
    alive = rows.sum(axis=1)
    gone = np.flatnonzero(alive < NEGLIGIBLE)
    if len(gone):
        rows[gone[0] + 1 :] = 0
        alive[gone[0] + 1 :] = 0
    if naps != (0,):
        rows = _delayed(rows, naps)
        alive = rows.sum(axis=1)
    return Course(rows, alive)


def _repeat(blow: Odds, rows: Rows) -> None:
    """Fill in what follows the first row by the same blow again and again: twice as many with each round."""
    size, done = rows.shape[1], 1
    power = blow[:size]
    while done < len(rows) and rows[done - 1].sum() >= NEGLIGIBLE:
        more = min(done, len(rows) - done)
        rows[done : done + more] = rows[:more] @ _shifts(power)
        done += more
        power = after(power, power)


def _shifts(blow: Odds) -> Rows:
    """Return the matrix that a row is multiplied with for what it is after a blow."""
    size = len(blow)
    room = np.zeros((size, 2 * size))
    room[:, :size] = blow
    # Each row of one less lies one further to the right.
    return room.ravel()[: size * (2 * size - 1)].reshape(size, 2 * size - 1)[:, :size]


def fought_out(own: Odds, enemy: Odds, theirs: Blows, ours: Blows, first: float) -> Duel:
    """Return how a duel ends between two who have taken damage already.

    `theirs` are the blows that the own mon takes, `ours` those of the enemy; `first` is the chance to
    strike first.
    """
    (taken, alive), (dealt, left) = endure(own, theirs), endure(enemy, ours)
    wins, falls = left[:-1] - left[1:], alive[:-1] - alive[1:]
    if first in (0.0, 1.0):
        early, late = (taken[:-1], dealt[1:]) if first else (taken[1:], dealt[:-1])
        return Duel(wins @ early, falls @ late, float(left[:-1].sum()))
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
