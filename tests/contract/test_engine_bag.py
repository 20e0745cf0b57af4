"""Items in the demo: the bag, the player's PC, and the item lists."""

from __future__ import annotations

import pytest

from emulator import MenuKind
from tests.contract import battles, menus
from tests.contract.battles import BURN, FREEZE, PARALYSIS, POISON, Mon
from tests.contract.game import LETTERS, STORED, Game, Start, halting_share
from tests.contract.menus import CORNER, LIST, PARTY, TOSS, USE, YES

NICK = "AAAA"
FOREST = 3
FEW_FRAMES = 5


def status(game: Game, place: int = 0) -> int:
    return battles.party_mon(game, place)[4]


def test_the_cursor_comes_some_frames_after_the_list(bedroom: Game) -> None:
    menus.open_bag(bedroom, (menus.POTION, 2)).press("b")
    bedroom.to_cursor((11, 4)).hold_until("a", lambda: bedroom.tile(4, 2) == 0x79, 20)
    assert bedroom.frames_until(lambda: bedroom.cursor == LIST, 60) >= FEW_FRAMES


@pytest.mark.parametrize(
    ("item", "amount", "before", "after"),
    [(menus.POTION, 20, 5, 25), (menus.SUPER_POTION, 50, 5, 55), (menus.POTION, 10, 90, 100)],
)
def test_a_potion_fills_up(bedroom: Game, item: int, amount: int, before: int, after: int) -> None:
    battles.set_team(bedroom, Mon(3), Mon(7, hp=before, max_hp=100))
    game = menus.choose_use(menus.open_bag(bedroom, (item, 2))).to_cursor(PARTY)
    assert game.byte("wPartyMenuTypeOrMessageID") == 1
    game.press("down", "a")
    assert menus.read(game) == f"BBBB has {amount} HP more!"
    game.to_cursor(LIST)
    assert (battles.party_hp(game, 1), battles.party_hp(game)) == (after, 40)
    assert game.bag == [(item, 1)]
    assert game.byte("wActionResultOrTookBattleTurn") == 1


def test_the_bar_rises_on_the_way(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, max_hp=40))
    game = (
        menus.choose_use(menus.open_bag(bedroom, (menus.POTION, 1)))
        .to_cursor(PARTY)
        .press("a", hold=2, settle=0)
    )
    seen = set[str]()
    for _ in range(80):
        game.tick()
        seen.add(game.text.splitlines()[1][13:16])
    assert len(seen) > 10
    assert " 21" in seen
    menus.read(game)
    game.to_cursor(LIST)
    assert game.bag == []


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
    other = POISON if state != POISON else BURN
    wrong = 0 if item == menus.FULL_HEAL else other
    battles.set_team(bedroom, Mon(3, status=state), Mon(7, status=wrong))
    game = menus.choose_use(menus.open_bag(bedroom, (item, 2))).to_cursor(PARTY).press("a")
    assert menus.read(game).startswith(NICK)
    game.to_cursor(LIST)
    assert status(game) == 0
    assert game.bag == [(item, 1)]
    menus.choose_use(game)
    game.to_cursor(PARTY).press("down", "a")
    assert menus.read(game) == "It would change nothing."
    game.to_cursor(LIST)
    assert status(game, 1) == wrong
    assert game.bag == [(item, 1)]
    assert game.byte("wActionResultOrTookBattleTurn") == 0


def test_only_a_revive_heals_a_fainted_pokemon(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=0, max_hp=41), Mon(7, hp=10))
    game = (
        menus.choose_use(menus.open_bag(bedroom, (menus.POTION, 1), (menus.REVIVE, 2)))
        .to_cursor(PARTY)
        .press("a")
    )
    assert "nothing" in menus.read(game)
    game.to_cursor(LIST).press("down", "a")
    game.to_cursor(USE).press("a").to_cursor(PARTY).press("a")
    assert menus.read(game) == "AAAA is up again!"
    game.to_cursor((5, 6))
    assert battles.party_hp(game) == 20
    assert game.bag == [(menus.POTION, 1), (menus.REVIVE, 1)]


def test_b_leads_back_one_menu_at_a_time(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1))
    game = menus.choose_use(menus.open_bag(bedroom, (menus.POTION, 3))).to_cursor(PARTY).press("b")
    game.to_cursor(LIST).press("a").to_cursor(USE).press("b")
    game.to_cursor(LIST).press("b").to_cursor((11, 4)).press("b")
    game.until_free()
    assert game.bag == [(menus.POTION, 3)]


def test_part_of_a_stack_is_tossed(bedroom: Game) -> None:
    game = menus.open_bag(bedroom, (menus.BALL, 5))
    game.press("a")
    menus.choose(game.to_cursor(USE), TOSS)
    game.tick(4)
    assert game.cursor is None
    assert [game.tile(x, 10) for x in (16, 17, 18)] == [0xF1, 0xF6, 0xF7]
    for wanted in (5, 1, 2, 3):
        game.press("down" if wanted == 5 else "up")
        assert (game.byte("wItemQuantity"), game.byte("wMaxItemQuantity")) == (wanted, 5)
    game.hold("up").tick(90)
    assert game.byte("wItemQuantity") == 4
    game.release("up").tick(4).press("down", "a")
    game.to_cursor(YES, 200).press("a")
    assert "thrown away" in menus.read(game)
    game.to_cursor(LIST)
    assert game.bag == [(menus.BALL, 2)]


@pytest.mark.parametrize("at", ["quantity", "question"])
def test_tossing_can_be_cancelled(bedroom: Game, at: str) -> None:
    game = menus.open_bag(bedroom, (menus.BALL, 5))
    game.press("a")
    menus.choose(game.to_cursor(USE), TOSS)
    game.tick(4)
    if at == "question":
        game.press("a").to_cursor(YES, 200)
    game.press("b").to_cursor(LIST)
    assert game.bag == [(menus.BALL, 5)]


def test_key_items_cannot_be_tossed_and_show_no_quantity(bedroom: Game) -> None:
    game = menus.open_bag(bedroom, (menus.TOWN_MAP, 1))
    assert game.text.splitlines()[5][14:18].strip() == ""
    game.press("a")
    menus.choose(game.to_cursor(USE), TOSS)
    menus.read(game)
    menus.choose_use(game.to_cursor(LIST))
    assert "Rain" in menus.read(game)
    game.to_cursor(LIST)
    assert game.bag == [(menus.TOWN_MAP, 1)]


def test_using_up_a_stack_moves_the_list_to_its_top(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=1, max_hp=99))
    stacks = [(4, 1), (11, 1), (12, 1), (13, 1), (menus.POTION, 1), (14, 1)]
    game = menus.open_bag(bedroom, *stacks)
    for _ in range(4):
        game.press("down")
    assert (game.byte("wListScrollOffset"), game.byte("wCurrentMenuItem")) == (2, 2)
    game.press("a").to_cursor(USE).press("a")
    menus.read(game.to_cursor(PARTY).press("a"))
    game.to_cursor(LIST)
    assert game.byte("wListScrollOffset") == 0
    assert game.bag == [(4, 1), (11, 1), (12, 1), (13, 1), (14, 1)]


def test_the_twine_works_only_in_caves(bedroom: Game) -> None:
    game = menus.choose_use(menus.open_bag(bedroom, (menus.ESCAPE_ROPE, 2)))
    assert "no use" in menus.read(game)
    game.to_cursor(LIST)
    assert game.bag == [(menus.ESCAPE_ROPE, 2)]
    game.poke("wCurMapTileset", FOREST)
    menus.choose_use(game)
    game.wait(lambda: game.place.map == game.byte("wLastBlackoutMap") and game.is_free, 300)
    assert game.place[1:] == (3, 6)
    assert game.bag == [(menus.ESCAPE_ROPE, 1)]
    assert game.step("down")


def test_the_town_map_has_no_use_in_battle(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3))
    bedroom.bag = [(menus.TOWN_MAP, 1)]
    game = battles.meet(bedroom, 33, 5)
    battles.choose(game, battles.BAG)
    game.to_cursor(LIST).press("a")
    assert "no use" in menus.read(game)
    game.to_cursor(LIST)


MINT_SPRIG, TRAPPING = 14, 0x20


def use_in_battle(game: Game) -> Game:
    battles.choose(game, battles.BAG)
    game.to_cursor(LIST).press("a").to_cursor(PARTY).press("a")
    battles.read_on(game)
    return game


def test_a_cure_in_battle_leaves_stats_without_stages_and_badges(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3))
    bedroom.poke("wObtainedBadges", b"\x01")
    bedroom.bag = [(MINT_SPRIG, 2)]
    game = battles.meet(bedroom, 33, 5)
    plain = battles.party_mon(game, 0)[36:38]
    game.own.status = 7
    game.own.stages = b"\x09"
    assert game.block("wBattleMonAttack", 2) > plain
    use_in_battle(game)
    assert not game.own.status
    assert game.block("wBattleMonAttack", 2) == plain


def test_an_item_used_while_trapping_takes_a_turn_of_it(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=5))
    bedroom.bag = [(DROP, 2)]
    game = battles.meet(bedroom, 33, 5)
    game.poke("wPlayerBattleStatus1", bytes([TRAPPING])).poke("wPlayerNumAttacksLeft", b"\x02")
    use_in_battle(game)
    assert game.byte("wPlayerNumAttacksLeft") == 1
    use_in_battle(game)
    assert game.byte("wPlayerBattleStatus1") == 0


WITHDRAW, DEPOSIT, PC_TOSS = range(3)
PC_LIST, PC_YES = (5, 4), (15, 8)
DROP, POT, KEY = 20, 19, 70
BAG, STORE = "wNumBagItems", "wNumBoxItems"


@pytest.fixture
def pc(start: Start) -> Game:
    """The menu of the player's own PC."""
    game = start("rest house")
    battles.set_team(game, Mon(3))
    game.bag = [(DROP, 5), (KEY, 1)]
    game.set_items(STORED, [(DROP, 90), (POT, 3), (KEY, 1)])
    return menus.use_pc(game, menus.OWN_PC)


def ask(game: Game, menu: int, entry: int) -> Game:
    """Choose an entry of a list, and continue to the quantity question."""
    menus.choose_entry(game, menu, PC_LIST)
    menus.choose_entry(game, entry)
    game.wait(lambda: game.menu_kind() is MenuKind.QUANTITY, 60)
    return game


def count(game: Game) -> int:
    """Return the quantity shown in the box, which must equal the one in RAM."""
    shown = int(game.text.splitlines()[10][17:19])
    assert shown == game.byte("wItemQuantity")
    return shown


def test_one_pc_opens_all_pc_menus(start: Start) -> None:
    game = start("rest house")
    battles.set_team(game, Mon(3))
    menus.use_pc(game, menus.ANY_PC)
    assert game.menu_kind() is MenuKind.PC
    assert game.byte("wMaxMenuItem") == 2
    assert menus.rows(game, 2, 15, (2, 4, 6)) == ["HAZEL's PC", "JUNO's PC", "LOG OFF"]
    menus.choose_entry(game, 0)
    menus.read_to(game, CORNER)
    assert game.menu_kind() is MenuKind.BILLS_PC
    game.press("b", settle=20)
    menus.choose_entry(game, 1)
    menus.read_to(game, CORNER)
    assert game.menu_kind() is MenuKind.PLAYER_PC
    game.press("b", settle=20)
    assert game.menu_kind() is MenuKind.PC
    menus.choose_entry(game, 2)
    game.until_free()
    assert game.step("down")


def test_the_menu_is_where_the_contract_has_it(pc: Game) -> None:
    assert pc.menu_kind() is MenuKind.PLAYER_PC
    assert pc.byte("wMaxMenuItem") == 3
    words = menus.rows(pc, 2, 15, (2, 4, 6, 8))
    assert words == ["WITHDRAW", "DEPOSIT", "TOSS", "LOG OFF"]


def test_the_quantity_changes_with_new_presses_and_wraps(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    assert (count(pc), pc.byte("wMaxItemQuantity")) == (1, 3)
    assert pc.cursor is None
    for button, number in (("up", 2), ("up", 3), ("up", 1), ("down", 3), ("down", 2)):
        pc.press(button)
        assert count(pc) == number
    pc.press("up", hold=60)
    assert count(pc) == 3


def test_items_are_withdrawn(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    pc.press("up", "a")
    assert menus.said(pc) == "JUNO took out HONEY POT."
    assert pc.bag == [(DROP, 5), (KEY, 1), (POT, 2)]
    assert pc.items(STORED) == [(DROP, 90), (POT, 1), (KEY, 1)]
    menus.read_to(pc, PC_LIST)
    assert pc.menu_kind() is MenuKind.ITEMS


def test_withdrawing_the_last_item_removes_its_entry(pc: Game) -> None:
    ask(pc, WITHDRAW, 1)
    menus.read_to(pc.press("down", "a"), PC_LIST)
    assert pc.items(STORED) == [(DROP, 90), (KEY, 1)]


def test_more_than_ninety_nine_make_another_stack(pc: Game) -> None:
    pc.bag = [(DROP, 95)]
    menus.choose_entry(pc, DEPOSIT, PC_LIST)
    pc.press("a").wait(lambda: pc.menu_kind() is MenuKind.QUANTITY, 60).press("down", "a")
    menus.read_to(pc, (1, 4))  # the bag is empty, and so its list is left
    assert pc.bag == []
    assert pc.items(STORED) == [(DROP, 99), (POT, 3), (KEY, 1), (DROP, 86)]


def test_a_key_item_has_no_quantity_question(pc: Game) -> None:
    menus.choose_entry(pc, DEPOSIT, PC_LIST)
    menus.choose_entry(pc, 1)
    assert menus.said(pc) == "JUNO put away NEAT PARCEL."
    assert pc.bag == [(DROP, 5)]


@pytest.mark.parametrize(("answer", "left"), [("a", 88), ("b", 90)])
def test_tossing_asks_for_confirmation(pc: Game, answer: str, left: int) -> None:
    ask(pc, PC_TOSS, 0)
    menus.read_to(pc.press("up", "a"), PC_YES)
    menus.read_to(pc.press(answer, settle=20), PC_LIST)
    assert pc.items(STORED)[0] == (DROP, left)


def test_a_key_item_is_not_tossed(pc: Game) -> None:
    menus.choose_entry(pc, PC_TOSS, PC_LIST)
    menus.choose_entry(pc, 2)
    assert menus.said(pc) == "Better not lose that!"
    assert len(pc.items(STORED)) == 3


def test_b_cancels_a_quantity(pc: Game) -> None:
    ask(pc, WITHDRAW, 0)
    menus.read_to(pc.press("b"), PC_LIST)
    assert pc.bag == [(DROP, 5), (KEY, 1)]


def test_a_full_bag_takes_nothing_more(pc: Game) -> None:
    pc.bag = [(DROP, 99), *[(KEY, 1)] * 19]
    ask(pc, WITHDRAW, 0)
    pc.press("a")
    assert menus.said(pc) == "No more fits into the bag!"
    menus.read_to(pc, PC_LIST)
    assert pc.items(STORED)[0] == (DROP, 90)


def test_a_full_drawer_refuses_items(pc: Game) -> None:
    pc.set_items(STORED, [*[(POT, 99)] * 50])
    menus.choose_entry(pc, DEPOSIT, PC_LIST)
    menus.choose_entry(pc, 0)
    pc.wait(lambda: pc.menu_kind() is MenuKind.QUANTITY, 60).press("a")
    assert menus.said(pc) == "No more fits into the drawer!"


@pytest.mark.parametrize(
    ("menu", "words"), [(WITHDRAW, "The drawer is empty."), (DEPOSIT, "The bag is empty.")]
)
def test_an_empty_list_is_not_shown(pc: Game, menu: int, words: str) -> None:
    pc.bag = []
    pc.set_items(STORED, [])
    menus.choose_entry(pc, menu)
    assert menus.said(pc) == words
    menus.read_to(pc, (1, 2 + 2 * menu))


ITEMS = (4, 11, 19, 20, 29)
STACKS = [(item, item) for item in ITEMS]
ENOUGH = 0.95


def item_name(game: Game, item: int) -> str:
    names = game.rom(1, 0x472B, 2000).split(b"\x50")
    return "".join(LETTERS[letter] for letter in names[item - 1])


def rows(game: Game) -> list[str]:
    return [game.text.splitlines()[y][6:18].strip() for y in (4, 6, 8, 10)]


def test_a_list_shows_four_names_and_quantities(start: Start) -> None:
    game = menus.open_bag(start("bedroom"), *STACKS)
    assert rows(game) == [item_name(game, item) for item in ITEMS[:4]]
    assert [int(game.text.splitlines()[y][15:17]) for y in (5, 7, 9, 11)] == list(ITEMS[:4])
    assert game.cursor == (5, 4)
    assert (game.byte("wListCount"), game.byte("wMaxMenuItem")) == (5, 2)
    assert game.tile(18, 11) == 0xEE
    assert halting_share(game, 100) >= ENOUGH


def row(game: Game) -> int:
    return game.byte("wCurrentMenuItem")


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_short_lists_end_with_cancel(start: Start, count: int) -> None:
    game = menus.open_bag(start("bedroom"), *STACKS[:count])
    assert game.byte("wMaxMenuItem") == min(count, 2)
    assert rows(game)[count] == "CANCEL"
    for _ in range(count + 1):
        game.press("down")
    assert game.byte("wListScrollOffset") + row(game) == count
    game.press("a", settle=20)
    assert game.cursor == (11, 4)


def test_the_list_returns_after_an_item_is_used(start: Start) -> None:
    game = menus.open_bag(start("bedroom"), *STACKS)
    game.press("down").press("a", settle=4)
    assert game.byte("wCurItem") == ITEMS[1]
    assert game.byte("wWhichPokemon") == 1
    assert game.byte("wMenuExitMethod") == 1
    game.to_cursor((14, 11), 20).press("b", settle=20)
    assert game.cursor == (5, 6)
    game.press("b", settle=20)
    assert game.byte("wMenuExitMethod") == 2
    assert game.byte("wBagSavedMenuItem") == 1
    assert game.cursor == (11, 4)
