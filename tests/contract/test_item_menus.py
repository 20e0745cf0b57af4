"""The menus of bag and shop on the running cartridge, as the readers decode them."""

from __future__ import annotations

import pytest

from emulator import MenuKind, Phase
from tests.contract import battles, growing, pcs, things
from tests.contract.battles import Mon
from tests.contract.game import Game, Start
from tests.contract.things import LIST, PARTY, TOSS, USE, YES

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
    things.fill_bag(game, *STACKS)
    return things.open_shop(game, GOODS)


def test_the_bag_is_read_entry_by_entry(hurt: Game) -> None:
    game = things.open_bag(hurt, *STACKS)
    for _ in range(3):
        game.press("down")
    read = growing.state(game)
    assert read.menu is not None
    assert read.menu.kind is MenuKind.ITEMS
    assert (read.menu.list_offset, read.menu.index, read.menu.list_count) == (1, 3, 5)
    assert read.list_entries == tuple(item for item, _ in STACKS)
    assert read.bag.items == STACKS


def test_an_item_is_used_through_known_menus(hurt: Game) -> None:
    game = things.open_bag(hurt, (20, 3))
    game.press("a")
    assert pcs.kind(things.to_cursor(game, USE)) is MenuKind.USE_TOSS
    game.press("a")
    assert pcs.kind(things.to_cursor(game, PARTY)) is MenuKind.PARTY
    assert growing.state(game).list_entries == ()


def test_the_toss_quantity_is_read(hurt: Game) -> None:
    game = things.open_bag(hurt, *STACKS)
    game.press("a")
    things.choose(things.to_cursor(game, USE), TOSS)
    game.press("up")
    menu = growing.state(game).menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 2, 9)
    game.press("a")
    assert pcs.kind(things.to_cursor(game, YES, 200)) is MenuKind.YES_NO


def test_a_shop_is_read_from_its_menu_to_its_question(counter: Game) -> None:
    game = counter
    assert pcs.kind(game) is MenuKind.MART
    game.press("a")
    read = growing.state(things.to_cursor(game, LIST))
    assert read.menu is not None
    assert read.menu.kind is MenuKind.PRICED_ITEMS
    assert read.list_entries == GOODS
    game.press("a")
    game.press("up")
    menu = growing.state(game).menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 2, 99)
    game.press("a")
    assert pcs.kind(things.to_cursor(game, YES, 200)) is MenuKind.YES_NO


def test_the_sell_menu_is_read(counter: Game) -> None:
    game = things.choose(counter, (1, 3))
    read = growing.state(things.to_cursor(game, LIST))
    assert read.menu is not None
    assert read.menu.kind is MenuKind.ITEMS
    assert read.list_entries == tuple(item for item, _ in STACKS)
    game.press("a")
    game.press("down")
    menu = growing.state(game).menu
    assert menu is not None
    assert (menu.kind, menu.index, menu.maximum) == (MenuKind.QUANTITY, 9, 9)


def test_the_bag_in_battle_is_a_battle_phase(hurt: Game) -> None:
    game = battles.meet(hurt, 33, 5)
    things.fill_bag(game, *STACKS)
    battles.choose(game, battles.BAG)
    read = growing.state(things.to_cursor(game, LIST))
    assert read.battle is not None
    assert read.battle.phase is Phase.BAG
    assert read.list_entries == tuple(item for item, _ in STACKS)
    for _ in range(4):
        game.press("down")
    game.press("a")
    read = growing.state(things.to_cursor(game, PARTY))
    assert read.battle is not None
    assert read.battle.phase is Phase.PARTY
