"""Lists that scroll, and texts that print what RAM holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.conftest import LETTERS, halting_share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.contract.conftest import Game

BAG = 1
ITEMS = (4, 11, 19, 20, 29)
ENOUGH = 0.95


def item_name(game: Game, item: int) -> str:
    names = game.rom(1, 0x472B, 2000).split(b"\x50")
    return "".join(LETTERS[letter] for letter in names[item - 1])


def open_bag(game: Game, items: Sequence[int] = ITEMS) -> Game:
    data = [len(items), *(byte for item in items for byte in (item, item)), 0xFF]
    for offset, byte in enumerate(data):
        game.poke("wNumBagItems", byte, offset)
    game.press("start", settle=20)
    while game.byte("wCurrentMenuItem") != BAG:
        game.press("down")
    game.press("a", settle=20)
    return game


def rows(game: Game) -> list[str]:
    return [game.text.splitlines()[y][6:18].strip() for y in (4, 6, 8, 10)]


def test_four_names_are_seen_and_counted(start: Callable[[str], Game]) -> None:
    game = open_bag(start("bedroom"))
    assert rows(game) == [item_name(game, item) for item in ITEMS[:4]]
    assert [int(game.text.splitlines()[y][15:17]) for y in (5, 7, 9, 11)] == list(ITEMS[:4])
    assert game.cursor == (5, 4)
    assert (game.byte("wListCount"), game.byte("wMaxMenuItem")) == (5, 2)
    assert game.tile(18, 11) == 0xEE
    assert halting_share(game, 100) >= ENOUGH


def test_the_list_scrolls_under_the_third_row(start: Callable[[str], Game]) -> None:
    game = open_bag(start("bedroom"))
    words = [*(item_name(game, item) for item in ITEMS), "CANCEL"]
    for index in (*range(1, 6), 5, *range(4, -1, -1), 0):
        game.press("down" if game.byte("wListScrollOffset") + row(game) < index else "up")
        if index == 5 and game.byte("wListScrollOffset") + row(game) < 5:
            game.press("down")
        assert game.byte("wListScrollOffset") + row(game) == index
        assert rows(game)[row(game)] == words[index]
        assert game.cursor == (5, 4 + 2 * row(game))


def row(game: Game) -> int:
    return game.byte("wCurrentMenuItem")


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_short_lists_end_with_cancel(start: Callable[[str], Game], count: int) -> None:
    game = open_bag(start("bedroom"), ITEMS[:count])
    assert game.byte("wMaxMenuItem") == min(count, 2)
    assert rows(game)[count] == "CANCEL"
    for _ in range(count + 1):
        game.press("down")
    assert game.byte("wListScrollOffset") + row(game) == count
    game.press("a", settle=20)
    assert game.cursor == (11, 4)


def test_an_item_is_chosen_and_the_list_comes_back(start: Callable[[str], Game]) -> None:
    game = open_bag(start("bedroom"))
    game.press("down")
    game.press("a", settle=4)
    assert game.byte("wCurItem") == ITEMS[1]
    assert game.byte("wWhichPokemon") == 1
    assert game.byte("wMenuExitMethod") == 1
    game.wait(lambda: game.cursor == (14, 11), 20)
    game.press("b", settle=20)
    assert game.cursor == (5, 6)
    game.press("b", settle=20)
    assert game.byte("wMenuExitMethod") == 2
    assert game.byte("wBagSavedMenuItem") == 1
    assert game.cursor == (11, 4)
