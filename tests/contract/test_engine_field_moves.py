"""Field moves of the demo, dark maps, and machines."""

from __future__ import annotations

from typing import Final

import pytest

from emulator import MenuKind
from emulator.ram.menu import read_field_moves, read_menu
from tests.contract import battles, menus
from tests.contract.battles import Mon
from tests.contract.game import Game, Start
from tests.contract.menus import LIST, PARTY, USE, YES
from tests.contract.places import HEATHER_WAY, NORTH_GATE, ROUTE_TRAINERS, enter, through_the_door
from tests.contract.story_moments import to_the_map

CUT, FLY, SURF, STRENGTH, FLASH = 15, 19, 57, 70, 148
HITTER = 24
TOWN_SHOWN = 16  # frames in which the town map reads no key
FIRST_BADGE, THIRD_BADGE = 0x01, 0x04
NORTH_GATE_DOOR = 1  # of the warps of Heather Way
CUT_TREE, TALL_GRASS = 0x3D, 0x52
BEFORE_CUT_TREE = (16, 11)
CUT_TILE, FLY_LIST = 0xCD4D, 0xCD3E  # wCutTile, wFlyLocationsList
TOWNS: Final = {0: "THISTLE END", 1: "ALDERBROOK", 2: "STONECROSS"}
LANDINGS = (1, 0x6448)


@pytest.fixture
def town(start: Start) -> Game:
    """Alderbrook, outdoors and without encounters."""
    return battles.hurry(start("alderbrook"))


@pytest.fixture
def route(start: Start) -> Game:
    """The north of Heather Way before its CUT tree, with a team that has no moves."""
    game = battles.hurry(through_the_door(start, HEATHER_WAY, NORTH_GATE_DOOR))
    game.poke("wGrassRate", 0)
    game.set_event(*ROUTE_TRAINERS)
    return game.go(*BEFORE_CUT_TREE).face("down")


def with_moves(game: Game, *moves: int, badges: int = 0xFF) -> Game:
    battles.set_team(game, Mon(3, moves=moves))
    game.poke("wObtainedBadges", badges)
    return game


def use_first(game: Game, moves: int = 1) -> Game:
    menus.open_submenu(game, moves).press("a")
    return game


def read_through(game: Game) -> str:
    """Read all text until the party list, or the map, is back; return it."""
    said = ""
    for _ in range(60):
        game.tick(8)
        if game.cursor == PARTY or game.is_free:
            return said
        said += f"{game.said} / "
        game.press("b")
    pytest.fail(f"neither list nor map:\n{game.text}")


@pytest.mark.parametrize(
    ("known", "numbers", "column", "words"),
    [
        ((HITTER,), [], 12, []),
        ((HITTER, CUT), [1], 12, ["SNIP"]),
        ((STRENGTH, CUT), [5, 1], 10, ["SHOULDER", "SNIP"]),
        ((FLASH, SURF, FLY, STRENGTH), [6, 4, 2, 5], 10, ["GLEAM", "PADDLE", "UPLIFT", "SHOULDER"]),
    ],
)
def test_the_submenu_begins_with_field_moves(
    town: Game, known: tuple[int, ...], numbers: list[int], column: int, words: list[str]
) -> None:
    count = len(numbers)
    game = menus.open_submenu(with_moves(town, *known), count)
    assert list(game.block("wFieldMoves", 4)) == [*numbers, 0, 0, 0, 0][:4]
    assert game.byte("wNumFieldMoves") == count
    assert game.cursor == (column, 12 - 2 * count)
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == game.cursor
    assert game.byte("hFieldMoveMonMenuTopMenuItemX") == column
    assert game.byte("wMaxMenuItem") == 2 + count
    rows = [row[column + 1 : 19].strip() for row in game.text.splitlines()[12 - 2 * count : 17 : 2]]
    assert rows == [*words, "STATS", "SWITCH", "CANCEL"]
    assert [game.tile(column - 1, 11 - 2 * count), game.tile(19, 17)] == [0x79, 0x7E]


def test_the_agent_reads_what_the_submenu_lists(town: Game) -> None:
    game = menus.open_submenu(with_moves(town, STRENGTH, HITTER, CUT), 2)
    ram = game.ram
    assert game.menu_kind() is MenuKind.PARTY_FIELD
    assert read_field_moves(ram, read_menu(ram)) == (STRENGTH, CUT)


def test_without_its_badge_a_move_is_refused(route: Game) -> None:
    game = use_first(with_moves(route, CUT, badges=0))
    assert "badge" in read_through(game)
    assert (game.cursor, game.byte("wActionResultOrTookBattleTurn")) == (PARTY, 0)
    assert game.step_tile(16, 12) == CUT_TREE


def test_cut_is_refused_without_a_tree(town: Game) -> None:
    game = use_first(with_moves(town, CUT))
    assert "nothing to cut" in read_through(game)
    assert game.cursor == PARTY


def test_cut_opens_the_way_until_the_map_is_entered_again(route: Game) -> None:
    game = route
    use_first(with_moves(game, CUT, badges=FIRST_BADGE))
    assert game.byte("wTileInFrontOfPlayer") == CUT_TREE
    assert "AAAA" in read_through(game)
    assert (game.byte("wActionResultOrTookBattleTurn"), game.at(CUT_TILE)) == (1, CUT_TREE)
    assert game.is_open(16, 12)
    assert game.tile(8, 11) == game.step_tile(16, 12)
    game.go(16, 13).go(16, 11)
    enter(game.go(4, 11), "down", NORTH_GATE)
    enter(game, "up", HEATHER_WAY)
    assert game.step_tile(16, 12) == CUT_TREE


def test_cut_takes_tall_grass_as_well(route: Game) -> None:
    game = route.go(6, 5).face("left") if route.step_tile(5, 5) != TALL_GRASS else route.go(6, 5)
    game.press("left", hold=2, settle=6)
    assert game.step_tile(5, 5) == TALL_GRASS
    use_first(with_moves(game, CUT))
    read_through(game)
    assert game.step_tile(5, 5) != TALL_GRASS


def test_a_town_is_marked_as_visited_on_entry(start: Start) -> None:
    assert start("bedroom").byte("wTownVisitedFlag") == 0
    assert start("town").byte("wTownVisitedFlag") == 0b01
    assert start("alderbrook").byte("wTownVisitedFlag") == 0b11


def test_fly_cycles_through_visited_towns_and_lands(town: Game) -> None:
    town.poke("wTownVisitedFlag", 0b101)
    game = use_first(with_moves(town, FLY, badges=THIRD_BADGE))
    seen = []
    for key in ("up", "up", "down", "down"):
        game.wait(lambda: game.text.startswith("To "), 60)
        seen.append(game.text.splitlines()[0][3:].strip())
        game.tick(TOWN_SHOWN).press(key)
    assert seen == [TOWNS[0], TOWNS[2], TOWNS[0], TOWNS[2]]
    assert [game.at(FLY_LIST + n) for n in range(5)] == [0xFF, 0, 0xFE, 2, 0xFE]
    game.tick(TOWN_SHOWN).press("up", "a", settle=TOWN_SHOWN).until_free(2)
    assert (game.place[1:], game.byte("wDestinationMap")) == (landing(game, 2), 2)
    assert game.byte("wTownVisitedFlag") == 0b101


def landing(game: Game, town: int) -> tuple[int, int]:
    """Return x and y of a town's landing record."""
    bank, table = LANDINGS
    entries = [game.rom(bank, table + 4 * n, 4) for n in range(13)]
    (at,) = [int.from_bytes(entry[2:], "little") for entry in entries if entry[0] == town]
    record = game.rom(bank, at, 4)
    return record[3], record[2]


def test_b_returns_from_the_town_map_to_the_party(town: Game) -> None:
    game = use_first(with_moves(town, FLY, badges=THIRD_BADGE))
    game.wait(lambda: game.text.startswith("To "), 60).tick(TOWN_SHOWN).press("b").to_cursor(PARTY)
    assert game.place.map == 1


def test_fly_is_refused_indoors(bedroom: Game) -> None:
    use_first(with_moves(bedroom, FLY))
    assert "Not here" in read_through(bedroom)
    assert bedroom.cursor == PARTY


CAVE, HOUSE, DARK = 82, 41, 6
LIT_PALETTE, DARK_PALETTE = 0xE4, 0xFE
BACKGROUND_PALETTE: Final = 0xFF47


@pytest.fixture
def cave(start: Start) -> Game:
    """The dark cave, entered from outdoors, with a Pokemon that knows FLASH."""
    game = battles.hurry(through_the_door(start, CAVE))
    battles.set_team(game, Mon(3, moves=(FLASH,)))
    game.poke("wObtainedBadges", 1).poke("wGrassRate", 0).tick(30)
    return game


def test_a_house_is_not_dark(start: Start) -> None:
    game = through_the_door(start, HOUSE)
    assert (game.byte("wMapPalOffset"), game.at(BACKGROUND_PALETTE)) == (0, LIT_PALETTE)


def test_full_screens_are_lit_and_the_cave_stays_dark(cave: Game) -> None:
    game = menus.open_team(cave)
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE
    to_the_map(game)
    assert (game.byte("wMapPalOffset"), game.at(BACKGROUND_PALETTE)) == (DARK, DARK_PALETTE)


def test_a_battle_in_the_dark_is_lit_and_leaves_it_dark(cave: Game) -> None:
    game = battles.meet(cave, 33, 2)
    assert game.at(BACKGROUND_PALETTE) == LIT_PALETTE
    battles.point(game, battles.RUN)
    battles.read_on(game.press("a"))
    game.until_free()
    assert (game.byte("wMapPalOffset"), game.at(BACKGROUND_PALETTE)) == (DARK, DARK_PALETTE)


HM_CUT, TM = 196, 234
STARTER, OTHER = 3, 33  # species: the first can be taught, the second cannot
MOVES, PP = 8, 29  # of a party mon
TEACHING = 3  # wPartyMenuTypeOrMessageID
MACHINES, MACHINE_COUNT = (4, 0x7773), 55
PRICES = (30, 0x7FA7)
FIRST_TM = 201


def moves(game: Game, place: int = 0) -> list[int]:
    return list(battles.party_mon(game, place)[MOVES : MOVES + 4])


def taught_move(game: Game, item: int) -> int:
    number = item - 196 + 50 if item < FIRST_TM else item - FIRST_TM
    return game.rom(*MACHINES, MACHINE_COUNT)[number]


def use_machine(game: Game, *stacks: tuple[int, int]) -> Game:
    """Choose USE for the first item in the bag, and read on to the question."""
    menus.open_bag(game, *stacks)
    menus.choose(game, LIST)
    read_to(game.to_cursor(USE).press("a"), YES)
    return game


def read_to(game: Game, cursor: tuple[int, int]) -> str:
    """Read on to the menu with its cursor there; return the text on the way."""
    said = ""
    for _ in range(12):
        game.wait(lambda: game.has_arrow or game.cursor == cursor, 300)
        said += f"{game.said} / "
        if game.cursor == cursor:
            game.tick(2)
            return said
        game.press("b")
    pytest.fail(f"no menu at {cursor}:\n{game.text}")


def test_hidden_machines_teach_what_the_contract_says(start: Start) -> None:
    game = start("bedroom")
    assert [taught_move(game, item) for item in range(196, 201)] == [15, 19, 57, 70, 148]
    number = TM - FIRST_TM
    assert 0 < taught_move(game, TM) <= 165
    assert game.rom(*PRICES, 25)[number // 2] >> (0 if number % 2 else 4) & 15


def test_a_machine_asks_and_b_cancels(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER))
    game = use_machine(bedroom, (HM_CUT, 1))
    game.press("b").to_cursor(LIST)
    assert (game.bag, game.byte("wActionResultOrTookBattleTurn")) == ([(HM_CUT, 1)], 0)
    assert CUT not in moves(game)


def test_the_party_list_shows_which_pokemon_can_learn(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER), Mon(OTHER))
    game = use_machine(bedroom, (HM_CUT, 1)).press("a")
    game.to_cursor(PARTY)
    rows = game.text.splitlines()
    assert game.byte("wPartyMenuTypeOrMessageID") == TEACHING
    assert (rows[1][12:16], rows[3][12:20]) == ("ABLE", "NOT ABLE")


@pytest.mark.parametrize(
    ("mon", "because"), [(Mon(STARTER, moves=(CUT,)), "already"), (Mon(OTHER), "no gift")]
)
def test_an_unable_or_taught_pokemon_is_refused_and_the_list_stays(
    bedroom: Game, mon: Mon, because: str
) -> None:
    battles.set_team(bedroom, mon)
    before = moves(bedroom)
    game = use_machine(bedroom, (HM_CUT, 1)).press("a")
    game.to_cursor(PARTY).press("a")
    assert because in read_to(game, PARTY)
    assert moves(game) == before
    game.press("b").to_cursor(LIST)
    assert game.byte("wActionResultOrTookBattleTurn") == 0


@pytest.mark.parametrize(("item", "left"), [(HM_CUT, [(HM_CUT, 1)]), (TM, [])])
def test_a_free_place_is_filled_and_only_some_machines_used_up(
    bedroom: Game, item: int, left: list[tuple[int, int]]
) -> None:
    battles.set_team(bedroom, Mon(STARTER, moves=(24,)))
    game = use_machine(bedroom, (item, 1)).press("a")
    game.to_cursor(PARTY).press("a")
    assert "learned" in menus.read(game)
    game.to_cursor(LIST)
    move = taught_move(game, item)
    assert moves(game) == [24, move, 0, 0]
    assert battles.party_mon(game, 0)[PP + 1] == game.rom(14, 0x4000 + 6 * (move - 1), 6)[5]
    assert (game.bag, game.byte("wActionResultOrTookBattleTurn")) == (left, 1)


def test_refusing_the_new_move_keeps_the_machine(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(STARTER, moves=(8, 24, 1, 2)))
    game = use_machine(bedroom, (TM, 1)).press("a")
    read_to(game.to_cursor(PARTY).press("a"), YES)
    game.press("b")
    assert "Give up" in read_to(game, YES)
    game.press("a")
    assert "did not learn" in read_to(game, PARTY)
    game.press("b").to_cursor(LIST)
    assert game.bag == [(TM, 1)]
    assert moves(game) == [8, 24, 1, 2]


def test_the_list_calls_machines_by_kind_and_number(bedroom: Game) -> None:
    rows = menus.open_bag(bedroom, (HM_CUT, 1), (200, 1), (TM, 3)).text.splitlines()
    assert [rows[y][6:10] for y in (4, 6, 8)] == ["HM01", "HM05", "TM34"]
