"""Chances as exact fractions of 256: to hit, to hit critically, to run."""

from fractions import Fraction
from typing import Final

from emulator.rules.arithmetic import BYTE, critical_threshold, run_threshold
from emulator.rules.moves import DREAM_EATER, SWIFT, Attacker, Defender, MoveData
from emulator.rules.rule_book import RuleBook

SURE: Final = Fraction(1)
NEVER: Final = Fraction(0)


def hit_chance(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Fraction:
    """Return the chance that a move hits; even 100% accuracy misses once in 256 times."""
    if move.effect == DREAM_EATER and not defender.asleep:
        return NEVER
    if move.effect == SWIFT:
        return SURE
    if defender.invulnerable:
        return NEVER
    if attacker.always_hits:
        return SURE
    threshold = book.scaled(book.scaled(move.accuracy, attacker.accuracy), -defender.evasion)
    return Fraction(min(threshold, BYTE - 1), BYTE)


def critical_chance(attacker: Attacker, move: MoveData) -> Fraction:
    """Return the chance of a critical hit; Focus Energy lowers it, a bug of the game."""
    if not move.power:
        return NEVER
    threshold = critical_threshold(attacker.base_speed, attacker.focused, move.high_critical)
    return Fraction(threshold, BYTE)


def run_chance(speed: int, enemy_speed: int, attempt: int) -> Fraction:
    """Return the chance that the `attempt`th try, counted from 1, to run from a wild Pokemon succeeds."""
    return Fraction(run_threshold(speed, enemy_speed, attempt), BYTE)
