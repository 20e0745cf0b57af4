"""The title screen: drawn tiles, and a map of 20x18 cells in which words are font codes."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from world.art import picture, sections
from world.errors import WorldError
from world.font import Font
from world.tiles import two_bits
from world.tilesets import TILE_LIMIT

COLUMNS, ROWS = 20, 18


class Title(NamedTuple):
    """Tiles from id 0 on, and the 360 tile ids of the screen."""

    tiles: bytes
    cells: bytes
    tile_count: int


def load(tiles: Path, screen: Path, font: Font) -> Title:
    """Return the title drawn in `tiles` and laid out in `screen`."""
    drawn, numbers = list[bytes](), dict[str, int]()
    for section in sections(tiles):
        numbers[section.words[0]] = len(drawn)
        drawn.append(two_bits(picture(section, size=8)))
    if len(drawn) > TILE_LIMIT:
        message = f"{tiles.name}: {len(drawn)} tiles; ids from {TILE_LIMIT:02X} on are text"
        raise WorldError(message)
    layout = tomllib.loads(screen.read_text(encoding="utf-8"))
    cells = [numbers[letter] for row in layout["rows"] for letter in row.ljust(COLUMNS)]
    if len(cells) != COLUMNS * ROWS:
        message = f"{screen.name}: the screen must have {COLUMNS}x{ROWS} cells, not {len(cells)}"
        raise WorldError(message)
    for words in layout["words"]:
        (column, row), text = words["at"], font.encode(words["text"])
        start = row * COLUMNS + column
        cells[start : start + len(text)] = text
    return Title(b"".join(drawn), bytes(cells), len(drawn))
