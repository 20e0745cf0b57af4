"""Walking in the demo: steps, ledges, warps and encounters."""

from __future__ import annotations

from collections import Counter
from itertools import cycle, groupby, islice
from math import sqrt

import pytest

from emulator import read_state
from emulator.ram.control import NoControl
from tests.contract import battles
from tests.contract.game import OFFSETS, Game, Start
from tests.contract.story_moments import GOT_STARTER, LAB, LANE, fight

BITS = {"down": 4, "up": 8, "left": 2, "right": 1}


def test_the_view_moves_when_the_step_begins(start: Start) -> None:
    game = start("bedroom")
    game.hold("down").wait(lambda: game.byte("wWalkCounter") not in {0, 8}, 10).tick()
    assert game.place.y == 6
    width = game.byte("wCurMapWidth") + 6
    assert (
        game.word("wCurrentTileBlockMapViewPointer") == 0xC6E8 + (7 // 2 + 1) * width + 3 // 2 + 1
    )
    assert game.byte("wYBlockCoord") == 1
    game.release("down")


def test_after_an_idle_pass_the_player_turns_before_walking(start: Start) -> None:
    game = start("bedroom")
    assert game.byte("wCheckFor180DegreeTurn") == 1
    game.hold("up").wait(lambda: game.byte("wWalkCounter") == 4, 30)
    assert game.byte("wCheckFor180DegreeTurn") == 0
    game.release("up")


def test_a_direction_changes_at_once_while_walking(start: Start) -> None:
    game = start("town")
    game.step("down")
    game.hold_until("down", lambda: game.byte("wWalkCounter") == 2, 40).hold("right")
    game.wait(lambda: game.byte("wWalkCounter") == 0, 10)
    assert game.frames_until(lambda: game.byte("wWalkCounter") != 0, 10) <= 3
    assert game.byte("wPlayerDirection") == BITS["right"]
    game.release("right")


def test_each_finished_step_counts(start: Start) -> None:
    game = start("bedroom")
    before = game.byte("wStepCounter")
    assert game.step("up")
    assert game.step("up")
    assert game.byte("wStepCounter") == (before - 2) & 0xFF


HOP = 0x40
HOP_FRAMES = 32


def on_the_lane(start: Start, x: int, y: int) -> Game:
    """Stand without encounters south of the trainer, or north of him when the way there is north."""
    game = start("lane" if y > 10 else "alderbrook")
    if game.place.map != LANE:
        game.go(9, 17).step("down")
    game.poke("wGrassRate", 0)
    return game.go(x, y)


@pytest.mark.parametrize(("direction", "x", "y"), [("down", 10, 28), ("right", 5, 4)])
def test_a_ledge_jump_lands_two_squares_ahead(start: Start, direction: str, x: int, y: int) -> None:
    game = on_the_lane(start, x, y)
    dx, dy = OFFSETS[direction]
    assert game.step_tile(x + dx, y + dy) not in game.passable
    game.hold_until(direction, lambda: bool(game.byte("wMovementFlags") & HOP), 12)
    heights, indices = set(), [0]
    frames = 0
    while game.byte("wMovementFlags") & HOP:
        assert game.byte("wJoyIgnore") == 0xFF
        heights.add(game.byte("wSpriteStateData1", 4))
        indices.append(game.byte("wPlayerJumpingYScreenCoordsIndex"))
        game.tick()
        frames += 1
    assert game.place[1:] == (x + 2 * dx, y + 2 * dy)
    assert HOP_FRAMES <= frames <= HOP_FRAMES + 4
    assert indices == sorted(indices)
    assert min(heights) < 0x34
    assert game.byte("wSpriteStateData1", 4) == 0x3C
    assert game.byte("wPlayerJumpingYScreenCoordsIndex") == 0
    assert game.is_free


def test_keys_do_nothing_during_a_ledge_jump(start: Start) -> None:
    game = on_the_lane(start, 10, 28)
    game.hold_until("down", lambda: bool(game.byte("wMovementFlags") & HOP), 12)
    for button in ("start", "a", "left", "up"):
        game.press(button, hold=4, settle=2)
    assert game.byte("wFontLoaded") == 0
    game.until_free().tick(10)
    assert game.place[1:] == (10, 30)
    assert game.step("left")


SCRIPTED = 0x80


def test_leaving_a_door_moves_the_player_one_step_down(start: Start) -> None:
    game = start("house")
    x, y, _ = next(warp for warp in game.warps if warp[2] == 0xFF)
    game.go(x, y - 1).hold_until("down", lambda: game.place.map == 0, 120)
    game.wait(lambda: bool(game.byte("wStatusFlags5") & SCRIPTED), 120)
    (door,) = [warp for warp in game.warps if warp[2] == 37]
    assert game.place[1:] == door[:2]
    assert game.byte("wJoyIgnore")
    game.until_free()
    assert game.place == (0, door[0], door[1] + 1)
    assert game.byte("wSimulatedJoypadStatesIndex") == 0


FULL, BLACK = 0xE4, 0xFF  # rBGP
RBGP = 0xFF47


def test_a_step_onto_a_door_changes_only_the_map_id_until_the_fade_is_over(start: Start) -> None:
    """From the end of the step until the new map is loaded, the readers of RAM report no control."""
    game = start("town")
    (door,) = [warp for warp in game.warps if warp[2] == LAB]
    game.go(door[0], door[1] + 1)
    before, people = game.place, game.block("wSpriteStateData2")
    game.hold("up").wait(lambda: game.place.map == LAB, 40)
    assert game.place[1:] == (door[0], door[1])
    assert game.block("wSpriteStateData2")[0x10:] == people[0x10:]
    assert (game.at(RBGP), game.byte("wJoyIgnore"), game.is_loaded) == (FULL, 0, False)
    game.release("up")
    palettes, states = [], []
    while not game.is_loaded:
        states.append(read_state(game.ram, 0))
        palettes.append(game.at(RBGP))
        game.tick()
    assert next(len(list(same)) for _, same in groupby(palettes[:-1])) in range(6, 10)
    assert list(dict.fromkeys(palettes)) == [FULL, 0xF9, 0xFE, BLACK]
    assert not any(state.in_control for state in states)
    assert all(NoControl.WARPING in state.control.reasons for state in states)
    assert before.map != LAB


def test_before_a_battle_with_a_trainer_only_the_opponent_tells_of_it(bedroom: Game) -> None:
    battles.set_team(bedroom, battles.Mon(3))
    bedroom.poke("wTrainerNo", 1).poke("wCurOpponent", 201)
    free = []
    while not bedroom.byte("wIsInBattle"):
        bedroom.tick()
        free.append(bedroom.at(RBGP) == FULL and not bedroom.byte("wJoyIgnore"))
        assert not read_state(bedroom.ram, 0).in_control
    assert sum(free) > 30


def test_an_edge_is_crossed_without_a_pause_both_ways(start: Start) -> None:
    game = start("town")
    game.set_event(GOT_STARTER)  # without one the lane is closed
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
        game.release(direction).until_free().tick(4)
        x, y = game.place.x, game.place.y
        assert y in {0, 2 * game.byte("wCurMapHeight") - 1}
        assert game.tile(8, 9) == game.step_tile(x, y)


SURE = 255
PEACEFUL_STEPS = 3
SIGMAS = 4
MOMENTS = 80
LONGEST_WALK = 24  # steps in time with the divider may never meet anything
CIRCLE = ("up", "right", "down", "left")
NIBBIT = 33


def in_the_grass(start: Start) -> Game:
    """Stand where a circle of four steps stays in the grass, turned to its first, without an encounter."""
    game = start("lane")
    rate = game.byte("wGrassRate")
    game.poke("wGrassRate", 0)
    game.go(3, 32).step("up")
    assert game.place[1:] == (3, 31)
    game.poke("wGrassRate", rate).poke("wNumberOfNoRandomBattleStepsLeft", 0)
    return game


def walk(game: Game, direction: str) -> bool:
    """Take a step without a pause before or after it; return whether an encounter began."""
    before = game.place
    game.hold_until(direction, lambda: game.place != before or bool(game.byte("wCurOpponent")), 30)
    game.tick()
    return bool(game.byte("wCurOpponent"))


def expected(count: int, chance: float) -> tuple[float, float]:
    """Return the bounds of a binomial count."""
    spread = SIGMAS * sqrt(count * chance * (1 - chance))
    return count * chance - spread, count * chance + spread


def test_entering_a_map_loads_its_encounters(start: Start) -> None:
    game = start("lane")
    pointer = int.from_bytes(game.rom(3, 0x4EEB + 2 * game.place.map, 2), "little")
    record = game.rom(3, pointer, 21)
    assert game.byte("wGrassRate") == record[0] > 0
    assert game.block("wGrassMons", 20) == record[1:]


def test_encounters_come_at_the_rate_of_the_map(start: Start) -> None:
    game = in_the_grass(start)
    rate = game.byte("wGrassRate")
    state = game.save()
    steps = met = 0
    for moment in range(30):
        game.load(state).tick(10 * moment)
        game.press("up", hold=2, settle=0)  # turns; a wait between would cause another turn
        for direction in islice(cycle(CIRCLE), LONGEST_WALK):
            steps += 1
            if walk(game, direction):
                met += 1
                break
    low, high = expected(steps, rate / 256)
    assert low < met < high, f"{met} in {steps} steps"


def test_slots_follow_the_thresholds(start: Start) -> None:
    game = in_the_grass(start)
    chances = game.rom(4, 0x7918, 20)
    assert [chances[i + 1] for i in range(0, 20, 2)] == [2 * slot for slot in range(10)]
    game.poke("wGrassRate", SURE)
    for slot in range(10):  # a different level per slot, to distinguish them
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


def test_no_encounter_off_the_grass_or_when_battles_are_off(start: Start) -> None:
    game = in_the_grass(start)
    game.poke("wGrassRate", SURE).poke("wStatusFlags4", game.byte("wStatusFlags4") | 0x10)
    assert not any(walk(game, direction) for direction in islice(cycle(CIRCLE), 8))
    game.tick(4).poke("wGrassRate", 0)
    game.go(9, 32).poke("wStatusFlags4", game.byte("wStatusFlags4") & ~0x10)
    game.poke("wGrassRate", SURE)
    assert not any(walk(game, direction) for direction in islice(cycle(CIRCLE), 12))


def test_three_steps_without_encounters_follow_a_battle(start: Start) -> None:
    game = in_the_grass(start)
    game.poke("wGrassRate", SURE)
    before = game.place
    assert walk(game, "up")
    there = game.place
    assert there != before
    fight(game, won=True)
    game.wait(lambda: game.is_free and game.byte("wUpdateSpritesEnabled") == 1, 200).tick(30)
    assert (game.place, game.byte("wCurOpponent")) == (there, 0)
    assert game.byte("wNumberOfNoRandomBattleStepsLeft") == PEACEFUL_STEPS
    game.poke("wGrassRate", SURE)
    for left, direction in zip((2, 1, 0), ("right", "down", "left"), strict=True):
        assert not walk(game, direction)
        game.tick(2)
        assert game.byte("wNumberOfNoRandomBattleStepsLeft") == left
    assert walk(game, "up")


@pytest.mark.parametrize("station", ["rival beaten", "lane"])
def test_a_pending_opponent_starts_a_battle(start: Start, station: str) -> None:
    game = start(station)
    before, tiles = game.place, game.block("wTileMap")
    fight(game.poke("wCurEnemyLevel", 3).poke("wCurOpponent", NIBBIT), won=True)
    game.wait(lambda: game.is_free and game.block("wTileMap") == tiles, 200)
    assert (game.place, game.byte("wCurOpponent"), game.byte("hWY")) == (before, 0, 0x90)
    assert game.step("up")
