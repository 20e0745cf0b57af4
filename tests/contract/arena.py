"""A fight of two sturdy Pokemon, in which a test controls the random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pytest

from emulator.profile import symbol
from tests.contract import battles
from tests.contract.battles import FIGHT, Mon, with_effect
from tests.contract.game import Game, Start
from tests.contract.test_engine_battle_damage import RANDOM

HP: Final = 320
LEVEL: Final = 20
STAT: Final = 40  # Attack, Defense and Special of both
NO_TYPE: Final = 9  # no type is strong or weak against it
NAMES: Final = ("attack", "defense", "speed", "special")
SPEEDS: Final = {"own": 60, "enemy": 50}
STATUSES: Final = {"own": "wPlayerBattleStatus1", "enemy": "wEnemyBattleStatus1"}
COUNTERS: Final = {"own": "wPlayerNumAttacksLeft", "enemy": "wEnemyNumAttacksLeft"}
HARMLESS: Final = 13  # raises the user's Special
USUAL: Final = 200  # hits, not critically, and without a side effect


class Dice:
    """The random bytes of a battle until the `with` ends: a script, then always `usual`."""

    def __init__(self, game: Game) -> None:
        self.usual = USUAL
        self.drawn: list[int] = []
        self._script: Iterator[int] = iter(())
        self._game = game
        self._place = game.rom(0, 0, 0x3FFF).index(RANDOM) + len(RANDOM) - 1
        game.pyboy.hook_register(0, self._place, self._draw, None)

    def __enter__(self) -> Dice:
        return self

    def __exit__(self, *_: object) -> None:
        self._game.pyboy.hook_deregister(0, self._place)

    def roll(self, script: Iterable[int], usual: int = USUAL) -> None:
        self._script, self.usual = iter(script), usual
        self.drawn.clear()

    def _draw(self, _: object) -> None:
        registers = self._game.pyboy.register_file
        if self._game.at(registers.SP + 1) >= 0x40:  # not the interrupt, which stirs every frame
            registers.A = next(self._script, self.usual)
            self.drawn.append(registers.A)


def enter(start: Start, *reserve: Mon) -> Game:
    """Begin a wild battle; the player's Pokemon is faster, the enemy is harmless."""
    game = start("bedroom")
    battles.hurry(game)
    stats = (STAT, STAT, SPEEDS["own"], STAT)
    own = Mon(3, hp=HP, max_hp=HP, level=LEVEL, stats=stats, experience=9000)
    battles.set_team(game, own)
    battles.meet(game, 33, LEVEL)
    steady(game, "enemy")
    for name in ("type1", "type2"):
        battles.set_field(game, "own", name, NO_TYPE)
    battles.set_moves(game, "enemy", [with_effect(HARMLESS).number])
    return game


def steady(game: Game, side: str) -> None:
    """Give the active Pokemon of a side the stats of the arena."""
    for name in ("hp", "max_hp"):
        battles.set_field(game, side, name, HP)
    for name, value in zip(NAMES, (STAT, STAT, SPEEDS[side], STAT), strict=True):
        battles.set_field(game, side, name, value)
    label = "wPlayerMonUnmodifiedLevel" if side == "own" else "wEnemyMonUnmodifiedLevel"
    game.poke(label, battles_block(game, side)[14:25])
    for name in ("type1", "type2"):
        battles.set_field(game, side, name, NO_TYPE)


def battles_block(game: Game, side: str) -> bytes:
    return game.block(battles.SIDES[side], battles.BATTLE_MON)


def hp(game: Game, side: str) -> int:
    return battles.field(game, side, "hp")


def lost(game: Game, side: str) -> int:
    return HP - hp(game, side)


def status(game: Game, side: str, byte: int = 1) -> int:
    return game.at(symbol(STATUSES[side]) + byte - 1)


def set_status(game: Game, side: str, byte: int, value: int) -> None:
    game.poke(STATUSES[side], value, byte - 1)


def counters(game: Game, side: str) -> tuple[int, ...]:
    """Return attacks left, turns of confusion and bad poison, and the byte of the disabled move."""
    at = symbol(COUNTERS[side])
    return tuple(game.at(at + i) for i in range(4))


def set_counter(game: Game, side: str, index: int, value: int) -> None:
    game.poke(COUNTERS[side], value, index)


def use(game: Game, number: int) -> list[str]:
    """Let the player use a move; return the texts until the next menu."""
    battles.set_moves(game, "own", [number])
    return battles.fight(game)


def use_effect(game: Game, *effects: int) -> list[str]:
    """Let the player use a move with one of these effects."""
    return use(game, with_effect(*effects).number)


def go_on(game: Game) -> list[str]:
    """Choose FIGHT where no move list opens; return the texts until the next menu."""
    battles.choose(game, FIGHT)
    return battles.read_on(game)


def read_until(game: Game, words: str) -> None:
    """Read on until a waiting text contains `words`, and leave it waiting."""
    for _ in range(900):
        game.tick(4)
        if game.has_arrow:
            if words in game.said:
                return
            game.press("b", hold=2, settle=2)
    pytest.fail(f"never {words!r}:\n{game.text}")


def begin(game: Game, number: int) -> None:
    """Let the player use a move, without reading any text."""
    battles.set_moves(game, "own", [number])
    battles.choose(game, FIGHT)
    game.wait(lambda: game.cursor is not None and game.cursor[0] == battles.FIRST_MOVE[0], 60)
    game.press("a", hold=2, settle=2)


def hit(power: int, *, attack: int = STAT, defense: int = STAT, byte: int | None = USUAL) -> int:
    """Return the damage of a hit without type effects; without `byte` there is no random factor."""
    damage = min(997, (2 * LEVEL // 5 + 2) * power * attack // defense // 50) + 2
    return damage if byte is None else damage * (217 + byte * 39 // 256) // 255
