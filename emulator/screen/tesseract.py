"""Tesseract as a reader of pictures: a second opinion that has never seen the font.

The only file that imports pytesseract. Neither it nor the program need be there: who asks gets a
reader, or a value that says what is missing. Nothing is imported before somebody asks, for it
takes a tenth of a second.

Measured on 46 settled screens of the demo with Tesseract 5.3: 86% of all characters are right, 99%
of those in plain texts, 88% in menus, 76% in battles, whose levels and health bars it cannot read;
0.2 to 0.4 seconds a screen. On a third of these screens the first try, a picture four times its
size, gave 69%; setting the rows apart and wiping out frames 86%, arrows too 90%. Hard edges instead
of soft ones cost 8 points. More size, other ways of dividing the page, no dictionary and a list of
allowed characters changed nothing worth a name.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from types import ModuleType
from typing import Final

import numpy as np
from PIL import Image

from emulator.errors import ReadingError
from emulator.screen.ink import Mask, writing
from emulator.screen.picture import WIDTH, Screen
from emulator.screen.reader import Unavailable
from emulator.screen.tiles import ROWS, SIZE

NAME: Final = "tesseract"
SCALE: Final = 4
GAP: Final = 12  # white pixels between rows, before scaling
MARGIN: Final = 8
PITCH: Final = SIZE + GAP
ONE_BLOCK: Final = "--psm 6"  # the page is one block of text
PATIENCE: Final = 20  # seconds
WHITE: Final = 0xFF


@dataclass(frozen=True, slots=True)
class TesseractReader:
    """Reads with the program Tesseract; `allowed` limits it to these characters."""

    module: ModuleType
    allowed: str = ""

    @property
    def name(self) -> str:
        """What to call this way of reading."""
        return NAME

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture, or raise a ReadingError."""
        ink = writing(screen)
        inked = [row for row in range(ROWS) if ink[row * SIZE : (row + 1) * SIZE].any()]
        rows = [""] * ROWS
        if inked:
            for row, words in zip(inked, self._words(_page(ink, inked), len(inked)), strict=True):
                rows[row] = words
        return tuple(rows)

    def _words(self, page: Image.Image, count: int) -> list[str]:
        limit = f' -c tessedit_char_whitelist="{self.allowed}"' if self.allowed else ""
        kind = self.module.Output.DICT
        try:
            found = self.module.image_to_data(
                page, config=ONE_BLOCK + limit, output_type=kind, timeout=PATIENCE
            )
        except (OSError, RuntimeError) as error:  # which TesseractError is
            message = f"tesseract gave up ({error}); try it on a picture by hand"
            raise ReadingError(message) from error
        lines: list[list[tuple[int, str]]] = [[] for _ in range(count)]
        boxes = zip(found["text"], found["left"], found["top"], found["height"], strict=True)
        for word, left, top, height in boxes:
            line = int(((top + height / 2) / SCALE - MARGIN + GAP / 2) // PITCH)
            if word.strip() and 0 <= line < count:
                lines[line].append((left, word))
        return [" ".join(word for _, word in sorted(line)) for line in lines]


def find_tesseract(allowed: str = "") -> TesseractReader | Unavailable:
    """Return a reader, or what this machine lacks for one."""
    try:
        import pytesseract
    except ImportError as error:
        return Unavailable(NAME, f"the package pytesseract cannot be imported: {error}")
    if shutil.which(pytesseract.pytesseract.tesseract_cmd) is None:
        return Unavailable(NAME, "the program is not installed (Debian: tesseract-ocr)")
    return TesseractReader(pytesseract, allowed)


def _page(ink: Mask, inked: list[int]) -> Image.Image:
    """Return the rows that have ink, spread out and enlarged, black on white."""
    shape = (len(inked) * PITCH + 2 * MARGIN, WIDTH + 2 * MARGIN)
    page = np.full(shape, WHITE, np.uint8)
    for line, row in enumerate(inked):
        top = MARGIN + line * PITCH
        strip = page[top : top + SIZE, MARGIN : MARGIN + WIDTH]
        strip[ink[row * SIZE : (row + 1) * SIZE]] = 0
    image = Image.fromarray(page)
    size = (image.width * SCALE, image.height * SCALE)
    return image.resize(size, Image.Resampling.LANCZOS)
