"""The menus of bag and shop on the running cartridge, as the readers decode them."""

from __future__ import annotations

import pytest

from emulator import MenuKind, Phase
from tests.contract import battles, menus
from tests.contract.battles import Mon
from tests.contract.game import Game, Start
from tests.contract.menus import LIST, PARTY, TOSS, USE, YES

STACKS = ((4, 9), (11, 1), (12, 1), (13, 1), (20, 3))
GOODS = (4, 20, 11, 12, 14, 15)


@pytest.fixture
def hurt(bedroom: Game) -> Game:
    battles.set_team(bedroom, Mon(3, hp=5), Mon(7))
    return bedroom


@pytest.fixture
def counter(start: Start) -> Game:
    game = start("rest house").go(3, 3).face("up")
    battles.hurry(game)
    game.bag = STACKS
    return menus.open_shop(game, GOODS)


def test_the_bag_is_read_entry_by_entry(hurt: Game) -> None:
    game = menus.open_bag(hurt, *STACKS)
    for _ in range(3):
        game.press("down")
    read = game.state
    assert read.menu is not None
    assert read.menu.kind is MenuKind.ITEMS
    assert (read.menu.list_offset, read.menu.index, read.menu.list_count) == (1, 3, 5)
    assert read.list_entries == tuple(item for item, _ in STACKS)
    assert read.bag.items == STACKS


def test_an_item_is_used_through_known_menus(hurt: Game) -> None:
    game = menus.open_bag(hurt, (20, 3))
    game.press("a")
    assert game.to_cursor(USE).menu_kind() is MenuKind.USE_TOSS
    game.press("a")
    assert game.to_cursor(PARTY).menu_kind() is MenuKind.PARTY
    assert game.state.list_entries == ()


def test_the_toss_quantity_is_read(hurt: Game) -> None:
    game = menus.open_bag(hurt, *STACKS)
    game.press("a")
    menus.choose(game.to_cursor(USE), TOSS)
    game.press("up")
    menu = game.state.menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 2, 9)
    game.press("a")
    assert game.to_cursor(YES, 200).menu_kind() is MenuKind.YES_NO


def test_a_shop_is_read_from_its_menu_to_its_question(counter: Game) -> None:
    game = counter
    assert game.menu_kind() is MenuKind.MART
    game.press("a")
    read = game.to_cursor(LIST).state
    assert read.menu is not None
    assert read.menu.kind is MenuKind.PRICED_ITEMS
    assert read.list_entries == GOODS
    game.press("a", "up")
    menu = game.state.menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 2, 99)
    game.press("a")
    assert game.to_cursor(YES, 200).menu_kind() is MenuKind.YES_NO


def test_the_sell_menu_is_read(counter: Game) -> None:
    game = menus.choose(counter, (1, 3))
    read = game.to_cursor(LIST).state
    assert read.menu is not None
    assert read.menu.kind is MenuKind.ITEMS
    assert read.list_entries == tuple(item for item, _ in STACKS)
    game.press("a", "down")
    menu = game.state.menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 9, 9)


def test_the_bag_in_battle_is_a_battle_phase(hurt: Game) -> None:
    game = battles.meet(hurt, 33, 5)
    game.bag = STACKS
    battles.choose(game, battles.BAG)
    read = game.to_cursor(LIST).state
    assert read.battle is not None
    assert read.battle.phase is Phase.BAG
    assert read.list_entries == tuple(item for item, _ in STACKS)
    for _ in range(4):
        game.press("down")
    game.press("a")
    read = game.to_cursor(PARTY).state
    assert read.battle is not None
    assert read.battle.phase is Phase.PARTY
