"""A shop: what it sells, what it pays, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, things
from tests.contract.things import LIST, YES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

GOODS = (4, 20, 11, 12, 14, 15)
MENU, SELL, QUIT = (1, 1), (1, 3), (1, 5)
COIN = 0xF0


@pytest.fixture
def counter(start: Callable[[str], Game]) -> Game:
    """Stand before somebody who sells, with nothing in the bag."""
    game = start("rest house").go(3, 3).face("up")
    battles.hurry(game)
    things.set_money(game, 3000)
    things.fill_bag(game)
    return things.open_shop(game, GOODS)


def open_goods(game: Game) -> Game:
    game.press("a")
    return things.to_cursor(game, LIST)


def ask_for(game: Game, count: int) -> Game:
    """Press A on an entry, and count up."""
    game.press("a")
    game.wait(lambda: game.cursor is None, 20)
    for _ in range(count - 1):
        game.press("up", hold=2, settle=3)
    assert game.byte("wItemQuantity") == count
    return game


def shown_cost(game: Game) -> int:
    return int(game.text.splitlines()[10][12:19].strip("#_ "))


def leave(game: Game) -> None:
    things.to_cursor(game, MENU).press("b")
    for _ in range(20):
        if game.is_free:
            return
        game.press("b", settle=20)
    pytest.fail(game.text)


def test_the_menu_shows_the_money(counter: Game) -> None:
    rows = counter.text.splitlines()
    assert [rows[y][2:6].strip() for y in (1, 3, 5)] == ["BUY", "SELL", "QUIT"]
    assert rows[1][12:19].strip("#_ ") == "3000"
    assert (counter.byte("wMaxMenuItem"), counter.tile(14, 1)) == (2, COIN)
    leave(counter)


def test_the_goods_are_listed_with_their_prices(counter: Game) -> None:
    game = open_goods(counter)
    assert (game.byte("wListMenuID"), game.byte("wListCount")) == (2, len(GOODS))
    assert game.block("wItemList", 8) == bytes([len(GOODS), *GOODS, 0xFF])
    for row, item in zip((5, 7, 9, 11), GOODS, strict=False):
        assert int(game.text.splitlines()[row][11:18].strip("#_ ")) == things.price(game, item)


def test_one_buys_so_many_and_pays_for_them(counter: Game) -> None:
    game = ask_for(open_goods(counter), 3)
    cost = 3 * things.price(game, GOODS[0])
    assert game.tile(8, 10) == 0xF1
    assert shown_cost(game) == cost
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    things.read(game)
    things.to_cursor(game, LIST)
    assert things.money(game) == 3000 - cost
    assert things.bag(game) == [(GOODS[0], 3)]
    game.press("b")
    leave(game)


def test_the_quantity_wraps_at_99(counter: Game) -> None:
    game = ask_for(open_goods(counter), 1)
    game.press("down")
    assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (99, 99)
    assert shown_cost(game) == 99 * things.price(game, GOODS[0])
    game.press("up")
    assert game.byte("wItemQuantity") == 1


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_a_purchase_can_be_given_up(counter: Game, at: str) -> None:
    game = ask_for(open_goods(counter), 2)
    if at == "question":
        game.press("a")
        things.to_cursor(game, YES, 200)
    game.press("b")
    things.to_cursor(game, LIST)
    assert (things.money(game), things.bag(game)) == (3000, [])


def test_who_has_too_little_gets_nothing(counter: Game) -> None:
    things.set_money(counter, things.price(counter, GOODS[0]) - 1)
    game = ask_for(open_goods(counter), 1)
    before = things.money(game)
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    assert "more than" in things.read(game)
    things.to_cursor(game, MENU)
    assert (things.money(game), things.bag(game)) == (before, [])


def test_a_full_bag_takes_nothing_more(counter: Game) -> None:
    stacks = [(item, 1) for item in range(30, 50)]
    things.fill_bag(counter, *stacks)
    game = ask_for(open_goods(counter), 1)
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    assert "bag" in things.read(game)
    things.to_cursor(game, MENU)
    assert (things.money(game), things.bag(game)) == (3000, stacks)


def test_what_goes_over_99_begins_another_stack(counter: Game) -> None:
    things.fill_bag(counter, (GOODS[0], 98))
    things.set_money(counter, 999_999)
    game = ask_for(open_goods(counter), 3)
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    things.read(game)
    assert things.bag(game) == [(GOODS[0], 99), (GOODS[0], 2)]


def test_the_list_stays_scrolled_between_purchases(counter: Game) -> None:
    game = open_goods(counter)
    for _ in range(4):
        game.press("down")
    assert (game.byte("wListScrollOffset"), game.byte("wCurrentMenuItem")) == (2, 2)
    ask_for(game, 1).press("b")
    things.to_cursor(game, LIST)
    assert (game.byte("wListScrollOffset"), game.byte("wCurrentMenuItem")) == (2, 0)
    ask_for(game, 1)
    assert game.byte("wCurItem") == GOODS[2]


def open_own(game: Game, *stacks: tuple[int, int]) -> Game:
    things.fill_bag(game, *stacks)
    things.choose(game, SELL)
    return things.to_cursor(game, LIST)


def test_it_pays_half(counter: Game) -> None:
    game = ask_for(open_own(counter, (20, 5)), 2)
    worth = 2 * (things.price(game, 20) // 2)
    assert game.byte("wMaxItemQuantity") == 5
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    things.read(game)
    things.to_cursor(game, LIST)
    assert (things.money(game), things.bag(game)) == (3000 + worth, [(20, 3)])


@pytest.mark.parametrize("item", [things.PARCEL, 1])
def test_it_refuses_what_has_no_price(counter: Game, item: int) -> None:
    game = open_own(counter, (item, 1))
    game.press("a")
    assert "price" in things.read(game)
    things.to_cursor(game, MENU)
    assert things.bag(game) == [(item, 1)]


def test_an_empty_bag_sells_nothing(counter: Game) -> None:
    things.choose(counter, SELL)
    assert "empty" in things.read(counter)
    things.to_cursor(counter, MENU)
    things.choose(counter, QUIT)
    counter.tick(60)
    counter.press("b", settle=30)
    assert counter.is_free
