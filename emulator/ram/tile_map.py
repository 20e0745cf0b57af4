"""The tile map: 18 rows of 20 tile ids, and the message box at its bottom."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from emulator.profile import symbol
from emulator.ram.view import Ram
from emulator.text import decode

TILE_MAP: Final = symbol("wTileMap")
COLUMNS: Final = 20
ROWS: Final = 18
TOP_LEFT: Final = 0x79  # corners of every box
TOP_RIGHT: Final = 0x7B
BOTTOM_LEFT: Final = 0x7D
BOTTOM_RIGHT: Final = 0x7E
FONT_LOADED: Final = symbol("wFontLoaded")  # bit 0
BOX: Final = TILE_MAP + 12 * COLUMNS
BOX_SIZE: Final = 6 * COLUMNS
ARROW: Final = 0xEE  # the blinking arrow below the text, which waits for a button
ARROW_AT: Final = 4 * COLUMNS + 18
LINES: Final = (2, 4)  # rows of the box that hold text
INSIDE: Final = slice(1, COLUMNS - 1)


def read_tiles(ram: Ram) -> bytes:
    """Return the 360 tile ids of the tile map, row by row."""
    return ram.span(TILE_MAP, COLUMNS * ROWS)


class Waiting(Enum):
    """What the message box waits for, as far as one frame shows."""

    NONE = "none"  # there is no message box
    QUIET = "quiet"  # still printing, between two blinks, or waiting without an arrow
    ARROW = "arrow"  # waits for A or B


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The message box; `lines` is empty when there is none.

    Full-screen pages without a message box, such as dex entries, count as text: the font is loaded for them.
    """

    lines: tuple[str, ...]
    waiting: Waiting
    font_loaded: bool

    @property
    def is_open(self) -> bool:
        """Whether text is shown: a message box, or a full-screen page."""
        return self.font_loaded or self.waiting is not Waiting.NONE

    @property
    def text(self) -> str:
        """The lines as one string."""
        return " ".join(line for line in self.lines if line)


def read_dialogue(ram: Ram) -> Dialogue:
    """Return the message box at the bottom of the screen."""
    font_loaded = bool(ram.byte(FONT_LOADED) & 1)
    box = ram.span(BOX, BOX_SIZE)
    # Other boxes may cover the upper right corner, never the other three.
    if (box[0], box[-COLUMNS], box[-1]) != (TOP_LEFT, BOTTOM_LEFT, BOTTOM_RIGHT):
        return Dialogue((), Waiting.NONE, font_loaded)
    waiting = Waiting.ARROW if box[ARROW_AT] == ARROW else Waiting.QUIET
    return Dialogue(_lines(box), waiting, font_loaded)


@lru_cache(maxsize=64)
def _lines(box: bytes) -> tuple[str, ...]:
    text = box.replace(bytes([ARROW]), b"\x7f")
    return tuple([decode(text[row * COLUMNS :][INSIDE]).rstrip() for row in LINES])
