"""Pictures: their pixels and tiles, the text and the place that they show."""

from emulator.screen.glyphs import (
    Accuracy,
    GlyphReader,
    TextReader,
    Unavailable,
    accuracy,
    agreement,
    read_glyphs,
)
from emulator.screen.scene import Scene, ScenePlace, draw_map, locate
from emulator.screen.tesseract import TesseractReader, find_tesseract

__all__ = [
    "Accuracy",
    "GlyphReader",
    "Scene",
    "ScenePlace",
    "TesseractReader",
    "TextReader",
    "Unavailable",
    "accuracy",
    "agreement",
    "draw_map",
    "find_tesseract",
    "locate",
    "read_glyphs",
]
