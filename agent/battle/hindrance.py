"""Enemy moves that hinder: their expected effects on a duel, turn by turn.

A move that lowers accuracy takes damage from the own mon, a trapping move takes turns, Leech Seed takes HP and
gives them to the enemy.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

import numpy as np

from agent.battle.damage import (
    ALL_TURNS,
    FULLY_PARALYZED,
    TurnDamage,
    damage_odds,
    known_moves,
    shifted_odds,
    use_hit_chance,
)
from agent.battle.effects import GRASS_TYPE, LEECH_SEED
from emulator import BattleMon, Dex, Volatile
from emulator.rules.damage import Odds
from emulator.rules.moves import MoveData, move_turns
from emulator.rules.stats import StageChange, stage_change

TURNS: Final = 12  # followed one by one; later turns are like the last of them
LANDS: Final = 3 / 4  # of the attempts of an enemy to lower a stage, besides its accuracy
LOWEST_STAGE: Final = -6
LESS_ACCURATE: Final = StageChange("accuracy", -1, own=False)
SEED_SHARE: Final = 16  # of the HP
_Value = TypeVar("_Value")


class Hindrance(NamedTuple):
    """The share of the own damage that is left, and the chance that the own mon is seeded, by turn.

    The last value repeats; `seeded` is () if the enemy cannot seed.
    """

    shares: tuple[float, ...] = (ALL_TURNS,)
    seeded: tuple[float, ...] = ()


@lru_cache(maxsize=512)
def hindrance(
    dex: Dex, own: BattleMon, enemy: BattleMon, using: MoveData | None, *, acts: float, idle: int
) -> Hindrance:
    """Return what the moves of an enemy take from an own mon that uses one attack.

    The enemy chooses any of its moves; it acts in the share `acts` of turns, after `idle` turns. A trapping move
    with all its strikes counts as one turn, as in `enemy_odds`.
    """
    numbers = known_moves(dex, enemy)
    moves = [dex.all_moves[each] for each in numbers]
    lowers = sum(LANDS * use_hit_chance(dex, each, enemy, own) for each in _lowering(own, moves))
    seeds = sum(use_hit_chance(dex, each, enemy, own) for each in _seeding(own, moves))
    is_faster = own.stats.speed > enemy.stats.speed
    # A faster mon acts before the first strike, and again right after the last one.
    binds = (
        0.0 if is_faster else sum(use_hit_chance(dex, each, enemy, own) for each in _holding(moves))
    )
    if not lowers and not seeds and not binds:
        return Hindrance()
    acts *= (1 - FULLY_PARALYZED if enemy.status.paralyzed else 1.0) / len(moves)
    chances = [0.0] * (idle + is_faster) + [acts] * TURNS
    kept = _accuracies(dex, own, enemy, using, [lowers * each for each in chances])
    shares = [share * (1 - binds * each) for share, each in zip(kept, chances, strict=True)]
    unseeded = np.cumprod([1 - seeds * each for each in chances])
    return Hindrance(tuple(shares), tuple((1 - unseeded).tolist()) if seeds else ())


def enemy_odds(dex: Dex, enemy: BattleMon, own: BattleMon) -> Odds:
    """Return the odds of each damage by any move of an enemy; a trapping move counts with all its strikes."""
    numbers = known_moves(dex, enemy)
    if not _holding(dex.all_moves[each] for each in numbers):
        return damage_odds(dex, enemy, own, numbers)
    odds = np.zeros(own.max_hp + 1)
    for number in numbers:
        once = damage_odds(dex, enemy, own, (number,))
        strikes = move_turns(dex.all_moves[number])
        for times, chance in strikes.strikes.items() if strikes.holds else ((1, 1.0),):
            damages = np.minimum(np.arange(len(once)) * times, own.max_hp)
            np.add.at(odds, damages, once * chance / len(numbers))
    return odds


def with_seeds(
    own: BattleMon, ours: TurnDamage, theirs: TurnDamage, seeded: Sequence[float]
) -> tuple[TurnDamage, TurnDamage]:
    """Return the damage of both sides with the HP that Leech Seed moves from the own mon to the enemy."""
    if not seeded:
        return ours, theirs
    loss, gains = max(own.max_hp // SEED_SHARE, 1), ours.regained or (0,)
    regained = [
        _at(gains, turn) + round(loss * _at(seeded, turn))
        for turn in range(max(len(gains), len(seeded)))
    ]
    turns = tuple(_seeded_turns(theirs.turns, seeded, loss))
    return ours._replace(regained=tuple(regained)), theirs._replace(turns=turns)


def _seeded_turns(turns: Sequence[Odds], seeded: Sequence[float], loss: int) -> Iterator[Odds]:
    for turn in range(max(len(turns), len(seeded))):
        odds, chance = _at(turns, turn), _at(seeded, turn)
        yield (1 - chance) * odds + chance * shifted_odds(odds, loss)


def _at(values: Sequence[_Value], turn: int) -> _Value:
    return values[min(turn, len(values) - 1)]


def _accuracies(
    dex: Dex, own: BattleMon, enemy: BattleMon, using: MoveData | None, chances: Sequence[float]
) -> list[float]:
    """Return the share of hits left by turn, with these chances that the accuracy falls a stage before it."""
    if using is None or not any(chances):
        return [ALL_TURNS] * len(chances)
    stages = range(own.stages.accuracy, LOWEST_STAGE - 1, -1)
    mons = [replace(own, stages=own.stages._replace(accuracy=stage)) for stage in stages]
    hits = np.array([use_hit_chance(dex, using, mon, enemy) for mon in mons])
    at, found = np.zeros(len(hits)), []
    at[0] = 1.0
    for chance in chances:
        fallen = at[:-1] * chance
        at[:-1] -= fallen
        at[1:] += fallen
        found.append(float(at @ hits / hits[0]) if hits[0] else ALL_TURNS)
    return found


def _lowering(own: BattleMon, moves: Sequence[MoveData]) -> list[MoveData]:
    if Volatile.MIST in own.volatile or own.substitute_hp:
        return []
    return [each for each in moves if stage_change(each.effect) == LESS_ACCURATE]


def _seeding(own: BattleMon, moves: Sequence[MoveData]) -> list[MoveData]:
    if GRASS_TYPE in own.types or Volatile.SEEDED in own.volatile:
        return []
    return [each for each in moves if each.effect == LEECH_SEED]


def _holding(moves: Iterable[MoveData]) -> list[MoveData]:
    return [each for each in moves if move_turns(each).holds]
