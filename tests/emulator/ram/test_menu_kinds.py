"""Every menu of the game is known by where it stands, and its entries are counted from zero."""

from collections.abc import Mapping
from typing import Final

import pytest

from emulator import Menu, MenuKind, Ram
from emulator.ram.menu import read_menu

TILE_MAP: Final = 0xC3A0
CURSOR: Final = 0xED
A, B, START = 1, 2, 8
GENERIC_PC: Final = [(2, 2, 0x8F), (3, 2, 0x82)]  # PC
OPTION_BOXES: Final = [(0, 5, 0x79), (0, 10, 0x79), (19, 4, 0x7E)]


def ram_of(
    place: tuple[int, int, int],
    changes: Mapping[int, int] = {},
    tiles: list[tuple[int, int, int]] | None = None,
    current: int = 0,
) -> Ram:
    """Return RAM with a cursor drawn where the game says that its menu begins."""
    column, row, last = place
    memory = bytearray(0x2000)
    at = TILE_MAP + 20 * row + column
    values = {0xCC24: row, 0xCC25: column, 0xCC26: current, 0xCC28: last, 0xCC29: A | B}
    values |= {at: CURSOR, 0xCC30: at & 0xFF, 0xCC31: at >> 8}
    values |= {TILE_MAP + 20 * y + x: tile for x, y, tile in tiles or ()}
    for address, value in (values | dict(changes)).items():
        memory[address - 0xC000] = value
    return Ram(((0xC000, bytes(memory)),))


def menu_of(
    place: tuple[int, int, int],
    changes: Mapping[int, int] = {},
    tiles: list[tuple[int, int, int]] | None = None,
    current: int = 0,
) -> Menu:
    menu = read_menu(ram_of(place, changes, tiles, current))
    assert menu is not None
    return menu


LIST_ID, IN_BATTLE, TWO_OPTIONS, KEYS = 0xCF94, 0xD057, 0xD12C, 0xCC29


def right_edge(column: int) -> list[tuple[int, int, int]]:
    return [(column, 0, 0x7B)]


@pytest.mark.parametrize(
    ("place", "changes", "tiles", "kind"),
    [
        ((1, 2, 1), {KEYS: A | B | START}, right_edge(14), MenuKind.MAIN),
        ((1, 2, 2), {KEYS: A | B | START}, right_edge(14), MenuKind.MAIN),
        ((1, 2, 3), {KEYS: A}, right_edge(10), MenuKind.NAMES),
        ((1, 2, 2), {KEYS: A}, right_edge(10), MenuKind.OTHER),
        ((17, 3, 7), {}, [], MenuKind.KEYBOARD),
        ((1, 3, 0), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((14, 3, 7), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((1, 8, 1), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((1, 16, 1), {}, OPTION_BOXES, MenuKind.OPTIONS),
        ((11, 2, 6), {}, [], MenuKind.START),
        ((11, 2, 7), {}, [], MenuKind.START),
        ((0, 3, 6), {}, [], MenuKind.POKEDEX),
        ((15, 8, 3), {}, [], MenuKind.POKEDEX_ENTRY),
        ((5, 4, 2), {LIST_ID: 0}, [], MenuKind.BOXED_MONS),
        ((5, 4, 2), {LIST_ID: 1}, [], MenuKind.MOVE_NAMES),
        ((5, 4, 1), {LIST_ID: 2}, [], MenuKind.PRICED_ITEMS),
        ((5, 4, 0), {LIST_ID: 3}, [], MenuKind.ITEMS),
        ((5, 4, 2), {LIST_ID: 4}, [], MenuKind.FLOORS),
        ((5, 4, 2), {LIST_ID: 5}, [], MenuKind.OTHER),
        ((14, 11, 1), {}, [], MenuKind.USE_TOSS),
        ((15, 8, 1), {}, [], MenuKind.YES_NO),
        ((15, 8, 1), {TWO_OPTIONS: 0x80}, [], MenuKind.YES_NO),
        ((15, 8, 1), {TWO_OPTIONS: 7}, [], MenuKind.NO_YES),
        ((1, 8, 1), {}, [], MenuKind.SAVE_YES_NO),
        ((1, 8, 1), {IN_BATTLE: 2}, [], MenuKind.CHANGE_MON),
        ((14, 10, 1), {IN_BATTLE: 1}, [], MenuKind.NEXT_MON),
        ((12, 8, 1), {}, [], MenuKind.NURSE),
        ((1, 1, 2), {}, [], MenuKind.MART),
        ((0, 1, 0), {}, [], MenuKind.PARTY),
        ((0, 1, 5), {}, [], MenuKind.PARTY),
        ((12, 12, 2), {}, [], MenuKind.PARTY_FIELD),
        ((12, 10, 3), {}, [], MenuKind.PARTY_FIELD),
        ((8, 4, 6), {}, [], MenuKind.PARTY_FIELD),
        ((12, 12, 2), {IN_BATTLE: 1}, [], MenuKind.PARTY_BATTLE),
        ((9, 14, 1), {IN_BATTLE: 1}, [], MenuKind.BATTLE_LEFT),
        ((15, 14, 1), {IN_BATTLE: 1}, [], MenuKind.BATTLE_RIGHT),
        ((1, 14, 1), {IN_BATTLE: 1}, [], MenuKind.SAFARI_LEFT),
        ((13, 14, 1), {IN_BATTLE: 1}, [], MenuKind.SAFARI_RIGHT),
        ((5, 12, 2), {IN_BATTLE: 1}, [], MenuKind.MOVES),
        ((5, 12, 5), {IN_BATTLE: 1}, [], MenuKind.MOVES),
        ((1, 7, 5), {IN_BATTLE: 1}, [], MenuKind.MOVES_OF_ENEMY),
        ((5, 7, 5), {}, [], MenuKind.MOVES_TO_RESTORE),
        ((5, 8, 3), {}, [], MenuKind.MOVES_TO_FORGET),
        ((1, 2, 3), {}, right_edge(15), MenuKind.PLAYER_PC),
        ((1, 2, 2), {}, right_edge(15) + GENERIC_PC, MenuKind.PC),
        ((1, 2, 3), {}, right_edge(15) + GENERIC_PC, MenuKind.PC),
        ((1, 2, 4), {}, right_edge(15) + GENERIC_PC, MenuKind.PC),
        ((1, 2, 4), {}, right_edge(13), MenuKind.BILLS_PC),
        ((10, 12, 2), {}, [], MenuKind.BILLS_PC_MON),
        ((12, 1, 11), {}, [], MenuKind.BOXES),
        ((1, 5, 3), {}, [], MenuKind.VENDING),
        ((1, 4, 3), {}, [], MenuKind.PRIZES),
        ((1, 2, 1), {}, right_edge(14), MenuKind.FOSSILS),
        ((1, 2, 2), {}, [], MenuKind.OTHER),
        ((7, 7, 7), {}, [], MenuKind.OTHER),
    ],
)
def test_a_menu_is_known_by_its_place(
    place: tuple[int, int, int],
    changes: dict[int, int],
    tiles: list[tuple[int, int, int]],
    kind: MenuKind,
) -> None:
    assert menu_of(place, changes, tiles).kind is kind


@pytest.mark.parametrize(
    ("place", "current", "changes", "index"),
    [
        ((11, 2, 6), 4, {}, 4),
        ((5, 4, 2), 2, {LIST_ID: 3, 0xCC36: 7}, 9),
        ((5, 4, 2), 1, {LIST_ID: 2, 0xCC36: 0}, 1),
        ((9, 14, 1), 1, {}, 1),
        ((15, 14, 1), 0, {}, 2),
        ((15, 14, 1), 1, {}, 3),
        ((15, 14, 1), 3, {}, 3),  # the moment after the choice
        ((13, 14, 1), 1, {}, 3),
        ((5, 12, 3), 1, {}, 0),
        ((5, 12, 3), 2, {}, 1),
        ((5, 12, 3), 0, {}, 0),  # the moment after the choice
        ((5, 7, 3), 4, {}, 3),
        ((5, 8, 3), 3, {}, 3),
    ],
)
def test_the_index_counts_entries_from_zero(
    place: tuple[int, int, int], current: int, changes: dict[int, int], index: int
) -> None:
    menu = menu_of(place, changes, current=current)
    assert menu.index == index
    assert menu.is_list == (menu.kind in (MenuKind.ITEMS, MenuKind.PRICED_ITEMS))


QUANTITY_BOX: Final = [(19, 9, 0x7B), (19, 11, 0x7E)]


def quantity(tiles: list[tuple[int, int, int]]) -> Menu | None:
    memory = {0xCF96: 12, 0xCF97: 99} | {TILE_MAP + 20 * y + x: tile for x, y, tile in tiles}
    data = bytearray(0x2000)
    for address, value in memory.items():
        data[address - 0xC000] = value
    return read_menu(Ram(((0xC000, bytes(data)),)))


@pytest.mark.parametrize("column", [16, 8])
def test_a_quantity_is_a_menu_without_a_cursor(column: int) -> None:
    menu = quantity([*QUANTITY_BOX, (column, 10, 0xF1)])
    assert menu is not None
    assert menu.kind is MenuKind.QUANTITY
    assert (menu.index, menu.maximum, menu.cursor) == (12, 99, (column, 10))


def test_a_box_without_the_sign_asks_for_no_quantity() -> None:
    assert quantity(QUANTITY_BOX) is None
    assert quantity([(19, 9, 0x7B), (16, 10, 0xF1)]) is None
