"""What an owner can confirm of a cartridge at a glance: towns, starters, and who lives on the first route."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from emulator import Cartridge, Dex, Species, WildTable, World

TOWNS: Final = range(11)  # their map ids come first
RIVAL: Final = 25  # RIVAL1: his first three teams are the three starters, one each
STARTERS: Final = 3
FIRST_ROUTE: Final = 12  # ROUTE_1


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the cartridge says, decoded from its tables."""

    what: str
    says: str


def glance(cartridge: Cartridge) -> tuple[Fact, ...]:
    """Return facts that people know by heart, of a cartridge whose survey found it sound."""
    return tuple(_facts(World.of(cartridge), Dex.of(cartridge)))


def _facts(world: World, dex: Dex) -> Iterator[Fact]:
    entries = [world.map(town).town_map for town in TOWNS]
    names = [entry.name for entry in entries if entry]
    yield Fact("towns", ", ".join(names) or "the cartridge has no town map")
    for team in dex.trainer(RIVAL).teams[:STARTERS]:
        species = dex.species(team[0].species)
        yield Fact(f"starter {species.name}", _body(dex, species))
    wild = dex.wild.get(FIRST_ROUTE)
    if wild is None or wild.grass is None:
        yield Fact("the first route", "nobody lives there")
    else:
        for index in wild.grass.shares:
            yield Fact(f"first route: {dex.species(index).name}", _life(wild.grass, index))


def _body(dex: Dex, species: Species) -> str:
    types = " and ".join(dex.type_names[each] for each in dict.fromkeys(species.types))
    base = species.base._asdict().items()
    return f"{types}; base stats: {', '.join(f'{name} {value}' for name, value in base)}"


def _life(table: WildTable, index: int) -> str:
    """Return at which levels a species is met, and the chance of each."""
    levels: dict[int, Fraction] = {}
    for slot in table.slots:
        if slot.species == index:
            levels[slot.level] = levels.get(slot.level, Fraction(0)) + slot.chance
    return ", ".join(
        f"level {level}: {float(100 * chance):.1f} %" for level, chance in sorted(levels.items())
    )
