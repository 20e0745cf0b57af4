"""Two mons that face each other, and how it ends when one of them follows a plan."""

from dataclasses import replace
from typing import Final, NamedTuple

from agent.capabilities.tactics.blows import (
    PP_COUNTED,
    Blows,
    Using,
    attacks,
    backlash,
    blows,
    expected,
    known_moves,
    rhythm,
    seldom,
    share_left,
    strikes,
)
from agent.capabilities.tactics.duel import Duel, after, fought_out, standing_at
from agent.capabilities.tactics.effects import STRUGGLE_MOVE
from emulator import BattleMon, Dex, MoveData, Odds, first_chance


class Attacking(NamedTuple):
    """A move that does damage, and how often it can be used."""

    slot: int
    move: MoveData | None  # None when nothing is left to do
    pp: int


class Starts(NamedTuple):
    """The chances of the damage that each side has taken; None where it is what its HP say."""

    own: Odds | None = None
    enemy: Odds | None = None


UNCHANGED: Final = Starts()


def duel(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    attacking: Attacking,
    *,
    starts: Starts = UNCHANGED,
    naps: tuple[int, ...] | None = None,
) -> Duel:
    """Return how it ends when `own` attacks with one move, and with its next best when that has no PP left.

    `starts` are the chances of the damage that both have taken, where that is not certain;
    `naps` are the turns that the enemy will sleep, each as likely.
    """
    main = _odds(dex, own, enemy, attacking)
    rest = _next_best(dex, own, enemy, attacking) if attacking.pp < PP_COUNTED else None
    begins = rhythm(attacking.move, main)
    uses = 2 * attacking.pp if begins else attacking.pp
    ours = blows(own, enemy, Using(main, begins, uses, rest))
    more, share = 0, 1.0
    if attacking.move is not None:
        more = backlash(own, attacking.move, main, enemy)
        share = share_left(dex, attacking.move, own, enemy)
    theirs = their_blows(dex, own, enemy, more=more, share=share)
    if naps is not None:
        theirs = theirs._replace(naps=naps)
    number = attacking.move.number if attacking.move is not None else 0
    first = float(first_chance(own.stats.speed, number, enemy.stats.speed, 0))
    start = standing_at(own) if starts.own is None else starts.own
    enemy_start = standing_at(enemy) if starts.enemy is None else starts.enemy
    return fought_out(start, enemy_start, theirs, ours, first)


def duel_later(
    dex: Dex, own: BattleMon, enemy: BattleMon, attacking: Attacking, blow: Odds | None
) -> Duel:
    """Return how it ends when the turn goes to something else, for which the own mon takes `blow`."""
    start = standing_at(own)
    if blow is not None:
        start = after(start, blow)
    then = duel(dex, own, rested(enemy), attacking, starts=Starts(own=start))
    fallen = 1 - float(start.sum())
    return Duel(then.won, then.lost + fallen * standing_at(enemy), then.turns + 1)


def their_blows(
    dex: Dex, own: BattleMon, enemy: BattleMon, *, more: int = 0, share: float = 1.0
) -> Blows:
    """Return what the own mon takes from an enemy that uses any of its moves, in this share of turns."""
    odds = seldom(strikes(dex, enemy, own, known_moves(dex, enemy)), share)
    return blows(enemy, own, Using(odds), more=more)


def their_next(dex: Dex, own: BattleMon, enemy: BattleMon) -> Odds | None:
    """Return what the own mon takes in this turn, or None when the enemy cannot act in it."""
    taken = their_blows(dex, own, enemy)
    return taken.turns[0] if 0 in taken.naps else None


def best_attack(dex: Dex, own: BattleMon, enemy: BattleMon) -> Attacking:
    """Return the attack that takes most from the enemy in one turn."""
    found = [Attacking(*each) for each in attacks(dex, own)]
    if not found:
        return last_resort(dex)
    return max(found, key=lambda each: expected(_odds(dex, own, enemy, each), enemy.hp))


def last_resort(dex: Dex) -> Attacking:
    """Return what is left when no attack has PP."""
    return Attacking(0, dex.all_moves.get(STRUGGLE_MOVE), PP_COUNTED)


def rested(mon: BattleMon) -> BattleMon:
    """Return a mon one turn later, as far as its sleep goes."""
    if not mon.status.sleep:
        return mon
    return replace(mon, status=mon.status._replace(sleep=mon.status.sleep - 1))


def _odds(dex: Dex, own: BattleMon, enemy: BattleMon, attacking: Attacking) -> Odds:
    moves = () if attacking.move is None else (attacking.move.number,)
    return strikes(dex, own, enemy, moves)


def _next_best(dex: Dex, own: BattleMon, enemy: BattleMon, attacking: Attacking) -> Odds:
    others = [Attacking(*each) for each in attacks(dex, own) if each[0] != attacking.slot]
    odds = [_odds(dex, own, enemy, each) for each in others]
    if not odds:
        return _odds(dex, own, enemy, last_resort(dex))
    return max(odds, key=lambda each: expected(each, enemy.max_hp))
