"""Tilesets: drawings by tile id, steps of four tiles, and how the player can use them.

A map is drawn in steps of 16 pixels, the size of one walking step; the blocks of two by two steps that the format
needs are derived from the maps, so no source lists them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from world.art import Picture, Section, picture, quarters, sections
from world.errors import WorldError

FACINGS = ("down", "up", "left", "right")
TILE_LIMIT = 0x60  # ids from here on are text and boxes
BLOCK_LIMIT = 0x100  # a block id is one byte
COLLISION_TILE = 2  # the bottom left tile of a step is its collision tile

Step: TypeAlias = tuple[int, ...]  # tile ids: top left, top right, bottom left, bottom right


@dataclass(slots=True)
class Tileset:
    """One source file: its tileset ids, tiles, steps and lists."""

    name: str
    ids: tuple[int, ...] = ()
    animation: int = 0
    tiles: dict[int, Picture] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def tiles_of(self, list_name: str) -> list[int]:
        """Return the collision tiles of the steps in a list, in order, each once."""
        steps = (self.step(name, list_name) for name in self.lists.get(list_name, ()))
        return list(dict.fromkeys(step[COLLISION_TILE] for step in steps))

    def passable(self) -> list[int]:
        """Return every tile of the passable steps, so that each corner of a step is passable."""
        open_steps = self.lists.get("passable", ())
        tiles = {tile for name in open_steps for tile in self.step(name, "passable")}
        for name, step in self.steps.items():
            if name not in open_steps and step[COLLISION_TILE] in tiles:
                message = f"{self.name}: {name!r} would be passable: it shares its bottom left tile"
                raise WorldError(message)
        return sorted(tiles)

    def step(self, name: str, where: str) -> Step:
        """Return the tiles of step `name`."""
        if name not in self.steps:
            message = f"{where}: tileset {self.name!r} has no step {name!r}"
            raise WorldError(message)
        return self.steps[name]


class Blockset:
    """The blocks that maps of one tileset use, numbered in order of first use."""

    def __init__(self) -> None:
        self._ids: dict[bytes, int] = {}

    def block(self, north_west: Step, north_east: Step, south_west: Step, south_east: Step) -> int:
        """Return the id of the block of these four steps."""
        rows = [
            half[at : at + 2]
            for left, right in ((north_west, north_east), (south_west, south_east))
            for at in (0, 2)
            for half in (left, right)
        ]
        number = self._ids.setdefault(bytes(tile for row in rows for tile in row), len(self._ids))
        if number >= BLOCK_LIMIT:
            message = (
                f"more than {BLOCK_LIMIT} different blocks in one tileset; repeat some scenery"
            )
            raise WorldError(message)
        return number

    def blocks(self) -> tuple[bytes, ...]:
        """Return the 16 tiles of each block so far, row by row."""
        return tuple(self._ids)

    def data(self) -> bytes:
        """Return the blockset table."""
        return b"".join(self._ids)


def load(path: Path) -> Tileset:
    """Return the tileset of `path`."""
    tileset = Tileset(path.stem)
    for section in sections(path):
        _read(section, tileset)
    for name, step in tileset.steps.items():
        if missing := [f"{tile:02X}" for tile in step if tile not in tileset.tiles]:
            message = f"{path.name}: step {name!r} uses tiles without a drawing: {missing}"
            raise WorldError(message)
    return tileset


def load_all(folder: Path) -> Mapping[str, Tileset]:
    """Return every tileset of `folder` by name."""
    return {path.stem: load(path) for path in sorted(folder.glob("*.txt"))}


def _read(section: Section, tileset: Tileset) -> None:
    match section.kind:
        case "tileset":
            tileset.ids = tuple(int(word) for word in section.words)
        case "animation":
            tileset.animation = int(section.words[0])
        case "tile":
            _draw(tileset, section, section.words[:1], (picture(section, size=8),))
        case "picture":
            _draw(tileset, section, section.words[1:], quarters(picture(section, size=16)))
            tileset.steps[section.words[0]] = _ids(section, section.words[1:])
        case "step":
            tileset.steps[section.words[0]] = _ids(section, section.words[1:])
        case _:
            tileset.lists[" ".join((section.kind, *section.words))] = section.listed()


def _ids(section: Section, words: tuple[str, ...]) -> Step:
    ids = tuple(int(word, 16) for word in words)
    if len(ids) != 4 or max(ids) >= TILE_LIMIT:
        message = f"{section.where}: a step must name four tiles below {TILE_LIMIT:02X}"
        raise WorldError(message)
    return ids


def _draw(
    tileset: Tileset, section: Section, words: tuple[str, ...], drawings: tuple[Picture, ...]
) -> None:
    for word, drawing in zip(words, drawings, strict=True):
        if tileset.tiles.setdefault(int(word, 16), drawing) != drawing:
            message = f"{section.where}: tile {word} is drawn twice, differently"
            raise WorldError(message)
