"""Text read from pixels: by the glyphs of the cartridge, or by any other reader; and how well one reads.

The port of readers is small, so that a picture can be read by ways that know nothing of each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
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
    """The cartridge's glyphs: from the pixels of a cell to what they print.

    Some codes have one look in texts and another one beside health bars. Both are known here, so
    that it need not be known which of them were loaded when the picture was drawn.
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
    """Return the 18 rows of text in the picture, joined as `State.screen_text` is."""
    return "\n".join(read_rows(screen, font))


def read_rows(screen: Screen, font: Font) -> tuple[str, ...]:
    """Return the 18 rows of text in the picture; cells that are no glyph are spaces."""
    letters = font.letters
    found = [letters.get(pixels, SPACE) for pixels in keys(cells(screen))]
    return tuple(["".join(found[at : at + COLUMNS]) for at in range(0, ROWS * COLUMNS, COLUMNS)])


def agreement(tile_map_text: str, glyph_text: str) -> float:
    """Return the share of characters, of either text, on which the two agree."""
    if tile_map_text == glyph_text:
        return 1.0  # as nearly always
    pairs = [
        (here, there)
        for row, other in zip(tile_map_text.split("\n"), glyph_text.split("\n"), strict=False)
        for here, there in zip(row.ljust(len(other)), other.ljust(len(row)), strict=True)
        if here != " " or there != " "
    ]
    return sum(here == there for here, there in pairs) / len(pairs) if pairs else 1.0


NO_WRITING: Final = frozenset(" ┌─┐│└┘▶▷▼")  # frames and arrows, which are no text


class TextReader(Protocol):
    """A way of reading the text in a picture."""

    @property
    def name(self) -> str:
        """What to call this way of reading."""

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A reader that this machine does not have, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class GlyphReader:
    """Reads by comparing cells with the glyphs of the cartridge: exact, and nothing else."""

    font: Font
    name: ClassVar[str] = "glyphs"

    def read(self, screen: Screen) -> tuple[str, ...]:
        """Return the 18 rows of text in the picture."""
        return read_rows(screen, self.font)


class Accuracy(NamedTuple):
    """How many characters were read right, of how many that there were or were made up."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """The right ones as a share of all; 1 when there was nothing to read."""
        return self.right / self.total if self.total else 1.0


def accuracy(expected_rows: Sequence[str], read_rows: Sequence[str]) -> Accuracy:
    """Return how well rows were read, wherever in its row each character was found."""
    right = total = 0
    for expected, read in zip(expected_rows, read_rows, strict=True):
        wanted, found = (
            [letter for letter in row if letter not in NO_WRITING] for row in (expected, read)
        )
        right += _in_common(wanted, found)
        total += max(len(wanted), len(found))
    return Accuracy(right, total)


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest sequence of characters that is in both, in order."""
    longest = [0] * (len(other) + 1)
    for letter in one:
        before = longest
        longest = [0]
        for at, each in enumerate(other):
            same = before[at] + 1 if letter == each else 0
            longest.append(max(same, before[at + 1], longest[at]))
    return longest[-1]
