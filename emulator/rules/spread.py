"""Every damage that a move may do, with its probability, and what follows from that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeAlias

from emulator.rules.book import RuleBook
from emulator.rules.chances import BYTE, critical_chance, hit_chance
from emulator.rules.damage import ROLLS, full_damage, rolled
from emulator.rules.effects import (
    FIXED,
    FIXED_AMOUNTS,
    HALF,
    LEVEL_AMOUNTS,
    ONE_HIT,
    RANDOM_AMOUNT,
    SEVERAL_HITS,
    TWO_HITS,
)
from emulator.rules.records import Attacker, Defender, MoveData

Spread: TypeAlias = Mapping[int, float]  # from damage to probability

EVERYTHING: Final = 0xFFFF
SEVERAL: Final = {2: 3 / 8, 3: 3 / 8, 4: 1 / 8, 5: 1 / 8}
TWICE: Final = {2: 1.0}


def damage_spread(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    """Return what a use of a move that hits may do; probabilities add up to one."""
    if move.effect == FIXED:
        return _fixed(attacker, move)
    if move.effect == HALF:
        return {max(defender.hp // 2, 1): 1.0}
    if move.effect == ONE_HIT:
        hits = attacker.speed >= defender.speed and book.chart.multiplier(move.type, defender.types)
        return {EVERYTHING if hits else 0: 1.0}
    once = _rolls(attacker, defender, move, book)
    if move.effect in TWO_HITS:
        return _times(once, TWICE)
    return _times(once, SEVERAL) if move.effect in SEVERAL_HITS else once


def expected_damage(
    attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook
) -> float:
    """Return the mean damage of a use, misses included, none of it beyond what the enemy has."""
    spread = damage_spread(attacker, defender, move, book)
    mean = sum(min(amount, defender.hp) * chance for amount, chance in spread.items())
    return mean * float(hit_chance(attacker, defender, move, book))


def knockout_chance(
    attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook, *, uses: int = 1
) -> float:
    """Return the chance that `uses` uses of a move, misses included, knock the enemy out."""
    spread = damage_spread(attacker, defender, move, book)
    hit = float(hit_chance(attacker, defender, move, book))
    standing: dict[int, float] = {defender.hp: 1.0}
    for _ in range(uses):
        after: defaultdict[int, float] = defaultdict(float)
        for hp, chance in standing.items():
            after[hp] += chance * (1 - hit)
            for amount, share in spread.items():
                if amount < hp:
                    after[hp - amount] += chance * hit * share
        standing = after
    return max(1 - sum(standing.values()), 0.0) if defender.hp else 1.0


def _rolls(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    critical = int(critical_chance(attacker, move) * BYTE)
    ways: defaultdict[int, int] = defaultdict(int)  # of so many times 256 that are equally likely
    for is_critical, share in ((False, BYTE - critical), (True, critical)):
        if not share:
            continue
        full = full_damage(attacker, defender, move, book, critical=is_critical)
        for roll in ROLLS:
            ways[rolled(full, roll)] += share
    return {amount: count / (BYTE * len(ROLLS)) for amount, count in ways.items()}


def _times(once: Spread, hits: Mapping[int, float]) -> Spread:
    # The game rolls once; every hit of the same use does the same.
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
