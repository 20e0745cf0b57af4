"""The random bytes of a battle: recorded, or chosen by a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from emulator.profile import symbol
from tests.contract.game import Game

# Mix both bytes with the divider and return the first: the only source of randomness in home code.
RANDOM: Final = bytes.fromhex("F00447F0D388E0D3F00447F0D498E0D4F0D3C9")
USUAL: Final = 200  # hits, not critically, and without a side effect


class Chance(NamedTuple):
    """A random byte drawn by a battle, and the RAM at that moment."""

    whose: int
    byte: int
    damage: int
    critical: int


class Dice:
    """The random bytes of a battle: a script, then always `usual`."""

    def __init__(self) -> None:
        self.usual = USUAL
        self.drawn: list[int] = []
        self._script: Iterator[int] = iter(())

    def roll(self, *script: int, usual: int = USUAL) -> None:
        self._script, self.usual = iter(script), usual
        self.drawn.clear()

    def draw(self) -> int:
        self.drawn.append(next(self._script, self.usual))
        return self.drawn[-1]


@contextmanager
def at_each_draw(game: Game, note: Callable[[], None]) -> Iterator[None]:
    """Call `note` whenever code of switchable banks has drawn a byte, which is in register A."""
    place = game.rom(0, 0, 0x3FFF).index(RANDOM) + len(RANDOM) - 1
    memory, registers = game.pyboy.memory, game.pyboy.register_file

    def drawn(_: object) -> None:
        if memory[registers.SP + 1] >= 0x40:  # not the interrupt, which stirs every frame
            note()

    game.pyboy.hook_register(0, place, drawn, None)
    try:
        yield
    finally:
        game.pyboy.hook_deregister(0, place)


@contextmanager
def rolled_dice(game: Game) -> Iterator[Dice]:
    """Control the random bytes while the context lasts."""
    dice, registers = Dice(), game.pyboy.register_file

    def note() -> None:
        registers.A = dice.draw()

    with at_each_draw(game, note):
        yield dice


@contextmanager
def watch_chance(game: Game) -> Iterator[list[Chance]]:
    """Record every byte drawn while the context lasts."""
    chances: list[Chance] = []
    memory, registers = game.pyboy.memory, game.pyboy.register_file
    damage, critical, whose = map(symbol, ("wDamage", "wCriticalHitOrOHKO", "hWhoseTurn"))

    def note() -> None:
        drawn = memory[damage] << 8 | memory[damage + 1]
        chances.append(Chance(memory[whose], registers.A, drawn, memory[critical]))

    with at_each_draw(game, note):
        yield chances
