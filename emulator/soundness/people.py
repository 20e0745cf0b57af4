"""Invariants of who and what waits on the maps in use, and of those who live there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from emulator.dex.dex import Dex
from emulator.dex.trainers import team_rooms
from emulator.rules.experience import HIGHEST_LEVEL
from emulator.soundness.check import Invariant
from emulator.soundness.reach import maps_in_use
from emulator.soundness.tables import is_name
from emulator.world.residents import Resident
from emulator.world.world import World


def _opponents(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for person in here.people:
            if person.opponent or person.mon:
                reason = _is_nobody(dex, person)
                yield reason and f"sprite {person.slot} of map {here.map_id} {reason}"


def _is_nobody(dex: Dex, person: Resident) -> str | None:
    if person.mon:
        reason = _is_no_mon(dex, *person.mon)
        return reason and f"is {reason}"
    if person.opponent is None:
        return None
    number, team = person.opponent
    class_ = dex.all_trainers.get(number)
    if class_ is None:
        return f"is of trainer class {number}, which does not exist"
    if 0 < team <= len(class_.teams):
        return None
    return f"has team {team} of class {number}, which has {len(class_.teams)}"


def _teams(_: World, dex: Dex) -> Iterator[str | None]:
    for class_ in dex.all_trainers.values():
        for number, team in enumerate(class_.teams, start=1):
            reasons = (_is_no_mon(dex, member.species, member.level) for member in team)
            reason = next(filter(None, reasons), None)
            yield reason and f"team {number} of class {class_.number} has {reason}"


def _is_no_mon(dex: Dex, species: int, level: int) -> str | None:
    if species not in dex.all_species:
        return f"species {species}, which does not exist"
    return None if 0 < level <= HIGHEST_LEVEL else f"species {species} at level {level}"


def _rooms(world: World, dex: Dex) -> Iterator[str | None]:
    for class_, room in zip(dex.all_trainers.values(), team_rooms(world.rom), strict=True):
        if not room.is_last:
            # Neither levels nor species are ever zero: each zero ends a team.
            whole = room.data.count(0) == len(class_.teams) and room.data[-1:] in (b"", b"\0")
            words = f"class {class_.number} has {len(class_.teams)} teams and something else"
            yield None if whole else words


def _wild(_: World, dex: Dex) -> Iterator[str | None]:
    for map_id, wild in dex.wild.items():
        for table in (wild.grass, wild.water):
            for slot in table.slots if table else ():
                reason = _is_no_mon(dex, slot.species, slot.level)
                yield reason and f"on map {map_id} lives {reason}"
    for catch in chain(dex.fishing.good_rod, *dex.fishing.super_rod.values()):
        reason = _is_no_mon(dex, catch.species, catch.level)
        yield reason and f"at a rod bites {reason}"


def _trades(_: World, dex: Dex) -> Iterator[str | None]:
    for bit, trade in dex.trades.items():
        unknown = [each for each in (trade.wants, trade.gives) if each not in dex.all_species]
        if unknown:
            yield f"trade {bit} has species {unknown[0]}, which does not exist"
        else:
            named = is_name(trade.nickname)
            yield None if named else f"what trade {bit} gives is called {trade.nickname!r}"


INVARIANTS: Final = (
    Invariant(
        "trainers on maps have a class and a team that exist, waiting mons a species", _opponents
    ),
    Invariant("trainers' mons are of species that exist, at levels 1 to 100", _teams),
    Invariant("between one class of trainers and the next there are only teams", _rooms),
    Invariant("wild mons, and who bites, are of species that exist, at levels 1 to 100", _wild),
    Invariant("trades are of species that exist", _trades),
)
