"""Damage of one use of a move with every rounding of the game, the probability of each, and chances to hit and to run."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from emulator.rules.arithmetic import (
    BYTE,
    HIGHEST_ROLL,
    LOWEST_ROLL,
    as_bytes,
    base_damage,
    critical_threshold,
    rolled,
    run_threshold,
    with_same_type,
)
from emulator.rules.effects import (
    DREAM_EATER,
    EXPLODE,
    MOVE_COUNTER,
    ONE_HIT,
    SEVERAL_HITS,
    SPECIAL_DAMAGE,
    SUPER_FANG,
    SWIFT,
    TWO_HITS,
)
from emulator.rules.moves import (
    FIXED_AMOUNTS,
    LEVEL_AMOUNTS,
    RANDOM_AMOUNT,
    Attacker,
    Defender,
    MoveData,
)
from emulator.rules.rule_book import RuleBook

ROLLS: Final = range(LOWEST_ROLL, HIGHEST_ROLL + 1)
SURE: Final = Fraction(1)
NEVER: Final = Fraction(0)


class _Pair(NamedTuple):
    """The attacking and the defending stat of a hit."""

    attack: int
    defense: int


def full_damage(
    attacker: Attacker,
    defender: Defender,
    move: MoveData,
    book: RuleBook,
    *,
    critical: bool = False,
) -> int:
    """Return the damage of a hit with the highest roll."""
    if not move.power or move.number == MOVE_COUNTER:
        return 0
    level = attacker.level * 2 if critical else attacker.level
    pair = _stats(attacker, defender, move, critical=critical)
    amount = base_damage(level, move.power, pair.attack, pair.defense)
    if move.type in attacker.types:
        amount = with_same_type(amount)
    return book.chart.apply(amount, move.type, defender.types)


def _stats(attacker: Attacker, defender: Defender, move: MoveData, *, critical: bool) -> _Pair:
    attack, defense = as_bytes(*_pair(attacker, defender, special=move.special, critical=critical))
    if move.effect == EXPLODE:
        defense //= 2
    # The game divides by a defense that wrapped to zero, and hangs: no number describes that.
    return _Pair(attack, max(defense, 1))


def _pair(attacker: Attacker, defender: Defender, *, special: bool, critical: bool) -> _Pair:
    if critical:
        if special:
            return _Pair(attacker.plain_special, defender.plain_special)
        return _Pair(attacker.plain_attack, defender.plain_defense)
    if special:
        return _Pair(attacker.special, defender.special << defender.light_screen)
    return _Pair(attacker.attack, defender.defense << defender.reflect)


Spread: TypeAlias = Mapping[int, float]  # from damage to probability

KNOCKOUT: Final = 0xFFFF
SEVERAL: Final = {2: 3 / 8, 3: 3 / 8, 4: 1 / 8, 5: 1 / 8}
TWICE: Final = {2: 1.0}


def damage_spread(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    """Return the possible damage of a hit of this move; probabilities add up to one."""
    if move.effect == SPECIAL_DAMAGE:
        return _fixed(attacker, move)
    if move.effect == SUPER_FANG:
        return {max(defender.hp // 2, 1): 1.0}
    if move.effect == ONE_HIT:
        hits = attacker.speed >= defender.speed and book.chart.multiplier(move.type, defender.types)
        return {KNOCKOUT if hits else 0: 1.0}
    once = _rolls(attacker, defender, move, book)
    if move.effect in TWO_HITS:
        return _times(once, TWICE)
    return _times(once, SEVERAL) if move.effect in SEVERAL_HITS else once


def use_spread(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    """Return the possible damage of a use of this move, with a miss as no damage."""
    if not move.power and move.effect != SPECIAL_DAMAGE:
        return {0: 1.0}
    hit = float(hit_chance(attacker, defender, move, book))
    spread = damage_spread(attacker, defender, move, book)
    use = {amount: hit * chance for amount, chance in spread.items()}
    return {**use, 0: use.get(0, 0.0) + 1 - hit}


def _rolls(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    critical = int(critical_chance(attacker, move) * BYTE)
    counts: defaultdict[int, int] = defaultdict(int)  # of 256 * len(ROLLS) equally likely cases
    for is_critical, share in ((False, BYTE - critical), (True, critical)):
        if not share:
            continue
        full = full_damage(attacker, defender, move, book, critical=is_critical)
        for roll in ROLLS:
            counts[rolled(full, roll)] += share
    return {amount: count / (BYTE * len(ROLLS)) for amount, count in counts.items()}


def _times(once: Spread, hits: Mapping[int, float]) -> Spread:
    # The game rolls once; every hit of the same use does the same damage.
    spread: defaultdict[int, float] = defaultdict(float)
    for amount, chance in once.items():
        for number, share in hits.items():
            spread[amount * number] += chance * share
    return dict(spread)


def _fixed(attacker: Attacker, move: MoveData) -> Spread:
    if move.number in LEVEL_AMOUNTS:
        return {attacker.level: 1.0}
    if move.number == RANDOM_AMOUNT:
        highest = max(attacker.level * 3 // 2 - 1, 1)
        return dict.fromkeys(range(1, highest + 1), 1 / highest)
    return {FIXED_AMOUNTS.get(move.number, 0): 1.0}


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
