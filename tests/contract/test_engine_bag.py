"""The bag behind START: its list, USE and TOSS, and what things do on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, things
from tests.contract.battles import BURN, FREEZE, PARALYSIS, POISON, Mon
from tests.contract.things import LIST, PARTY, TOSS, USE, YES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

NICK = "AAAA"
FOREST, HOUSE = 3, 1
FEW_FRAMES = 5


@pytest.fixture
def bedroom(start: Callable[[str], Game]) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    return game


def hp(game: Game, place: int = 0) -> int:
    return int.from_bytes(battles.party_mon(game, place)[1:3])


def status(game: Game, place: int = 0) -> int:
    return battles.party_mon(game, place)[4]


def use_first(game: Game) -> Game:
    """Choose USE for the entry under the cursor."""
    things.choose(game, LIST)
    things.to_cursor(game, USE)
    game.press("a")
    return game


def test_the_cursor_comes_some_frames_after_the_list(bedroom: Game) -> None:
    things.open_bag(bedroom, (things.POTION, 2)).press("b")
    things.to_cursor(bedroom, (11, 4)).hold("a")
    bedroom.wait(lambda: bedroom.tile(4, 2) == 0x79, 20)
    bedroom.release("a")
    assert bedroom.wait(lambda: bedroom.cursor == LIST, 60) >= FEW_FRAMES


def test_select_twice_lets_two_change_places(bedroom: Game) -> None:
    game = things.open_bag(bedroom, (4, 3), (11, 1), (20, 2))
    game.press("select", settle=30)
    assert game.byte("wMenuItemToSwap") == 1
    game.press("down")
    assert game.tile(5, 4) == 0xEC
    game.press("down")
    game.press("select", settle=30)
    assert things.bag(game) == [(20, 2), (11, 1), (4, 3)]
    assert game.byte("wMenuItemToSwap") == 0
    game.press("select", settle=30)
    game.press("select", settle=30)
    assert things.bag(game) == [(20, 2), (11, 1), (4, 3)]
    assert game.cursor == (5, 8)


@pytest.mark.parametrize(
    ("item", "amount", "before", "after"),
    [
        (things.POTION, 20, 5, 25),
        (things.SUPER_POTION, 50, 5, 55),
        (things.POTION, 10, 90, 100),
    ],
)
def test_a_potion_fills_up(bedroom: Game, item: int, amount: int, before: int, after: int) -> None:
    battles.set_team(bedroom, Mon(3), Mon(7, hp=before, max_hp=100))
    game = use_first(things.open_bag(bedroom, (item, 2)))
    things.to_cursor(game, PARTY)
    assert game.byte("wPartyMenuTypeOrMessageID") == 1
    game.press("down")
    game.press("a")
    assert things.read(game) == f"BBBB has {amount} HP more!"
    things.to_cursor(game, LIST)
    assert (hp(game, 1), hp(game)) == (after, 40)
    assert things.bag(game) == [(item, 1)]
    assert game.byte("wActionResultOrTookBattleTurn") == 1


def test_the_bar_rises_on_the_way(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, max_hp=40))
    game = use_first(things.open_bag(bedroom, (things.POTION, 1)))
    things.to_cursor(game, PARTY).press("a", hold=2, settle=0)
    seen = set[str]()
    for _ in range(80):
        game.tick()
        seen.add(game.text.splitlines()[1][13:16])
    assert len(seen) > 10
    assert " 21" in seen
    things.read(game)
    things.to_cursor(game, LIST)
    assert things.bag(game) == []


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (things.ANTIDOTE, POISON),
        (things.BURN_HEAL, BURN),
        (things.ICE_HEAL, FREEZE),
        (things.AWAKENING, 3),
        (things.PARALYZE_HEAL, PARALYSIS),
        (things.FULL_HEAL, BURN),
    ],
)
def test_what_heals_a_state_heals_only_that(bedroom: Game, item: int, state: int) -> None:
    other = POISON if state != POISON else BURN
    wrong = 0 if item == things.FULL_HEAL else other
    battles.set_team(bedroom, Mon(3, status=state), Mon(7, status=wrong))
    game = use_first(things.open_bag(bedroom, (item, 2)))
    things.to_cursor(game, PARTY).press("a")
    assert things.read(game).startswith(NICK)
    things.to_cursor(game, LIST)
    assert status(game) == 0
    assert things.bag(game) == [(item, 1)]
    use_first(game)
    things.to_cursor(game, PARTY).press("down")
    game.press("a")
    assert things.read(game) == "It would change nothing."
    things.to_cursor(game, LIST)
    assert status(game, 1) == wrong
    assert things.bag(game) == [(item, 1)]
    assert game.byte("wActionResultOrTookBattleTurn") == 0


def test_only_the_fainted_are_revived_and_only_by_that(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=0, max_hp=41), Mon(7, hp=10))
    game = use_first(things.open_bag(bedroom, (things.POTION, 1), (things.REVIVE, 2)))
    things.to_cursor(game, PARTY).press("a")
    assert "nothing" in things.read(game)
    things.to_cursor(game, LIST).press("down")
    game.press("a")
    things.to_cursor(game, USE).press("a")
    things.to_cursor(game, PARTY).press("a")
    assert things.read(game) == "AAAA is up again!"
    things.to_cursor(game, (5, 6))
    assert hp(game) == 20
    assert things.bag(game) == [(things.POTION, 1), (things.REVIVE, 1)]


def test_b_leads_back_one_menu_at_a_time(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1))
    game = use_first(things.open_bag(bedroom, (things.POTION, 3)))
    things.to_cursor(game, PARTY).press("b")
    things.to_cursor(game, LIST).press("a")
    things.to_cursor(game, USE).press("b")
    things.to_cursor(game, LIST).press("b")
    things.to_cursor(game, (11, 4)).press("b")
    game.wait(lambda: game.is_free, 60)
    assert things.bag(game) == [(things.POTION, 3)]


def test_some_of_a_stack_are_thrown_away(bedroom: Game) -> None:
    game = things.open_bag(bedroom, (things.BALL, 5))
    game.press("a")
    things.choose(things.to_cursor(game, USE), TOSS)
    game.tick(4)
    assert game.cursor is None
    assert [game.tile(x, 10) for x in (16, 17, 18)] == [0xF1, 0xF6, 0xF7]
    for wanted in (5, 1, 2, 3):
        game.press("down" if wanted == 5 else "up")
        assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (wanted, 5)
    game.hold("up")
    game.tick(90)
    assert game.byte("wItemQuantity") == 4
    game.release("up")
    game.tick(4)
    game.press("down")
    game.press("a")
    things.to_cursor(game, YES, 200).press("a")
    assert "thrown away" in things.read(game)
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(things.BALL, 2)]


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_tossing_can_be_given_up(bedroom: Game, at: str) -> None:
    game = things.open_bag(bedroom, (things.BALL, 5))
    game.press("a")
    things.choose(things.to_cursor(game, USE), TOSS)
    game.tick(4)
    if at == "question":
        game.press("a")
        things.to_cursor(game, YES, 200)
    game.press("b")
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(things.BALL, 5)]


def test_key_items_are_kept_and_not_counted(bedroom: Game) -> None:
    game = things.open_bag(bedroom, (things.TOWN_MAP, 1))
    assert game.text.splitlines()[5][14:18].strip() == ""
    game.press("a")
    things.choose(things.to_cursor(game, USE), TOSS)
    things.read(game)
    use_first(things.to_cursor(game, LIST))
    assert "Rain" in things.read(game)
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(things.TOWN_MAP, 1)]


def test_the_last_of_a_stack_takes_the_list_to_its_top(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, max_hp=99))
    stacks = [(4, 1), (11, 1), (12, 1), (13, 1), (things.POTION, 1), (14, 1)]
    game = things.open_bag(bedroom, *stacks)
    for _ in range(4):
        game.press("down")
    assert (game.byte("wListScrollOffset"), game.byte("wCurrentMenuItem")) == (2, 2)
    game.press("a")
    things.to_cursor(game, USE).press("a")
    things.to_cursor(game, PARTY).press("a")
    things.read(game)
    things.to_cursor(game, LIST)
    assert game.byte("wListScrollOffset") == 0
    assert things.bag(game) == [(4, 1), (11, 1), (12, 1), (13, 1), (14, 1)]


def test_the_twine_leads_out_of_caves_alone(bedroom: Game) -> None:
    game = use_first(things.open_bag(bedroom, (things.ESCAPE_ROPE, 2)))
    assert "no use" in things.read(game)
    things.to_cursor(game, LIST)
    assert things.bag(game) == [(things.ESCAPE_ROPE, 2)]
    game.poke("wCurMapTileset", FOREST)
    use_first(game)
    game.wait(lambda: game.place.map == game.byte("wLastBlackoutMap") and game.is_free, 300)
    assert (game.place.x, game.place.y) == (3, 6)
    assert things.bag(game) == [(things.ESCAPE_ROPE, 1)]
    assert game.step("down")


def test_a_fight_is_no_place_for_the_map(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3))
    things.fill_bag(bedroom, (things.TOWN_MAP, 1))
    game = battles.meet(bedroom, 33, 5)
    battles.choose(game, battles.BAG)
    things.to_cursor(game, LIST).press("a")
    assert "no use" in things.read(game)
    things.to_cursor(game, LIST)
