"""The processor sleeps in menus that open over the map or a battle, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, pcs, test_engine_learning, things
from tests.contract.conftest import halting_share
from tests.contract.test_engine_idle import ENOUGH

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

FRAMES = 120
GOODS, STOCK = (4, 20, 11), ((4, 9), (20, 3))


def rest_house(start: Callable[[str], Game]) -> Game:
    game = start("rest house").go(3, 3).face("up")
    battles.hurry(game)
    things.set_money(game, 3000)
    return things.fill_bag(game, *STOCK)


def shop(start: Callable[[str], Game]) -> Game:
    return things.open_shop(rest_house(start), GOODS)


def wares(start: Callable[[str], Game]) -> Game:
    game = shop(start)
    game.press("a")
    return things.to_cursor(game, things.LIST)


def quantity(start: Callable[[str], Game]) -> Game:
    game = wares(start)
    game.press("a")
    game.wait(lambda: game.cursor is None, 20)
    return game


def bag(start: Callable[[str], Game]) -> Game:
    return things.open_bag(start("bedroom"), *STOCK)


def boxes(start: Callable[[str], Game]) -> Game:
    return pcs.use(start("rest house"), pcs.BOXES_PC)


def drawer(start: Callable[[str], Game]) -> Game:
    return pcs.use(start("rest house"), pcs.OWN_PC)


def forget_list(start: Callable[[str], Game]) -> Game:
    game, _ = test_engine_learning.asked(start)
    return test_engine_learning.answer(game, "a")


def keyboard(start: Callable[[str], Game]) -> Game:
    game = start("naming")
    game.press("a")
    game.wait(lambda: game.byte("wNamingScreenNameLength") == 0 and game.cursor == (1, 5), 120)
    return game


@pytest.mark.parametrize(
    "screen", [shop, wares, quantity, bag, boxes, drawer, forget_list, keyboard]
)
def test_a_waiting_menu_halts(
    start: Callable[[str], Game], screen: Callable[[Callable[[str], Game]], Game]
) -> None:
    game = screen(start)
    game.tick(20)
    shown = game.text
    assert halting_share(game, FRAMES) >= ENOUGH
    assert game.text == shown
