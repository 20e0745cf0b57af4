"""What the picture shows: glyphs, texts, the scene of a map."""

from emulator.screen.glyphs import (
    Accuracy,
    GlyphReader,
    TextReader,
    Unavailable,
    accuracy,
    letters_of,
    read_glyphs,
)
from emulator.screen.picture import HEIGHT, WIDTH
from emulator.screen.scene import Scene, draw_map, locate
from emulator.screen.tesseract import NAME, find_tesseract
