"""Machines that teach: the question, who is able, what is used up, what is never forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, things
from tests.contract.battles import Mon
from tests.contract.things import LIST, PARTY, USE, YES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HM_CUT, HM_STRENGTH, TM = 196, 199, 234
CUT, STRENGTH = 15, 70
STARTER, OTHER = 3, 33  # species: the first can be taught, the second cannot
MOVES, PP = 8, 29  # of a party mon
FORGET = (5, 8)
TEACHING = 3  # wPartyMenuTypeOrMessageID
MACHINES, MACHINE_COUNT = (4, 0x7773), 55
PRICES = (30, 0x7FA7)
FIRST_TM = 201


@pytest.fixture
def bedroom(start: Callable[[str], Game]) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    return game


def moves(game: Game, place: int = 0) -> list[int]:
    return list(battles.party_mon(game, place)[MOVES : MOVES + 4])


def taught_move(game: Game, item: int) -> int:
    number = item - 196 + 50 if item < FIRST_TM else item - FIRST_TM
    return game.rom(*MACHINES, MACHINE_COUNT)[number]


def use_machine(game: Game, *stacks: tuple[int, int]) -> Game:
    """Choose USE for the first thing in the bag, and read on to the question."""
    things.open_bag(game, *stacks)
    things.choose(game, LIST)
    things.to_cursor(game, USE).press("a")
    return to_question(game)


def to_question(game: Game) -> Game:
    read_to(game, YES)
    return game


def read_to(game: Game, cursor: tuple[int, int]) -> str:
    """Read on to the menu with its cursor there; return what was said on the way."""
    said = ""
    for _ in range(12):
        game.wait(lambda: game.has_arrow or game.cursor == cursor, 300)
        said += f"{things.words(game)} / "
        if game.cursor == cursor:
            game.tick(2)
            return said
        game.press("b")
    pytest.fail(f"no menu at {cursor}:\n{game.text}")


def say_yes(game: Game) -> Game:
    game.tick(2)
    game.press("a")
    return game


def test_hidden_machines_teach_what_the_contract_says(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    assert [taught_move(game, item) for item in range(196, 201)] == [15, 19, 57, 70, 148]
    number = TM - FIRST_TM
    assert 0 < taught_move(game, TM) <= 165
    assert game.rom(*PRICES, 25)[number // 2] >> (0 if number % 2 else 4) & 15


def test_a_machine_asks_and_b_teaches_nobody(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER))
    game = use_machine(bedroom, (HM_CUT, 1))
    game.press("b")
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(HM_CUT, 1)]
    assert game.byte("wActionResultOrTookBattleTurn") == 0
    assert CUT not in moves(game)


def test_the_list_says_who_is_able(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER), Mon(OTHER))
    game = say_yes(use_machine(bedroom, (HM_CUT, 1)))
    things.to_cursor(game, PARTY)
    rows = game.text.splitlines()
    assert game.byte("wPartyMenuTypeOrMessageID") == TEACHING
    assert rows[1][12:16] == "ABLE"
    assert rows[3][12:20] == "NOT ABLE"


@pytest.mark.parametrize(
    ("mon", "because"), [(Mon(STARTER, moves=(CUT,)), "already"), (Mon(OTHER), "no gift")]
)
def test_who_cannot_or_need_not_learn_it_is_refused_and_the_list_stays(
    bedroom: Game, mon: Mon, because: str
) -> None:
    battles.set_team(bedroom, mon)
    before = moves(bedroom)
    game = say_yes(use_machine(bedroom, (HM_CUT, 1)))
    things.to_cursor(game, PARTY).press("a")
    assert because in read_to(game, PARTY)
    assert moves(game) == before
    game.press("b")
    things.to_cursor(game, LIST)
    assert game.byte("wActionResultOrTookBattleTurn") == 0


@pytest.mark.parametrize(("item", "left"), [(HM_CUT, [(HM_CUT, 1)]), (TM, [])])
def test_a_free_place_is_filled_and_only_some_machines_used_up(
    bedroom: Game, item: int, left: list[tuple[int, int]]
) -> None:
    battles.set_team(bedroom, Mon(STARTER, moves=(24,)))
    game = say_yes(use_machine(bedroom, (item, 1)))
    things.to_cursor(game, PARTY).press("a")
    assert "learned" in things.read(game)
    things.to_cursor(game, LIST)
    move = taught_move(game, item)
    assert moves(game) == [24, move, 0, 0]
    assert battles.party_mon(game, 0)[PP + 1] == game.rom(14, 0x4000 + 6 * (move - 1), 6)[5]
    assert things.bag(game) == left
    assert game.byte("wActionResultOrTookBattleTurn") == 1


def test_four_moves_raise_the_question_which_to_forget_and_hidden_ones_stay(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER, moves=(STRENGTH, 24, 1, 2)))
    game = say_yes(use_machine(bedroom, (HM_CUT, 1)))
    things.to_cursor(game, PARTY).press("a")
    read_to(game, YES)
    game.press("a")
    read_to(game, FORGET)
    game.press("a")
    assert "Nobody can forget" in read_to(game, FORGET)
    game.press("down")
    game.press("a")
    assert "learned" in read_to(game, LIST)
    assert moves(game) == [STRENGTH, CUT, 1, 2]


def test_whoever_gives_the_new_move_up_keeps_the_machine(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER, moves=(8, 24, 1, 2)))
    game = say_yes(use_machine(bedroom, (TM, 1)))
    things.to_cursor(game, PARTY).press("a")
    read_to(game, YES)
    game.press("b")
    assert "Give up" in read_to(game, YES)
    game.press("a")
    assert "did not learn" in read_to(game, PARTY)
    game.press("b")
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(TM, 1)]
    assert moves(game) == [8, 24, 1, 2]


def test_the_list_calls_machines_by_kind_and_number(bedroom: Game) -> None:
    game = things.open_bag(bedroom, (HM_CUT, 1), (200, 1), (TM, 3))
    rows = game.text.splitlines()
    assert [rows[y][6:10] for y in (4, 6, 8)] == ["HM01", "HM05", "TM34"]
