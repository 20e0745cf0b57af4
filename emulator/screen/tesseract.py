"""Tesseract as a text reader: an independent check that does not know the font.

The only file that imports pytesseract. Package and program are optional: the caller gets a reader, or a value
that says what is missing. The import takes a tenth of a second and happens on the first request.

Frames, bars, arrows and scenery confuse a program made for printed pages. They are separated from letters by shape
alone (letters are thin black strokes on white), so the result does not depend on the cartridge's font. Each row is
a picture of its own, enlarged and softened; letters are as wide as high, so they are made narrower.

Measured on 40 screens of the demo with Tesseract 5.3: 90% of all characters are right, and 0.2 seconds per screen. It was
80% with all rows on one page and remains of health bars in it. What is still misread are digits and tiny letters.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from emulator.errors import ReadingError
from emulator.screen.glyphs import NOT_TEXT, SPACE, Unavailable
from emulator.screen.picture import BLACK, ROWS, SIZE, Screen, cells
from emulator.text import charmap

Mask: TypeAlias = NDArray[np.bool_]

DARK: Final = 2  # shades from here on count as ink
STROKE: Final = 10  # a straight run of this length is a line, not part of a letter
NEIGHBOURHOOD: Final = (3, 3)


def text_pixels(screen: Screen) -> Mask:
    """Return the pixels that may be text, shape (144, 160)."""
    ink = screen.shades >= DARK
    lines = _runs(ink) | _runs(ink.T).T
    blots = np.asarray(_neighbours(ink).all(axis=(2, 3)))  # with ink all around, as in arrows
    scenery = _with_greys(screen)
    return ink & ~scenery & ~_connected(lines | blots | scenery & ink, ink)


def _with_greys(screen: Screen) -> Mask:
    """Return the cells that contain greys, which letters never do."""
    grid = cells(screen)
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
# White pixels around a row, and how much each pixel is enlarged.
MARGIN: Final = 8
HEIGHT: Final = 6
WIDTH: Final = 4
WHITE: Final = 0xFF
# The characters of the game that Tesseract can tell from frames; without the space, words are joined.
ALLOWED: Final = "".join(
    sorted(
        letter
        for letter in {SPACE, *charmap().values()} - NOT_TEXT.difference(SPACE) - {*"[]"}
        if len(letter) == 1 and letter.isascii()
    )
)
ONE_LINE: Final = "--psm 7"  # each page is one line of text
PATIENCE: Final = 10  # timeout in seconds
NICENESS: Final = 5  # play comes first


@dataclass(frozen=True, slots=True)
class TesseractReader:
    """A reader that runs the program Tesseract; `allowed` limits it to these characters."""

    module: ModuleType
    allowed: str = ALLOWED
    name: ClassVar[str] = NAME

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture, or raise a ReadingError."""
        strips = text_pixels(screen).reshape(ROWS, SIZE, -1)
        inked = [row for row, strip in enumerate(strips) if strip.any()]
        rows = [""] * ROWS
        if inked:
            read = self._lines([_line(strips[row]) for row in inked])
            for row, line in zip(inked, read, strict=False):  # the last page also ends with \f
                rows[row] = " ".join(line.split())
        return tuple(rows)

    def _lines(self, pages: list[Image.Image]) -> list[str]:
        """Return the text of each page; the program is started once for all."""
        first, *more = pages
        config = f'{ONE_LINE} -c tessedit_char_whitelist="{self.allowed}"'
        try:
            with TemporaryDirectory() as folder:
                path = Path(folder) / "lines.tiff"
                first.save(path, save_all=True, append_images=more)
                text: str = self.module.image_to_string(
                    str(path), config=config, nice=NICENESS, timeout=PATIENCE
                )
        except (OSError, RuntimeError) as error:  # includes TesseractError
            message = f"tesseract failed ({error}); run it on a picture by hand"
            raise ReadingError(message) from error
        return text.split("\f")


def find_tesseract(allowed: str = ALLOWED) -> TesseractReader | Unavailable:
    """Return a reader, or the reason why this machine has none."""
    try:
        import pytesseract
    except ImportError as error:
        return Unavailable(NAME, f"the package pytesseract cannot be imported: {error}")
    if shutil.which(pytesseract.pytesseract.tesseract_cmd) is None:
        return Unavailable(
            NAME, "the program is not installed (Debian: apt-get install tesseract-ocr)"
        )
    # Its threads wait for each other: with one, it takes half the time.
    os.environ.setdefault("OMP_THREAD_LIMIT", "1")
    return TesseractReader(pytesseract, allowed)


def _line(strip: Mask) -> Image.Image:
    """Return a row of the screen from its first to its last ink, enlarged, black on white."""
    inked = np.flatnonzero(strip.any(axis=0))
    page = np.pad(strip[:, inked[0] : inked[-1] + 1], MARGIN)
    image = Image.fromarray(np.where(page, 0, WHITE).astype(np.uint8))
    size = (image.width * WIDTH, image.height * HEIGHT)
    return image.resize(size, Image.Resampling.LANCZOS).filter(ImageFilter.GaussianBlur(1))
