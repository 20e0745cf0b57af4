"""Damage of one use of a move, with every rounding of the game."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.ram.battle_mon import BattleMon
from emulator.rules.book import RuleBook
from emulator.rules.effects import EXPLODE, LAST
from emulator.rules.records import Attacker, Defender, MoveData

LOWEST_ROLL: Final = 217
HIGHEST_ROLL: Final = 255
ROLLS: Final = range(LOWEST_ROLL, HIGHEST_ROLL + 1)
MINIMUM: Final = 2
CAP: Final = 997  # before the minimum is added
BYTE: Final = 256
SELF_HIT_POWER: Final = 40


class _Pair(NamedTuple):
    """The two stats that meet."""

    attack: int
    defense: int


def damage(
    attacker: Attacker,
    defender: Defender,
    move: MoveData,
    book: RuleBook,
    *,
    roll: int = HIGHEST_ROLL,
    critical: bool = False,
) -> int:
    """Return the damage of a hit by the formula; 0 means that the game takes it for a miss."""
    return rolled(full_damage(attacker, defender, move, book, critical=critical), roll)


def rolled(full: int, roll: int) -> int:
    """Return what a roll of 217 to 255 leaves of the full damage."""
    return full * roll // HIGHEST_ROLL if full > 1 else full


def full_damage(
    attacker: Attacker,
    defender: Defender,
    move: MoveData,
    book: RuleBook,
    *,
    critical: bool = False,
) -> int:
    """Return the damage of a hit with the highest roll."""
    if not move.power or move.number == LAST:
        return 0
    level = attacker.level * 2 if critical else attacker.level
    pair = _stats(attacker, defender, move, critical=critical)
    amount = _formula(level, move.power, pair)
    if move.type in attacker.types:
        amount += amount // 2
    return book.chart.apply(amount, move.type, defender.types)


def self_hit(mon: BattleMon) -> int:
    """Return what a confused mon does to itself: no type, no roll, never critical."""
    pair = _cut(_Pair(mon.stats.attack, mon.stats.defense))
    return _formula(mon.level, SELF_HIT_POWER, _Pair(pair.attack, max(pair.defense, 1)))


def _formula(level: int, power: int, pair: _Pair) -> int:
    base = (2 * level // 5 + 2) * power * pair.attack // pair.defense // 50
    return min(base, CAP) + MINIMUM


def _stats(attacker: Attacker, defender: Defender, move: MoveData, *, critical: bool) -> _Pair:
    attack, defense = _cut(_met(attacker, defender, special=move.special, critical=critical))
    if move.effect == EXPLODE:
        defense //= 2
    # The game divides by a defense that wrapped to zero, and hangs: no number describes that.
    return _Pair(attack, max(defense, 1))


def _cut(pair: _Pair) -> _Pair:
    if max(pair) < BYTE:
        return pair
    # What is left of large numbers is one byte, which may wrap.
    return _Pair(max(pair.attack // 4, 1) % BYTE, pair.defense // 4 % BYTE)


def _met(attacker: Attacker, defender: Defender, *, special: bool, critical: bool) -> _Pair:
    if critical:
        if special:
            return _Pair(attacker.plain_special, defender.plain_special)
        return _Pair(attacker.plain_attack, defender.plain_defense)
    if special:
        return _Pair(attacker.special, defender.special << defender.light_screen)
    return _Pair(attacker.attack, defender.defense << defender.reflect)
