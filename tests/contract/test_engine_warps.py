"""Stairs, mats, doors and the edges between maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract.stations import GOT_STARTER

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

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
