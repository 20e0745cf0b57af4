"""The integer steps of the game's battle arithmetic, each with the rounding of the cartridge.

The exact odds (`damage`, `chances`, `stats`) and the turn engine use the same steps. The engine compiles them, so each
takes and returns integers and calls no other function.
"""

from typing import Final

BYTE: Final = 256
LOWEST_ROLL: Final = 217
HIGHEST_ROLL: Final = 255
MINIMUM: Final = 2
CAP: Final = 997  # before the minimum is added
HIGHEST: Final = 999  # of a stat
HIGHEST_LEVEL: Final = 100
LOWEST_STAGE: Final = -6
STORED: Final = 1 << 24  # experience has three bytes; one growth rate begins below zero and wraps


def base_damage(level: int, power: int, attack: int, defense: int) -> int:
    """Return the damage of a hit before types and the roll; `level` is doubled by the caller for a critical hit."""
    base = (2 * level // 5 + 2) * power * attack // defense // 50
    return min(base, CAP) + MINIMUM


def as_bytes(attack: int, defense: int) -> tuple[int, int]:
    """Return both stats as the formula takes them: large ones are quartered and stored in one byte, which may wrap."""
    if attack >= BYTE or defense >= BYTE:
        return max(attack // 4, 1) % BYTE, defense // 4 % BYTE
    return attack, defense


def with_same_type(damage: int) -> int:
    """Return the damage of a move of one of its user's types."""
    return damage + damage // 2


def with_matchup(damage: int, tenths: int) -> int:
    """Return the damage after one row of the type chart."""
    return damage * tenths // 10


def rolled(full: int, roll: int) -> int:
    """Return the full damage scaled by a random roll of 217 to 255."""
    return full * roll // HIGHEST_ROLL if full > 1 else full


def critical_threshold(base_speed: int, focused: int, high_critical: int) -> int:
    """Return of how many of 256 random bytes make a critical hit; Focus Energy lowers it, a bug of the game."""
    threshold = base_speed // 2
    threshold = threshold // 2 if focused else min(threshold * 2, BYTE - 1)
    return min(threshold * 4, BYTE - 1) if high_critical else threshold // 2


def at_stage(value: int, numerator: int, denominator: int) -> int:
    """Return `value` times the ratio of a stage; at least 1."""
    return max(value * numerator // denominator, 1)


def run_threshold(speed: int, enemy_speed: int, attempt: int) -> int:
    """Return how many of 256 random bytes let the `attempt`th try to run, counted from 1, succeed."""
    divisor = enemy_speed // 4 % BYTE
    if speed >= enemy_speed or not divisor:
        return BYTE
    odds = speed * 32 // divisor
    if odds < BYTE:
        odds += 30 * (attempt - 1)
    return min(odds + 1, BYTE)


def catch_threshold(max_hp: int, hp: int, factor: int) -> int:
    """Return how many of 256 second bytes catch a Pokemon; `factor` is 8 for a Great Ball, else 12."""
    return min(max_hp * 255 // factor // max(hp // 4 % BYTE, 1) + 1, BYTE)


def stat_core(base: int, dv: int, stat_exp: int, level: int) -> int:
    """Return a stat without the constant that is added to it."""
    root = int(stat_exp**0.5)
    if root * root < stat_exp:
        root += 1
    return int(((base + dv) * 2 + min(root, BYTE - 1) // 4) * level // 100)


def with_badge(stat: int) -> int:
    """Return a stat after a badge's boost of one eighth."""
    return min(stat + stat // 8, HIGHEST)


def full_pp(base: int, pp_ups: int) -> int:
    """Return the PP of a move that has all of them: each PP Up adds a fifth, and at most 7."""
    return base + pp_ups * min(base // 5, 7)


def experience_at(
    numerator: int, denominator: int, square: int, linear: int, minus: int, level: int
) -> int:
    """Return the experience at which `level` is reached, from the coefficients of a growth rate."""
    cube = numerator * level * level * level // denominator
    return (cube + square * level * level + linear * level - minus) % STORED


def experience_for(base: int, level: int, shared_by: int, boosts: int) -> int:
    """Return the experience that one participant gains; each boost (trainer, traded) adds a half."""
    gained = base // shared_by * level // 7
    for _ in range(boosts):
        gained += gained // 2
    return gained
