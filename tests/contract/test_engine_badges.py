"""The leaders of the second and the third gym: a badge for who beats them, and a statue that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.contract.chapter import through_the_door
from tests.contract.stations import fight, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game


class Gym(NamedTuple):
    """A gym: its leader's class, badge and event, those of its trainers, and the square before its statue."""

    map: int
    trainer_class: int
    badge: int
    event: int
    trainers: tuple[int, int]
    statue: tuple[int, int]


FENMOUTH = Gym(65, 235, 0x02, 0x0BF, (0x0BA, 0x0BB), (0, 13))
CAIRN_ISLE = Gym(166, 236, 0x04, 0x167, (0x162, 0x163), (0, 11))
GYMS = (FENMOUTH, CAIRN_ISLE)
ARROWS = ((1, 8), (8, 6))  # those that lead on


def inside(start: Callable[[str], Game], gym: Gym) -> Game:
    """Come in, with both trainers beaten."""
    game = through_the_door(start, gym.map)
    for event in gym.trainers:
        game.set_event(event)
    return game


def before_the_leader(start: Callable[[str], Game], gym: Gym) -> Game:
    """Stand before the leader; the floor of Fenmouth carries one there in two goes."""
    game = inside(start, gym)
    if gym is FENMOUTH:
        for x, y in ARROWS:
            game.go(x, y + 1).step("up")
    return game.go_beside(4, 2)


@pytest.mark.parametrize("gym", GYMS)
def test_who_beats_the_leader_gets_the_badge(start: Callable[[str], Game], gym: Gym) -> None:
    game = before_the_leader(start, gym)
    game.poke("wPartyMon1Level", 100)  # rises no more, so that its Speed stays as it is:
    game.poke_number("wPartyMon1Speed", 999)  # one blow each, before they strike
    game.press("a")
    read_on(game, lambda: game.byte("wCurOpponent") == gym.trainer_class)
    fight(game, won=True)
    read_on(game, lambda: bool(game.byte("wObtainedBadges")))
    read_on(game, lambda: game.is_free)
    assert game.byte("wObtainedBadges") == game.byte("wBeatGymFlags") == gym.badge
    assert game.has_happened(gym.event)


@pytest.mark.parametrize("gym", GYMS)
def test_the_statue_names_who_has_won(start: Callable[[str], Game], gym: Gym) -> None:
    game = inside(start, gym)
    x, y = gym.statue
    game.go(x + 1, y).face("left")

    def reads() -> str:
        game.press("a")
        return " ".join(" ".join(game.read_to_the_end()).replace("#", " ").split())

    assert "WINNERS" not in reads()
    game.poke("wObtainedBadges", gym.badge)
    assert "WINNERS: JUNO" in reads()
