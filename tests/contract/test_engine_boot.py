"""Power-on, title screen and main menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

TITLE_WORDS = "BRINDLE VALLEY"
HIDDEN_WINDOW = 0x90


def test_the_header_describes_the_cartridge(start: Callable[[str], Game]) -> None:
    game = start("title")
    header = game.rom(0, 0x100, 0x50)
    assert header[0x34:0x43] == b"RED AGENT DEMO\0"
    assert header[0x43] == 0
    assert header[0x47:0x4A] == bytes([0x13, 5, 3])
    assert header[0x4D] == -(sum(header[0x34:0x4D]) + 0x19) & 0xFF


def test_the_title_stands_within_150_frames_of_power_on(power_on: Callable[[], Game]) -> None:
    game = power_on()
    assert game.wait(lambda: TITLE_WORDS in game.text, 150) < 150


def test_the_title_waits_for_ever(start: Callable[[str], Game]) -> None:
    game = start("title")
    screen, chance = game.block("wTileMap"), game.block("hRandomAdd")
    game.tick(3000)
    assert game.block("wTileMap") == screen
    assert game.byte("hWY") == HIDDEN_WINDOW
    assert game.block("hRandomAdd") != chance


def test_the_title_answers_to_a_and_to_start_alone(start: Callable[[str], Game]) -> None:
    for button, answers in (("b", False), ("select", False), ("a", True), ("start", True)):
        game = start("title")
        game.press(button, settle=90)
        assert (TITLE_WORDS not in game.text) == answers


def test_the_main_menu_without_a_save_offers_two_things(start: Callable[[str], Game]) -> None:
    game = start("main menu")
    assert game.byte("wSaveFileStatus") == 1
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == (1, 2)
    assert game.byte("wMaxMenuItem") == 1
    assert game.text.splitlines()[2][1:10] == ">NEW GAME"
    assert game.text.splitlines()[4][2:8] == "OPTION"
    game.press("down")
    assert (game.cursor, game.byte("wCurrentMenuItem")) == ((1, 4), 1)


def test_b_goes_back_to_the_title_from_the_main_menu(start: Callable[[str], Game]) -> None:
    game = start("main menu")
    game.press("b")
    game.wait(lambda: TITLE_WORDS in game.text, 120)


def test_options_of_the_main_menu_come_back_to_it(start: Callable[[str], Game]) -> None:
    game = start("main menu")
    game.press("down")
    game.press("a", settle=20)
    assert game.cursor == (7, 3)
    game.press("left")
    game.press("b", settle=20)
    assert game.byte("wOptions") & 0xF == 1
    assert game.cursor == (1, 4)
