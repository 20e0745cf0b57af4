"""Sources of types and moves as immutable records. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from world.errors import WorldError

TYPE_COUNT = 27
MOVE_COUNT = 165
MULTIPLIERS = (0.0, 0.5, 2.0)


class Matchup(NamedTuple):
    """The effect of one type on another, in tenths."""

    attacker: int
    defender: int
    tenths: int


@dataclass(frozen=True, slots=True)
class Types:
    """The types by name, and the type chart."""

    ids: Mapping[str, int]
    chart: tuple[Matchup, ...]

    def id(self, name: str, where: str) -> int:
        """Return the id of a type that must exist."""
        if name not in self.ids:
            message = f"{where}: there is no type {name!r}"
            raise WorldError(message)
        return self.ids[name]


@dataclass(frozen=True, slots=True)
class Move:
    """One move as in its source, with words resolved to ids."""

    name: str
    id: int
    type: int
    power: int
    accuracy: int  # percent
    pp: int
    effect: int
    critical: bool


def load_types(path: Path) -> Types:
    """Return the types of `path` and their chart."""
    source = tomllib.loads(path.read_text(encoding="utf-8"))
    types = Types(source["types"], ())
    chart = tuple(
        Matchup(types.id(attacker, path.name), types.id(defender, path.name), round(10 * factor))
        for attacker, row in source["chart"].items()
        for defender, factor in row.items()
        if _is_multiplier(factor, f"{path.name}: {attacker} against {defender}")
    )
    if not all(0 <= number < TYPE_COUNT for number in types.ids.values()):
        message = f"{path.name}: type ids must be below {TYPE_COUNT}"
        raise WorldError(message)
    return Types(types.ids, chart)


def _is_multiplier(factor: float, where: str) -> bool:
    if factor not in MULTIPLIERS:
        message = f"{where}: {factor} must be one of {MULTIPLIERS}"
        raise WorldError(message)
    return True


def load_moves(path: Path, types: Types, effects: Mapping[str, int]) -> Mapping[str, Move]:
    """Return the moves of `path` by name."""
    moves = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8"))["moves"].items():
        where = f"{path.name}: {name}"
        try:
            moves[name] = Move(
                name=name,
                id=table["id"],
                type=types.id(table["type"], where),
                power=table.get("power", 0),
                accuracy=table["accuracy"],
                pp=table["pp"],
                effect=effects[table.get("effect", "none")],
                critical=table.get("critical", False),
            )
        except KeyError as error:
            message = f"{where}: there is no {error}"
            raise WorldError(message) from error
    ids = [move.id for move in moves.values()]
    if len(set(ids)) != len(ids) or not all(1 <= number <= MOVE_COUNT for number in ids):
        message = f"{path.name}: ids must be unique and within 1 to {MOVE_COUNT}"
        raise WorldError(message)
    return moves


def load_effects(path: Path) -> Mapping[str, int]:
    """Return the engine's number of each effect."""
    effects: Mapping[str, int] = tomllib.loads(path.read_text(encoding="utf-8"))
    return effects
