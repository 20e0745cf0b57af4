"""Tesseract as a text reader: an independent check that does not know the font.

The only file that imports pytesseract. Package and program are optional: the caller gets a reader, or a value
that says what is missing. The import takes a tenth of a second and happens on the first request.

Frames, bars, arrows and scenery confuse a program made for printed pages. They are separated from letters by shape
alone (letters are thin black strokes on white), so the result does not depend on the cartridge's font.

Measured on 46 settled screens of the demo with Tesseract 5.3: 86% of all characters are right, 99% in plain
texts, 88% in menus, 76% in battles, whose levels and health bars it cannot read; 0.2 to 0.4 seconds per screen.
Spacing the rows and removing frames and arrows made the difference; hard edges instead of soft ones cost 8 points.
"""

import shutil
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from PIL import Image

from emulator.errors import ReadingError
from emulator.screen.glyphs import Unavailable
from emulator.screen.picture import BLACK, ROWS, SIZE, WIDTH, Screen, Shades, cells

Mask: TypeAlias = NDArray[np.bool_]

DARK: Final = 2  # shades from here on count as ink
STROKE: Final = 10  # a straight run of this length is a line, not part of a letter
NEIGHBOURHOOD: Final = (3, 3)


def text_pixels(screen: Screen) -> Mask:
    """Return the pixels that may be text, shape (144, 160)."""
    ink = (screen.shades >= DARK) & ~_scenery(screen)
    lines = _runs(ink) | _runs(ink.T).T
    blots = np.asarray(_neighbours(ink).all(axis=(2, 3)))  # with ink all around, as in arrows
    return ink & ~_connected(lines | blots, ink)


def _scenery(screen: Screen) -> Mask:
    """Return the cells that contain greys, which letters never do."""
    grid: Shades = cells(screen)
    grey = ((grid > 0) & (grid < BLACK)).any(axis=(2, 3))
    return np.repeat(np.repeat(grey, SIZE, axis=0), SIZE, axis=1)


def _runs(ink: Mask) -> Mask:
    """Return the pixels that belong to long horizontal runs."""
    full = sliding_window_view(ink, STROKE, axis=1).all(axis=2)
    run = np.zeros_like(ink)
    for shift in range(STROKE):
        run[:, shift : shift + full.shape[1]] |= full
    return run


def _connected(seeds: Mask, ink: Mask) -> Mask:
    """Return `seeds` and all ink connected to them."""
    while True:
        grown: Mask = _neighbours(seeds).any(axis=(2, 3)) & ink
        if np.array_equal(grown, seeds):
            return seeds
        seeds = grown


def _neighbours(mask: Mask) -> Mask:
    return sliding_window_view(np.pad(mask, 1), NEIGHBOURHOOD)


NAME: Final = "tesseract"
SCALE: Final = 4
GAP: Final = 12  # white pixels between rows, before scaling
MARGIN: Final = 8
PITCH: Final = SIZE + GAP
ONE_BLOCK: Final = "--psm 6"  # the page is one block of text
PATIENCE: Final = 20  # timeout in seconds
WHITE: Final = 0xFF


@dataclass(frozen=True, slots=True)
class TesseractReader:
    """A reader that runs the program Tesseract; `allowed` limits it to these characters."""

    module: ModuleType
    allowed: str = ""
    name: ClassVar[str] = NAME

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture, or raise a ReadingError."""
        ink = text_pixels(screen)
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
        except (OSError, RuntimeError) as error:  # includes TesseractError
            message = f"tesseract failed ({error}); run it on a picture by hand"
            raise ReadingError(message) from error
        lines: list[list[tuple[int, str]]] = [[] for _ in range(count)]
        boxes = zip(found["text"], found["left"], found["top"], found["height"], strict=True)
        for word, left, top, height in boxes:
            line = int(((top + height / 2) / SCALE - MARGIN + GAP / 2) // PITCH)
            if word.strip() and 0 <= line < count:
                lines[line].append((left, word))
        return [" ".join(word for _, word in sorted(line)) for line in lines]


def find_tesseract(allowed: str = "") -> TesseractReader | Unavailable:
    """Return a reader, or the reason why this machine has none."""
    try:
        import pytesseract
    except ImportError as error:
        return Unavailable(NAME, f"the package pytesseract cannot be imported: {error}")
    if shutil.which(pytesseract.pytesseract.tesseract_cmd) is None:
        return Unavailable(NAME, "the program is not installed (Debian: tesseract-ocr)")
    return TesseractReader(pytesseract, allowed)


def _page(ink: Mask, inked: list[int]) -> Image.Image:
    """Return the rows that have ink, spaced and enlarged, black on white."""
    shape = (len(inked) * PITCH + 2 * MARGIN, WIDTH + 2 * MARGIN)
    page = np.full(shape, WHITE, np.uint8)
    for line, row in enumerate(inked):
        top = MARGIN + line * PITCH
        strip = page[top : top + SIZE, MARGIN : MARGIN + WIDTH]
        strip[ink[row * SIZE : (row + 1) * SIZE]] = 0
    image = Image.fromarray(page)
    size = (image.width * SCALE, image.height * SCALE)
    return image.resize(size, Image.Resampling.LANCZOS)
