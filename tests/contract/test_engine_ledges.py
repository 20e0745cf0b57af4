"""Ledges are hopped one way, over two squares, and nothing disturbs the hop."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.contract.conftest import OFFSETS
from tests.contract.stations import LANE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HOP = 0x40
HOP_FRAMES = 32
FACINGS = {0: "down", 4: "up", 8: "left", 12: "right"}
KEYS = {"down": 0x80, "up": 0x40, "left": 0x20, "right": 0x10}


class Ledge(NamedTuple):
    """An entry of the table of ledges."""

    facing: int
    stands_on: int
    tile: int
    key: int


def ledges(game: Game) -> list[Ledge]:
    data = game.rom(6, 0x66CF, 32)
    end = next(i for i in range(0, 32, 4) if data[i] == 0xFF)
    return [Ledge(*data[i : i + 4]) for i in range(0, end, 4)]


def on_the_lane(start: Callable[[str], Game], x: int, y: int) -> Game:
    """Stand in peace south of the trainer, or north of him when the way there is north."""
    game = start("lane" if y > 10 else "alderbrook")
    if game.place.map != LANE:
        game.go(9, 17).step("down")
    game.poke("wGrassRate", 0)
    return game.go(x, y)


def test_the_table_says_facing_and_key_alike(start: Callable[[str], Game]) -> None:
    found = ledges(start("lane"))
    assert {FACINGS[ledge.facing] for ledge in found} >= {"down", "right"}
    assert all(KEYS[FACINGS[ledge.facing]] == ledge.key for ledge in found)


@pytest.mark.parametrize(("direction", "x", "y"), [("down", 10, 28), ("right", 5, 4)])
def test_a_hop_lands_two_squares_on(
    start: Callable[[str], Game], direction: str, x: int, y: int
) -> None:
    game = on_the_lane(start, x, y)
    dx, dy = OFFSETS[direction]
    assert game.step_tile(x + dx, y + dy) not in game.passable
    game.hold(direction)
    game.wait(lambda: bool(game.byte("wMovementFlags") & HOP), 12)
    game.release(direction)
    heights, indices = set(), [0]
    frames = 0
    while game.byte("wMovementFlags") & HOP:
        assert game.byte("wJoyIgnore") == 0xFF
        heights.add(game.byte("wSpriteStateData1", 4))
        indices.append(game.byte("wPlayerJumpingYScreenCoordsIndex"))
        game.tick()
        frames += 1
    assert (game.place.x, game.place.y) == (x + 2 * dx, y + 2 * dy)
    assert HOP_FRAMES <= frames <= HOP_FRAMES + 4
    assert indices == sorted(indices)
    assert min(heights) < 0x34
    assert game.byte("wSpriteStateData1", 4) == 0x3C
    assert game.byte("wPlayerJumpingYScreenCoordsIndex") == 0
    assert game.is_free


def test_other_ways_a_ledge_is_a_wall(start: Callable[[str], Game]) -> None:
    game = on_the_lane(start, 10, 30)
    for _ in range(3):
        assert not game.step("up")
    assert game.byte("wMovementFlags") == 0
    game.go(5, 29)
    assert not game.step("right")
    assert (game.place.x, game.place.y) == (5, 29)


def test_keys_do_nothing_in_the_air(start: Callable[[str], Game]) -> None:
    game = on_the_lane(start, 10, 28)
    game.hold("down")
    game.wait(lambda: bool(game.byte("wMovementFlags") & HOP), 12)
    game.release("down")
    for button in ("start", "a", "left", "up"):
        game.press(button, hold=4, settle=2)
    assert game.byte("wFontLoaded") == 0
    game.wait(lambda: game.is_free, 40)
    game.tick(10)
    assert (game.place.x, game.place.y) == (10, 30)
    assert game.step("left")
