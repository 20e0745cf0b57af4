"""Walking in the demo: steps, ledges, warps and encounters."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from itertools import cycle, islice
from math import sqrt
from typing import NamedTuple

import pytest

from tests.contract.game import OFFSETS, Game
from tests.contract.stations import GOT_STARTER, LANE, fight

FRAMES_PER_STEP = 16
BITS = {"down": 4, "up": 8, "left": 2, "right": 1}
FACINGS = {"down": 0, "up": 4, "left": 8, "right": 12}


@pytest.mark.parametrize("direction", ["left", "up", "right"])
def test_a_tap_turns_and_does_not_step(start: Callable[[str], Game], direction: str) -> None:
    game = start("bedroom")
    before = game.place
    game.press(direction, hold=2, settle=20)
    assert game.place == before
    assert game.byte("wSpriteStateData1", 9) == FACINGS[direction]
    assert game.byte("wPlayerLastStopDirection") == BITS[direction]
    assert game.byte("wPlayerMovingDirection") == 0


def test_a_tap_ahead_steps(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.press("down", hold=2, settle=20)
    assert game.place == (38, 3, 7)


def test_holding_turns_first_and_then_walks(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("up")
    turned = game.wait(lambda: game.byte("wSpriteStateData1", 9) == FACINGS["up"], 10)
    walked = game.wait(lambda: game.byte("wWalkCounter") != 0, 10)
    assert turned <= 4
    assert walked <= 3
    game.release("up")


def test_a_step_takes_sixteen_frames_and_walking_is_steady(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("up")
    arrivals = []
    for frame in range(100):
        before = game.place.y
        game.tick()
        if game.place.y != before:
            arrivals.append(frame)
    game.release("up")
    gaps = [later - earlier for earlier, later in itertools.pairwise(arrivals)]
    assert len(gaps) >= 3
    assert set(gaps) == {FRAMES_PER_STEP}


def test_coordinates_change_when_the_counter_has_run_out(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("down")
    counters = []
    for _ in range(20):
        game.tick()
        counters.append(game.byte("wWalkCounter"))
        assert (game.place.y == 7) == (counters[-1] == 0 and len(set(counters)) > 1)
        if game.place.y == 7:
            break
    game.release("down")
    moving = [counter for counter in counters if counter]
    assert moving == sorted(moving, reverse=True)
    assert set(moving) == set(range(1, 8))


def test_the_view_moves_when_the_step_begins(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    game.hold("down")
    game.wait(lambda: game.byte("wWalkCounter") not in {0, 8}, 10)
    game.tick()
    assert game.place.y == 6
    assert view(game) == expected_view(game, 3, 7)
    assert game.byte("wYBlockCoord") == 1
    game.release("down")


def test_a_wall_is_bumped_and_faced(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    x, y = next(
        (x, y)
        for y in range(7, 0, -1)
        for x in range(8)
        if game.is_open(x, y) and not game.is_open(x, y - 1) and game.route(x, y)
    )
    game.go(x, y)
    game.hold("up")
    for _ in range(40):
        game.tick()
        assert game.byte("wWalkCounter") == 0
    assert game.place == (38, x, y)
    assert game.byte("wSpriteStateData1", 9) == FACINGS["up"]
    assert game.byte("wTileInFrontOfPlayer") not in game.passable
    game.release("up")


def test_idle_passes_ask_for_a_turn_first(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    assert game.byte("wCheckFor180DegreeTurn") == 1
    game.hold("up")
    game.wait(lambda: game.byte("wWalkCounter") == 4, 30)
    assert game.byte("wCheckFor180DegreeTurn") == 0
    game.release("up")


def test_a_direction_changes_at_once_while_walking(start: Callable[[str], Game]) -> None:
    game = start("town")
    game.step("down")
    game.hold("down")
    game.wait(lambda: game.byte("wWalkCounter") == 2, 40)
    game.release("down")
    game.hold("right")
    game.wait(lambda: game.byte("wWalkCounter") == 0, 10)
    assert game.wait(lambda: game.byte("wWalkCounter") != 0, 10) <= 3
    assert game.byte("wPlayerDirection") == BITS["right"]
    game.release("right")


def test_each_finished_step_counts(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    before = game.byte("wStepCounter")
    assert game.step("up")
    assert game.step("up")
    assert game.byte("wStepCounter") == (before - 2) & 0xFF


@pytest.mark.parametrize("station", ["bedroom", "house", "town"])
def test_the_screen_buffer_is_the_map_around_the_player(
    start: Callable[[str], Game], station: str
) -> None:
    game = start(station)
    for direction in ("down", "left", "up", "right", "right", "down"):
        x, y = game.place.x, game.place.y
        assert view(game) == expected_view(game, x, y)
        assert (game.byte("wXBlockCoord"), game.byte("wYBlockCoord")) == (x % 2, y % 2)
        for column in range(10):
            for row in range(9):
                there = (x - 4 + column, y - 4 + row)
                if min(there) >= 0 and game.is_open(*there):
                    assert game.tile(2 * column, 2 * row + 1) == game.step_tile(*there)
        before = game.place.map
        game.step(direction)
        if game.place.map != before:
            break


def view(game: Game) -> int:
    return game.word("wCurrentTileBlockMapViewPointer")


def expected_view(game: Game, x: int, y: int) -> int:
    return 0xC6E8 + (y // 2 + 1) * (game.byte("wCurMapWidth") + 6) + x // 2 + 1


def test_the_players_own_slot_holds_no_map_position(start: Callable[[str], Game]) -> None:
    """The written contract says otherwise; all sixteen RAM images of the real game hold 0 there."""
    game = start("town")
    game.step("down")
    assert game.byte("wSpriteStateData2", 4) == game.byte("wSpriteStateData2", 5) == 0


HOP = 0x40
HOP_FRAMES = 32
LEDGES_FACINGS = {0: "down", 4: "up", 8: "left", 12: "right"}
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
    assert {LEDGES_FACINGS[ledge.facing] for ledge in found} >= {"down", "right"}
    assert all(KEYS[LEDGES_FACINGS[ledge.facing]] == ledge.key for ledge in found)


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


NO_JOYPAD = 0x20
SCRIPTED = 0x80
BLOCKED_FRAMES = 30


def test_stairs_take_whoever_steps_on_them(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    (stairs,) = [warp for warp in game.warps if warp[2] == 37]
    game.go(stairs[0], stairs[1])
    assert game.place.map == 37
    (back,) = [warp for warp in game.warps if warp[2] == 38]
    assert (game.place.x, game.place.y) == back[:2]
    assert game.byte("wLastMap") == 0


def test_no_warp_fires_on_the_square_of_arrival(start: Callable[[str], Game]) -> None:
    game = start("house")
    arrived = game.place
    game.tick(120)
    assert game.place == arrived


def test_the_pad_is_deaf_for_thirty_frames_after_a_warp(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    (stairs,) = [warp for warp in game.warps if warp[2] == 37]
    way = game.route(*stairs[:2])
    assert way
    for direction in way[:-1]:
        game.step(direction)
    game.hold(way[-1])
    game.wait(lambda: game.place.map == 37, 80)
    assert game.byte("wJoyIgnore") == 0xFF
    game.release(way[-1])
    game.wait(lambda: game.byte("wIgnoreInputCounter") != 0, 60)
    assert game.byte("wIgnoreInputCounter") >= BLOCKED_FRAMES - 1
    game.hold("left")
    before = game.place
    while game.byte("wIgnoreInputCounter"):
        assert game.byte("wStatusFlags5") & NO_JOYPAD
        assert game.byte("wWalkCounter") == 0
        assert game.byte("hJoyHeld") == 0
        game.tick()
    assert game.place == before
    game.wait(lambda: game.byte("wWalkCounter") != 0, 12)
    assert game.byte("wStatusFlags5") & NO_JOYPAD == 0
    game.release("left")


def test_a_mat_needs_the_way_out_to_be_held(start: Callable[[str], Game]) -> None:
    game = start("house")
    x, y, _ = next(warp for warp in game.warps if warp[2] == 0xFF)
    game.go(x, y - 1)
    game.press("down", hold=6, settle=60)
    assert game.place == (37, x, y)
    game.tick(60)
    game.press("left", hold=2, settle=30)
    assert game.place == (37, x, y)
    game.hold("down")
    game.wait(lambda: game.place.map == 0, 80)
    game.release("down")


def test_holding_on_walks_over_the_mat_and_out(start: Callable[[str], Game]) -> None:
    game = start("house")
    x, y, _ = next(warp for warp in game.warps if warp[2] == 0xFF)
    game.go(x, y - 1)
    game.hold("down")
    game.wait(lambda: game.place.map == 0, 120)
    game.release("down")


def test_a_door_lets_one_out_a_step_below(start: Callable[[str], Game]) -> None:
    game = start("house")
    x, y, _ = next(warp for warp in game.warps if warp[2] == 0xFF)
    game.go(x, y - 1)
    game.hold("down")
    game.wait(lambda: game.place.map == 0, 120)
    game.release("down")
    game.wait(lambda: bool(game.byte("wStatusFlags5") & SCRIPTED), 120)
    (door,) = [warp for warp in game.warps if warp[2] == 37]
    assert (game.place.x, game.place.y) == door[:2]
    assert game.byte("wJoyIgnore")
    game.wait(lambda: game.is_free, 120)
    assert game.place == (0, door[0], door[1] + 1)
    assert game.byte("wSimulatedJoypadStatesIndex") == 0


def test_a_door_leads_back_in(start: Callable[[str], Game]) -> None:
    game = start("town")
    (door,) = [warp for warp in game.warps if warp[2] == 37]
    game.step("up")
    game.wait(lambda: game.place.map == 37 and game.is_free, 200)
    assert game.byte("wLastMap") == 0
    mat = next(warp for warp in game.warps if warp[2] == 0xFF)
    assert (game.place.x, game.place.y) == mat[:2]
    game.hold("down")
    game.wait(lambda: game.place.map == 0 and game.is_free, 300)
    game.release("down")
    assert (game.place.x, game.place.y) == (door[0], door[1] + 1)


def test_an_edge_is_crossed_without_a_pause_both_ways(start: Callable[[str], Game]) -> None:
    game = start("town")
    game.set_event(GOT_STARTER)  # without one the lane is shut
    assert game.byte("wNorthConnectedMap") == 12
    column = next(
        x for x in range(2 * game.byte("wCurMapWidth")) if game.is_open(x, 0) and game.route(x, 0)
    )
    game.go(column, 0)
    for direction, target in (("up", 12), ("down", 0)):
        game.hold(direction)
        screens = []
        frames = 0
        while game.place.map != target:
            assert frames < 60
            game.tick()
            frames += 1
            assert game.byte("wJoyIgnore") == 0
            screens.append(game.block("wTileMap"))
        assert frames <= 26
        assert game.block("wTileMap") == screens[-2]  # the same ground seen from the other map
        game.release(direction)
        game.wait(lambda: game.is_free, 60)
        game.tick(4)
        x, y = game.place.x, game.place.y
        assert y in {0, 2 * game.byte("wCurMapHeight") - 1}
        assert game.tile(8, 9) == game.step_tile(x, y)


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
