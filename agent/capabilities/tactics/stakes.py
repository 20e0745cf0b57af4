"""What the end of a duel is worth: a battle goes on after it, and so does the journey after the battle."""

from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from agent.capabilities.tactics.fighters import SOME_PP, with_hp
from agent.capabilities.tactics.teams import beats
from emulator import BattleMon, Dex, MoveSlot, Odds, Stages, Volatile

HEALTH: Final = 0.1  # what all of the mon's HP is worth beside a battle won
FALL: Final = 0.12  # what it costs that a mon falls, even if the battle is won
POINTS: Final = (0.0, 0.5, 0.9)  # shares of HP taken for which the rest of the battle is played out


class Stakes(NamedTuple):
    """What winning is worth by the damage taken then, and losing by the damage done."""

    won: Odds
    lost: Odds


def stakes_of(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    bench: tuple[BattleMon, ...],
    to_come: tuple[BattleMon, ...],
) -> Stakes:
    """Return what is at stake between two; the battle goes on with `bench` and those `to_come`."""
    return _stakes(dex, as_sent(own), as_sent(enemy), bench, to_come)


@lru_cache(maxsize=256)
def _stakes(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    bench: tuple[BattleMon, ...],
    to_come: tuple[BattleMon, ...],
) -> Stakes:
    won, lost = np.ones(own.max_hp), np.zeros(enemy.max_hp)
    if to_come:
        chances = [beats(dex, (_hurt(own, share), *bench), to_come) for share in POINTS]
        won = _between(chances, own.max_hp)
    if bench:
        chances = [beats(dex, bench, (_hurt(enemy, share), *to_come)) for share in POINTS]
        lost = np.maximum(_between(chances, enemy.max_hp) - FALL, 0)
    won = won + HEALTH * np.linspace(1, 0, own.max_hp)
    return Stakes(won, lost)


def _hurt(mon: BattleMon, share: float) -> BattleMon:
    return with_hp(mon, round(mon.max_hp * (1 - share)))


def _between(chances: list[float], size: int) -> Odds:
    odds: Odds = np.interp(np.arange(size) / size, POINTS, chances)
    return odds


def called_back(mon: BattleMon) -> BattleMon:
    """Return a mon that waits for another turn; its HP in quarters, so that few of these differ."""
    quarters = -(-4 * mon.hp // mon.max_hp)
    return with_hp(as_sent(mon), mon.max_hp * quarters // 4)


def as_sent(mon: BattleMon) -> BattleMon:
    """Return a mon as it was when it was sent, so that every turn of it has the same stakes."""
    moves = tuple([MoveSlot(each.move, SOME_PP if each.pp else 0, 0) for each in mon.moves])
    return replace(
        mon,
        hp=mon.max_hp,
        moves=moves,
        stats=mon.unmodified._replace(hp=mon.max_hp),
        stages=Stages(),
        volatile=Volatile.NONE,
        attacks_left=0,
        confused_turns=0,
        toxic_turns=0,
        disabled=None,
        substitute_hp=0,
        status=mon.status._replace(sleep=min(mon.status.sleep, 1)),
    )
