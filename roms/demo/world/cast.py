"""Creatures, moves, types, trainers and items of the demo: sources, tables and macros."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from world import (
    creature_pictures,
    creature_tables,
    creatures,
    item_tables,
    machine_tables,
    machines,
    minds,
    move_tables,
    moves,
    trainer_tables,
    trainers,
)
from world.art import Picture
from world.banks import Placement, Rooms
from world.creature_tables import Pictures
from world.font import Font
from world.words import macro

SOURCES = Path(__file__).parent / "creatures"
ITEMS = SOURCES / "items.toml"


@dataclass(frozen=True, slots=True)
class Cast:
    """All sources, checked against each other."""

    types: moves.Types
    moves: Mapping[str, moves.Move]
    growth: Mapping[str, creatures.Growth]
    machines: machines.Machines
    species: Mapping[str, creatures.Species]
    trainers: Mapping[str, trainers.Trainer]
    minds: minds.Minds


def load() -> Cast:
    """Return the cast of the sources."""
    types = moves.load_types(SOURCES / "types.toml")
    effects = moves.load_effects(SOURCES / "effects.toml")
    known = moves.load_moves(SOURCES / "moves.toml", types, effects)
    growth = creatures.load_growth(SOURCES / "growth.toml")
    taught = machines.load(SOURCES / "machines.toml", known)
    species = creatures.load(types, known, growth, taught.by_word)
    opponents = trainers.load(SOURCES / "trainers.toml", species, known)
    thoughts = minds.load(SOURCES / "minds.toml", trainers.CLASS_COUNT)
    return Cast(types, known, growth, taught, species, opponents, thoughts)


def placements(
    cast: Cast, font: Font, creature_rooms: Rooms, trainer_rooms: Rooms
) -> list[Placement]:
    """Return every table of the cast; `rooms` receive the drawings."""
    made: list[Placement] = []
    views = {name: _views(name) for name in (*cast.species, *cast.trainers)}
    drawn = {
        name: Pictures(*(_draw(name, view, creature_rooms, made) for view in views[name]))
        for name in (*cast.species, trainers.NOBODY)
    }
    placeholder = drawn[trainers.NOBODY]
    fronts = {name: _draw(name, views[name].front, trainer_rooms, made) for name in cast.trainers}
    return [
        *made,
        *creature_tables.placements(cast.species, cast.growth, drawn, placeholder, font),
        *machine_tables.placements(cast.machines),
        *move_tables.placements(cast.moves, cast.types, font),
        *trainer_tables.placements(cast.trainers, cast.minds, fronts, font),
        *item_tables.placements(ITEMS, font),
    ]


def macros(cast: Cast) -> dict[str, str]:
    """Return the cast's numbers as macros for the engine."""
    numbers = {f"SPECIES_{name}": each.index for name, each in cast.species.items()}
    numbers |= {f"MOVE_{macro(name)}": each.id for name, each in cast.moves.items()}
    numbers |= {f"TYPE_{name}": number for name, number in cast.types.ids.items()}
    numbers |= {
        f"TRAINER_{macro(name)}": each.number for name, each in cast.trainers.items() if each.number
    }
    by_index = {each.index: each for each in cast.species.values()}
    for place, index in enumerate(creatures.STARTERS, start=1):
        numbers[f"SPECIES_STARTER_{place}"] = index
        numbers[f"RIVAL_STARTER_{place}"] = cast.species[by_index[index].loses_to or ""].index
    return {name: str(number) for name, number in numbers.items()} | item_tables.macros(ITEMS)


def _views(name: str) -> creature_pictures.Drawing:
    return creature_pictures.load(SOURCES / "pictures", name)


def _draw(name: str, view: Picture, rooms: Rooms, made: list[Placement]) -> int:
    data = creature_pictures.tiles(view)
    place = rooms.take(len(data), name)
    made.append(Placement(place.offset, data, f"{name}, drawn"))
    return place.address
