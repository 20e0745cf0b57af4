"""The menus of the bag, the team, shops and PCs, with only the joypad and the contract's addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from emulator.profile import symbol
from tests.contract import battles
from tests.contract.game import Game

BAG: Final = 1  # of the START menu
LIST, USE, TOSS, YES, PARTY = (5, 4), (14, 11), (14, 13), (15, 8), (0, 1)
CORNER: Final = (1, 2)
BALL, ANTIDOTE, BURN_HEAL, ICE_HEAL, AWAKENING, PARALYZE_HEAL = 4, 11, 12, 13, 14, 15
SUPER_POTION, POTION, ESCAPE_ROPE, REPEL, FULL_HEAL, REVIVE = 19, 20, 29, 30, 52, 53
TOWN_MAP, PARCEL = 5, 70
ANY_PC, OWN_PC, BOXES_PC = 0xF9, 0xFC, 0xFD  # text service codes
SPARE: Final = 0xCEF8  # unused RAM: a text table with one text, and the text


def open_bag(game: Game, *stacks: tuple[int, int]) -> Game:
    """Fill the bag and open it from the START menu; the cursor is on the first row."""
    game.bag = list(stacks)
    return show_bag(game)


def show_bag(game: Game) -> Game:
    game.press("start", settle=20)
    while game.byte("wCurrentMenuItem") != BAG:
        game.press("down")
    return game.press("a").to_cursor(LIST)


def choose_use(game: Game) -> Game:
    """Press A on the entry under the cursor, and choose USE."""
    return game.press("a").to_cursor(USE).press("a")


def open_team(game: Game) -> Game:
    """Open the party list from the START menu."""
    game.tick(30).press("start").wait(lambda: game.cursor is not None, 60).tick(2)
    while game.byte("wCurrentMenuItem"):
        game.press("up")
    return game.press("a").to_cursor(PARTY)


def open_submenu(game: Game, moves: int) -> Game:
    """Open the menu of the first Pokemon, which has this number of field moves."""
    open_team(game).press("a")
    return game.wait(lambda: game.cursor is not None and game.cursor[1] == 12 - 2 * moves, 60).tick(
        2
    )


def choose(game: Game, place: tuple[int, int]) -> Game:
    """Move the cursor down to a place, and press A."""
    while game.cursor != place:
        game.press("down")
    return game.press("a")


def read(game: Game, within: int = 300) -> str:
    """Wait until a text waits with its arrow, read it, and press B."""
    said = game.wait(lambda: game.has_arrow, within).said
    game.press("b")
    return said


def price(game: Game, item: int) -> int:
    return int(game.rom(1, 0x4608 + 3 * (item - 1), 3).hex())


def open_shop(game: Game, goods: Sequence[int]) -> Game:
    """Talk to a shop that sells `goods`: the first sign's text is replaced by one, in the RAM of stored items."""
    table = symbol("wBoxItems")
    game.poke("wBoxItems", (table + 2 * 16).to_bytes(2, "little") * 16)
    game.poke("wBoxItems", bytes([0xFE, len(goods), *goods, 0xFF]), 2 * 16)
    return (
        game.poke("wCurMapTextPtr", table.to_bytes(2, "little")).press("a").to_cursor((1, 1), 300)
    )


def use_pc(game: Game, service: int) -> Game:
    """Talk to the person behind the counter of a rest house, whose text is replaced by a PC."""
    battles.hurry(game)
    game.pyboy.memory[SPARE : SPARE + 3] = [(SPARE + 2) & 0xFF, (SPARE + 2) >> 8, service]
    game.poke("wCurMapTextPtr", SPARE.to_bytes(2, "little"))
    return read_to(game.go(3, 3).face("up").press("a"), CORNER)


def read_to(game: Game, cursor: tuple[int, int]) -> Game:
    """Read on to the menu with its cursor at this place."""
    for _ in range(60):
        game.tick(12)
        if game.cursor == cursor and not game.has_arrow:
            return game
        if game.has_arrow:
            game.press("b")
    pytest.fail(f"no menu at {cursor}:\n{game.text}")


def choose_entry(game: Game, entry: int, then: tuple[int, int] | None = None) -> Game:
    """Press A on an entry counted from the cursor, and read on to the next menu if one is named."""
    game.press(*["down" if entry > 0 else "up"] * abs(entry)).press("a", settle=20)
    return read_to(game, then) if then else game


def said(game: Game) -> str:
    """Return the text of the waiting page."""
    return game.wait(lambda: game.has_arrow, 200).said


def rows(game: Game, x: int, end: int, ys: Sequence[int]) -> list[str]:
    lines = game.text.splitlines()
    return [lines[y][x:end].strip() for y in ys]
