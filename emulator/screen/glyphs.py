"""Text read from pixels, with the glyphs of the cartridge or another reader; and accuracy of readers.

The reader interface is small, so that independent methods can read the same picture.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple, Protocol

from emulator.cartridge import Cartridge, Rom
from emulator.profile import table
from emulator.screen.picture import COLUMNS, ROWS, Screen, cells, decode_1bpp, decode_2bpp, keys
from emulator.text import charmap

FONT: Final = table("FontGraphics")  # 1bpp, codes 80-FF
FONT_CODES: Final = range(0x80, 0x100)
BOXES: Final = table("TextBoxGraphics")  # 2bpp, codes 60-7F
BOX_CODES: Final = range(0x60, 0x80)
BARS: Final = table("HpBarAndStatusGraphics")  # 2bpp, in place of 62-7F while bars are shown
BAR_CODES: Final = range(0x62, 0x80)
SPACE: Final = " "


@dataclass(frozen=True, slots=True)
class Font:
    """The cartridge's glyphs: from the pixels of a cell to the printed text.

    Some codes look different in texts and beside health bars. Both forms are included, so the reader need
    not know which tiles were loaded when the picture was drawn.
    """

    letters: dict[bytes, str] = field(repr=False)

    @classmethod
    def of(cls, cartridge: Cartridge) -> "Font":
        """Return the font of a cartridge."""
        rom = Rom(cartridge.rom)
        shapes = keys(decode_1bpp(rom.span(*FONT, 8 * len(FONT_CODES))))
        boxes = keys(decode_2bpp(rom.span(*BOXES, 16 * len(BOX_CODES))))
        bars = keys(decode_2bpp(rom.span(*BARS, 16 * len(BAR_CODES))))
        texts = [*zip(FONT_CODES, shapes, strict=True), *zip(BOX_CODES, boxes, strict=True)]
        # The first of two glyphs with the same pixels wins, and the space before all others.
        letters = dict(_printed(zip(BAR_CODES, bars, strict=True), charmap(bars=True)))
        letters |= dict(_printed(reversed(texts), charmap()))
        return cls(letters | {boxes[-1]: SPACE})


def _printed(
    glyphs: Iterable[tuple[int, bytes]], printed: dict[int, str]
) -> Iterator[tuple[bytes, str]]:
    return ((pixels, printed[code]) for code, pixels in glyphs if code in printed)


def read_glyphs(screen: Screen, font: Font) -> str:
    """Return the 18 rows of text in the picture, joined like `State.screen_text`."""
    return "\n".join(read_rows(screen, font))


def read_rows(screen: Screen, font: Font) -> tuple[str, ...]:
    """Return the 18 rows of text in the picture; cells without a glyph are spaces."""
    letters = font.letters
    found = [letters.get(pixels, SPACE) for pixels in keys(cells(screen))]
    return tuple(["".join(found[at : at + COLUMNS]) for at in range(0, ROWS * COLUMNS, COLUMNS)])


NOT_TEXT: Final = frozenset(" ┌─┐│└┘▶▷▼")  # frames and arrows, which are not text


@lru_cache(maxsize=256)  # most rows are blank, or the same as before
def letters_of(row: str) -> str:
    """Return a row without blanks, frames and arrows."""
    return "".join([letter for letter in row if letter not in NOT_TEXT])


class TextReader(Protocol):
    """A method of reading the text in a picture."""

    @property
    def name(self) -> str:
        """The name of the method."""

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A reader that this machine lacks, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class GlyphReader:
    """A reader that compares cells with the cartridge's glyphs: exact, for this font only."""

    font: Font
    name: ClassVar[str] = "glyphs"

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""
        return read_rows(screen, self.font)


class Accuracy(NamedTuple):
    """How many characters were read correctly, and the total, including invented characters."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """Correct characters as a share of the total; 1 when there was no text."""
        return self.right / self.total if self.total else 1.0


def accuracy(expected_rows: Sequence[str], read_rows: Sequence[str]) -> Accuracy:
    """Return the accuracy of rows, wherever in its row each character was found."""
    right = total = 0
    for expected, read in zip(expected_rows, read_rows, strict=True):
        expected_letters, found = letters_of(expected), letters_of(read)
        right += _in_common(expected_letters, found)
        total += max(len(expected_letters), len(found))
    return Accuracy(right, total)


def _in_common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence."""
    if one == other:
        return len(one)  # the usual case
    longest = [0] * (len(other) + 1)
    for letter in one:
        before = longest
        longest = [0]
        for at, each in enumerate(other):
            same = before[at] + 1 if letter == each else 0
            longest.append(max(same, before[at + 1], longest[at]))
    return longest[-1]
