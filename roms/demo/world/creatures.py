"""Sources of the creatures as immutable records. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from world.errors import WorldError
from world.machines import Machine
from world.moves import Move, Types

SOURCE = Path(__file__).parent / "creatures" / "species.toml"
INDEX_COUNT, DEX_COUNT = 190, 150
START_MOVES = 4
STARTERS = (3, 7, 11)  # internal indices, in the order of the lab's table

Table: TypeAlias = Mapping[str, Any]


class Growth(NamedTuple):
    """Experience of level n: cube * n^3 + square * n^2 + linear * n - minus."""

    id: int
    cube: tuple[int, int]
    square: int
    linear: int
    minus: int


class EvolvesBy(IntEnum):
    """What makes a creature evolve, by the contract's number."""

    LEVEL = 1
    ITEM = 2
    TRADE = 3


class Evolution(NamedTuple):
    """The creature that another may become, by name; `item` is 0 unless one is needed."""

    by: EvolvesBy
    item: int
    level: int
    into: str


@dataclass(frozen=True, slots=True)
class Species:
    """One creature as in its source, with words resolved to ids."""

    name: str
    index: int
    dex: int
    types: tuple[int, int]
    stats: tuple[int, ...]  # HP, Attack, Defense, Speed, Special
    catch_rate: int
    experience: int
    growth: int
    moves: tuple[int, ...]
    learns: tuple[tuple[int, int], ...]  # level, move
    evolutions: tuple[Evolution, ...]
    machines: tuple[int, ...]  # bits of the machines it can learn from
    loses_to: str | None


def load_growth(path: Path) -> Mapping[str, Growth]:
    """Return the growth curves by name."""
    return {
        name: Growth(
            table["id"],
            tuple(table["cube"]),
            table.get("square", 0),
            table.get("linear", 0),
            table.get("minus", 0),
        )
        for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


def load(
    types: Types,
    moves: Mapping[str, Move],
    growth: Mapping[str, Growth],
    machines: Mapping[str, Machine],
) -> Mapping[str, Species]:
    """Return the creatures by name, in dex order."""
    found = {}
    for name, table in tomllib.loads(SOURCE.read_text(encoding="utf-8")).items():
        try:
            found[name] = _species(name, table, types, moves, growth, machines)
        except (KeyError, TypeError, ValueError) as error:
            message = f"{SOURCE.name}, {name}: {error}"
            raise WorldError(message) from error
    _check(found)
    return found


def _species(
    name: str,
    table: Table,
    types: Types,
    moves: Mapping[str, Move],
    growth: Mapping[str, Growth],
    machines: Mapping[str, Machine],
) -> Species:
    first, *second = (types.id(word, name) for word in table["types"])
    levels = [level for level, _ in table["learns"]]
    if any(before > after for before, after in pairwise(levels)):
        message = f"its moves must be in the order of levels: {levels}"
        raise ValueError(message)
    hp, attack, defense, speed, special = table["stats"]
    return Species(
        name=name,
        index=table["index"],
        dex=table["dex"],
        types=(first, second[0] if second else first),
        stats=(hp, attack, defense, speed, special),
        catch_rate=table["catch_rate"],
        experience=table["experience"],
        growth=growth[table["growth"]].id,
        moves=tuple(moves[move].id for move in table["moves"]),
        learns=tuple((level, moves[move].id) for level, move in table["learns"]),
        evolutions=tuple(_evolutions(table)),
        machines=tuple(machines[word].bit for word in table.get("machines", ())),
        loses_to=table.get("loses_to"),
    )


def _evolutions(table: Table) -> Iterator[Evolution]:
    for level, into in table.get("evolves", ()):
        yield Evolution(EvolvesBy.LEVEL, 0, level, into)
    for item, into in table.get("evolves_by_item", ()):
        yield Evolution(EvolvesBy.ITEM, item, 1, into)
    for into in table.get("evolves_by_trade", ()):
        yield Evolution(EvolvesBy.TRADE, 0, 1, into)


def _check(species: Mapping[str, Species]) -> None:
    listed = list(species.values())
    indices, numbers = {each.index for each in listed}, [each.dex for each in listed]
    if len(indices) != len(listed) or not indices <= set(range(1, INDEX_COUNT + 1)):
        message = f"{SOURCE.name}: indices must be unique and within 1 to {INDEX_COUNT}"
        raise WorldError(message)
    if numbers != list(range(1, len(listed) + 1)):
        message = f"{SOURCE.name}: dex numbers must run from 1 in the order of the file"
        raise WorldError(message)
    for each in listed:
        if unknown := {into for _, _, _, into in each.evolutions} - set(species):
            message = f"{SOURCE.name}, {each.name}: it evolves into an unknown creature: {unknown}"
            raise WorldError(message)
    if not set(STARTERS) <= indices:
        message = f"{SOURCE.name}: the starters must have the indices {STARTERS}"
        raise WorldError(message)
