"""The keyboard for names: where its cursor stands, what its keys do, and what comes of the name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from emulator import MenuKind
from tests.contract import pcs
from tests.contract.conftest import halting_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

END = 0x50
A, J, SMALL_A = 0x80, 0x89, 0xA0
END_KEY = (17, 13)
ENOUGH = 0.95


@pytest.fixture
def keys(start: Callable[[str], Game]) -> Game:
    """Give the keyboard behind NEW NAME."""
    game = start("naming")
    game.press("a", settle=30)
    assert game.cursor == (1, 5)
    return game


def place(game: Game) -> tuple[int, int]:
    """Return row and column as the contract counts them, which must be where the cursor is."""
    row, column = game.byte("wCurrentMenuItem"), game.byte("wTopMenuItemX")
    assert game.cursor == (column, 3 + 2 * row)
    return row, column


def typed(game: Game) -> bytes:
    return game.block("wStringBuffer", 11).split(bytes([END]))[0]


def press(game: Game, *buttons: str) -> Game:
    for button in buttons:
        game.press(button, hold=3, settle=4)
    return game


def test_the_keys_are_where_the_contract_has_them(keys: Game) -> None:
    assert pcs.kind(keys) is MenuKind.KEYBOARD
    letters = [[keys.tile(x, y) for x in range(2, 19, 2)] for y in range(5, 15, 2)]
    assert bytes(letters[0] + letters[1] + letters[2][:8]) == bytes(range(A, A + 26))
    assert letters[2][8] == 0x7F
    assert letters[3] == [0xF1, 0x9A, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F, 0xE1, 0xE2]
    assert letters[4] == [0xE3, 0xE6, 0xE7, 0xEF, 0xF5, 0xF3, 0xE8, 0xF4, 0xF0]
    assert "lower case" in keys.text
    assert keys.byte("wNamingScreenType") == 0
    assert halting_share(keys, 60) >= ENOUGH


def test_the_cursor_wraps_in_rows_and_columns(keys: Game) -> None:
    assert place(keys) == (1, 1)
    for button, where in (
        ("left", (1, 17)),
        ("right", (1, 1)),
        ("right", (1, 3)),
        ("down", (2, 3)),
        ("up", (1, 3)),
        ("up", (6, 1)),
        ("left", (6, 1)),
        ("right", (6, 1)),
        ("up", (5, 1)),
        ("right", (5, 3)),
        ("down", (6, 1)),
        ("down", (1, 1)),
    ):
        press(keys, button)
        assert place(keys) == where
    assert keys.block("wTileMap").count(0xED) == 1


def test_a_held_key_counts_once(keys: Game) -> None:
    keys.press("right", hold=60)
    assert place(keys) == (1, 3)
    keys.press("a", hold=60)
    assert typed(keys) == bytes([A + 1])


def test_letters_come_and_go(keys: Game) -> None:
    press(keys, "a", "down", "a")
    assert typed(keys) == bytes([A, J])
    assert keys.byte("wNamingScreenNameLength") == 2
    assert keys.text.splitlines()[2][10:12] == "AJ"
    press(keys, "b")
    assert typed(keys) == bytes([A])
    press(keys, "b", "b")
    assert typed(keys) == b""


def test_the_case_changes_by_select_and_by_its_row(keys: Game) -> None:
    press(keys, "select", "a")
    assert keys.byte("wAlphabetCase") == 1
    assert "UPPER CASE" in keys.text
    press(keys, "up", "a", "down", "a")
    assert keys.byte("wAlphabetCase") == 0
    assert typed(keys) == bytes([SMALL_A, A])


def test_a_full_name_can_only_be_ended(keys: Game) -> None:
    press(keys, *["a"] * 7)
    assert keys.cursor == END_KEY
    assert typed(keys) == bytes([A] * 7)
    press(keys, "left", "a")
    assert len(typed(keys)) == 7
    press(keys, "right", "a")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 8) == bytes([A] * 7 + [END])


def test_start_ends_a_name(keys: Game) -> None:
    press(keys, "a", "start")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 2) == bytes([A, END])


def test_no_name_leads_back_to_the_list(keys: Game) -> None:
    press(keys, "start")
    keys.wait(lambda: keys.cursor == (1, 2), 60)
    assert pcs.kind(keys) is MenuKind.NAMES
    press(keys, "down", "a")
    keys.wait(lambda: keys.has_arrow, 200)
    assert keys.block("wPlayerName", 5) == bytes([0x89, 0x94, 0x8D, 0x8E, END])


def test_the_letter_that_lent_its_tile_is_whole_again(keys: Game) -> None:
    glyph = bytes(keys.pyboy.memory[0x8F00:0x8F10])
    press(keys, "start")
    keys.wait(lambda: keys.cursor == (1, 2), 60)
    font = keys.rom(4, 0x5A80 + 8 * 0x70, 8)
    coin = bytes(keys.pyboy.memory[0x8F00:0x8F10])
    assert coin[::2] == coin[1::2] == font
    assert glyph != coin
