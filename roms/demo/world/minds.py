"""Sources of how trainers choose their moves. Covers the TOML form, not the ROM form."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from world.errors import WorldError

KNOWN = frozenset({1, 2, 3})

Minds: TypeAlias = Sequence[tuple[int, ...]]  # of every class, from 1


def load(path: Path, classes: int) -> Minds:
    """Return the move preferences of each of `classes` trainer classes."""
    source = tomllib.loads(path.read_text(encoding="utf-8"))
    own: Mapping[str, list[int]] = source["classes"]
    strange = [name for name in own if not name.isdigit() or not 1 <= int(name) <= classes]
    if strange:
        message = f"{path.name}: unknown classes {strange}"
        raise WorldError(message)
    minds = [tuple(own.get(str(n), source["others"])) for n in range(1, classes + 1)]
    if not KNOWN.issuperset(choice for mind in minds for choice in mind):
        message = f"{path.name}: choices must be among {sorted(KNOWN)}"
        raise WorldError(message)
    return minds
