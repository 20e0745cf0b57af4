"""Drawings of creatures and trainers: 32x32 dots, sixteen tiles row by row.

A file has `[front]` and optionally `[back]`; without one, the back is the mirrored front.
"""

from pathlib import Path
from typing import NamedTuple

from world.art import Picture, picture, sections
from world.errors import WorldError
from world.tiles import two_bits

SIZE, TILE = 32, 8


class Drawing(NamedTuple):
    """The front and the back view."""

    front: Picture
    back: Picture


def load(folder: Path, name: str) -> Drawing:
    """Return the drawing of a creature or trainer by its name."""
    path = folder / f"{name.lower()}.txt"
    if not path.exists():
        message = f"{path.name}: {name} has no drawing; add the file"
        raise WorldError(message)
    views = {section.kind: picture(section, size=SIZE) for section in sections(path)}
    if "front" not in views:
        message = f"{path.name}: add the section [front]"
        raise WorldError(message)
    return Drawing(views["front"], views.get("back", mirrored(views["front"])))


def mirrored(drawing: Picture) -> Picture:
    """Return the mirror image of a drawing."""
    return tuple(row[::-1] for row in drawing)


def tiles(drawing: Picture) -> bytes:
    """Return the tiles of a drawing, row by row."""
    return b"".join(
        two_bits(tuple(row[x : x + TILE] for row in drawing[y : y + TILE]))
        for y in range(0, SIZE, TILE)
        for x in range(0, SIZE, TILE)
    )
