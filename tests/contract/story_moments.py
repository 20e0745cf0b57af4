"""Moments of the story, each reached by playing on from the one before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from tests.contract.game import Game

ASKED, GOT_STARTER, BATTLED_RIVAL, BEAT_RAMBLER = 0x021, 0x022, 0x023, 0x3E2
TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE, HOUSE, LAST_MAP = 0, 12, 40, 1, 41, 37, 0xFF
LOST: Final = 0xFF


def fight(game: Game, *, won: bool) -> Game:
    """Play the battle that is about to begin; RAM is changed to force its result."""
    game.wait(lambda: game.byte("wIsInBattle") in {1, 2}, 400)
    for _ in range(600):
        if game.byte("wIsInBattle") in {0, LOST}:
            return game
        weak, strong = (game.enemy, game.own) if won else (game.own, game.enemy)
        weak.hp, strong.hp = min(weak.hp, 1), min(strong.hp, 1) * 19
        game.press("a", hold=4, settle=10)
    raise AssertionError(game.text)


def to_the_map(game: Game) -> Game:
    """Read on until the player is free to walk."""
    return game.read_until(lambda: game.is_free and not game.byte("wIsInBattle"))


def to_title(game: Game) -> Game:
    return game.tick(150)


def to_main_menu(game: Game) -> Game:
    game.press("start")
    return game.wait(lambda: game.cursor == (1, 2), 120)


def to_naming(game: Game) -> Game:
    game.press("a")
    for _ in range(100):
        if game.byte("wMaxMenuItem") == 3:
            break
        game.press("b")
    return game.wait(lambda: game.cursor == (1, 2), 120).tick(8)


def to_bedroom(game: Game) -> Game:
    game.press("down", "a")
    for _ in range(100):
        if game.byte("wCurMap") == 38:
            break
        game.press("b")
    return game.wait(lambda: game.place == (38, 3, 6) and game.is_free, 300).tick(10)


def through_warp(game: Game, target: int, name: int | None = None) -> Game:
    """Walk through the warp of this map that leads to `target`, in RAM by another number if one is named."""
    x, y, _ = next(warp for warp in game.warps if warp[2] == (target if name is None else name))
    game.go(x, y)
    if game.place.map != target:
        game.hold_until("down", lambda: game.place.map == target, 60)
    return game.until_free(target)


def to_starter(game: Game, starter: int) -> Game:
    """Take a starter and see the rival take his."""
    to_table(game, starter).press("a")
    game.read_until(lambda: game.cursor == (15, 8)).press("a")
    game.read_until(lambda: game.byte("wPartyCount") == 1)
    return game.read_until(lambda: game.is_free and not game.byte("wOaksLabCurScript"))


def to_table(game: Game, starter: int) -> Game:
    """Stand before one of the three balls."""
    return game.go(5 + starter, 4).face("up")


def to_challenge(game: Game) -> Game:
    """Step between the bookcases, where the rival's challenge starts."""
    game.go(4, 5).hold_until("down", lambda: bool(game.byte("wOaksLabCurScript")), 60)
    return game.read_until(lambda: bool(game.byte("wCurOpponent")))


def to_rival_beaten(game: Game) -> Game:
    fight(to_challenge(game), won=True)
    return game.read_until(lambda: game.is_free and not game.byte("wOaksLabCurScript"))


def to_lane(game: Game) -> Game:
    game.go(4, 11)
    if game.place.map == LAB:
        game.step("down")
    game.until_free(TOWN).go(9, 0).step("up")
    assert game.place.map == LANE
    return game


def to_alderbrook(game: Game) -> Game:
    """Walk north without battles: the trainer is beaten and encounters are off."""
    game.set_event(BEAT_RAMBLER)
    game.poke("wGrassRate", 0).go(9, 0).step("up")
    assert game.place.map == ALDERBROOK
    return game


class Moment(NamedTuple):
    """The moment where the way begins, and the way."""

    before: str
    travel: Callable[[Game], Game]


MOMENTS: Final = {
    "title": Moment("", to_title),
    "main menu": Moment("title", to_main_menu),
    "naming": Moment("main menu", to_naming),
    "bedroom": Moment("naming", to_bedroom),
    "house": Moment("bedroom", partial(through_warp, target=HOUSE)),
    "town": Moment("house", partial(through_warp, target=TOWN, name=LAST_MAP)),
    "lab": Moment("town", partial(through_warp, target=LAB)),
    **{f"starter {n}": Moment("lab", partial(to_starter, starter=n)) for n in (1, 2, 3)},
    "rival beaten": Moment("starter 1", to_rival_beaten),
    "lane": Moment("rival beaten", to_lane),
    "alderbrook": Moment("lane", to_alderbrook),
    "rest house": Moment("alderbrook", partial(through_warp, target=REST_HOUSE)),
}
