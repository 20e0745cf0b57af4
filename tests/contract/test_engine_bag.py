"""Items in the demo: the bag, the player's PC, and the item lists."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from emulator import MenuKind
from tests.contract import battles, menus
from tests.contract.battles import BURN, FREEZE, PARALYSIS, POISON, Mon
from tests.contract.game import FULL_BAG, LETTERS, STORED, Game, Start
from tests.contract.menus import BALL, CORNER, LIST, PARTY, POTION, REVIVE, TOSS, TOWN_MAP, USE, YES

START_ROW = (11, 4)  # of the bag in the START menu
FOREST = 3
FEW_FRAMES = 5
TRAPPING = 0x20
UNCHANGED = "It would change nothing."


def use_on(game: Game, place: int = 0) -> str:
    """Use the entry under the cursor on a Pokemon of the team, and return the text."""
    menus.choose_use(game).to_cursor(PARTY).press(*["down"] * place, "a")
    return menus.read(game)


def test_the_cursor_comes_some_frames_after_the_list(bedroom: Game) -> None:
    menus.open_bag(bedroom, (POTION, 2)).press("b").to_cursor(START_ROW)
    bedroom.hold_until("a", lambda: bedroom.tile(4, 2) == 0x79, 20)
    assert bedroom.frames_until(lambda: bedroom.cursor == LIST, 60) >= FEW_FRAMES


@pytest.mark.parametrize(
    ("item", "amount", "before", "after"),
    [(POTION, 20, 5, 25), (menus.SUPER_POTION, 50, 5, 55), (POTION, 10, 90, 100)],
)
def test_a_potion_fills_up(bedroom: Game, item: int, amount: int, before: int, after: int) -> None:
    game = battles.set_team(bedroom, Mon(3), Mon(7, hp=before, max_hp=100))
    menus.choose_use(menus.open_bag(game, (item, 2))).to_cursor(PARTY)
    assert game.byte("wPartyMenuTypeOrMessageID") == 1
    assert menus.read(game.press("down", "a")) == f"BBBB has {amount} HP more!"
    game.to_cursor(LIST)
    assert (battles.party_hp(game, 1), battles.party_hp(game)) == (after, 40)
    assert (game.bag, game.byte("wActionResultOrTookBattleTurn")) == ([(item, 1)], 1)


def test_the_bar_rises_on_the_way(bedroom: Game) -> None:
    game = menus.open_bag(battles.set_team(bedroom, Mon(3, hp=1)), (POTION, 1))
    menus.choose_use(game).to_cursor(PARTY).press("a", hold=2, settle=0)
    seen = {game.tick().text.splitlines()[1][13:16] for _ in range(80)}
    assert len(seen) > 10
    assert " 21" in seen
    menus.read(game)
    assert game.to_cursor(LIST).bag == []


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (menus.ANTIDOTE, POISON),
        (menus.BURN_HEAL, BURN),
        (menus.ICE_HEAL, FREEZE),
        (menus.AWAKENING, 3),
        (menus.PARALYZE_HEAL, PARALYSIS),
        (menus.FULL_HEAL, BURN),
    ],
)
def test_a_status_item_heals_only_its_status(bedroom: Game, item: int, state: int) -> None:
    wrong = 0 if item == menus.FULL_HEAL else BURN if state == POISON else POISON
    game = battles.set_team(bedroom, Mon(3, status=state), Mon(7, status=wrong))
    assert use_on(menus.open_bag(game, (item, 2))).startswith("AAAA")
    assert game.to_cursor(LIST).bag == [(item, 1)]
    assert use_on(game, 1) == UNCHANGED
    assert game.to_cursor(LIST).bag == [(item, 1)]
    assert [battles.party_mon(game, place)[4] for place in (0, 1)] == [0, wrong]
    assert game.byte("wActionResultOrTookBattleTurn") == 0


def test_only_a_revive_heals_a_fainted_pokemon(bedroom: Game) -> None:
    game = battles.set_team(bedroom, Mon(3, hp=0, max_hp=41), Mon(7, hp=10))
    assert "nothing" in use_on(menus.open_bag(game, (POTION, 1), (REVIVE, 2)))
    assert use_on(game.to_cursor(LIST).press("down")) == "AAAA is up again!"
    assert battles.party_hp(game.to_cursor((5, 6))) == 20
    assert game.bag == [(POTION, 1), (REVIVE, 1)]


def test_b_leads_back_one_menu_at_a_time(bedroom: Game) -> None:
    game = menus.open_bag(battles.set_team(bedroom, Mon(3, hp=1)), (POTION, 3))
    menus.choose_use(game).to_cursor(PARTY).press("b").to_cursor(LIST)
    game.press("a").to_cursor(USE).press("b").to_cursor(LIST).press("b").to_cursor(START_ROW)
    assert game.press("b").until_free().bag == [(POTION, 3)]


def ask_to_toss(game: Game, *stacks: tuple[int, int]) -> Game:
    """Choose TOSS for the first entry of the bag."""
    return menus.choose(menus.open_bag(game, *stacks).press("a").to_cursor(USE), TOSS).tick(4)


def test_part_of_a_stack_is_tossed(bedroom: Game) -> None:
    game = ask_to_toss(bedroom, (BALL, 5))
    assert game.cursor is None
    assert [game.tile(x, 10) for x in (16, 17, 18)] == [0xF1, 0xF6, 0xF7]
    for wanted in (5, 1, 2, 3):
        game.press("down" if wanted == 5 else "up")
        assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (wanted, 5)
    assert game.hold("up").tick(90).byte("wItemQuantity") == 4
    game.release("up").tick(4).press("down", "a").to_cursor(YES, 200).press("a")
    assert "thrown away" in menus.read(game)
    assert game.to_cursor(LIST).bag == [(BALL, 2)]


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_tossing_can_be_cancelled(bedroom: Game, at: str) -> None:
    game = ask_to_toss(bedroom, (BALL, 5))
    if at == "question":
        game.press("a").to_cursor(YES, 200)
    assert game.press("b").to_cursor(LIST).bag == [(BALL, 5)]


def test_key_items_cannot_be_tossed_and_show_no_quantity(bedroom: Game) -> None:
    game = ask_to_toss(bedroom, (TOWN_MAP, 1))
    menus.read(game)
    assert menus.rows(game.to_cursor(LIST), 14, 18, (5,)) == [""]
    assert "Rain" in menus.read(menus.choose_use(game))
    assert game.to_cursor(LIST).bag == [(TOWN_MAP, 1)]


def test_using_up_a_stack_moves_the_list_to_its_top(bedroom: Game) -> None:
    stacks = [(item, 1) for item in (4, 11, 12, 13, POTION, 14)]
    game = menus.open_bag(battles.set_team(bedroom, Mon(3, hp=1, max_hp=99)), *stacks)
    game.press(*["down"] * 4)
    assert (game.byte("wListScrollOffset"), game.byte("wCurrentMenuItem")) == (2, 2)
    use_on(game)
    assert game.to_cursor(LIST).byte("wListScrollOffset") == 0
    assert game.bag == [stack for stack in stacks if stack != (POTION, 1)]


def test_the_twine_works_only_in_caves(bedroom: Game) -> None:
    game = menus.open_bag(bedroom, (menus.ESCAPE_ROPE, 2))
    assert "no use" in menus.read(menus.choose_use(game))
    assert game.to_cursor(LIST).bag == [(menus.ESCAPE_ROPE, 2)]
    menus.choose_use(game.poke("wCurMapTileset", FOREST)).until_free(game.byte("wLastBlackoutMap"))
    assert (game.place[1:], game.bag) == ((3, 6), [(menus.ESCAPE_ROPE, 1)])
    assert game.step("down")


def in_battle(game: Game, mon: Mon, item: int) -> Game:
    """Meet a wild Pokemon, with two of an item in the bag."""
    game.bag = [(item, 2)]
    return battles.meet(battles.set_team(game, mon), 33, 5)


def use_in_battle(game: Game) -> Game:
    battles.choose(game, battles.BAG).to_cursor(LIST).press("a").to_cursor(PARTY).press("a")
    battles.read_on(game)
    return game


def test_the_town_map_has_no_use_in_battle(bedroom: Game) -> None:
    game = in_battle(bedroom, Mon(3), TOWN_MAP)
    assert "no use" in menus.read(battles.choose(game, battles.BAG).to_cursor(LIST).press("a"))
    game.to_cursor(LIST)


def test_a_cure_in_battle_leaves_stats_without_stages_and_badges(bedroom: Game) -> None:
    game = in_battle(bedroom.poke("wObtainedBadges", 1), Mon(3), menus.AWAKENING)
    plain = int.from_bytes(battles.party_mon(game, 0)[36:38])
    game.own.status, game.own.stages = 7, b"\x09"
    assert game.own.attack > plain
    use_in_battle(game)
    assert (game.own.status, game.own.attack) == (0, plain)


def test_an_item_used_while_trapping_takes_a_turn_of_it(bedroom: Game) -> None:
    game = in_battle(bedroom, Mon(3, hp=5), POTION)
    game.own.volatile1, game.own.attacks_left = TRAPPING, 2
    assert (use_in_battle(game).own.attacks_left, use_in_battle(game).own.volatile1) == (1, 0)


WITHDRAW, DEPOSIT, PC_TOSS = range(3)
DROP, POT, KEY = POTION, menus.SUPER_POTION, menus.PARCEL
KEPT = [(DROP, 90), (POT, 3), (KEY, 1)]


@pytest.fixture
def pc(start: Start) -> Game:
    """The menu of the player's own PC."""
    game = battles.set_team(start("rest house"), Mon(3))
    game.bag = [(DROP, 5), (KEY, 1)]
    return menus.use_pc(game.set_items(STORED, KEPT), menus.OWN_PC)


def ask(game: Game, menu: int, entry: int) -> Game:
    """Choose an entry of a list, and continue to the quantity question."""
    menus.choose_entry(menus.choose_entry(game, menu, LIST), entry)
    return game.wait(lambda: game.menu_kind() is MenuKind.QUANTITY, 60)


def count(game: Game) -> int:
    """Return the quantity shown in the box, which must equal the one in RAM."""
    shown = int(game.text.splitlines()[10][17:19])
    assert shown == game.byte("wItemQuantity")
    return shown


def test_one_pc_opens_all_pc_menus(start: Start) -> None:
    game = menus.use_pc(battles.set_team(start("rest house"), Mon(3)), menus.ANY_PC)
    assert game.byte("wMaxMenuItem") == 2
    assert menus.rows(game, 2, 15, (2, 4, 6)) == ["HAZEL's PC", "JUNO's PC", "LOG OFF"]
    for entry, kind in ((0, MenuKind.BILLS_PC), (1, MenuKind.PLAYER_PC)):
        assert game.menu_kind() is MenuKind.PC
        assert menus.choose_entry(game, entry, CORNER).menu_kind() is kind
        game.press("b", settle=20)
    assert menus.choose_entry(game, 2).until_free().step("down")


def test_the_menu_is_where_the_contract_has_it(pc: Game) -> None:
    assert (pc.menu_kind(), pc.byte("wMaxMenuItem")) == (MenuKind.PLAYER_PC, 3)
    assert menus.rows(pc, 2, 15, (2, 4, 6, 8)) == ["WITHDRAW", "DEPOSIT", "TOSS", "LOG OFF"]


def test_the_quantity_changes_with_new_presses_and_wraps(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    assert (count(pc), pc.byte("wMaxItemQuantity"), pc.cursor) == (1, 3, None)
    for button, number in (("up", 2), ("up", 3), ("up", 1), ("down", 3), ("down", 2)):
        assert count(pc.press(button)) == number
    assert count(pc.press("up", hold=60)) == 3


@pytest.mark.parametrize(
    ("menu", "entry", "buttons", "said", "bag", "kept"),
    [
        (WITHDRAW, 1, "up a", "JUNO took out HONEY POT.", [(DROP, 5), (KEY, 1), (POT, 2)],
         [(DROP, 90), (POT, 1), (KEY, 1)]),
        (WITHDRAW, 1, "down a", "", [(DROP, 5), (KEY, 1), (POT, 3)], [(DROP, 90), (KEY, 1)]),
        (WITHDRAW, 0, "b", "", [(DROP, 5), (KEY, 1)], KEPT),
    ],
    ids=["withdraw some", "withdraw the last", "b cancels a quantity"],
)  # fmt: skip
def test_items_change_places(
    pc: Game, menu: int, entry: int, buttons: str, said: str,
    bag: Sequence[tuple[int, int]], kept: Sequence[tuple[int, int]],
) -> None:  # fmt: skip
    ask(pc, menu, entry).press(*buttons.split())
    assert not said or menus.said(pc) == said
    menus.read_to(pc, LIST)
    assert (pc.bag, pc.items(STORED)) == (bag, kept)


def test_more_than_ninety_nine_make_another_stack(pc: Game) -> None:
    pc.bag = [(DROP, 95)]
    menus.read_to(ask(pc, DEPOSIT, 0).press("down", "a"), (1, 4))  # the bag's list is left
    assert (pc.bag, pc.items(STORED)) == ([], [(DROP, 99), (POT, 3), (KEY, 1), (DROP, 86)])


@pytest.mark.parametrize(("answer", "left"), [("a", 88), ("b", 90)])
def test_tossing_asks_for_confirmation(pc: Game, answer: str, left: int) -> None:
    menus.read_to(ask(pc, PC_TOSS, 0).press("up", "a"), YES).press(answer, settle=20)
    assert menus.read_to(pc, LIST).items(STORED)[0] == (DROP, left)


@pytest.mark.parametrize(
    ("menu", "entry", "said", "bag", "kept"),
    [(DEPOSIT, 1, "JUNO put away NEAT PARCEL.", 1, 3), (PC_TOSS, 2, "Better not lose that!", 2, 3)],
    ids=["has no quantity question", "is not tossed"],
)
def test_a_key_item(pc: Game, menu: int, entry: int, said: str, bag: int, kept: int) -> None:
    menus.choose_entry(menus.choose_entry(pc, menu, LIST), entry)
    assert menus.said(pc) == said
    assert (len(pc.bag), len(pc.items(STORED))) == (bag, kept)


def test_a_full_bag_takes_nothing_more(pc: Game) -> None:
    pc.bag = FULL_BAG
    assert menus.said(ask(pc, WITHDRAW, 0).press("a")) == "No more fits into the bag!"
    assert menus.read_to(pc, LIST).items(STORED)[0] == (DROP, 90)


def test_a_full_drawer_refuses_items(pc: Game) -> None:
    pc.set_items(STORED, [(POT, 99)] * 50)
    assert menus.said(ask(pc, DEPOSIT, 0).press("a")) == "No more fits into the drawer!"


@pytest.mark.parametrize(
    ("menu", "words"), [(WITHDRAW, "The drawer is empty."), (DEPOSIT, "The bag is empty.")]
)
def test_an_empty_list_is_not_shown(pc: Game, menu: int, words: str) -> None:
    pc.bag = []
    assert menus.said(menus.choose_entry(pc.set_items(STORED, []), menu)) == words
    menus.read_to(pc, (1, 2 + 2 * menu))


ITEMS = (4, 11, 19, 20, 29)
STACKS = [(item, item) for item in ITEMS]


def item_name(game: Game, item: int) -> str:
    names = game.rom(1, 0x472B, 2000).split(b"\x50")
    return "".join(LETTERS[letter] for letter in names[item - 1])


def names(game: Game) -> list[str]:
    return menus.rows(game, 6, 18, (4, 6, 8, 10))


def test_a_list_shows_four_names_and_quantities(bedroom: Game) -> None:
    game = menus.open_bag(bedroom, *STACKS)
    assert names(game) == [item_name(game, item) for item in ITEMS[:4]]
    assert menus.rows(game, 15, 17, (5, 7, 9, 11)) == [str(item) for item in ITEMS[:4]]
    assert game.cursor == LIST
    assert (game.byte("wListCount"), game.byte("wMaxMenuItem")) == (5, 2)
    assert game.tile(18, 11) == 0xEE


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_short_lists_end_with_cancel(bedroom: Game, count: int) -> None:
    game = menus.open_bag(bedroom, *STACKS[:count])
    assert game.byte("wMaxMenuItem") == min(count, 2)
    assert names(game)[count] == "CANCEL"
    game.press(*["down"] * (count + 1))
    assert game.byte("wListScrollOffset") + game.byte("wCurrentMenuItem") == count
    assert game.press("a", settle=20).cursor == START_ROW


def test_the_list_returns_after_an_item_is_used(bedroom: Game) -> None:
    game = menus.open_bag(bedroom, *STACKS).press("down").press("a", settle=4)
    assert (game.byte("wCurItem"), game.byte("wWhichPokemon")) == (ITEMS[1], 1)
    assert game.byte("wMenuExitMethod") == 1
    assert game.to_cursor(USE, 20).press("b", settle=20).cursor == (5, 6)
    assert game.press("b", settle=20).byte("wMenuExitMethod") == 2
    assert (game.byte("wBagSavedMenuItem"), game.cursor) == (1, START_ROW)
