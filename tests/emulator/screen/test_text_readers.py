"""Reading pictures: every glyph exactly, and by a program that knows none of them."""

import shutil
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from emulator import Cartridge, Font, PyBoyConsole, ReadingError, Screen
from emulator.cartridge import Rom
from emulator.screen import (
    Accuracy,
    GlyphReader,
    TesseractReader,
    TextReader,
    Unavailable,
    accuracy,
    find_tesseract,
)
from emulator.screen.glyphs import BARS, BOXES, FONT
from emulator.screen.picture import decode_1bpp, decode_2bpp
from emulator.screen.tesseract import writing
from emulator.text import charmap, decode_screen

has_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed"
)


def drawn(demo: Cartridge, tiles: bytes, *, bars: bool = False) -> Screen:
    """Return the picture of a tile map of text, as the machine would draw it."""
    rom = Rom(demo.rom)
    shapes = np.zeros((0x100, 8, 8), np.uint8)
    shapes[0x60:0x80] = decode_2bpp(rom.span(*BOXES, 16 * 32))
    shapes[0x80:] = decode_1bpp(rom.span(*FONT, 8 * 128))
    if bars:
        shapes[0x62:0x80] = decode_2bpp(rom.span(*BARS, 16 * 30))
    grid = shapes[np.frombuffer(tiles, np.uint8).reshape(18, 20)]
    return Screen(np.ascontiguousarray(grid.transpose(0, 2, 1, 3).reshape(144, 160)))


def screen_of(*rows: bytes) -> bytes:
    return b"".join(row.ljust(20, b"\x7f") for row in rows).ljust(360, b"\x7f")


def text(line: str) -> bytes:
    codes = {letter: code for code, letter in charmap().items()}
    return bytes(codes[letter] for letter in line)


@pytest.fixture
def glyphs(demo: Cartridge) -> TextReader:
    return GlyphReader(Font.of(demo))


def test_every_character_of_texts_is_read(demo: Cartridge, glyphs: TextReader) -> None:
    tiles = screen_of(bytes(sorted(charmap())))
    assert glyphs.name == "glyphs"
    assert glyphs.read(drawn(demo, tiles)) == decode_screen(tiles)


def test_every_character_beside_health_bars_is_read(demo: Cartridge, glyphs: TextReader) -> None:
    bar = bytes([0x71, 0x62, 0x6B, 0x66, 0x63, 0x6D])
    outline = bytes([0x73, 0x74, 0x76, 0x77, 0x78])
    tiles = screen_of(bar, b"\x6e" + text("24"), outline, text("26/ 29"), bytes(range(0x79, 0x80)))
    rows = glyphs.read(drawn(demo, tiles, bars=True))
    assert rows == decode_screen(tiles)
    assert [row.rstrip() for row in rows[:4]] == ["HP:", ":L24", "", "26/ 29"]


def test_a_cell_that_is_no_glyph_is_a_space(demo: Cartridge, glyphs: TextReader) -> None:
    shades = drawn(demo, screen_of(text("AB"))).shades.copy()
    shades[0, 0] ^= 1
    assert glyphs.read(Screen(shades))[0].rstrip() == " B"


def test_accuracy_counts_characters_wherever_they_are() -> None:
    assert accuracy([], []) == (0, 0)
    assert accuracy([""], [""]).share == 1
    assert accuracy(["┌─┐", "│HI│", "▶A B"], ["", "HI", "AB"]) == Accuracy(4, 4)
    assert accuracy(["NEW GAME"], ["NFW  GAME"]) == Accuracy(6, 7)
    assert accuracy(["AB"], ["xxABxx"]).share == pytest.approx(1 / 3)
    assert accuracy(["AB"], [""]).share == 0
    with pytest.raises(ValueError, match="shorter"):
        accuracy(["AB"], [])


def test_frames_arrows_bars_and_scenery_are_no_writing(demo: Cartridge) -> None:
    frame = bytes([0x79, *[0x7A] * 18, 0x7B])
    inside = bytes([0x7C, *text("▶HELLO ▼")]).ljust(19, b"\x7f") + b"\x7c"
    tiles = screen_of(frame, inside, bytes([0x7D, *[0x7A] * 18, 0x7E]))
    hello = screen_of(b"", b"\x7f\x7f" + text("HELLO"))
    screen = drawn(demo, tiles)
    assert np.array_equal(writing(screen), drawn(demo, hello).shades >= 2)
    grey = screen.shades.copy()
    grey[8:16, 16] = 1  # in the first letter
    left = writing(Screen(grey))
    assert not left[:, :24].any()
    assert left.any()


def tesseract() -> TesseractReader:
    reader = find_tesseract()
    assert isinstance(reader, TesseractReader)
    return reader


@has_tesseract
def test_tesseract_reads_words(demo: Cartridge) -> None:
    screen = drawn(demo, screen_of(b"", text(" What a fine"), b"", text(" morning, dear!")))
    reader: TextReader = tesseract()
    rows = reader.read(screen)
    assert reader.name == "tesseract"
    assert len(rows) == 18
    assert accuracy(["", "What a fine", "", "morning, dear!", *[""] * 14], rows).share > 0.8


@has_tesseract
def test_tesseract_takes_a_limit(demo: Cartridge) -> None:
    reader = find_tesseract(allowed="0123456789")
    assert isinstance(reader, TesseractReader)
    rows = reader.read(drawn(demo, screen_of(text("TEAM"))))
    assert not any(letter.isalpha() for row in rows for letter in row)


@has_tesseract
def test_an_empty_picture_is_not_asked_about(demo: Cartridge) -> None:
    assert tesseract().read(drawn(demo, screen_of())) == ("",) * 18


@has_tesseract
def test_a_room_holds_no_text_for_either(glyphs: TextReader, bedroom: PyBoyConsole) -> None:
    for reader in (glyphs, tesseract()):
        assert accuracy([""] * 18, reader.read(bedroom.screen())).total < 5


def test_a_machine_without_the_program_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = find_tesseract()
    assert isinstance(found, Unavailable)
    assert found.name == "tesseract"
    assert "not installed" in found.reason


def test_a_machine_without_the_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytesseract", None)
    found = find_tesseract()
    assert isinstance(found, Unavailable)
    assert "pytesseract" in found.reason


@pytest.mark.parametrize("fault", [OSError("gone"), RuntimeError("process timeout")])
def test_a_program_that_breaks_down_is_one_kind_of_error(demo: Cartridge, fault: Exception) -> None:
    def fail(*_args: object, **_options: object) -> object:
        raise fault

    module = SimpleNamespace(image_to_data=fail, Output=SimpleNamespace(DICT="dict"))
    reader = TesseractReader(module)  # type: ignore[arg-type]
    with pytest.raises(ReadingError, match=str(fault)):
        reader.read(drawn(demo, screen_of(text("AB"))))
