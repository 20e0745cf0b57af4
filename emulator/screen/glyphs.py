"""Text read from pixels: every cell of the picture that is exactly one glyph of the font."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from emulator.cartridge import Cartridge
from emulator.screen.picture import Screen
from emulator.screen.tiles import COLUMNS, ROWS, cells, decode_1bpp, decode_2bpp, keys
from emulator.text import charmap, decode
from emulator.world.rom import Rom

FONT: Final = (4, 0x5A80)  # FontGraphics: 1bpp, codes 80-FF
FONT_CODES: Final = range(0x80, 0x100)
BOXES: Final = (4, 0x6288)  # TextBoxGraphics: 2bpp, codes 60-7F
BOX_CODES: Final = range(0x60, 0x80)
SPACE: Final = 0x7F
UNKNOWN: Final = 0x00  # no character, so it prints as a space


@dataclass(frozen=True, slots=True)
class Font:
    """The cartridge's glyphs: from the pixels of a cell to its character code."""

    codes: dict[bytes, int] = field(repr=False)

    @classmethod
    def of(cls, cartridge: Cartridge) -> Font:
        """Return the font of a cartridge."""
        rom = Rom(cartridge.rom)
        letters = keys(decode_1bpp(rom.span(*FONT, 8 * len(FONT_CODES))))
        boxes = keys(decode_2bpp(rom.span(*BOXES, 16 * len(BOX_CODES))))
        glyphs = [*zip(FONT_CODES, letters, strict=True), *zip(BOX_CODES, boxes, strict=True)]
        printed = charmap()
        # The first of two codes with the same pixels wins, and the space before all others.
        codes = {pixels: code for code, pixels in reversed(glyphs) if code in printed}
        blank = boxes[SPACE - BOX_CODES.start]
        return cls(codes | {blank: SPACE})


def read_glyphs(screen: Screen, font: Font) -> str:
    """Return the 18 rows of text in the picture, joined as `State.screen_text` is."""
    found = [font.codes.get(pixels, UNKNOWN) for pixels in keys(cells(screen))]
    rows = [decode(bytes(found[row * COLUMNS :][:COLUMNS])) for row in range(ROWS)]
    return "\n".join(rows)


def agreement(tile_map_text: str, glyph_text: str) -> float:
    """Return the share of characters, of either text, on which the two agree."""
    pairs = [
        (here, there)
        for row, other in zip(tile_map_text.split("\n"), glyph_text.split("\n"), strict=False)
        for here, there in zip(row.ljust(len(other)), other.ljust(len(row)), strict=True)
        if here != " " or there != " "
    ]
    return sum(here == there for here, there in pairs) / len(pairs) if pairs else 1.0
