"""The box PC: deposit, withdraw, release, and changing boxes."""

from __future__ import annotations

import pytest

from emulator import MenuKind
from emulator.ram.party import Box, BoxedMon, read_box
from tests.contract import battles, menus
from tests.contract.battles import DEX, POISON, Mon
from tests.contract.game import Game, Start
from tests.contract.menus import CORNER

WITHDRAW, DEPOSIT, RELEASE, CHANGE, LEAVE = range(5)
LIST, ACTIONS, YES, BOX_LIST = (5, 4), (10, 12), (15, 8), (12, 1)
BOX_MON, NAME, SIZE = 33, 11, 0x462


@pytest.fixture
def pc(start: Start) -> Game:
    """The menu of the boxes, with three Pokemon in the team."""
    game = start("rest house")
    battles.set_team(
        game,
        Mon(3, 12, 21, 40, moves=(1, 2), experience=1728),
        Mon(7, 9, 10, 80, status=POISON, experience=729),
        Mon(33, 20, moves=(1,), experience=8000),
    )
    game.poke("wPartyMonOT", bytes([0x8A, 0x50]) + bytes(9), NAME)
    return menus.use_pc(game, menus.BOXES_PC)


def fill_box(game: Game, count: int) -> None:
    game.poke("wBoxCount", bytes([count, *[7] * count, 0xFF]))
    for place in range(count):
        game.poke("wBoxMons", battles.party_mon(game, 1)[:BOX_MON], BOX_MON * place)
        name = bytes([0x90 + place % 8, 0x50]).ljust(NAME, b"\0")
        game.poke("wBoxMonNicks", name, NAME * place)


def act(game: Game, menu: int, entry: int) -> Game:
    """Choose a Pokemon in a list, up to what to do with it."""
    return menus.choose_entry(menus.choose_entry(game, menu, LIST), entry, ACTIONS)


def species(game: Game, label: str) -> list[int]:
    listed = game.block(label, game.byte(label.replace("Species", "Count")) + 1)
    assert listed[-1] == 0xFF
    return list(listed[:-1])


def test_the_menu_is_where_the_contract_has_it(pc: Game) -> None:
    assert pc.menu_kind() is MenuKind.BILLS_PC
    assert pc.byte("wMaxMenuItem") == 4
    words = menus.rows(pc, 2, 13, (2, 4, 6, 8, 10))
    assert words == ["WITHDRAW", "DEPOSIT", "RELEASE", "CHANGE BOX", "SO LONG"]


def test_the_box_list_shows_names_and_levels(pc: Game) -> None:
    menus.choose_entry(pc, DEPOSIT, LIST)
    assert pc.menu_kind() is MenuKind.BOXED_MONS
    assert (pc.byte("wListMenuID"), pc.byte("wListCount"), pc.byte("wMaxMenuItem")) == (0, 3, 2)
    assert menus.rows(pc, 6, 18, (4, 6, 8, 10)) == ["AAAA", "BBBB", "CCCC", "CANCEL"]
    assert menus.rows(pc, 15, 18, (5, 7, 9)) == ["12", "9", "20"]


def test_a_deposited_pokemon_keeps_its_bytes(pc: Game) -> None:
    before = battles.party_mon(pc, 1)
    act(pc, DEPOSIT, 1)
    assert pc.menu_kind() is MenuKind.BILLS_PC_MON
    assert menus.rows(pc, 11, 19, (12, 14, 16)) == ["DEPOSIT", "STATS", "CANCEL"]
    pc.press("a")
    assert menus.said(pc) == "BBBB sleeps in the box now."
    menus.read_to(pc, (1, 4))
    assert (species(pc, "wPartySpecies"), species(pc, "wBoxSpecies")) == ([3, 33], [7])
    assert battles.party_mon(pc, 1)[0] == 33
    assert pc.block("wBoxMons", BOX_MON) == before[:3] + before[33:34] + before[4:BOX_MON]
    assert read_box(pc.ram) == Box(0, (BoxedMon(7, 9),))
    assert pc.block("wBoxMonNicks", 4) == bytes([0x81] * 4)
    assert pc.block("wBoxMonOT", 2) == bytes([0x8A, 0x50])
    assert pc.block("wPartyMonNicks", 22)[NAME:][:4] == bytes([0x82] * 4)


def test_a_withdrawn_pokemon_gets_recomputed_stats(pc: Game) -> None:
    fill_box(pc, 2)
    base = DEX.species(7).base
    act(pc.poke("wBoxMons", 9, BOX_MON + 3), WITHDRAW, 1)
    assert menus.rows(pc, 11, 19, (12,)) == ["WITHDRAW"]
    pc.press("a")
    assert menus.said(pc) == "R walks with you again."
    menus.read_to(pc, CORNER)
    assert (species(pc, "wPartySpecies"), species(pc, "wBoxSpecies")) == ([3, 7, 33, 7], [7])
    mon = battles.party_mon(pc, 3)
    assert (mon[4], mon[33]) == (POISON, 9)
    stats = [int.from_bytes(mon[at : at + 2]) for at in range(34, 44, 2)]
    plain = [each * 2 * 9 // 100 + 5 for each in base]
    assert stats == [plain[0] + 9 + 5, *plain[1:]]
    assert pc.block("wPartyMonNicks", 44)[3 * NAME :][:2] == bytes([0x91, 0x50])


def test_the_stats_page_of_a_boxed_pokemon_returns(pc: Game) -> None:
    fill_box(pc, 1)
    pc.poke("wBoxMons", 9, 3)
    act(pc, WITHDRAW, 0)
    before = pc.block("wTileMap")
    menus.choose_entry(pc, 1).tick(40)
    assert "ATTACK" in pc.text
    assert menus.rows(pc, 13, 17, (1,)) == ["#9"]
    pc.press("b", settle=40)
    assert pc.block("wTileMap") == before
    assert bytes(pc.pyboy.memory[0x9620:0x9800]) == battles.table(pc, "TextBoxGraphics", 32, 480)
    pc.press("b", settle=20)
    assert pc.cursor == CORNER
    assert species(pc, "wBoxSpecies") == [7]


def test_the_stats_page_of_a_party_pokemon_returns(pc: Game) -> None:
    act(pc, DEPOSIT, 0)
    menus.choose_entry(pc, 1).tick(40)
    assert menus.rows(pc, 12, 18, (2,)) == ["21# 40"]
    pc.press("b", settle=40)
    menus.choose_entry(pc, -1)
    assert menus.said(pc) == "AAAA sleeps in the box now."


@pytest.mark.parametrize(
    ("entry", "team", "boxed", "words"),
    [
        (WITHDRAW, 3, 0, "Nobody is in this box."),
        (RELEASE, 3, 0, "Nobody is in this box."),
        (WITHDRAW, 6, 1, "There are six with you already!"),
        (DEPOSIT, 1, 0, "You would be all alone then!"),
        (DEPOSIT, 2, 20, "This box has no bed left!"),
    ],
)
def test_invalid_box_actions_fail(pc: Game, entry: int, team: int, boxed: int, words: str) -> None:
    battles.set_team(pc, *[Mon(3)] * team)
    fill_box(pc, boxed)
    menus.choose_entry(pc, entry)
    assert menus.said(pc) == words
    menus.read_to(pc, (1, 2 + 2 * entry))
    assert (pc.byte("wPartyCount"), pc.byte("wBoxCount")) == (team, boxed)


@pytest.mark.parametrize(("answer", "left"), [("a", [7, 7]), ("b", [7, 7, 7])])
def test_releasing_asks_for_confirmation(pc: Game, answer: str, left: list[int]) -> None:
    fill_box(pc, 3)
    menus.choose_entry(pc, RELEASE, LIST)
    menus.choose_entry(pc, 1, YES)
    assert pc.said == "Let R go for good?"
    menus.read_to(pc.press(answer, settle=20), (1, 6))
    assert species(pc, "wBoxSpecies") == left
    assert pc.block("wBoxMonNicks", 12)[NAME] == (0x92 if answer == "a" else 0x91)


def test_a_box_of_twenty_scrolls_to_its_last(pc: Game) -> None:
    fill_box(pc, 20)
    act(pc, WITHDRAW, 19)
    assert pc.byte("wWhichPokemon") == 19
    pc.press("b", settle=20)
    menus.choose_entry(pc, 0, LIST)
    menus.choose_entry(pc, 20, CORNER)  # CANCEL
    assert species(pc, "wBoxSpecies") == [7] * 20


def slot(game: Game, number: int) -> bytes:
    start = 0xA000 + SIZE * (number % 6)
    return bytes(game.pyboy.memory[2 + number // 6, start : start + SIZE])


def check_sums(game: Game) -> None:
    for bank in (2, 3):
        sums = bytes(game.pyboy.memory[bank, 0xBA4C:0xBA53])
        boxes = [slot(game, 6 * (bank - 2) + place) for place in range(6)]
        assert list(sums[1:]) == [~sum(box) & 0xFF for box in boxes]
        assert sums[0] == ~sum(map(sum, boxes)) & 0xFF


def change_to(game: Game, number: int) -> Game:
    """Change to a box, from CHANGE BOX or above it."""
    menus.choose_entry(game, CHANGE - game.byte("wCurrentMenuItem"), YES)
    game.press("a", settle=40)
    game.wait(lambda: game.cursor is not None and game.cursor[0] == BOX_LIST[0], 60)
    assert game.menu_kind() is MenuKind.BOXES
    assert (game.byte("wTopMenuItemY"), game.byte("wMaxMenuItem")) == (1, 11)
    assert game.byte("hUILayoutFlags") & 2
    menus.choose_entry(game, number - game.byte("wCurrentMenuItem"))
    assert menus.said(game) == "That box is open now."
    return menus.read_to(game, (1, 8))


def test_boxes_are_saved_and_restored(pc: Game) -> None:
    fill_box(pc, 2)
    first = pc.block("wBoxCount", 1) + pc.block("wBoxSpecies", SIZE - 1)
    variables = bytes(pc.pyboy.memory[0, 0xA200:0xA598])
    change_to(pc, 7)
    assert pc.byte("wCurrentBoxNum") == 0x87
    assert slot(pc, 0) == first
    assert all(slot(pc, number)[:2] == b"\0\xff" for number in range(1, 12))
    assert species(pc, "wBoxSpecies") == []
    check_sums(pc)
    fill_box(pc, 1)
    change_to(pc, 11)
    assert slot(pc, 7)[:3] == bytes([1, 7, 0xFF])
    check_sums(pc)
    change_to(pc, 0)
    assert pc.byte("wCurrentBoxNum") == 0x80
    assert pc.block("wBoxCount", 1) + pc.block("wBoxSpecies", SIZE - 1) == first
    assert bytes(pc.pyboy.memory[0, 0xA200:0xA598]) == variables


def test_a_box_with_pokemon_is_marked(pc: Game) -> None:
    fill_box(pc, 1)
    change_to(pc, 3)
    menus.choose_entry(pc, 0, YES)
    pc.press("a", settle=60)
    marks = [pc.tile(18, 1 + number) != 0x7F for number in range(12)]
    assert marks == [True] + [False] * 11
    assert pc.cursor == (12, 4)
    pc.press("b", settle=30)
    assert pc.byte("wCurrentBoxNum") == 0x83


def test_refusing_to_change_keeps_the_box(pc: Game) -> None:
    menus.choose_entry(pc, CHANGE, YES)
    menus.read_to(pc.press("b", settle=40), (1, 8))
    assert pc.byte("wCurrentBoxNum") == 0


def test_the_pc_can_be_left(pc: Game) -> None:
    menus.choose_entry(pc, LEAVE)
    pc.until_free()
    assert pc.step("down")
