"""The contract's tables of glyphs: font, text box and HP bar."""

from collections.abc import Iterator

from world.banks import Place, Placement
from world.font import Font
from world.tiles import one_bit, two_bits

FONT = Place(4, 0x5A80)
HUD = Place(4, 0x5EA0)
TEXT_BOX = Place(4, 0x6288)


def placements(font: Font, hud: Font) -> Iterator[Placement]:
    """Yield the glyph tables; codes that the HUD does not draw stay as in the text box."""
    letters = b"".join(one_bit(font.tile(code)) for code in range(0x80, 0x100))
    boxes = b"".join(two_bits(font.tile(code)) for code in range(0x60, 0x80))
    bars = b"".join(
        two_bits((hud if code in hud.glyphs else font).tile(code)) for code in range(0x62, 0x80)
    )
    yield Placement(FONT.offset, letters, "FontGraphics")
    yield Placement(TEXT_BOX.offset, boxes, "TextBoxGraphics")
    yield Placement(HUD.offset, bars, "HpBarAndStatusGraphics")
