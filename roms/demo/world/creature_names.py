"""Creatures in map sources: named where they live, given by index where a text prints the name."""

import re
from collections.abc import Mapping

from world.errors import WorldError

SPECIES_TOKEN = re.compile(r"<species-([0-9]+)>")


def index(creature: str | int, indices: Mapping[str, int], where: str) -> int:
    """Return the index of a creature given by name or index."""
    if isinstance(creature, int):
        return creature
    if creature not in indices:
        message = f"{where}: there is no creature {creature!r}"
        raise WorldError(message)
    return indices[creature]


def spelled(markup: str, indices: Mapping[str, int], where: str) -> str:
    """Return `markup` with each `<species-N>` replaced by the name of creature N."""
    names = {number: name for name, number in indices.items()}

    def name(found: re.Match[str]) -> str:
        if int(found[1]) not in names:
            message = f"{where}: there is no creature with index {found[1]}"
            raise WorldError(message)
        return names[int(found[1])]

    return SPECIES_TOKEN.sub(name, markup)
