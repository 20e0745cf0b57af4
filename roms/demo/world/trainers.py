"""Sources of the trainers as immutable records. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from world.creatures import Species
from world.errors import WorldError
from world.moves import Move

CLASS_COUNT = 47
LEADERS = 8
NOBODY = "nobody"

Party: TypeAlias = tuple[tuple[int, int], ...]  # level, internal index


@dataclass(frozen=True, slots=True)
class Trainer:
    """A class of trainers and their parties, from set 1.

    `own_move` is the third move of the creature at a place, from 0, in the party of the leader of gym `leader`; without
    a leader that of the fifth.
    """

    name: str
    number: int
    money: int
    parties: tuple[Party, ...]
    leader: int
    own_move: tuple[int, int] | None


def load(
    path: Path, species: Mapping[str, Species], moves: Mapping[str, Move]
) -> Mapping[str, Trainer]:
    """Return the classes by name; `nobody` has the number 0."""
    found = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        try:
            parties = tuple(
                tuple((level, species[creature].index) for level, creature in party)
                for party in table["parties"]
            )
            own = table.get("own_move")
            own_move = (own[0], moves[own[1]].id) if own else None
            leader = table.get("leader", 0)
            found[name] = Trainer(
                name, table.get("class", 0), table["money"], parties, leader, own_move
            )
        except (KeyError, TypeError, ValueError) as error:
            message = f"{path.name}, {name}: there is no {error}"
            raise WorldError(message) from error
    numbers = [each.number for each in found.values()]
    if len(set(numbers)) != len(numbers) or found[NOBODY].number or max(numbers) > CLASS_COUNT:
        message = f"{path.name}: classes must be unique and within 1 to {CLASS_COUNT}"
        raise WorldError(message)
    return found
