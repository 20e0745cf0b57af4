"""Sprites of people and things on maps: sheets of 16x16 frames in the order the engine loads them."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from world.art import Picture, picture, quarters, sections
from world.errors import WorldError
from world.tiles import two_bits

FRAMES = ("down", "up", "left", "down walking", "up walking", "left walking")
STILL = ("still",)


class Sheet(NamedTuple):
    """The frames of one picture id."""

    name: str
    id: int
    frames: tuple[Picture, ...]

    def data(self) -> bytes:
        """Return the tiles, four per frame."""
        return b"".join(two_bits(tile) for frame in self.frames for tile in quarters(frame))


def load(path: Path) -> Sheet:
    """Return the sheet of `path`."""
    number, drawn = 0, dict[str, Picture]()
    for section in sections(path):
        if section.kind == "sprite":
            number = int(section.words[0])
        else:
            drawn[" ".join((section.kind, *section.words))] = picture(section, size=16)
    for order in (FRAMES, STILL):
        if set(order) == set(drawn):
            return Sheet(path.stem, number, tuple(drawn[frame] for frame in order))
    message = f"sprites/{path.name}: draw {', '.join(FRAMES)}; or only 'still'"
    raise WorldError(message)


def load_all(folder: Path) -> list[Sheet]:
    """Return the sheets of `folder` by id; ids run from 1 without gaps."""
    sheets = sorted((load(path) for path in folder.glob("*.txt")), key=lambda sheet: sheet.id)
    if [sheet.id for sheet in sheets] != list(range(1, len(sheets) + 1)):
        message = f"sprites: ids must run from 1 without gaps: {[sheet.id for sheet in sheets]}"
        raise WorldError(message)
    return sheets


def ids(sheets: list[Sheet]) -> Mapping[str, int]:
    """Return the picture id of each name."""
    return {sheet.name: sheet.id for sheet in sheets}
