"""What a pass of the overworld computes, in frames: it has two, and takes little more than one at the most."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.contract.chapter import (
    HEATHER_WAY,
    ROUTE_TRAINERS,
    STONECROSS,
    WOOD,
    WOOD_TRAINERS,
    through_the_door,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

MOST = 1.1
LINES, FIRST_OF_BLANK, LINE = 154, 144, 0xFF44
DELAY = bytes.fromhex("3E01E0D67600F0D6")  # of home code: asks for a V-blank, and halts
RETURN = b"\xc9"
V_BLANK = 0x40
HOLDS = 120


class Stopwatch:
    """The lines of picture that went by from each V-blank to the next wait, hooked into a game."""

    def __init__(self, game: Game) -> None:
        self.lines: list[int] = []
        self._game, self._blanks = game, 0
        home = game.rom(0, 0, 0x3FFF)
        waits = home.index(DELAY)
        self._hooks = (waits, home.index(RETURN, waits), V_BLANK)
        for place, note in zip(
            self._hooks, (self._waits, self._goes_on, self._blanked), strict=True
        ):
            game.pyboy.hook_register(0, place, note, None)

    def stop(self) -> None:
        for place in self._hooks:
            self._game.pyboy.hook_deregister(0, place)

    def _waits(self, _: object) -> None:
        since_blank = (self._game.pyboy.memory[LINE] - FIRST_OF_BLANK) % LINES
        self.lines.append(since_blank + LINES * self._blanks)

    def _goes_on(self, _: object) -> None:
        self._blanks = 0

    def _blanked(self, _: object) -> None:
        self._blanks += 1


def wander(game: Game, watch: Stopwatch, dice: random.Random) -> list[int]:
    """Walk about at random; what leads off the map or into talk ends at the beginning, and does not count."""
    beginning, here, lines = game.save(), game.place.map, list[int]()
    for _ in range(HOLDS):
        direction = dice.choice(("up", "down", "left", "right"))
        game.hold(direction)
        game.tick(dice.randint(4, 90))
        game.release(direction)
        game.wait(lambda: not game.byte("wWalkCounter"), 40)
        if game.is_free and game.place.map == here:
            lines += watch.lines
        else:
            game.load(beginning).tick(dice.randint(4, 90))
        watch.lines.clear()
    return lines


@pytest.mark.parametrize(
    ("target", "entrance"),
    [(HEATHER_WAY, 0), (HEATHER_WAY, 1), (WOOD, 0), (WOOD, 2), (STONECROSS, 0)],
)
def test_a_pass_computes_little_more_than_a_frame(
    start: Callable[[str], Game], target: int, entrance: int
) -> None:
    game = through_the_door(start, target, entrance)
    for event in (*ROUTE_TRAINERS, *WOOD_TRAINERS):
        game.set_event(event)
    game.poke("wStatusFlags4", game.byte("wStatusFlags4") | 0x10)  # nobody wild
    game.tick(60)
    watch = Stopwatch(game)
    lines = wander(game, watch, random.Random(target + entrance))
    watch.stop()
    assert len(lines) > 1000
    assert max(lines) <= MOST * LINES
