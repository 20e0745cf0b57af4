"""Sources of the machines that teach moves. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from world.errors import WorldError
from world.moves import Move

TMS, HMS = 50, 5
MOST_THOUSANDS = 15


class Machine(NamedTuple):
    """A machine and its move; `bit` is its place among all: TMs from 0, then HMs. `price` is in thousands."""

    bit: int
    move: int
    price: int


class Machines(NamedTuple):
    """The machines by the word that species use for them, and the move of those without a source."""

    by_word: Mapping[str, Machine]
    others: int


def load(path: Path, moves: Mapping[str, Move]) -> Machines:
    """Return the machines of `path`."""
    source, machines = tomllib.loads(path.read_text(encoding="utf-8")), dict[str, Machine]()
    for word, table in source["machines"].items():
        try:
            bit = TMS + table["hm"] - 1 if "hm" in table else table["tm"] - 1
            machines[word] = Machine(bit, moves[table["move"]].id, table.get("price", 0))
        except KeyError as error:
            message = f"{path.name}: {word}: there is no {error}"
            raise WorldError(message) from error
    bits = [machine.bit for machine in machines.values()]
    if len(set(bits)) != len(bits) or not set(bits) <= set(range(TMS + HMS)):
        message = f"{path.name}: numbers must be unique and within 1 to {TMS} and 1 to {HMS}"
        raise WorldError(message)
    if any(not 0 <= machine.price <= MOST_THOUSANDS for machine in machines.values()):
        message = f"{path.name}: a price must be at most {MOST_THOUSANDS} thousand"
        raise WorldError(message)
    return Machines(machines, moves[source["others"]].id)
