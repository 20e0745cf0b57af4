"""Invariants of names, of numbers stored digit by digit, and of the tables of battle."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final

from emulator.dex import fishing, items, special_moves, trades, trainers, types, vending
from emulator.dex.dex import Dex
from emulator.rules.book import Ratio
from emulator.soundness.check import Invariant
from emulator.world.world import World

LONGEST_NAME: Final = 12
TENTHS: Final = (0, 5, 20)  # no effect, not very effective, super effective


def _names(_: World, dex: Dex) -> Iterator[str | None]:
    named = (
        *((f"species {index}", each.name) for index, each in dex.all_species.items()),
        *((f"move {number}", each.name) for number, each in dex.all_moves.items()),
        *((f"item {number}", each.name) for number, each in dex.all_items.items()),
        *((f"class {number}", each.name) for number, each in dex.all_trainers.items()),
        *((f"type {number}", dex.type_names[number]) for number in _types_in_use(dex)),
    )
    for what, name in named:
        yield None if is_name(name) else f"{what} is called {name[:LONGEST_NAME]!r}"


def _types_in_use(dex: Dex) -> list[int]:
    of_moves = {move.type for move in dex.all_moves.values()}
    of_species = {type_ for each in dex.all_species.values() for type_ in each.types}
    return sorted(type_ for type_ in of_moves | of_species if type_ < types.COUNT)


def is_name(text: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether `text` can be a name; codes that are no characters were decoded as spaces."""
    return 0 < len(text) <= longest and text.isprintable() and text.split(" ") == text.split()


def _whole(_: World, dex: Dex) -> Iterator[str | None]:
    """Decoding leaves out rows of nonsense, as a cartridge without such a table has only those."""
    machines = [item for item in dex.all_items.values() if item.teaches is not None]
    tables = (
        ("machines", len(machines), items.TMS + items.HMS),
        ("trades", len(dex.trades), trades.COUNT),
        ("drinks of machines", len(dex.vending), vending.COUNT),
        ("special moves of leaders", len(dex.lone_moves), special_moves.GYMS),
        ("special moves of the Elite Four", len(dex.team_moves), special_moves.ELITE),
        ("catches of the good rod", len(dex.fishing.good_rod), fishing.GOOD_COUNT),
    )
    for what, count, full in tables:
        if count:
            yield None if count == full else f"only {count} of {full} {what} make sense"


def _digits(world: World, _: Dex) -> Iterator[str | None]:
    prices = world.rom.span(*items.PRICES, 3 * items.COUNT)
    for n in range(items.COUNT):
        digits = prices[3 * n : 3 * n + 3].hex()
        yield None if digits.isdecimal() else f"the price of item {n + 1} is stored as {digits}"
    money = world.rom.span(*trainers.MONEY, trainers.COUNT * trainers.MONEY_SIZE)
    for n in range(trainers.COUNT):
        digits = money[n * trainers.MONEY_SIZE + 2 : (n + 1) * trainers.MONEY_SIZE].hex()
        yield None if digits.isdecimal() else f"the money of class {n + 1} is stored as {digits}"


def _chart(_: World, dex: Dex) -> Iterator[str | None]:
    seen: set[tuple[int, int]] = set()
    for attacking, defending, tenths in dex.rules.chart.matchups:
        what = f"type {attacking} against type {defending}"
        if max(attacking, defending) >= types.COUNT:
            yield f"{what}: there are {types.COUNT} types"
        elif tenths not in TENTHS or (attacking, defending) in seen:
            yield f"{what} has {tenths} tenths"
        else:
            yield None
        seen.add((attacking, defending))


def _stages(_: World, dex: Dex) -> Iterator[str | None]:
    for low, high in pairwise(dex.rules.ratios):
        rises = Fraction(*low) < Fraction(*high)
        yield None if rises else f"{_words(low)} is not below {_words(high)}"


def _words(ratio: Ratio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"


INVARIANTS: Final = (
    Invariant("species, moves, items, classes and types have names that can be read", _names),
    Invariant("where there are machines, trades or special moves, there are all of them", _whole),
    Invariant("prices and trainers' money are decimal digits", _digits),
    Invariant("the chart names types that exist, each pair once, with a known effect", _chart),
    Invariant("a higher stage is a higher ratio", _stages),
)
