"""Every damage that a move may do, with its probability, and what follows from that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
Odds: TypeAlias = NDArray[np.float64]

TURNS: Final = 50  # looked ahead
NEGLIGIBLE: Final = 1e-6  # a chance to stand that need not be followed further

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


def use_spread(attacker: Attacker, defender: Defender, move: MoveData, book: RuleBook) -> Spread:
    """Return what a use of a move may do, misses included as no damage."""
    if not move.power and move.effect != FIXED:
        return {0: 1.0}
    hit = float(hit_chance(attacker, defender, move, book))
    spread = damage_spread(attacker, defender, move, book)
    use = {amount: hit * chance for amount, chance in spread.items()}
    return {**use, 0: use.get(0, 0.0) + 1 - hit}


def standing(blow: Spread, hp: int, before: Spread | None = None) -> Odds:
    """Return the chances that somebody with `hp` still stands after 0, 1, ... TURNS uses of `blow`.

    `before` is a blow taken before the first of them.
    """
    taken = np.zeros(hp)  # the chance of each damage taken so far, as long as it is not all
    taken[0] = 1.0
    if before is not None:
        taken = np.convolve(taken, _amounts(before, hp))[:hp]
    odds = np.zeros(TURNS + 1)
    odds[0] = taken.sum()
    amounts = _amounts(blow, hp)
    for turn in range(1, TURNS + 1):
        taken = np.convolve(taken, amounts)[:hp]
        odds[turn] = taken.sum()
        if odds[turn] < NEGLIGIBLE:
            break
    return odds


def _amounts(blow: Spread, hp: int) -> Odds:
    amounts = np.zeros(hp + 1)
    for amount, chance in blow.items():
        amounts[min(amount, hp)] += chance
    return amounts


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
