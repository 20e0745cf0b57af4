"""Damage odds turn by turn, and the exact odds of a duel between two Pokemon.

The damage of the two sides is independent. So the chance of each end is a product of two chances: the
damage that one side has taken after some turns, and the turn in which the other side faints.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.battle.effects import CHARGES_HIDDEN, DIG_MOVE, RAGE, RECOIL, STRUGGLE_MOVE
from emulator import BattleMon, Dex, Volatile
from emulator.rules.chances import hit_chance, residual_loss
from emulator.rules.damage import Odds, self_hit, use_spread
from emulator.rules.moves import (
    CHARGES,
    DRAIN,
    EXPLODE,
    HALF,
    LAST,
    RECHARGE,
    Attacker,
    Defender,
    MoveData,
    move_turns,
)

HORIZON: Final = 40  # turns of lookahead
FULLY_PARALYZED: Final = 63 / 256
CONFUSION_TURNS: Final = 3  # used when the remaining turns (two to five) are unknown
PP_COUNTED: Final = 12  # more uses than any battle needs
EXACT_PAIRS: Final = 4  # pairs of turns computed separately; later turns are averages
NEVER_ACTS: Final = (HORIZON,)
ALL_TURNS: Final = 1.0
Rows: TypeAlias = NDArray[np.float64]  # by turn: the odds of each damage taken, while not fainted
NEGLIGIBLE: Final = 1e-3  # a survival chance below which the search stops


class TurnDamage(NamedTuple):
    """Damage odds by turn, equally likely counts of `idle` turns before, and HP healed by turn.

    The last turn repeats; () heals nothing.
    """

    turns: tuple[Odds, ...]
    idle: tuple[int, ...] = (0,)
    regained: tuple[int, ...] = ()


def damage_odds(dex: Dex, mon: BattleMon, target: BattleMon, moves: Sequence[int]) -> Odds:
    """Return the read-only odds of each damage by one of `moves`, all equally likely.

    A two-turn move does its damage in half of its turns.
    """
    defender = _defender(target)
    if any(dex.all_moves[number].effect == HALF for number in moves):
        defender = replace(defender, hp=target.hp)
    return _damage_odds(dex, _attacker(dex, mon), defender, tuple(moves), target.max_hp)


@lru_cache(maxsize=256)
def _attacker(dex: Dex, mon: BattleMon) -> Attacker:
    species = dex.all_species.get(mon.species)
    # Only the critical hit rate depends on the species; for an unknown species the mon's own speed is used.
    return Attacker.of(mon, species.base.speed if species else mon.unmodified.speed)


@lru_cache(maxsize=256)
def _defender(mon: BattleMon) -> Defender:
    return replace(Defender.of(mon), hp=1)  # one cache key: few moves use the HP


@lru_cache(maxsize=4096)
def _damage_odds(
    dex: Dex, attacker: Attacker, defender: Defender, moves: tuple[int, ...], max_hp: int
) -> Odds:
    odds = np.zeros(max_hp + 1)
    for number in moves:
        share = 1 / len(moves)
        move = dex.all_moves[number]
        for amount, chance in use_spread(attacker, defender, move, dex.rules).items():
            odds[min(amount, max_hp)] += chance * share
        if move.effect in (*CHARGES, RECHARGE):
            odds = scale_odds(odds, 1 - share / 2)
    if not moves:
        odds[0] = 1.0
    odds.setflags(write=False)
    return odds


def known_moves(dex: Dex, mon: BattleMon) -> tuple[int, ...]:
    """Return the moves of a mon that exist in the cartridge and are not disabled; an enemy may use each."""
    moves = enumerate(mon.moves)
    return tuple(
        [known.move for at, known in moves if known.move in dex.all_moves and at != mon.disabled]
    )


def attacks(dex: Dex, mon: BattleMon) -> tuple[tuple[int, MoveData, int], ...]:
    """Return slot, move and PP of each usable damaging move; RAGE only without another one."""
    found = []
    for slot, known in enumerate(mon.moves):
        move = dex.all_moves.get(known.move)
        if move is None or not move.power or not known.pp or slot == mon.disabled:
            continue
        if move.effect != EXPLODE and move.number != LAST:
            found.append((slot, move, known.pp))
    return tuple([each for each in found if each[1].effect != RAGE] or found)


class DamageSchedule(NamedTuple):
    """The damage done turn by turn: `main` for `uses` turns, then `rest`; `opening` replaces the first turns.

    `shares` are the shares of the damage that are left, by turn; the last one repeats.
    """

    main: Odds
    opening: tuple[Odds, ...] = ()
    uses: int = PP_COUNTED
    rest: Odds | None = None
    shares: tuple[float, ...] = (ALL_TURNS,)

    @property
    def changes(self) -> int:
        """The number of turns until the damage odds no longer change."""
        used = min(self.uses, PP_COUNTED) if self.rest is not None else len(self.opening)
        return max(used, len(self.shares) - 1)

    def at(self, turn: int) -> Odds:
        """Return the damage odds of a turn, counted from 0."""
        return scale_odds(self._full(turn), self.shares[min(turn, len(self.shares) - 1)])

    def _full(self, turn: int) -> Odds:
        if self.rest is not None and turn >= min(self.uses, PP_COUNTED):
            return self.rest
        return self.opening[turn] if turn < len(self.opening) else self.main


def turn_damage(
    mon: BattleMon, target: BattleMon, using: DamageSchedule, *, more: int = 0
) -> TurnDamage:
    """Return the damage that `target` takes from `mon`, turn by turn.

    `more` is the HP that the target loses each turn by its own moves, as by recoil; a negative value heals.
    """
    # Toxic damage grows each turn; the value of the turn after next stands for all.
    loss = residual_loss(target, int(Volatile.BADLY_POISONED in target.volatile)) + more
    seeded = max(mon.max_hp // 16, 1) if Volatile.SEEDED in mon.volatile else 0
    regained = seeded - min(loss, 0)
    confused, target_confused = _confusion(mon), _confusion(target)
    share = 1 - FULLY_PARALYZED if mon.status.paralyzed else 1.0
    turns = tuple(
        [
            _turn(
                using.at(turn),
                share / 2 if turn < confused else share,
                target if turn < target_confused else None,
                max(loss, 0),
            )
            for turn in range(max(confused, target_confused, using.changes) + 1)
        ]
    )
    return TurnDamage(turns, _idle(mon, target), (regained,) if regained else ())


def two_turn_odds(move: MoveData | None, half: Odds) -> tuple[Odds, ...]:
    """Return the odds of the first turns of a two-turn move: charge then hit, or hit then recharge."""
    going = move_turns(move) if move is not None else None
    if going is None or not (going.before or going.after):
        return ()
    nothing, whole = np.zeros(len(half)), half * 2
    whole[0] -= 1
    nothing[0] = 1.0
    return ((nothing, whole) if going.before else (whole, nothing)) * EXACT_PAIRS


def acting_share(dex: Dex, move: MoveData, mon: BattleMon, target: BattleMon) -> float:
    """Return the share of turns in which `target` can act while `mon` repeats this move."""
    if move.effect == CHARGES_HIDDEN or move.number == DIG_MOVE:
        return 0.5
    going = move_turns(move)
    if not going.holds:
        return ALL_TURNS
    hit = use_hit_chance(dex, move, mon, target)
    lasting = sum(turns * chance for turns, chance in going.strikes.items())
    if mon.stats.speed < target.stats.speed:
        return 1 / (1 + hit * (lasting - 1))
    return (1 - hit) / (1 - hit + hit * lasting)  # each hit binds for several turns


def use_hit_chance(dex: Dex, move: MoveData, mon: BattleMon, target: BattleMon) -> float:
    """Return the chance that a move of `mon` hits `target`."""
    return float(hit_chance(_attacker(dex, mon), _defender(target), move, dex.rules))


def self_damage(mon: BattleMon, move: MoveData, odds: Odds, target: BattleMon) -> int:
    """Return the average HP that one use of a move costs its user; a negative value heals."""
    share = {RECOIL: 4, DRAIN: -2}.get(move.effect)
    if share is None:
        return 0
    share = 2 if move.number == STRUGGLE_MOVE else share
    return round(expected_damage(odds, min(target.hp, mon.max_hp * 2)) / share)


def expected_damage(odds: Odds, most: int) -> float:
    """Return the expected damage, with each damage capped at `most`."""
    amounts = np.minimum(np.arange(len(odds)), most)
    return float(odds @ amounts)


def _turn(odds: Odds, share: float, target_confused: BattleMon | None, loss: int) -> Odds:
    odds = scale_odds(odds, share)
    if target_confused is not None:
        odds = (odds + shifted_odds(odds, self_hit(target_confused))) / 2
    return shifted_odds(odds, loss)


def scale_odds(odds: Odds, share: float) -> Odds:
    """Return the damage odds when damage is done in only this share of turns."""
    if share == ALL_TURNS:
        return odds
    odds = odds * share
    odds[0] += 1 - share
    return odds


def shifted_odds(odds: Odds, loss: int) -> Odds:
    """Return the odds with a fixed loss added to each damage."""
    if not loss:
        return odds
    loss = min(loss, len(odds) - 1)
    more = np.zeros(len(odds))
    more[loss:] = odds[: len(odds) - loss]
    more[-1] += odds[len(odds) - loss :].sum()
    return more


def _idle(mon: BattleMon, target: BattleMon) -> tuple[int, ...]:
    if mon.status.frozen:
        return NEVER_ACTS
    held = target.attacks_left if Volatile.TRAPPING in target.volatile else 0
    rests = int(Volatile.RECHARGING in mon.volatile)
    return (max(mon.status.sleep, held, rests),)


def _confusion(mon: BattleMon) -> int:
    if Volatile.CONFUSED not in mon.volatile:
        return 0
    # In the last counted turn the confusion ends.
    return mon.confused_turns - 1 if mon.confused_turns else CONFUSION_TURNS


class Duel(NamedTuple):
    """The odds of a duel: of winning, by damage taken; of losing, by damage done; and the expected turns."""

    won: Odds
    lost: Odds
    turns: float

    @property
    def chance(self) -> float:
        """The chance of winning."""
        return float(self.won.sum())


def damage_taken(mon: BattleMon) -> Odds:
    """Return odds with chance 1 at the HP that a mon lacks now."""
    odds = np.zeros(mon.max_hp)
    odds[min(mon.max_hp - mon.hp, mon.max_hp - 1)] = 1.0
    return odds


def add_damage(start: Odds, hit: Odds) -> Odds:
    """Return the odds of each damage taken after one more hit, while the mon has not fainted."""
    return np.convolve(start, hit)[: len(start)]


class Survival(NamedTuple):
    """The odds of each damage taken by one side after 0, 1, ... turns, and its survival chance by turn."""

    rows: Rows
    alive: Odds


def survival(start: Odds, taken: TurnDamage) -> Survival:
    """Return the survival of a mon that takes this damage turn by turn; read-only."""
    turns = tuple([odds.tobytes() for odds in taken.turns])
    return _survive(start.tobytes(), turns, taken.idle, taken.regained)


# All attack options of one side share the damage done by the other side.
@lru_cache(maxsize=128)
def _survive(
    start: bytes, turns: tuple[bytes, ...], idle: tuple[int, ...], gains: tuple[int, ...]
) -> Survival:
    now = np.frombuffer(start)
    odds = [np.frombuffer(each) for each in turns]
    rows = np.zeros((HORIZON + 1, len(now)))
    rows[0] = now
    single = HORIZON if gains else len(odds) - 1
    for turn in range(single):
        now = add_damage(now, odds[min(turn, len(odds) - 1)])
        if gains:
            now = subtract_damage(now, gains[min(turn, len(gains) - 1)])
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
    if idle != (0,):
        rows = _delayed(rows, idle)
        alive = rows.sum(axis=1)
    return Survival(rows, alive)


def _repeat(hit: Odds, rows: Rows) -> None:
    """Fill `rows` after the first by repeating one hit; each round doubles the number of filled rows."""
    size, done = rows.shape[1], 1
    power = hit[:size]
    while done < len(rows) and rows[done - 1].sum() >= NEGLIGIBLE:
        more = min(done, len(rows) - done)
        rows[done : done + more] = rows[:more] @ _shifts(power)
        done += more
        power = add_damage(power, power)


def _shifts(hit: Odds) -> Rows:
    """Return the matrix that adds one hit to a row of damage odds."""
    size = len(hit)
    room = np.zeros((size, 2 * size))
    room[:, :size] = hit
    # Rows shortened by one entry move each row one column to the right.
    return room.ravel()[: size * (2 * size - 1)].reshape(size, 2 * size - 1)[:, :size]


def duel_of(own: Odds, enemy: Odds, theirs: TurnDamage, ours: TurnDamage, first: float) -> Duel:
    """Return the odds of a duel between two mons that start with the damage odds `own` and `enemy`.

    `theirs` is the damage that the own mon takes, `ours` the damage that the enemy takes; `first` is the
    chance that the own mon moves first.
    """
    (taken, alive), (dealt, left) = survival(own, theirs), survival(enemy, ours)
    wins, falls = left[:-1] - left[1:], alive[:-1] - alive[1:]
    if first in (0.0, 1.0):
        early, late = (taken[:-1], dealt[1:]) if first else (taken[1:], dealt[:-1])
        return Duel(wins @ early, falls @ late, float(left[:-1].sum()))
    won = first * (wins @ taken[:-1]) + (1 - first) * (wins @ taken[1:])
    lost = first * (falls @ dealt[1:]) + (1 - first) * (falls @ dealt[:-1])
    return Duel(won, lost, float(left[:-1].sum()))


def subtract_damage(odds: Odds, gain: int) -> Odds:
    """Return the odds of each damage taken after `gain` HP are healed."""
    gain = min(gain, len(odds) - 1)
    left = np.zeros(len(odds))
    left[: len(odds) - gain] = odds[gain:]
    left[0] += odds[:gain].sum()
    return left


def _delayed(rows: Rows, idle: tuple[int, ...]) -> Rows:
    turns = np.arange(HORIZON + 1)
    mixed = np.zeros(rows.shape)
    for each in idle:
        mixed += rows[np.maximum(turns - each, 0)]
    return mixed / len(idle)
