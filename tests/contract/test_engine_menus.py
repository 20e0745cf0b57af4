"""The menu behind START and what it opens."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

TEAM, BAG, PLAYER, SAVE, OPTION, EXIT, PAST_THE_END = range(7)
FONT_LOADED = 1


def open_menu(game: Game) -> Game:
    game.press("start", settle=12)
    assert game.byte("wFontLoaded") & FONT_LOADED
    return game


def choose(game: Game, item: int) -> Game:
    while game.byte("wCurrentMenuItem") != item:
        game.press("down")
    game.press("a", settle=20)
    return game


def is_closed(game: Game) -> bool:
    return not game.byte("wFontLoaded") and game.byte("hWY") == 0x90


def test_start_opens_the_menu_where_the_contract_has_it(start: Callable[[str], Game]) -> None:
    game = open_menu(start("bedroom"))
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == (11, 2)
    assert game.byte("wMaxMenuItem") == PAST_THE_END
    words = [game.text.splitlines()[row][12:18].strip() for row in range(2, 14, 2)]
    assert words == ["TEAM", "BAG", "JUNO", "SAVE", "OPTION", "EXIT"]
    assert game.byte("hWY") == 0


def test_the_cursor_visits_every_row_and_wraps_both_ways(start: Callable[[str], Game]) -> None:
    game = open_menu(start("bedroom"))
    for item in (TEAM, BAG, PLAYER, SAVE, OPTION, EXIT, TEAM):
        assert game.byte("wCurrentMenuItem") == item
        assert game.cursor == (11, 2 + 2 * item)
        assert game.word("wMenuCursorLocation") == 0xC3A0 + 20 * (2 + 2 * item) + 11
        assert game.block("wTileMap").count(0xED) == 1
        game.press("down")
    game.press("up")
    game.press("up")
    assert game.cursor == (11, 12)


def test_a_held_direction_repeats_after_thirty_and_then_five(start: Callable[[str], Game]) -> None:
    game = open_menu(start("bedroom"))
    game.hold("down")
    changes = []
    for frame in range(60):
        before = game.cursor
        game.tick()
        if game.cursor != before:
            changes.append(frame)
    game.release("down")
    gaps = [later - earlier for earlier, later in itertools.pairwise(changes)]
    assert abs(gaps[0] - 30) <= 1
    assert all(abs(gap - 5) <= 1 for gap in gaps[1:])


def test_b_start_and_exit_close_it(start: Callable[[str], Game]) -> None:
    for button in ("b", "start"):
        game = open_menu(start("bedroom"))
        game.press(button, settle=12)
        assert is_closed(game)
    game = choose(open_menu(start("bedroom")), EXIT)
    assert is_closed(game)
    assert game.step("down")


def test_it_remembers_its_place(start: Callable[[str], Game]) -> None:
    game = open_menu(start("bedroom"))
    for _ in range(3):
        game.press("down")
    game.press("b", settle=12)
    assert game.byte("wBattleAndStartSavedMenuItem") == SAVE
    open_menu(game)
    assert game.cursor == (11, 8)


def test_an_empty_team_changes_nothing(start: Callable[[str], Game]) -> None:
    game = open_menu(start("bedroom"))
    screen = game.block("wTileMap")
    choose(game, TEAM)
    assert game.block("wTileMap") == screen
    game.press("b", settle=12)
    assert is_closed(game)


def test_the_bag_lists_cancel_alone(start: Callable[[str], Game]) -> None:
    for button in ("a", "b"):
        game = choose(open_menu(start("bedroom")), BAG)
        assert game.cursor == (5, 4)
        assert game.text.splitlines()[4][6:12] == "CANCEL"
        assert (game.byte("wListCount"), game.byte("wListMenuID")) == (0, 3)
        assert (game.byte("wListScrollOffset"), game.byte("wMaxMenuItem")) == (0, 0)
        game.press("down")
        assert game.cursor == (5, 4)
        game.press(button, settle=20)
        assert game.cursor == (11, 4)


def test_the_card_names_the_player(start: Callable[[str], Game]) -> None:
    game = choose(open_menu(start("bedroom")), PLAYER)
    assert "JUNO" in game.text
    assert "3000" in game.text
    game.press("b", settle=20)
    assert game.cursor == (11, 6)


def test_options_set_the_speed_of_text(start: Callable[[str], Game]) -> None:
    for presses, column, delay in ((1, 14, 5), (0, 7, 3), (-1, 1, 1), (-2, 1, 1), (2, 14, 5)):
        game = choose(open_menu(start("bedroom")), OPTION)
        assert game.cursor == (7, 3)
        for _ in range(abs(presses)):
            game.press("right" if presses > 0 else "left")
        assert game.cursor == (column, 3)
        assert game.byte("wOptionsTextSpeedCursorX") == column
        game.press("start", settle=20)
        assert game.byte("wOptions") == delay
        assert game.cursor == (11, 10)


def test_options_have_a_way_out_below(start: Callable[[str], Game]) -> None:
    game = choose(open_menu(start("bedroom")), OPTION)
    rows = []
    for _ in range(5):
        rows.append(game.cursor)
        game.press("down")
    assert rows == [(7, 3), (1, 8), (1, 13), (1, 16), (7, 3)]
    game.press("right")
    game.press("up")
    game.press("up")
    game.press("a", settle=20)
    assert game.cursor == (11, 10)
    assert game.byte("wOptions") & 0xC0 == 0x80


def test_the_world_stands_still_behind_the_menu(start: Callable[[str], Game]) -> None:
    game = open_menu(start("town"))
    people = game.block("wSpriteStateData2")
    game.tick(600)
    assert game.block("wSpriteStateData2") == people


def test_a_pressed_with_down_on_the_last_row_wraps_and_opens_nothing(
    start: Callable[[str], Game],
) -> None:
    game = open_menu(start("bedroom"))
    game.press("up")
    game.hold("down")
    game.press("a", settle=20)
    game.release("down")
    assert game.cursor == (11, 2)
    assert game.byte("wCurrentMenuItem") == TEAM
    game.press("b", settle=12)
    assert is_closed(game)
