"""Invariants of species and moves: what each record refers to exists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from emulator.dex import types
from emulator.dex.dex import Dex
from emulator.dex.items import HMS, TMS
from emulator.dex.species import EvolvesBy
from emulator.rules.experience import HIGHEST_LEVEL
from emulator.soundness.check import Invariant
from emulator.world.world import World

MOST_PP: Final = 63  # the other two bits of a byte count what raised it


def _numbers(_: World, dex: Dex) -> Iterator[str | None]:
    counts = Counter(species.dex for species in dex.all_species.values())
    for number in range(1, max(counts, default=1) + 1):
        count = counts[number]
        yield None if count == 1 else f"{count} species have number {number} in the dex"


def _species(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        unknown = [move for move in each.first_moves if move not in dex.all_moves]
        if not all(each.base):
            yield f"species {each.index} has a base stat of zero"
        elif max(each.types) >= types.COUNT:
            yield f"species {each.index} has types {each.types}; there are {types.COUNT}"
        elif unknown:
            yield f"species {each.index} begins with move {unknown[0]}, which does not exist"
        elif max(each.machines, default=0) >= TMS + HMS:
            yield f"species {each.index} learns by a machine that does not exist"
        else:
            yield None


def _growth(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        # One growth begins below zero, which three bytes cannot hold: level 1 needs the most.
        needs = [each.growth.experience_at(level) for level in range(2, HIGHEST_LEVEL + 1)]
        rises = needs == sorted(set(needs))
        yield None if rises else f"species {each.index} needs less experience for a higher level"


def _lessons(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        last = 1
        for level, move in each.lessons:
            what = f"species {each.index} learns move {move} at level {level}"
            if move not in dex.all_moves:
                yield f"{what}, and no such move exists"
            elif not last <= level <= HIGHEST_LEVEL:
                yield f"{what}, after level {last}"
            else:
                yield None
            last = level


def _evolutions(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        for evolution in each.evolutions:
            what = f"species {each.index} evolves into species {evolution.species}"
            if evolution.species not in dex.all_species:
                yield f"{what}, which does not exist"
            elif not 0 < evolution.level <= HIGHEST_LEVEL:
                yield f"{what} at level {evolution.level}"
            elif evolution.by is EvolvesBy.ITEM and evolution.item not in dex.all_items:
                yield f"{what} by item {evolution.item}, which does not exist"
            else:
                yield None


def _moves(_: World, dex: Dex) -> Iterator[str | None]:
    for move in dex.all_moves.values():
        if move.type >= types.COUNT:
            yield f"move {move.number} is of type {move.type}; there are {types.COUNT}"
        elif not 0 < move.pp <= MOST_PP:
            yield f"move {move.number} has {move.pp} PP"
        else:
            yield None


def _machines(_: World, dex: Dex) -> Iterator[str | None]:
    for item in dex.all_items.values():
        if item.teaches is not None:
            known = item.teaches in dex.all_moves
            yield (
                None
                if known
                else f"item {item.number} teaches move {item.teaches}, which does not exist"
            )


def _special_moves(_: World, dex: Dex) -> Iterator[str | None]:
    leaders = ((f"leader {gym}", each) for gym, each in dex.lone_moves.items())
    elite = ((f"class {number}", each) for number, each in dex.team_moves.items())
    for whose, special in (*leaders, *elite):
        known = special.move in dex.all_moves
        what = f"the special move of {whose} is {special.move}"
        yield None if known else f"{what}, which does not exist"


INVARIANTS: Final = (
    Invariant("the dex counts from 1 without a gap or a double", _numbers),
    Invariant("species have stats, and types, first moves and machines that exist", _species),
    Invariant("a higher level needs more experience", _growth),
    Invariant("learnsets name moves that exist, at levels 1 to 100, ascending", _lessons),
    Invariant("evolutions lead to species that exist", _evolutions),
    Invariant("moves have PP, and a type that exists", _moves),
    Invariant("machines teach moves that exist", _machines),
    Invariant("the special moves of leaders exist", _special_moves),
)
