"""Text read from pixels: every cell of the picture that is exactly one glyph of the font."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from emulator.cartridge import Cartridge
from emulator.profile import table
from emulator.screen.picture import Screen
from emulator.screen.tiles import COLUMNS, ROWS, cells, decode_1bpp, decode_2bpp, keys
from emulator.text import charmap
from emulator.world.rom import Rom

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
    that nobody needs to tell which of them were loaded when the picture was drawn.
    """

    letters: dict[bytes, str] = field(repr=False)

    @classmethod
    def of(cls, cartridge: Cartridge) -> Font:
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
