"""What a Pokemon takes turn by turn, and the exact odds of one Pokemon against another to the end.

Both sides' damage is drawn independently, so the chance of each end is a product of two: how much
one has taken after so many turns, and in which turn the other falls.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.battle.effects import CHARGES_HIDDEN, DIG_MOVE, RECOIL, STRUGGLE_MOVE
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

HORIZON: Final = 40  # turns looked ahead
FULLY_PARALYZED: Final = 63 / 256
CONFUSION_TURNS: Final = 3  # when it is not known how many are left: two to five
PP_COUNTED: Final = 12  # more uses than these outlast any fight
PAIRS: Final = 4  # of turns that are told apart; later ones are averages
NEVER_AGAIN: Final = (HORIZON,)
WHOLE: Final = 1.0
Rows: TypeAlias = NDArray[np.float64]  # by turn: the chances of each damage taken, while standing
NEGLIGIBLE: Final = 1e-3  # a chance to stand that need not be followed further


class Blows(NamedTuple):
    """What is taken in each turn, the last entry for ever; `naps` are turns that pass before, each as likely."""

    turns: tuple[Odds, ...]
    naps: tuple[int, ...] = (0,)
    regained: int = 0


def strikes(dex: Dex, mon: BattleMon, target: BattleMon, moves: Sequence[int]) -> Odds:
    """Return the chances of every damage by one of these moves, each as likely; not to be changed.

    What takes two turns does its damage in half of them.
    """
    defender = _defender(target)
    if any(dex.all_moves[number].effect == HALF for number in moves):
        defender = replace(defender, hp=target.hp)
    return _strikes(dex, _attacker(dex, mon), defender, tuple(moves), target.max_hp)


@lru_cache(maxsize=256)
def _attacker(dex: Dex, mon: BattleMon) -> Attacker:
    species = dex.all_species.get(mon.species)
    # Only critical hits go by the species; a creature that no table has gets its own speed.
    return Attacker.of(mon, species.base.speed if species else mon.unmodified.speed)


@lru_cache(maxsize=256)
def _defender(mon: BattleMon) -> Defender:
    return replace(Defender.of(mon), hp=1)  # hardly anything goes by it


@lru_cache(maxsize=4096)
def _strikes(
    dex: Dex, attacker: Attacker, defender: Defender, moves: tuple[int, ...], max_hp: int
) -> Odds:
    odds = np.zeros(max_hp + 1)
    for number in moves:
        share = 1 / len(moves)
        move = dex.all_moves[number]
        for amount, chance in use_spread(attacker, defender, move, dex.rules).items():
            odds[min(amount, max_hp)] += chance * share
        if move.effect in (*CHARGES, RECHARGE):
            odds = seldom(odds, 1 - share / 2)
    if not moves:
        odds[0] = 1.0
    odds.setflags(write=False)
    return odds


def known_moves(dex: Dex, mon: BattleMon) -> tuple[int, ...]:
    """Return the moves of a mon that the cartridge has; an enemy uses any of them."""
    moves = enumerate(mon.moves)
    return tuple(
        [known.move for at, known in moves if known.move in dex.all_moves and at != mon.disabled]
    )


def attacks(dex: Dex, mon: BattleMon) -> tuple[tuple[int, MoveData, int], ...]:
    """Return slot, move and PP of what a mon can use to do damage."""
    found = []
    for slot, known in enumerate(mon.moves):
        move = dex.all_moves.get(known.move)
        if move is None or not move.power or not known.pp or slot == mon.disabled:
            continue
        if move.effect != EXPLODE and move.number != LAST:
            found.append((slot, move, known.pp))
    return tuple(found)


class Using(NamedTuple):
    """The damage done turn after turn: `main` for so many turns, then `rest`; `begins` is for the first."""

    main: Odds
    begins: tuple[Odds, ...] = ()
    uses: int = PP_COUNTED
    rest: Odds | None = None

    @property
    def changes(self) -> int:
        """How many turns pass until it is always the same."""
        return min(self.uses, PP_COUNTED) if self.rest is not None else len(self.begins)

    def at(self, turn: int) -> Odds:
        """Return what is done in a turn, from 0 on."""
        if self.rest is not None and turn >= min(self.uses, PP_COUNTED):
            return self.rest
        return self.begins[turn] if turn < len(self.begins) else self.main


def blows(mon: BattleMon, target: BattleMon, using: Using, *, more: int = 0) -> Blows:
    """Return what `target` takes from `mon`.

    `more` is what it loses each turn on its own account, by recoil for one; below zero it gains.
    """
    # What grows from turn to turn is taken for what it is in the next but one.
    loss = residual_loss(target, int(Volatile.BADLY_POISONED in target.volatile)) + more
    seeded = max(mon.max_hp // 16, 1) if Volatile.SEEDED in mon.volatile else 0
    regained = seeded - min(loss, 0)
    dazed, reeling = _confusion(mon), _confusion(target)
    share = 1 - FULLY_PARALYZED if mon.status.paralyzed else 1.0
    turns = tuple(
        [
            _turn(
                using.at(turn),
                share / 2 if turn < dazed else share,
                target if turn < reeling else None,
                max(loss, 0),
            )
            for turn in range(max(dazed, reeling, using.changes) + 1)
        ]
    )
    return Blows(turns, _naps(mon, target), regained)


def rhythm(move: MoveData | None, half: Odds) -> tuple[Odds, ...]:
    """Return the first turns of a move that takes two as they fall: charged first, or rested from afterwards."""
    going = move_turns(move) if move is not None else None
    if going is None or not (going.before or going.after):
        return ()
    nothing, whole = np.zeros(len(half)), half * 2
    whole[0] -= 1
    nothing[0] = 1.0
    return ((nothing, whole) if going.before else (whole, nothing)) * PAIRS


def share_left(dex: Dex, move: MoveData, mon: BattleMon, target: BattleMon) -> float:
    """Return the share of turns in which the target of a move, used again and again, can do anything about it."""
    if move.effect == CHARGES_HIDDEN or move.number == DIG_MOVE:
        return 0.5
    going = move_turns(move)
    if not going.holds:
        return WHOLE
    hit = float(hit_chance(_attacker(dex, mon), _defender(target), move, dex.rules))
    lasting = sum(turns * chance for turns, chance in going.strikes.items())
    if mon.stats.speed < target.stats.speed:
        return 1 / (1 + hit * (lasting - 1))
    return (1 - hit) / (1 - hit + hit * lasting)  # misses: each hit is followed up by itself


def backlash(mon: BattleMon, move: MoveData, odds: Odds, target: BattleMon) -> int:
    """Return what using a move costs its user each time, on average; below zero it gains."""
    share = {RECOIL: 4, DRAIN: -2}.get(move.effect)
    if share is None:
        return 0
    share = 2 if move.number == STRUGGLE_MOVE else share
    return round(expected(odds, min(target.hp, mon.max_hp * 2)) / share)


def expected(odds: Odds, most: int) -> float:
    """Return the damage to be expected, of which no more than `most` counts."""
    amounts = np.minimum(np.arange(len(odds)), most)
    return float(odds @ amounts)


def _turn(odds: Odds, share: float, reeling: BattleMon | None, loss: int) -> Odds:
    odds = seldom(odds, share)
    if reeling is not None:
        odds = (odds + _shifted(odds, self_hit(reeling))) / 2
    return _shifted(odds, loss)


def seldom(odds: Odds, share: float) -> Odds:
    """Return the odds of a blow that comes only in this share of turns."""
    if share == WHOLE:
        return odds
    odds = odds * share
    odds[0] += 1 - share
    return odds


def _shifted(odds: Odds, loss: int) -> Odds:
    """Return the odds with a loss on top of everything."""
    if not loss:
        return odds
    loss = min(loss, len(odds) - 1)
    more = np.zeros(len(odds))
    more[loss:] = odds[: len(odds) - loss]
    more[-1] += odds[len(odds) - loss :].sum()
    return more


def _naps(mon: BattleMon, target: BattleMon) -> tuple[int, ...]:
    if mon.status.frozen:
        return NEVER_AGAIN
    held = target.attacks_left if Volatile.TRAPPING in target.volatile else 0
    rests = int(Volatile.RECHARGING in mon.volatile)
    return (max(mon.status.sleep, held, rests),)


def _confusion(mon: BattleMon) -> int:
    if Volatile.CONFUSED not in mon.volatile:
        return 0
    # The last does nothing.
    return mon.confused_turns - 1 if mon.confused_turns else CONFUSION_TURNS


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
    """Return the chances of each damage taken after one more blow, while the mon still stands."""
    return np.convolve(start, blow)[: len(start)]


class Survival(NamedTuple):
    """How one side fares: the chances of each damage taken after 0, 1, ... turns, and to stand then."""

    rows: Rows
    alive: Odds


def endure(start: Odds, taken: Blows) -> Survival:
    """Return how a mon fares that takes these blows; not to be changed."""
    turns = tuple([odds.tobytes() for odds in taken.turns])
    return _endured(start.tobytes(), turns, taken.naps, taken.regained)


# All attacks of one side meet the same blows of the other.
@lru_cache(maxsize=128)
def _endured(start: bytes, turns: tuple[bytes, ...], naps: tuple[int, ...], gain: int) -> Survival:
    now = np.frombuffer(start)
    odds = [np.frombuffer(each) for each in turns]
    rows = np.zeros((HORIZON + 1, len(now)))
    rows[0] = now
    single = HORIZON if gain else len(odds) - 1
    for turn in range(single):
        now = after(now, odds[min(turn, len(odds) - 1)])
        if gain:
            now = healed(now, gain)
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
    return Survival(rows, alive)


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
    """Return how a duel ends between two mons that have taken damage already.

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


def healed(odds: Odds, gain: int) -> Odds:
    """Return the chances of each damage taken after so much of it was healed."""
    gain = min(gain, len(odds) - 1)
    left = np.zeros(len(odds))
    left[: len(odds) - gain] = odds[gain:]
    left[0] += odds[:gain].sum()
    return left


def _delayed(rows: Rows, naps: tuple[int, ...]) -> Rows:
    turns = np.arange(HORIZON + 1)
    mixed = np.zeros(rows.shape)
    for nap in naps:
        mixed += rows[np.maximum(turns - nap, 0)]
    return mixed / len(naps)
