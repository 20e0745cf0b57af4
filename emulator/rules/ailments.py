"""What ails a mon that fights: the chance that it acts at all, and what its turn costs it."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from emulator.ram.battle_mon import BattleMon, Volatile
from emulator.rules.chances import BYTE, NEVER, SURE

MOVES_ALL_THE_SAME: Final = Fraction(1, 2)  # of the confused
NOT_FULLY_PARALYZED: Final = Fraction(BYTE - 63, BYTE)
SHARE: Final = 16


def act_chance(mon: BattleMon, foe: BattleMon) -> Fraction:
    """Return the chance that `mon` uses a move in its next turn; waking up costs one as well."""
    if mon.status.sleep or mon.status.frozen:
        return NEVER
    if Volatile.RECHARGING in mon.volatile or Volatile.TRAPPING in foe.volatile:
        return NEVER
    chance = SURE
    if mon.status.paralyzed:
        chance *= NOT_FULLY_PARALYZED
    # The counter falls first: with one turn left, confusion ends before it does anything.
    if Volatile.CONFUSED in mon.volatile and mon.confused_turns != 1:
        chance *= MOVES_ALL_THE_SAME
    return chance


def residual_loss(mon: BattleMon, turn: int = 0) -> int:
    """Return what poison, burn and seeds take of `mon` after its next turn, or a later one."""
    share, loss = max(mon.max_hp // SHARE, 1), 0
    toxic, grows = mon.toxic_turns, Volatile.BADLY_POISONED in mon.volatile
    sources = bool(mon.status.poisoned or mon.status.burned) + (Volatile.SEEDED in mon.volatile)
    toxic += turn * sources
    for _ in range(sources):
        toxic += 1
        loss += share * (toxic if grows else 1)
    return loss
