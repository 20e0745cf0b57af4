"""Reaching a PC and using its menus, on any map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from emulator import MenuKind, Ram
from emulator.profile import symbol
from emulator.ram.menu import read_menu
from emulator.ram.view import HIGH_RAM, WORK_RAM
from tests.contract import battles
from tests.contract.game import Game

ANY_PC, OWN_PC, BOXES_PC = 0xF9, 0xFC, 0xFD  # text service codes
CORNER: Final = (1, 2)
SPARE: Final = 0xCEF8  # unused RAM: a text table with one text, and the text


def use(game: Game, service: int) -> Game:
    """Talk to the person behind the counter of a rest house, whose text is replaced by a PC."""
    battles.hurry(game)
    game.pyboy.memory[SPARE : SPARE + 3] = [(SPARE + 2) & 0xFF, (SPARE + 2) >> 8, service]
    game.poke("wCurMapTextPtr", SPARE.to_bytes(2, "little"))
    game.go(3, 3).face("up")
    game.press("a")
    return to(game, CORNER)


def to(game: Game, cursor: tuple[int, int]) -> Game:
    """Read on to the menu with its cursor at this place."""
    for _ in range(60):
        game.tick(12)
        if game.cursor == cursor and not game.has_arrow:
            return game
        if game.has_arrow:
            game.press("b")
    pytest.fail(f"no menu at {cursor}:\n{game.text}")


def choose(game: Game, entry: int, then: tuple[int, int] | None) -> Game:
    """Press A on an entry counted from the cursor, and read on to the next menu."""
    for _ in range(abs(entry)):
        game.press("down" if entry > 0 else "up")
    game.press("a", settle=20)
    return to(game, then) if then else game


def said(game: Game) -> str:
    """Return the text of the waiting page."""
    game.wait(lambda: game.has_arrow, 200)
    return game.said


def ram(game: Game) -> Ram:
    """Return the RAM that the agent's readers get."""
    memory = game.pyboy.memory
    return Ram([(at, bytes(memory[at : at + size])) for at, size in (WORK_RAM, HIGH_RAM)])


def kind(game: Game) -> MenuKind | None:
    """Return the menu kind as the agent's reader decodes it."""
    menu = read_menu(ram(game))
    return menu.kind if menu else None


def rows(game: Game, x: int, end: int, ys: Sequence[int]) -> list[str]:
    lines = game.text.splitlines()
    return [lines[y][x:end].strip() for y in ys]


def set_list(game: Game, label: str, *stacks: tuple[int, int]) -> None:
    data = bytes([len(stacks), *(byte for stack in stacks for byte in stack), 0xFF])
    game.poke(label, data)


def read_list(game: Game, label: str) -> list[tuple[int, int]]:
    """Return the stacks of an item list, which must end where its count says."""
    count = game.byte(label)
    at = symbol(label) + 1
    data = bytes(game.pyboy.memory[at : at + 2 * count + 1])
    assert data[-1] == 0xFF
    return list(zip(data[0:-1:2], data[1:-1:2], strict=True))
