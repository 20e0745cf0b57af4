"""The team behind START: the list, one's page, another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from emulator import MenuKind
from tests.contract import battles, pcs
from tests.contract.battles import PARALYSIS, Mon

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

BAR_START, FULL, EMPTY, LEVEL_MARK = 0x62, 0x6B, 0x63, 0x6E


@pytest.fixture
def team(start: Callable[[str], Game]) -> Game:
    """Give the list of three behind START."""
    game = start("bedroom")
    battles.set_team(
        game,
        Mon(3, 12, 40, 40, (31, 32, 33, 34), (1, 2)),
        Mon(7, 9, 10, 80, status=PARALYSIS),
        Mon(11, 100, 0, 300),
    )
    game.press("start", settle=20)
    for _ in range(8):
        rows = game.text.splitlines()
        if game.cursor is not None and "TEAM" in rows[game.cursor[1]]:
            break
        game.press("down")
    game.press("a", settle=30)
    assert game.cursor == (0, 1)
    return game


def test_the_list_says_how_each_is(team: Game) -> None:
    assert team.byte("wMaxMenuItem") == 2
    assert pcs.kind(team) is MenuKind.PARTY
    rows = team.text.splitlines()
    names = [rows[y][3:7] for y in (0, 2, 4)]
    assert names == ["AAAA", "BBBB", "CCCC"]
    assert [rows[y][13:16] for y in (1, 3, 5)] == [" 40", " 10", "  0"]
    assert [rows[y][17:20] for y in (0, 2, 4)] == ["   ", "PAR", "FNT"]
    assert (team.tile(13, 0), team.tile(13, 4)) == (LEVEL_MARK, 0xF7)
    bars = [[team.tile(x, y) for x in range(5, 12)] for y in (1, 3, 5)]
    assert bars[0] == [BAR_START, *[FULL] * 6]
    assert bars[1] == [BAR_START, EMPTY + 6, *[EMPTY] * 5]
    assert bars[2] == [BAR_START, *[EMPTY] * 6]


def test_a_page_tells_everything_of_one(team: Game) -> None:
    team.press("a", settle=20)
    assert (team.byte("wTopMenuItemX"), team.byte("wTopMenuItemY")) == (12, 12)
    words = [team.text.splitlines()[row][13:19].strip() for row in (12, 14, 16)]
    assert words == ["STATS", "SWITCH", "CANCEL"]
    team.press("a", settle=30)
    rows = team.text.splitlines()
    assert [rows[y][7:10].strip() for y in (6, 8, 10, 12)] == ["31", "32", "33", "34"]
    assert rows[14][14:16] == "20"
    team.press("b", settle=30)
    assert team.cursor == (0, 1)


def test_the_order_can_be_changed(team: Game) -> None:
    before = [battles.party_mon(team, place) for place in range(3)]
    team.press("a", settle=20)
    team.press("down")
    team.press("a", settle=20)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (1, 4)
    team.press("down")
    team.press("down")
    assert (team.tile(0, 1), team.cursor) == (0xEC, (0, 5))
    team.press("a", settle=20)
    assert (team.byte("wMenuItemToSwap"), team.byte("wPartyMenuTypeOrMessageID")) == (0, 0)
    assert [battles.party_mon(team, place) for place in range(3)] == before[::-1]
    assert team.block("wPartySpecies", 4) == bytes([11, 7, 3, 0xFF])
    assert [team.text.splitlines()[y][3:7] for y in (0, 4)] == ["CCCC", "AAAA"]


def test_b_leaves_the_order_as_it_is(team: Game) -> None:
    before = [battles.party_mon(team, place) for place in range(3)]
    team.press("a", settle=20)
    team.press("down")
    team.press("a", settle=20)
    team.press("down")
    team.press("b", settle=20)
    assert team.byte("wMenuItemToSwap") == 0
    assert [battles.party_mon(team, place) for place in range(3)] == before
    team.press("a", settle=20)
    assert team.cursor == (12, 12)


def test_b_leaves_to_the_menu_with_its_own_tiles(team: Game) -> None:
    team.press("b", settle=40)
    assert "TEAM" in team.text
    shown = bytes(team.pyboy.memory[0x9620:0x9800])
    assert shown == battles.table(team, "TextBoxGraphics", 0x20, 0x1E0)
    team.press("b", settle=20)
    assert team.step("down") or team.step("left")


def test_the_small_menu_tells_that_there_are_no_moves_of_the_field(team: Game) -> None:
    battles.poke(team, "wFieldMoves", b"\7\1\1\1")
    team.press("a", settle=20)
    assert team.cursor == (team.byte("hFieldMoveMonMenuTopMenuItemX"), 12)
    assert team.byte("wMaxMenuItem") == 2
    assert team.block("wFieldMoves", 4) == bytes(4)
    assert pcs.kind(team) is MenuKind.PARTY_FIELD
