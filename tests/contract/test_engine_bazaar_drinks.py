"""The machine on the roof of the bazaar, and the guard who wants one of its drinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from emulator import MenuKind
from tests.contract import battles, pcs
from tests.contract.chapter import bag, empty_bag, enter, fill_bag, through_the_door
from tests.contract.things import money, set_money

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

ROOF, GATE, LANE = 126, 76, 27
MACHINE, CURSOR = (4, 1), (1, 5)
WATER, SODA, LEMONADE = 60, 61, 62
PRICES: Final = {WATER: 200, SODA: 300, LEMONADE: 350}
NONE_OF_THEM = 3
DRINK_GIVEN: Final = 0x40  # of wStatusFlags1
GUARD = 1


@pytest.fixture
def roof(start: Callable[[str], Game]) -> Game:
    game = through_the_door(start, ROOF)
    battles.hurry(game)
    empty_bag(game)
    set_money(game, 1000)
    return game.go_beside(*MACHINE)


def menu(game: Game) -> Game:
    game.press("a")
    return pcs.to(game, CURSOR)


def choose(game: Game, row: int) -> None:
    pcs.choose(game, row, None)
    game.read_to_the_end()


def test_the_table_of_prices_is_the_contracts(roof: Game) -> None:
    data = battles.table(roof, "VendingPrices", 0, 12)
    assert {data[i]: int(data[i + 1 : i + 4].hex()) for i in (0, 4, 8)} == PRICES


def test_the_menu_stands_where_the_contract_has_it(roof: Game) -> None:
    menu(roof)
    assert roof.byte("wMaxMenuItem") == NONE_OF_THEM
    assert pcs.kind(roof) is MenuKind.VENDING
    assert pcs.rows(roof, 2, 13, (11,)) == ["CANCEL"]
    assert "350" in roof.text.splitlines()[10]


@pytest.mark.parametrize(("row", "item"), list(enumerate(PRICES)))
def test_a_drink_costs_its_price(roof: Game, row: int, item: int) -> None:
    choose(menu(roof), row)
    assert bag(roof) == {item: 1}
    assert money(roof) == 1000 - PRICES[item]
    assert roof.is_free


def test_cancel_and_b_buy_nothing(roof: Game) -> None:
    choose(menu(roof), NONE_OF_THEM)
    menu(roof).press("b")
    roof.read_to_the_end()
    assert (bag(roof), money(roof), roof.is_free) == ({}, 1000, True)


def test_neither_the_poor_nor_a_full_bag_get_one(roof: Game) -> None:
    set_money(roof, 299)
    choose(menu(roof), 1)
    assert (bag(roof), money(roof)) == ({}, 299)
    fill_bag(roof)
    choose(menu(roof), 0)
    assert WATER not in bag(roof)
    assert money(roof) == 299


@pytest.fixture
def gate(start: Callable[[str], Game]) -> Game:
    game = through_the_door(start, GATE)
    battles.hurry(game)
    empty_bag(game)
    return game.go(2, 3)


def come_up(game: Game) -> list[str]:
    """Step onto the guard's square, and return what he says."""
    game.hold("right")
    game.wait(lambda: bool(game.byte("wFontLoaded")), 60)
    game.release("right")
    return game.read_to_the_end()


@pytest.mark.parametrize("row", [3, 4])
def test_without_a_drink_one_is_sent_back_a_step(gate: Game, row: int) -> None:
    gate.go(2, row)
    for _ in range(2):
        come_up(gate)
        gate.wait(lambda: gate.is_free and gate.place.x == 2, 120)
    assert not gate.byte("wStatusFlags1") & DRINK_GIVEN


@pytest.mark.parametrize("drink", list(PRICES))
def test_any_drink_is_taken_and_opens_the_way_for_good(gate: Game, drink: int) -> None:
    empty_bag(gate, drink)
    come_up(gate)
    assert gate.byte("wStatusFlags1") & DRINK_GIVEN
    assert bag(gate) == {}
    assert (gate.place.x, gate.place.y) == (3, 3)
    gate.go(2, 4)
    gate.go(5, 4)
    enter(gate, "right", LANE)


def test_the_first_drink_of_the_list_goes_first(gate: Game) -> None:
    pcs.set_list(gate, "wNumBagItems", (LEMONADE, 1), (WATER, 2))
    come_up(gate)
    assert bag(gate) == {LEMONADE: 1, WATER: 1}


def test_he_drinks_when_asked_across_his_counter_too(gate: Game) -> None:
    empty_bag(gate, SODA)
    come_up(gate)
    gate.face("up").press("a")
    assert "good" in " ".join(gate.read_to_the_end())
    assert gate.byte("wStatusFlags1") & DRINK_GIVEN
