"""Reading pictures: text and place, from pixels and the cartridge alone."""

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from emulator import (
    Button,
    Cartridge,
    Font,
    PyBoyConsole,
    Screen,
    ScreenType,
    Step,
    World,
    read_state,
)
from emulator.screen import Scene, ScenePlace, agreement, locate, read_glyphs
from emulator.screen.picture import decode_1bpp, decode_2bpp

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
        # Text prints while time passes: let it finish, and the picture follow.
        for _ in range(12):
            console.perform(WAIT, render=True)
        state = read_state(console.ram(), console.frame)
        glyphs = read_glyphs(console.screen(), font)
        if state.screen_type in (ScreenType.DIALOGUE, ScreenType.MENU):
            assert agreement(state.screen_text, glyphs) > 0.95  # an arrow may be about to blink
            texts.add(state.screen_text)
    assert len(texts) > 5


def test_a_text_is_read_from_pixels_word_by_word(
    demo: Cartridge, font: Font, switch_on: Callable[[Cartridge], PyBoyConsole]
) -> None:
    console = switch_on(demo)
    for _ in range(40):
        state = read_state(console.ram(), console.frame)
        if state.menu is not None:
            break
        console.perform(Step(Button.START, 4, 12))
    console.perform(WAIT, render=True)
    assert "NEW GAME" in read_glyphs(console.screen(), font)


def test_the_overworld_has_no_text(bedroom: PyBoyConsole, font: Font) -> None:
    assert read_glyphs(bedroom.screen(), font).strip() == ""


def test_agreement_is_the_share_of_characters_of_either() -> None:
    assert agreement("", "") == 1.0
    assert agreement("   \n ", "\n") == 1.0
    assert agreement("abcd\nef", "abcd\nef") == 1.0
    assert agreement("abcd", "abxx") == 0.5
    assert agreement("ab", "  cd") == 0.0


def test_the_place_is_seen_wherever_one_walks(
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


def test_another_map_is_no_candidate_for_what_the_picture_shows(
    bedroom: PyBoyConsole, world: World
) -> None:
    assert locate(bedroom.screen(), world, [37, 0, 12]) is None
    assert locate(bedroom.screen(), world, [0, 38]) is not None


def noise(shades: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Screen:
    return Screen(np.ascontiguousarray(shades, dtype=np.uint8))


def test_a_picture_that_does_not_match_well_is_no_place(
    bedroom: PyBoyConsole, world: World
) -> None:
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


def test_people_and_a_text_box_may_cover_a_part(bedroom: PyBoyConsole, world: World) -> None:
    shades = bedroom.screen().shades.copy()
    shades[96:] = 0  # a message box
    scene = locate(noise(shades), world)
    assert scene is not None
    assert scene.shows(38, 3, 6)


def test_places_that_look_the_same_are_all_named() -> None:
    scene = Scene(41, 3, 3, 0.98, (ScenePlace(58, 3, 3),))
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


def test_a_picture_that_gets_no_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object, **_more: object) -> None:
        raise OSError("codec configuration error when writing image file")  # Pillow's words for it

    monkeypatch.setattr(Image.Image, "save", refused)
    with pytest.raises(MemoryError, match="codec configuration"):
        Screen(np.zeros((144, 160), np.uint8)).png()
