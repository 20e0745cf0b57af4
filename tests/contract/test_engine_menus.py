"""Menus and shops of the demo, and halting while it waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.contract import battles, menus, test_engine_battle_end
from tests.contract.battles import Mon
from tests.contract.game import FULL_BAG, Game, Start, halting_share
from tests.contract.menus import LIST, YES
from tests.contract.story_moments import to_the_map

TEAM, BAG, PLAYER, SAVE, OPTION, EXIT = range(6)
FONT_LOADED = 1
ENOUGH = 0.95


def open_menu(game: Game) -> Game:
    game.press("start", settle=12)
    assert game.byte("wFontLoaded") & FONT_LOADED
    return game


@pytest.fixture
def menu(start: Start) -> Game:
    """The START menu in the bedroom."""
    return open_menu(start("bedroom"))


def choose(game: Game, item: int) -> Game:
    while game.byte("wCurrentMenuItem") != item:
        game.press("down")
    return game.press("a", settle=20)


def is_closed(game: Game) -> bool:
    return not game.byte("wFontLoaded") and game.byte("hWY") == 0x90


def test_b_start_and_exit_close_the_start_menu(menu: Game) -> None:
    for button in ("b", "start"):
        assert is_closed(menu.press(button, settle=12))
        open_menu(menu)
    assert is_closed(choose(menu, EXIT))
    assert menu.step("down")


def test_the_start_menu_remembers_its_cursor(menu: Game) -> None:
    menu.press("down", "down", "down").press("b", settle=12)
    assert menu.byte("wBattleAndStartSavedMenuItem") == SAVE
    assert open_menu(menu).cursor == (11, 8)


def test_an_empty_team_changes_nothing(menu: Game) -> None:
    screen = menu.block("wTileMap")
    assert choose(menu, TEAM).block("wTileMap") == screen
    assert is_closed(menu.press("b", settle=12))


def test_the_card_names_the_player(menu: Game) -> None:
    assert "JUNO" in choose(menu, PLAYER).text
    assert "3000" in menu.text
    assert menu.press("b", settle=20).cursor == (11, 6)


def test_options_set_the_speed_of_text(menu: Game) -> None:
    for keys, column, delay in (
        (["right"], 14, 5), ([], 14, 5), (["left"], 7, 3), (["left"], 1, 1), (["left"], 1, 1),
        (["right", "right", "right"], 14, 5),
    ):  # fmt: skip
        choose(menu, OPTION).press(*keys)
        assert menu.cursor == (column, 3)
        assert menu.byte("wOptionsTextSpeedCursorX") == column
        assert menu.press("start", settle=20).byte("wOptions") == delay
        assert menu.cursor == (11, 10)


def test_options_have_a_cancel_entry_at_the_bottom(menu: Game) -> None:
    choose(menu, OPTION)
    rows = [menu.cursor, *(menu.press("down").cursor for _ in range(4))]
    assert rows == [(7, 3), (1, 8), (1, 13), (1, 16), (7, 3)]
    menu.press("down", "right", "up", "up")
    assert menu.press("a", settle=20).cursor == (11, 10)
    assert menu.byte("wOptions") & 0xC0 == 0x80


def test_the_world_stands_still_behind_the_menu(start: Start) -> None:
    game = open_menu(start("town"))
    people = game.block("wSpriteStateData2")
    assert game.tick(600).block("wSpriteStateData2") == people


def test_a_pressed_with_down_on_the_last_row_wraps_and_opens_nothing(menu: Game) -> None:
    menu.press("up").hold("down").press("a", settle=20).release("down")
    assert (menu.cursor, menu.byte("wCurrentMenuItem")) == ((11, 2), TEAM)
    assert is_closed(menu.press("b", settle=12))


def test_the_processor_halts_while_walking_too(start: Start) -> None:
    game = start("town")
    game.step("down")
    share = halting_share(game.hold("down"), 64)
    game.release("down")
    assert share >= ENOUGH


FRAMES = 120
GOODS, STOCK = (4, 20, 11), ((4, 9), (20, 3))
SHOP_GOODS = (4, 20, 11, 12, 14, 15)
MENU, SELL, QUIT = (1, 1), (1, 3), (1, 5)
COIN = 0xF0


def shop(
    start: Start, goods: Sequence[int] = GOODS, bag: Sequence[tuple[int, int]] = STOCK
) -> Game:
    """Stand before a shop clerk."""
    game = battles.hurry(start("rest house").go(3, 3).face("up"))
    game.money, game.bag = 3000, list(bag)
    return menus.open_shop(game, goods)


def shop_list(start: Start) -> Game:
    return shop(start).press("a").to_cursor(LIST)


def quantity(start: Start) -> Game:
    game = shop_list(start).press("a")
    return game.wait(lambda: game.cursor is None, 20)


def bag(start: Start) -> Game:
    return menus.open_bag(start("bedroom"), *STOCK)


def boxes(start: Start) -> Game:
    return menus.use_pc(start("rest house"), menus.BOXES_PC)


def drawer(start: Start) -> Game:
    return menus.use_pc(start("rest house"), menus.OWN_PC)


def forget_list(start: Start) -> Game:
    game = battles.hurry(start("bedroom"))
    test_engine_battle_end.reach_offer(game)
    test_engine_battle_end.answer(game, "a")
    return game


def keyboard(start: Start) -> Game:
    game = start("naming").press("a")
    return game.wait(lambda: game.byte("wNamingScreenNameLength") == 0, 120).to_cursor((1, 5))


def sign(start: Start) -> Game:
    game = start("bedroom")
    return game.go_beside(*game.signs[0]).press("a", settle=200)


def start_menu(start: Start) -> Game:
    return open_menu(start("bedroom"))


def question(start: Start) -> Game:
    game = start("lab").go(6, 4).face("up").press("a")
    return game.read_until(lambda: game.cursor == YES)


def battle(start: Start) -> Game:
    team = Mon(3, hp=300, max_hp=300, experience=1000), Mon(7, experience=1000)
    return battles.meet(battles.set_team(start("bedroom"), *team), 33, 3)


def moves(start: Start) -> Game:
    return battles.choose(battle(start), battles.FIGHT)


def team(start: Start) -> Game:
    return battles.choose(battle(start), battles.TEAM)


MOMENTS = ("title", "main menu", "naming", "bedroom", "house", "town")
SCREENS = (
    *(sign, start_menu, question, battle, moves, team),
    *(shop, shop_list, quantity, bag, boxes, drawer, forget_list, keyboard),
)


@pytest.mark.parametrize("screen", [*MOMENTS, *SCREENS])
def test_a_waiting_cartridge_halts(start: Start, screen: str | Callable[[Start], Game]) -> None:
    game = start(screen) if isinstance(screen, str) else screen(start)
    game.tick(20)
    shown = game.text
    assert halting_share(game, FRAMES) >= ENOUGH
    assert game.text == shown


@pytest.fixture
def counter(start: Start) -> Game:
    """Stand before a shop clerk, with an empty bag."""
    return shop(start, SHOP_GOODS, ())


def ask_for(game: Game, count: int, entry: tuple[int, int] = MENU) -> Game:
    """Open the goods or the own items, press A on the first entry, and count up."""
    menus.choose(game, entry).to_cursor(LIST).press("a").wait(lambda: game.cursor is None, 20)
    game.press(*["up"] * (count - 1), hold=2, settle=3)
    assert game.byte("wItemQuantity") == count
    return game


def agree(game: Game) -> str:
    """Confirm the quantity and answer yes; return the clerk's words."""
    return menus.read(game.press("a").to_cursor(YES, 200).press("a"))


def shown_cost(game: Game) -> int:
    return int(game.text.splitlines()[10][12:19].strip("#_ "))


def test_the_menu_shows_the_money(counter: Game) -> None:
    assert menus.rows(counter, 2, 6, (1, 3, 5)) == ["BUY", "SELL", "QUIT"]
    assert counter.text.splitlines()[1][12:19].strip("#_ ") == "3000"
    assert (counter.byte("wMaxMenuItem"), counter.tile(14, 1)) == (2, COIN)
    to_the_map(counter.to_cursor(MENU))


def test_the_goods_are_listed_with_their_prices(counter: Game) -> None:
    game = counter.press("a").to_cursor(LIST)
    assert (game.byte("wListMenuID"), game.byte("wListCount")) == (2, len(SHOP_GOODS))
    assert game.block("wItemList", 8) == bytes([len(SHOP_GOODS), *SHOP_GOODS, 0xFF])
    for row, item in zip((5, 7, 9, 11), SHOP_GOODS, strict=False):
        assert int(game.text.splitlines()[row][11:18].strip("#_ ")) == menus.price(game, item)


def test_buying_a_quantity_costs_its_price(counter: Game) -> None:
    game = ask_for(counter, 3)
    cost = 3 * menus.price(game, SHOP_GOODS[0])
    assert (game.tile(8, 10), shown_cost(game)) == (0xF1, cost)
    agree(game)
    assert (game.to_cursor(LIST).money, game.bag) == (3000 - cost, [(SHOP_GOODS[0], 3)])
    to_the_map(game.press("b").to_cursor(MENU))


def test_the_quantity_wraps_at_99(counter: Game) -> None:
    game = ask_for(counter, 1).press("down")
    assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (99, 99)
    assert shown_cost(game) == 99 * menus.price(game, SHOP_GOODS[0])
    assert game.press("up").byte("wItemQuantity") == 1


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_a_purchase_can_be_cancelled(counter: Game, at: str) -> None:
    game = ask_for(counter, 2)
    if at == "question":
        game.press("a").to_cursor(YES, 200)
    assert (game.press("b").to_cursor(LIST).money, game.bag) == (3000, [])


def test_a_purchase_needs_enough_money(counter: Game) -> None:
    counter.money = before = menus.price(counter, SHOP_GOODS[0]) - 1
    assert "more than" in agree(ask_for(counter, 1))
    assert (counter.to_cursor(MENU).money, counter.bag) == (before, [])


def test_a_full_bag_takes_nothing_more(counter: Game) -> None:
    counter.bag = FULL_BAG
    assert "bag" in agree(ask_for(counter, 1))
    assert (counter.to_cursor(MENU).money, counter.bag) == (3000, FULL_BAG)


def test_more_than_99_items_begin_another_stack(counter: Game) -> None:
    counter.bag, counter.money = [(SHOP_GOODS[0], 98)], 999_999
    agree(ask_for(counter, 3))
    assert counter.bag == [(SHOP_GOODS[0], 99), (SHOP_GOODS[0], 2)]


def test_selling_pays_half_the_price(counter: Game) -> None:
    counter.bag = [(20, 5)]
    game = ask_for(counter, 2, SELL)
    worth = 2 * (menus.price(game, 20) // 2)
    assert game.byte("wMaxItemQuantity") == 5
    agree(game)
    assert (game.to_cursor(LIST).money, game.bag) == (3000 + worth, [(20, 3)])


@pytest.mark.parametrize("item", [menus.PARCEL, 1])
def test_an_item_without_a_price_cannot_be_sold(counter: Game, item: int) -> None:
    counter.bag = [(item, 1)]
    assert "price" in menus.read(menus.choose(counter, SELL).to_cursor(LIST).press("a"))
    assert counter.to_cursor(MENU).bag == [(item, 1)]


def test_an_empty_bag_sells_nothing(counter: Game) -> None:
    assert "empty" in menus.read(menus.choose(counter, SELL))
    menus.choose(counter.to_cursor(MENU), QUIT).tick(60).press("b", settle=30)
    assert counter.is_free
