"""Menus and shops of the demo, and halting while it waits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contract import battles, menus, test_engine_battle_end
from tests.contract.battles import Mon
from tests.contract.game import Game, Start, halting_share
from tests.contract.menus import LIST, YES
from tests.contract.story_moments import read_on, to_the_map

TEAM, BAG, PLAYER, SAVE, OPTION, EXIT = range(6)
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


def test_b_start_and_exit_close_the_start_menu(start: Start) -> None:
    for button in ("b", "start"):
        game = open_menu(start("bedroom"))
        game.press(button, settle=12)
        assert is_closed(game)
    game = choose(open_menu(start("bedroom")), EXIT)
    assert is_closed(game)
    assert game.step("down")


def test_the_start_menu_remembers_its_cursor(start: Start) -> None:
    game = open_menu(start("bedroom"))
    for _ in range(3):
        game.press("down")
    game.press("b", settle=12)
    assert game.byte("wBattleAndStartSavedMenuItem") == SAVE
    open_menu(game)
    assert game.cursor == (11, 8)


def test_an_empty_team_changes_nothing(start: Start) -> None:
    game = open_menu(start("bedroom"))
    screen = game.block("wTileMap")
    choose(game, TEAM)
    assert game.block("wTileMap") == screen
    game.press("b", settle=12)
    assert is_closed(game)


def test_the_card_names_the_player(start: Start) -> None:
    game = choose(open_menu(start("bedroom")), PLAYER)
    assert "JUNO" in game.text
    assert "3000" in game.text
    game.press("b", settle=20)
    assert game.cursor == (11, 6)


def test_options_set_the_speed_of_text(start: Start) -> None:
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


def test_options_have_a_cancel_entry_at_the_bottom(start: Start) -> None:
    game = choose(open_menu(start("bedroom")), OPTION)
    rows = []
    for _ in range(5):
        rows.append(game.cursor)
        game.press("down")
    assert rows == [(7, 3), (1, 8), (1, 13), (1, 16), (7, 3)]
    game.press("right", "up", "up").press("a", settle=20)
    assert game.cursor == (11, 10)
    assert game.byte("wOptions") & 0xC0 == 0x80


def test_the_world_stands_still_behind_the_menu(start: Start) -> None:
    game = open_menu(start("town"))
    people = game.block("wSpriteStateData2")
    game.tick(600)
    assert game.block("wSpriteStateData2") == people


def test_a_pressed_with_down_on_the_last_row_wraps_and_opens_nothing(start: Start) -> None:
    game = open_menu(start("bedroom"))
    game.press("up").hold("down").press("a", settle=20).release("down")
    assert game.cursor == (11, 2)
    assert game.byte("wCurrentMenuItem") == TEAM
    game.press("b", settle=12)
    assert is_closed(game)


ENOUGH = 0.95


def test_the_processor_halts_while_walking_too(start: Start) -> None:
    game = start("town")
    game.step("down")
    game.hold("down")
    share = halting_share(game, 64)
    game.release("down")
    assert share >= ENOUGH


FRAMES = 120
GOODS, STOCK = (4, 20, 11), ((4, 9), (20, 3))


def rest_house(start: Start) -> Game:
    game = start("rest house").go(3, 3).face("up")
    battles.hurry(game)
    game.money = 3000
    game.bag = STOCK
    return game


def shop(start: Start) -> Game:
    return menus.open_shop(rest_house(start), GOODS)


def shop_list(start: Start) -> Game:
    game = shop(start)
    game.press("a")
    return game.to_cursor(menus.LIST)


def quantity(start: Start) -> Game:
    game = shop_list(start)
    game.press("a").wait(lambda: game.cursor is None, 20)
    return game


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
    game = start("naming")
    game.press("a")
    game.wait(lambda: game.byte("wNamingScreenNameLength") == 0 and game.cursor == (1, 5), 120)
    return game


def sign(start: Start) -> Game:
    game = start("bedroom").go_beside(*start("bedroom").signs[0])
    game.press("a", settle=200)
    return game


def start_menu(start: Start) -> Game:
    return open_menu(start("bedroom"))


def question(start: Start) -> Game:
    game = start("lab").go(6, 4).face("up")
    game.press("a")
    return read_on(game, lambda: game.cursor == YES)


def battle(start: Start) -> Game:
    game = start("bedroom")
    battles.set_team(game, Mon(3, hp=300, max_hp=300, experience=1000), Mon(7, experience=1000))
    return battles.meet(game, 33, 3)


def moves(start: Start) -> Game:
    return battles.choose(battle(start), battles.FIGHT)


def team(start: Start) -> Game:
    return battles.choose(battle(start), battles.TEAM)


STATIONS = ("title", "main menu", "naming", "bedroom", "house", "town")
SCREENS = (
    *(sign, start_menu, question, battle, moves, team),
    *(shop, shop_list, quantity, bag, boxes, drawer, forget_list, keyboard),
)


@pytest.mark.parametrize("screen", [*STATIONS, *SCREENS])
def test_a_waiting_cartridge_halts(start: Start, screen: str | Callable[[Start], Game]) -> None:
    game = start(screen) if isinstance(screen, str) else screen(start)
    game.tick(20)
    shown = game.text
    assert halting_share(game, FRAMES) >= ENOUGH
    assert game.text == shown


SHOP_GOODS = (4, 20, 11, 12, 14, 15)
MENU, SELL, QUIT = (1, 1), (1, 3), (1, 5)
COIN = 0xF0


@pytest.fixture
def counter(start: Start) -> Game:
    """Stand before a shop clerk, with an empty bag."""
    game = start("rest house").go(3, 3).face("up")
    battles.hurry(game)
    game.money = 3000
    game.bag = []
    return menus.open_shop(game, SHOP_GOODS)


def open_goods(game: Game) -> Game:
    game.press("a")
    return game.to_cursor(LIST)


def ask_for(game: Game, count: int) -> Game:
    """Press A on an entry, and count up."""
    game.press("a").wait(lambda: game.cursor is None, 20)
    for _ in range(count - 1):
        game.press("up", hold=2, settle=3)
    assert game.byte("wItemQuantity") == count
    return game


def shown_cost(game: Game) -> int:
    return int(game.text.splitlines()[10][12:19].strip("#_ "))


def test_the_menu_shows_the_money(counter: Game) -> None:
    rows = counter.text.splitlines()
    assert [rows[y][2:6].strip() for y in (1, 3, 5)] == ["BUY", "SELL", "QUIT"]
    assert rows[1][12:19].strip("#_ ") == "3000"
    assert (counter.byte("wMaxMenuItem"), counter.tile(14, 1)) == (2, COIN)
    to_the_map(counter.to_cursor(MENU))


def test_the_goods_are_listed_with_their_prices(counter: Game) -> None:
    game = open_goods(counter)
    assert (game.byte("wListMenuID"), game.byte("wListCount")) == (2, len(SHOP_GOODS))
    assert game.block("wItemList", 8) == bytes([len(SHOP_GOODS), *SHOP_GOODS, 0xFF])
    for row, item in zip((5, 7, 9, 11), SHOP_GOODS, strict=False):
        assert int(game.text.splitlines()[row][11:18].strip("#_ ")) == menus.price(game, item)


def test_buying_a_quantity_costs_its_price(counter: Game) -> None:
    game = ask_for(open_goods(counter), 3)
    cost = 3 * menus.price(game, SHOP_GOODS[0])
    assert game.tile(8, 10) == 0xF1
    assert shown_cost(game) == cost
    menus.read(game.press("a").to_cursor(YES, 200).press("a"))
    game.to_cursor(LIST)
    assert game.money == 3000 - cost
    assert game.bag == [(SHOP_GOODS[0], 3)]
    game.press("b")
    to_the_map(game.to_cursor(MENU))


def test_the_quantity_wraps_at_99(counter: Game) -> None:
    game = ask_for(open_goods(counter), 1)
    game.press("down")
    assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (99, 99)
    assert shown_cost(game) == 99 * menus.price(game, SHOP_GOODS[0])
    game.press("up")
    assert game.byte("wItemQuantity") == 1


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_a_purchase_can_be_cancelled(counter: Game, at: str) -> None:
    game = ask_for(open_goods(counter), 2)
    if at == "question":
        game.press("a").to_cursor(YES, 200)
    game.press("b").to_cursor(LIST)
    assert (game.money, game.bag) == (3000, [])


def test_a_purchase_needs_enough_money(counter: Game) -> None:
    counter.money = menus.price(counter, SHOP_GOODS[0]) - 1
    game = ask_for(open_goods(counter), 1)
    before = game.money
    game.press("a").to_cursor(YES, 200).press("a")
    assert "more than" in menus.read(game)
    game.to_cursor(MENU)
    assert (game.money, game.bag) == (before, [])


def test_a_full_bag_takes_nothing_more(counter: Game) -> None:
    stacks = [(item, 1) for item in range(30, 50)]
    counter.bag = stacks
    game = ask_for(open_goods(counter), 1)
    game.press("a").to_cursor(YES, 200).press("a")
    assert "bag" in menus.read(game)
    game.to_cursor(MENU)
    assert (game.money, game.bag) == (3000, stacks)


def test_more_than_99_items_begin_another_stack(counter: Game) -> None:
    counter.bag = [(SHOP_GOODS[0], 98)]
    counter.money = 999_999
    game = ask_for(open_goods(counter), 3)
    menus.read(game.press("a").to_cursor(YES, 200).press("a"))
    assert game.bag == [(SHOP_GOODS[0], 99), (SHOP_GOODS[0], 2)]


def open_own(game: Game, *stacks: tuple[int, int]) -> Game:
    game.bag = stacks
    menus.choose(game, SELL)
    return game.to_cursor(LIST)


def test_selling_pays_half_the_price(counter: Game) -> None:
    game = ask_for(open_own(counter, (20, 5)), 2)
    worth = 2 * (menus.price(game, 20) // 2)
    assert game.byte("wMaxItemQuantity") == 5
    menus.read(game.press("a").to_cursor(YES, 200).press("a"))
    game.to_cursor(LIST)
    assert (game.money, game.bag) == (3000 + worth, [(20, 3)])


@pytest.mark.parametrize("item", [menus.PARCEL, 1])
def test_an_item_without_a_price_cannot_be_sold(counter: Game, item: int) -> None:
    game = open_own(counter, (item, 1))
    game.press("a")
    assert "price" in menus.read(game)
    game.to_cursor(MENU)
    assert game.bag == [(item, 1)]


def test_an_empty_bag_sells_nothing(counter: Game) -> None:
    menus.choose(counter, SELL)
    assert "empty" in menus.read(counter)
    menus.choose(counter.to_cursor(MENU), QUIT)
    counter.tick(60).press("b", settle=30)
    assert counter.is_free
