"""The PC's first menu, and the player's own PC: things in and out of the drawer, so many at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from emulator import MenuKind
from tests.contract import battles, pcs
from tests.contract.battles import Mon
from tests.contract.pcs import CORNER

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

WITHDRAW, DEPOSIT, TOSS, LOG_OFF = range(4)
LIST, YES = (5, 4), (15, 8)
DROP, POT, KEY = 20, 19, 70
BAG, STORE = "wNumBagItems", "wNumBoxItems"


@pytest.fixture
def pc(start: Callable[[str], Game]) -> Game:
    """Give the menu of the player's own PC."""
    game = start("rest house")
    battles.set_team(game, Mon(3))
    pcs.set_list(game, BAG, (DROP, 5), (KEY, 1))
    pcs.set_list(game, STORE, (DROP, 90), (POT, 3), (KEY, 1))
    return pcs.use(game, pcs.OWN_PC)


def ask(game: Game, menu: int, entry: int) -> Game:
    """Choose an entry of a list, and come to the question how many."""
    pcs.choose(game, menu, LIST)
    pcs.choose(game, entry, None)
    game.wait(lambda: pcs.kind(game) is MenuKind.QUANTITY, 60)
    return game


def count(game: Game) -> int:
    """Return the quantity that stands in the box, which must be the one in RAM."""
    shown = int(game.text.splitlines()[10][17:19])
    assert shown == game.byte("wItemQuantity")
    return shown


def test_one_pc_serves_all(start: Callable[[str], Game]) -> None:
    game = start("rest house")
    battles.set_team(game, Mon(3))
    pcs.use(game, pcs.ANY_PC)
    assert pcs.kind(game) is MenuKind.PC
    assert game.byte("wMaxMenuItem") == 2
    assert pcs.rows(game, 2, 15, (2, 4, 6)) == ["HAZEL's PC", "JUNO's PC", "LOG OFF"]
    pcs.choose(game, 0, None)
    pcs.to(game, CORNER)
    assert pcs.kind(game) is MenuKind.BILLS_PC
    game.press("b", settle=20)
    pcs.choose(game, 1, None)
    pcs.to(game, CORNER)
    assert pcs.kind(game) is MenuKind.PLAYER_PC
    game.press("b", settle=20)
    assert pcs.kind(game) is MenuKind.PC
    pcs.choose(game, 2, None)
    game.wait(lambda: game.is_free, 60)
    assert game.step("down")


def test_the_menu_is_where_the_contract_has_it(pc: Game) -> None:
    assert pcs.kind(pc) is MenuKind.PLAYER_PC
    assert pc.byte("wMaxMenuItem") == 3
    words = pcs.rows(pc, 2, 15, (2, 4, 6, 8))
    assert words == ["WITHDRAW", "DEPOSIT", "TOSS", "LOG OFF"]


def test_the_number_turns_with_new_presses_and_wraps(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    assert (count(pc), pc.byte("wMaxItemQuantity")) == (1, 3)
    assert pc.cursor is None
    for button, number in (("up", 2), ("up", 3), ("up", 1), ("down", 3), ("down", 2)):
        pc.press(button)
        assert count(pc) == number
    pc.press("up", hold=60)
    assert count(pc) == 3


def test_things_are_taken_out(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    pc.press("up")
    pc.press("a")
    assert pcs.said(pc) == "JUNO took out HONEY POT."
    assert pcs.read_list(pc, BAG) == [(DROP, 5), (KEY, 1), (POT, 2)]
    assert pcs.read_list(pc, STORE) == [(DROP, 90), (POT, 1), (KEY, 1)]
    pcs.to(pc, LIST)
    assert pcs.kind(pc) is MenuKind.ITEMS


def test_the_last_of_a_kind_leaves_the_list(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    pc.press("down")
    pc.press("a")
    pcs.to(pc, LIST)
    assert pcs.read_list(pc, STORE) == [(DROP, 90), (KEY, 1)]


def test_more_than_ninety_nine_make_another_stack(pc: Game) -> None:
    pcs.set_list(pc, BAG, (DROP, 95))
    pcs.choose(pc, DEPOSIT, LIST)
    pc.press("a")
    pc.wait(lambda: pcs.kind(pc) is MenuKind.QUANTITY, 60)
    pc.press("down")
    pc.press("a")
    pcs.to(pc, (1, 4))  # the bag is empty, and so its list is left
    assert pcs.read_list(pc, BAG) == []
    assert pcs.read_list(pc, STORE) == [(DROP, 99), (POT, 3), (KEY, 1), (DROP, 86)]


def test_of_a_key_item_there_is_one(pc: Game) -> None:
    pcs.choose(pc, DEPOSIT, LIST)
    pcs.choose(pc, 1, None)
    assert pcs.said(pc) == "JUNO put away NEAT PARCEL."
    assert pcs.read_list(pc, BAG) == [(DROP, 5)]


@pytest.mark.parametrize(("answer", "left"), [("a", 88), ("b", 90)])
def test_throwing_away_is_asked_about(pc: Game, answer: str, left: int) -> None:
    ask(pc, TOSS, 0)
    pc.press("up")
    pc.press("a")
    pcs.to(pc, YES)
    pc.press(answer, settle=20)
    pcs.to(pc, LIST)
    assert pcs.read_list(pc, STORE)[0] == (DROP, left)


def test_a_key_item_is_not_thrown_away(pc: Game) -> None:
    pcs.choose(pc, TOSS, LIST)
    pcs.choose(pc, 2, None)
    assert pcs.said(pc) == "Better not lose that!"
    assert len(pcs.read_list(pc, STORE)) == 3


def test_b_takes_a_quantity_back(pc: Game) -> None:
    ask(pc, WITHDRAW, 0)
    pc.press("b")
    pcs.to(pc, LIST)
    assert pcs.read_list(pc, BAG) == [(DROP, 5), (KEY, 1)]


def test_a_full_bag_takes_nothing_more(pc: Game) -> None:
    pcs.set_list(pc, BAG, (DROP, 99), *[(KEY, 1)] * 19)
    ask(pc, WITHDRAW, 0)
    pc.press("a")
    assert pcs.said(pc) == "No more fits into the bag!"
    pcs.to(pc, LIST)
    assert pcs.read_list(pc, STORE)[0] == (DROP, 90)


def test_a_full_drawer_takes_nothing_more(pc: Game) -> None:
    pcs.set_list(pc, STORE, *[(POT, 99)] * 50)
    pcs.choose(pc, DEPOSIT, LIST)
    pcs.choose(pc, 0, None)
    pc.wait(lambda: pcs.kind(pc) is MenuKind.QUANTITY, 60)
    pc.press("a")
    assert pcs.said(pc) == "No more fits into the drawer!"


@pytest.mark.parametrize(
    ("menu", "words"), [(WITHDRAW, "The drawer is empty."), (DEPOSIT, "The bag is empty.")]
)
def test_an_empty_list_is_not_shown(pc: Game, menu: int, words: str) -> None:
    pcs.set_list(pc, BAG)
    pcs.set_list(pc, STORE)
    pcs.choose(pc, menu, None)
    assert pcs.said(pc) == words
    pcs.to(pc, (1, 2 + 2 * menu))
