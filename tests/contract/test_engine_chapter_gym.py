"""The gym of Stonecross: two levers, a gate of live blocks, two trainers, a leader and his badge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.chapter import (
    BEAT_LEADER,
    FIRST_LEVER,
    GYM,
    GYM_TRAINERS,
    SECOND_LEVER,
    STONECROSS,
    enter,
    through_the_door,
)
from tests.contract.stations import fight, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

DOORMAN, KEEPER, LEADER = 1, 2, 3
LEFT, RIGHT, GATE = (1, 8), (8, 8), (4, 5)
BEFORE_THE_LEADER = (4, 3)
LEADER_CLASS = 234
BADGE = 0x01


@pytest.fixture
def gym(start: Callable[[str], Game]) -> Game:
    """Give the gym with both trainers beaten."""
    game = through_the_door(start, GYM)
    for event in GYM_TRAINERS:
        game.set_event(event)
    return game


def pull(game: Game, lever: tuple[int, int]) -> None:
    game.go_beside(*lever).press("a")
    assert game.read_to_the_end()
    assert game.is_free


def picture_of_the_gate(game: Game) -> set[int]:
    """Return the tiles on screen where the gate is, seen from two steps below it."""
    game.go(4, 7)
    return {game.tile(x, y) for x in range(8, 12) for y in (4, 5)}


def test_the_levers_open_the_gate_in_their_order(gym: Game) -> None:
    shut = gym.step_tile(*GATE)
    pull(gym, RIGHT)
    assert not gym.has_happened(SECOND_LEVER)
    pull(gym, LEFT)
    assert gym.has_happened(FIRST_LEVER)
    assert not gym.has_happened(SECOND_LEVER)
    assert gym.step_tile(*GATE) == shut
    assert not gym.is_open(*GATE)
    pull(gym, RIGHT)
    assert gym.has_happened(SECOND_LEVER)
    assert all(gym.is_open(x, y) for x in (4, 5) for y in (4, 5))
    for lever in (LEFT, RIGHT):
        pull(gym, lever)
    assert gym.route(*BEFORE_THE_LEADER)


def test_the_gate_is_redrawn_at_once_and_at_each_entry(gym: Game) -> None:
    gym.set_event(FIRST_LEVER)
    shut = picture_of_the_gate(gym)
    gym.go(7, 7).go(7, 8).face("right")  # the gate is in view
    shown = gym.block("wTileMap")
    gym.press("a")
    gym.read_to_the_end()
    assert gym.block("wTileMap") != shown
    opened = picture_of_the_gate(gym)
    assert opened != shut
    gym.poke("wLastMap", STONECROSS)
    gym.go(4, 16)
    enter(gym, "down", STONECROSS)
    gym.wait(lambda: gym.is_free, 60)
    enter(gym, "up", GYM)
    assert gym.is_open(*GATE)
    assert picture_of_the_gate(gym) == opened


def before_the_leader(gym: Game) -> Game:
    gym.set_event(FIRST_LEVER)
    pull(gym, RIGHT)
    return gym.go(*BEFORE_THE_LEADER).face("up")


def test_the_leader_gives_his_badge_to_who_beats_him(gym: Game) -> None:
    game = before_the_leader(gym)
    byte = game.byte("wEventFlags", GYM_TRAINERS[1] // 8)
    game.poke("wEventFlags", byte & ~0x0C, GYM_TRAINERS[1] // 8)  # as if nobody was met
    game.press("a")
    read_on(game, lambda: game.byte("wCurOpponent") == LEADER_CLASS)
    fight(game, won=True)
    read_on(game, lambda: bool(game.byte("wObtainedBadges")))
    read_on(game, lambda: game.is_free)
    assert game.byte("wObtainedBadges") == game.byte("wBeatGymFlags") == BADGE
    assert all(game.has_happened(event) for event in (*GYM_TRAINERS, BEAT_LEADER))
    game.press("a")
    assert "wall" in " ".join(game.read_to_the_end())
    assert not game.byte("wCurOpponent")


def test_the_statue_names_the_leader_and_then_who_beat_him(gym: Game) -> None:
    def reads() -> str:
        gym.press("a")
        return " ".join(" ".join(gym.read_to_the_end()).replace("#", " ").split())

    gym.go(0, 15).face("up")
    assert "LEADER: CAIRN" in (before := reads())
    assert "WINNERS" not in before
    gym.poke("wObtainedBadges", BADGE)
    assert "LEADER: CAIRN" in (after := reads())
    assert "WINNERS: JUNO" in after


def test_a_lost_battle_gives_nothing(gym: Game) -> None:
    game = before_the_leader(gym)
    game.press("a")
    read_on(game, lambda: game.byte("wCurOpponent") == LEADER_CLASS)
    fight(game, won=False)
    read_on(game, lambda: game.place.map != GYM and game.is_free)
    assert not game.has_happened(BEAT_LEADER)
    assert game.byte("wObtainedBadges") == game.byte("wBeatGymFlags") == 0


def test_the_doorman_meets_everybody(start: Callable[[str], Game]) -> None:
    game = through_the_door(start, GYM).go(5, 13)
    game.hold("up")
    game.wait(lambda: bool(game.byte("wJoyIgnore")), 60)
    game.release("up")
    read_on(game, lambda: game.byte("wCurOpponent") == 203)
    fight(game, won=True)
    read_on(game, lambda: game.is_free and game.has_happened(GYM_TRAINERS[0]))
    assert game.route(4, 6)
