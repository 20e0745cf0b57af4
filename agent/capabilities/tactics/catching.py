"""Catching: the chance of each ball, which to throw, and whether to wear the target down first."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent.capabilities.tactics.blows import attacks, expected, strikes
from agent.capabilities.tactics.duel import after, standing_at
from agent.capabilities.tactics.matchup import their_next
from agent.capabilities.tactics.options import Table
from agent.capabilities.tactics.preparations import preparations
from agent.skills import BALLS, Attack, Order, Throw, Tried
from emulator import BattleMon, BattleType, Status

MASTER_BALL: Final = 1
GREAT_BALL: Final = 3
BYTE: Final = 256
LUCK: Final = {4: 256, 3: 201, 2: 151}  # how many values the first random number may have
WORTH: Final = {4: 0.0, 3: 0.05, 2: 0.1, MASTER_BALL: 0.7}  # of a ball, in chances to catch
MOST_BALLS: Final = 10  # thrown at one target
HOPELESS: Final = 0.02
LIKELY: Final = 0.6  # from here on nothing is worn down first
BETTER: Final = 1.15  # how many times likelier wearing down has to make it
KNOCKED_OUT: Final = 0.03  # the risk of that, at most
SAFE: Final = 0.9  # the chance to stand two more blows


def catch_chance(enemy: BattleMon, ball: int) -> float:
    """Return the chance that a ball thrown now catches."""
    if ball == MASTER_BALL:
        return 1.0
    span, ease = LUCK[ball], _ease(enemy.status)
    surely = min(ease, span)
    tested = min(max(span - ease, 0), enemy.catch_rate + 1)
    factor = 8 if ball == GREAT_BALL else 12
    hold = enemy.max_hp * 255 // factor // max(enemy.hp // 4, 1)
    passed = 1.0 if hold > BYTE - 1 else (hold + 1) / BYTE
    return (surely + tested * passed) / span


def catching(table: Table, tried: Tried) -> Order | None:
    """Return the order that serves catching best, or None when the target is not wanted or will not be got."""
    battle, enemy = table.battle, table.enemy
    wanted = battle.is_wild and enemy.species in table.wishes.catch
    if not wanted or battle.type is not BattleType.NORMAL or tried.balls >= MOST_BALLS:
        return None
    balls = [ball for ball in _balls(table) if Throw(ball) not in tried.refused]
    if not balls:
        return None
    ball = max(balls, key=lambda each: catch_chance(enemy, each) - WORTH[each])
    now = catch_chance(enemy, ball)
    if now < LIKELY and _is_safe(table):
        better = max(_worn(table, ball), default=(0.0, Attack(0)), key=lambda each: each[0])
        if better[0] >= now * BETTER and better[1] not in tried.refused:
            return better[1]
    return Throw(ball) if now >= HOPELESS else None


def _balls(table: Table) -> list[int]:
    bag, spare = table.state.bag, table.wishes.spare
    return [ball for ball in BALLS if bag.quantity(ball) and ball not in spare]


def _ease(status: Status) -> int:
    if status.sleep or status.frozen:
        return 25
    return 12 if any(status) else 0


def _worn(table: Table, ball: int) -> Iterator[tuple[float, Order]]:
    """Yield the chance after each move that makes the target easier and hardly ever knocks it out."""
    own, enemy = table.own, table.enemy
    for slot, move, _ in attacks(table.dex, own):
        odds = strikes(table.dex, own, enemy, (move.number,))
        if odds[enemy.hp :].sum() <= KNOCKED_OUT:
            left = max(enemy.hp - round(expected(odds, enemy.hp)), 1)
            yield catch_chance(replace(enemy, hp=left), ball), Attack(slot)
    for each in preparations(table.dex, own, enemy):
        status = each.enemy.status
        if each.naps is not None:
            status = status._replace(sleep=max(each.naps))
        if status != enemy.status:
            worn = catch_chance(replace(enemy, status=status), ball)
            now = catch_chance(enemy, ball)
            yield each.chance * worn + (1 - each.chance) * now, Attack(each.slot)


def _is_safe(table: Table) -> bool:
    blow = their_next(table.dex, table.own, table.enemy)
    if blow is None:
        return True
    twice = after(after(standing_at(table.own), blow), blow)
    return float(twice.sum()) >= SAFE
