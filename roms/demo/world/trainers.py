"""Sources of the trainers as immutable records. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from world.creatures import Species
from world.errors import WorldError

CLASS_COUNT = 47
NOBODY = "nobody"

Party: TypeAlias = tuple[tuple[int, int], ...]  # level, internal index


@dataclass(frozen=True, slots=True)
class Trainer:
    """A class of trainers and their parties, from set 1."""

    name: str
    number: int
    money: int
    parties: tuple[Party, ...]


def load(path: Path, species: Mapping[str, Species]) -> Mapping[str, Trainer]:
    """Return the classes by name; `nobody` has the number 0."""
    found = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        try:
            parties = tuple(
                tuple((level, species[creature].index) for level, creature in party)
                for party in table["parties"]
            )
            found[name] = Trainer(name, table.get("class", 0), table["money"], parties)
        except (KeyError, TypeError, ValueError) as error:
            message = f"{path.name}, {name}: there is no {error}"
            raise WorldError(message) from error
    numbers = [each.number for each in found.values()]
    if len(set(numbers)) != len(numbers) or found[NOBODY].number or max(numbers) > CLASS_COUNT:
        message = f"{path.name}: classes must be unique and within 1 to {CLASS_COUNT}"
        raise WorldError(message)
    return found
