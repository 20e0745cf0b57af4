"""Wild creatures: how often, which, and when not; and the way into a battle and back."""

from __future__ import annotations

from collections import Counter
from itertools import cycle, islice
from math import sqrt
from typing import TYPE_CHECKING

import pytest

from tests.contract.stations import fight

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

SURE = 255
PEACEFUL_STEPS = 3
SIGMAS = 4
MOMENTS = 250
LONGEST_WALK = 24  # steps in time with the divider may never meet anything
CIRCLE = ("up", "right", "down", "left")
NIBBIT = 33


def in_the_grass(start: Callable[[str], Game]) -> Game:
    """Stand where a circle of four steps stays in the grass, turned to its first; nothing was met on the way."""
    game = start("lane")
    rate = game.byte("wGrassRate")
    game.poke("wGrassRate", 0)
    game.go(3, 32).step("up")
    assert game.place[1:] == (3, 31)
    game.poke("wGrassRate", rate)
    game.poke("wNumberOfNoRandomBattleStepsLeft", 0)
    return game


def walk(game: Game, direction: str) -> bool:
    """Take a step without a pause before or after it; whether it met something."""
    before = game.place
    game.hold(direction)
    game.wait(lambda: game.place != before or bool(game.byte("wCurOpponent")), 30)
    game.release(direction)
    game.tick()
    return bool(game.byte("wCurOpponent"))


def expected(count: int, chance: float) -> tuple[float, float]:
    """Return the bounds of a binomial count."""
    spread = SIGMAS * sqrt(count * chance * (1 - chance))
    return count * chance - spread, count * chance + spread


def test_the_map_brings_its_creatures(start: Callable[[str], Game]) -> None:
    game = start("lane")
    pointer = int.from_bytes(game.rom(3, 0x4EEB + 2 * game.place.map, 2), "little")
    record = game.rom(3, pointer, 21)
    assert game.byte("wGrassRate") == record[0] > 0
    assert game.block("wGrassMons", 20) == record[1:]


def test_encounters_come_at_the_rate_of_the_map(start: Callable[[str], Game]) -> None:
    game = in_the_grass(start)
    rate = game.byte("wGrassRate")
    state = game.save()
    steps = met = 0
    for moment in range(90):
        game.load(state).tick(5 * moment)
        game.press("up", hold=2, settle=0)  # turns; a wait between would ask for another turn
        for direction in islice(cycle(CIRCLE), LONGEST_WALK):
            steps += 1
            if walk(game, direction):
                met += 1
                break
    low, high = expected(steps, rate / 256)
    assert low < met < high, f"{met} in {steps} steps"


def test_slots_follow_the_thresholds(start: Callable[[str], Game]) -> None:
    game = in_the_grass(start)
    chances = game.rom(4, 0x7918, 20)
    assert [chances[i + 1] for i in range(0, 20, 2)] == [2 * slot for slot in range(10)]
    game.poke("wGrassRate", SURE)
    for slot in range(10):  # a level each, to tell them apart
        game.poke("wGrassMons", 2 + slot, 2 * slot)
    state, seen = game.save(), Counter[int]()
    for moment in range(MOMENTS):
        game.load(state).tick(2 * moment)
        if walk(game, "up"):
            seen[game.byte("wCurEnemyLevel") - 2] += 1
    assert seen.total() > 0.95 * MOMENTS
    below = -1
    for slot, threshold in enumerate(chances[::2]):
        low, high = expected(seen.total(), (threshold - below) / 256)
        below = threshold
        assert low <= seen[slot] <= high, seen


def test_a_turn_counts_as_a_step(start: Callable[[str], Game]) -> None:
    game = in_the_grass(start)
    game.poke("wGrassRate", SURE)
    game.tick(4)
    before = game.place
    game.press("left" if game.byte("wSpriteStateData1", 9) != 8 else "right", hold=2, settle=2)
    game.wait(lambda: bool(game.byte("wCurOpponent")), 4)
    assert game.place == before


def test_no_encounter_off_the_grass_or_when_battles_are_off(start: Callable[[str], Game]) -> None:
    game = in_the_grass(start)
    game.poke("wGrassRate", SURE)
    game.poke("wStatusFlags4", game.byte("wStatusFlags4") | 0x10)
    assert not any(walk(game, direction) for direction in islice(cycle(CIRCLE), 8))
    game.tick(4)
    game.poke("wGrassRate", 0)
    game.go(9, 32)
    game.poke("wStatusFlags4", game.byte("wStatusFlags4") & ~0x10)
    game.poke("wGrassRate", SURE)
    assert not any(walk(game, direction) for direction in islice(cycle(CIRCLE), 12))


def test_three_steps_of_peace_follow_a_battle(start: Callable[[str], Game]) -> None:
    game = in_the_grass(start)
    game.poke("wGrassRate", SURE)
    before = game.place
    assert walk(game, "up")
    there = game.place
    assert there != before
    fight(game, won=True)
    game.wait(lambda: game.is_free and game.byte("wUpdateSpritesEnabled") == 1, 200)
    game.tick(30)
    assert game.place == there
    assert game.byte("wCurOpponent") == 0
    assert game.byte("wNumberOfNoRandomBattleStepsLeft") == PEACEFUL_STEPS
    game.poke("wGrassRate", SURE)
    for left, direction in zip((2, 1, 0), ("right", "down", "left"), strict=True):
        assert not walk(game, direction)
        game.tick(2)
        assert game.byte("wNumberOfNoRandomBattleStepsLeft") == left
    assert walk(game, "up")


@pytest.mark.parametrize("station", ["rival beaten", "lane"])
def test_a_pending_opponent_starts_a_battle(start: Callable[[str], Game], station: str) -> None:
    game = start(station)
    before, tiles = game.place, game.block("wTileMap")
    game.poke("wCurEnemyLevel", 3)
    game.poke("wCurOpponent", NIBBIT)
    fight(game, won=True)
    game.wait(lambda: game.is_free and game.block("wTileMap") == tiles, 200)
    assert game.place == before
    assert game.byte("wCurOpponent") == 0
    assert game.byte("hWY") == 0x90
    assert game.step("up")
