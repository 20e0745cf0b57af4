"""Reading pictures: text and place, from pixels and the cartridge alone."""

import shutil
import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from emulator import (
    Button,
    Cartridge,
    Font,
    PyBoyConsole,
    ReadingError,
    Screen,
    ScreenType,
    Step,
    World,
    read_state,
)
from emulator.cartridge import Rom
from emulator.ram.map import MapPosition
from emulator.screen.glyphs import (
    BARS,
    BOXES,
    FONT,
    Accuracy,
    GlyphReader,
    TextReader,
    Unavailable,
    accuracy,
    read_glyphs,
)
from emulator.screen.picture import decode_1bpp, decode_2bpp
from emulator.screen.scene import Scene, locate
from emulator.screen.tesseract import TesseractReader, find_tesseract, text_pixels
from emulator.text import charmap, decode_screen

WAIT = Step(None, 0, 8)  # the picture follows the tile map within four frames


@pytest.fixture
def font(demo: Cartridge) -> Font:
    return Font.of(demo)


@pytest.fixture
def world(demo: Cartridge) -> World:
    return World.of(demo)


def test_tiles_decode_as_the_hardware_draws_them() -> None:
    assert decode_1bpp(bytes([0b1010_0000] + [0] * 7))[0, 0].tolist() == [3, 0, 3, 0, 0, 0, 0, 0]
    two_planes = bytes([0b1100_0000, 0b1010_0000] + [0] * 14)
    assert decode_2bpp(two_planes)[0, 0].tolist() == [3, 1, 2, 0, 0, 0, 0, 0]


def test_pixels_and_tile_map_agree_on_every_settled_text_of_the_intro(
    bedroom_steps: tuple[Step, ...],
    demo: Cartridge,
    font: Font,
    switch_on: Callable[[Cartridge], PyBoyConsole],
) -> None:
    console = switch_on(demo)
    texts = set()
    for step in bedroom_steps:
        console.perform(step, render=True)
        # Text prints over time: let it finish, and the picture follow.
        for _ in range(12):
            console.perform(WAIT, render=True)
        state = read_state(console.ram(), console.frame)
        glyphs = read_glyphs(console.screen(), font)
        if state.screen_type in (ScreenType.DIALOGUE, ScreenType.MENU):
            assert accuracy(state.screen_rows, glyphs.split("\n")).share > 0.95
            texts.add(state.screen_text)
    assert len(texts) > 5


def test_the_overworld_has_no_text(bedroom: PyBoyConsole, font: Font) -> None:
    assert read_glyphs(bedroom.screen(), font).strip() == ""


def test_the_place_is_located_from_every_square_of_a_walk(
    bedroom: PyBoyConsole, way_downstairs: list[Button], world: World
) -> None:
    maps = set()
    for button in way_downstairs:
        state = read_state(bedroom.ram(), bedroom.frame)
        scene = locate(bedroom.screen(), world)
        assert scene is not None
        assert scene.shows(state.map.map_id, *state.position)
        assert not scene.shows(state.map.map_id, state.map.x + 1, state.map.y)
        assert scene.fit > 0.9
        maps.add(scene.map_id)
        bedroom.perform(Step(button, 12, 12), render=True)
    bedroom.perform(Step(None, 0, 120), render=True)
    state = read_state(bedroom.ram(), bedroom.frame)
    scene = locate(bedroom.screen(), world)
    assert scene is not None
    assert scene.shows(state.map.map_id, *state.position)
    assert scene.map_id not in maps


def test_a_picture_is_not_located_among_other_maps(bedroom: PyBoyConsole, world: World) -> None:
    assert locate(bedroom.screen(), world, [37, 0, 12]) is None
    assert locate(bedroom.screen(), world, [0, 38]) is not None


def noise(shades: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Screen:
    return Screen(np.ascontiguousarray(shades, dtype=np.uint8))


def test_a_picture_without_a_good_match_is_not_located(bedroom: PyBoyConsole, world: World) -> None:
    shades = bedroom.screen().shades
    half = shades.copy()
    half[:72] = np.random.default_rng(1).integers(0, 4, half[:72].shape)
    pictures = {
        "faded": np.maximum(shades, 1) - 1,
        "inverted": 3 - shades,
        "between two steps": np.roll(shades, 3, axis=0),
        "one tile off": np.roll(shades, 8, axis=1),
        "half of it noise": half,
        "blank": np.zeros_like(shades),
    }
    assert {name: locate(noise(each), world) for name, each in pictures.items()} == dict.fromkeys(
        pictures
    )


def test_a_partly_covered_place_is_located(bedroom: PyBoyConsole, world: World) -> None:
    shades = bedroom.screen().shades.copy()
    shades[96:] = 0  # a message box
    scene = locate(noise(shades), world)
    assert scene is not None
    assert scene.shows(38, 3, 6)


def test_places_that_look_the_same_are_all_listed() -> None:
    scene = Scene(41, 3, 3, 0.98, (MapPosition(58, 3, 3),))
    assert scene.shows(41, 3, 3)
    assert scene.shows(58, 3, 3)
    assert not scene.shows(58, 3, 4)


def test_a_screen_is_a_value(bedroom: PyBoyConsole) -> None:
    screen = bedroom.screen()
    with pytest.raises(ValueError, match="read-only"):
        screen.shades[0, 0] = 1
    with pytest.raises(ValueError, match="144x160"):
        noise(screen.shades[1:])
    bedroom.perform(Step(Button.UP, 12, 12), render=True)
    assert screen != bedroom.screen()
    assert hash(screen) == hash(noise(screen.shades))


def test_png_raises_memory_error_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object, **_more: object) -> None:
        raise OSError("codec configuration error when writing image file")  # Pillow's message

    monkeypatch.setattr(Image.Image, "save", refused)
    with pytest.raises(MemoryError, match="codec configuration"):
        Screen(np.zeros((144, 160), np.uint8)).png()


has_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="the program tesseract is not installed"
)


def drawn(demo: Cartridge, tiles: bytes, *, bars: bool = False) -> Screen:
    """Return the picture of a tile map of text, as the hardware would draw it."""
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


def test_glyphs_read_every_text_character(demo: Cartridge, glyphs: TextReader) -> None:
    tiles = screen_of(bytes(sorted(charmap())))
    assert (glyphs.name, glyphs.read(drawn(demo, tiles))) == ("glyphs", decode_screen(tiles))


def test_glyphs_read_every_character_beside_health_bars(
    demo: Cartridge, glyphs: TextReader
) -> None:
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


def test_frames_arrows_bars_and_scenery_are_not_text(demo: Cartridge) -> None:
    frame = bytes([0x79, *[0x7A] * 18, 0x7B])
    inside = bytes([0x7C, *text("▶HELLO ▼")]).ljust(19, b"\x7f") + b"\x7c"
    tiles = screen_of(frame, inside, bytes([0x7D, *[0x7A] * 18, 0x7E]))
    hello = screen_of(b"", b"\x7f\x7f" + text("HELLO"))
    screen = drawn(demo, tiles)
    assert np.array_equal(text_pixels(screen), drawn(demo, hello).shades >= 2)
    grey = screen.shades.copy()
    grey[8:16, 16] = 1  # in the first letter
    left = text_pixels(Screen(grey))
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
    assert accuracy(["", "What a fine", "", "morning, dear!", *[""] * 14], rows).share > 0.9
    assert rows[1].count(" ") == 2  # words stay apart


@has_tesseract
def test_tesseract_accepts_a_character_limit(demo: Cartridge) -> None:
    reader = find_tesseract(allowed="0123456789")
    assert isinstance(reader, TesseractReader)
    rows = reader.read(drawn(demo, screen_of(text("TEAM"))))
    assert not any(letter.isalpha() for row in rows for letter in row)


@has_tesseract
def test_tesseract_does_not_run_on_an_empty_picture(demo: Cartridge) -> None:
    assert tesseract().read(drawn(demo, screen_of())) == ("",) * 18


@has_tesseract
def test_no_reader_finds_text_in_a_room(glyphs: TextReader, bedroom: PyBoyConsole) -> None:
    for reader in (glyphs, tesseract()):
        assert accuracy([""] * 18, reader.read(bedroom.screen())).total < 5


def test_a_missing_tesseract_program_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = find_tesseract()
    assert isinstance(found, Unavailable)
    assert found.name == "tesseract"
    assert "not installed" in found.reason


def test_a_missing_pytesseract_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytesseract", None)
    found = find_tesseract()
    assert isinstance(found, Unavailable)
    assert "pytesseract" in found.reason


@pytest.mark.parametrize("fault", [OSError("gone"), RuntimeError("process timeout")])
def test_every_tesseract_failure_is_a_reading_error(demo: Cartridge, fault: Exception) -> None:
    def fail(*_args: object, **_options: object) -> object:
        raise fault

    module = SimpleNamespace(image_to_string=fail)
    reader = TesseractReader(module)  # type: ignore[arg-type]
    with pytest.raises(ReadingError, match=str(fault)):
        reader.read(drawn(demo, screen_of(text("AB"))))
