"""The bag and its menus, with only the joypad and the contract's addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from emulator.profile import symbol
from tests.contract.game import Game

BAG: Final = 1  # of the START menu
LIST, USE, TOSS, YES, PARTY = (5, 4), (14, 11), (14, 13), (15, 8), (0, 1)
BALL, ANTIDOTE, BURN_HEAL, ICE_HEAL, AWAKENING, PARALYZE_HEAL = 4, 11, 12, 13, 14, 15
SUPER_POTION, POTION, ESCAPE_ROPE, REPEL, FULL_HEAL, REVIVE = 19, 20, 29, 30, 52, 53
TOWN_MAP, PARCEL = 5, 70


def fill_bag(game: Game, *stacks: tuple[int, int]) -> Game:
    data = bytes([len(stacks), *(byte for stack in stacks for byte in stack), 0xFF])
    game.poke("wNumBagItems", data)
    return game


def bag(game: Game) -> list[tuple[int, int]]:
    data = game.block("wNumBagItems", 42)
    count = data[0]
    assert data[1 + 2 * count] == 0xFF
    return [(data[1 + 2 * i], data[2 + 2 * i]) for i in range(count)]


def open_bag(game: Game, *stacks: tuple[int, int]) -> Game:
    """Fill the bag and open it from the START menu; the cursor is on the first row."""
    return show_bag(fill_bag(game, *stacks))


def show_bag(game: Game) -> Game:
    game.press("start", settle=20)
    while game.byte("wCurrentMenuItem") != BAG:
        game.press("down")
    game.press("a")
    return to_cursor(game, LIST)


def open_team(game: Game) -> Game:
    """Open the party list from the START menu."""
    game.tick(30)
    game.press("start")
    game.wait(lambda: game.cursor is not None, 60)
    game.tick(2)
    while game.byte("wCurrentMenuItem"):
        game.press("up")
    game.press("a")
    return to_cursor(game, PARTY)


def open_submenu(game: Game, moves: int) -> Game:
    """Open the menu of the first Pokemon, which has this number of field moves."""
    open_team(game).press("a")
    game.wait(lambda: game.cursor is not None and game.cursor[1] == 12 - 2 * moves, 60)
    game.tick(2)
    return game


def to_cursor(game: Game, place: tuple[int, int], within: int = 120) -> Game:
    game.wait(lambda: game.cursor == place, within)
    game.tick(2)
    return game


def choose(game: Game, place: tuple[int, int]) -> Game:
    """Move the cursor down to a place, and press A."""
    while game.cursor != place:
        game.press("down")
    game.press("a")
    return game


def read(game: Game, within: int = 300) -> str:
    """Wait until a text waits with its arrow, read it, and press B."""
    game.wait(lambda: game.has_arrow, within)
    said = game.said
    game.press("b")
    return said


def set_money(game: Game, amount: int) -> None:
    game.poke("wPlayerMoney", bytes.fromhex(f"{amount:06}"))


def money(game: Game) -> int:
    return int(game.block("wPlayerMoney", 3).hex())


def price(game: Game, item: int) -> int:
    return int(game.rom(1, 0x4608 + 3 * (item - 1), 3).hex())


def open_shop(game: Game, goods: Sequence[int]) -> Game:
    """Talk to a shop that sells `goods`: the first sign's text is replaced by one, in the RAM of stored items."""
    table = symbol("wBoxItems")
    script = table + 2 * 16
    game.poke("wBoxItems", script.to_bytes(2, "little") * 16)
    game.poke("wBoxItems", bytes([0xFE, len(goods), *goods, 0xFF]), 2 * 16)
    game.poke("wCurMapTextPtr", table.to_bytes(2, "little"))
    game.press("a")
    return to_cursor(game, (1, 1), 300)
