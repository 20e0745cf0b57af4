"""The way through the story: each station is reached by playing on from the previous one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from tests.contract.game import Game

ASKED, GOT_STARTER, BATTLED_RIVAL, BEAT_RAMBLER = 0x021, 0x022, 0x023, 0x3E2
TOWN, LANE, LAB, ALDERBROOK, REST_HOUSE = 0, 12, 40, 1, 41
LOST: Final = 0xFF


def fight(game: Game, *, won: bool) -> Game:
    """Play the battle that is about to begin; RAM is changed to force its result."""
    game.wait(lambda: game.byte("wIsInBattle") in {1, 2}, 400)
    for _ in range(600):
        if game.byte("wIsInBattle") in {0, LOST}:
            return game
        weak = "wEnemyMonHP" if won else "wBattleMonHP"
        strong = "wBattleMonHP" if won else "wEnemyMonHP"
        if game.number(weak) > 1:
            game.poke_number(weak, 1)
        if game.number(strong):
            game.poke_number(strong, 19)
        game.press("a", hold=4, settle=10)
    raise AssertionError(game.text)


def read_on(game: Game, until: Callable[[], bool], within: int = 6000) -> Game:
    """Press B repeatedly until `until` holds."""
    for _ in range(within // 30):
        if until():
            return game
        game.press("b", settle=26)
    raise AssertionError(game.text)


def to_the_map(game: Game) -> Game:
    """Read on until the player is free to walk."""
    return read_on(game, lambda: game.is_free and not game.byte("wIsInBattle"))


def to_title(game: Game) -> Game:
    game.tick(150)
    return game


def to_main_menu(game: Game) -> Game:
    game.press("start")
    game.wait(lambda: game.cursor == (1, 2), 120)
    return game


def to_naming(game: Game) -> Game:
    game.press("a")
    for _ in range(100):
        if game.byte("wMaxMenuItem") == 3:
            break
        game.press("b")
    game.wait(lambda: game.cursor == (1, 2), 120)
    game.tick(8)
    return game


def to_bedroom(game: Game) -> Game:
    game.press("down")
    game.press("a")
    for _ in range(100):
        if game.byte("wCurMap") == 38:
            break
        game.press("b")
    game.wait(lambda: game.place == (38, 3, 6) and game.is_free, 300)
    game.tick(10)
    return game


def to_house(game: Game) -> Game:
    (stairs,) = [warp for warp in game.warps if warp[2] == 37]
    return game.go(stairs[0], stairs[1])


def to_town(game: Game) -> Game:
    mat = next(warp for warp in game.warps if warp[2] == 0xFF)
    game.go(mat[0], mat[1])
    if game.place.map == 37:
        game.step("down")
    game.wait(lambda: game.place.map == 0 and game.is_free, 200)
    return game


def to_lab(game: Game) -> Game:
    (door,) = [warp for warp in game.warps if warp[2] == LAB]
    game.go(door[0], door[1])
    game.wait(lambda: game.place.map == LAB and game.is_free, 300)
    return game


def to_table(game: Game, starter: int) -> Game:
    """Stand before one of the three balls."""
    return game.go(5 + starter, 4).face("up")


def to_starter(game: Game, starter: int) -> Game:
    """Take a starter and see the rival take his."""
    to_table(game, starter).press("a")
    read_on(game, lambda: game.cursor == (15, 8)).press("a")
    read_on(game, lambda: game.byte("wPartyCount") == 1)
    read_on(game, lambda: game.is_free and not game.byte("wOaksLabCurScript"))
    return game


def to_challenge(game: Game) -> Game:
    """Step between the bookcases, where the rival's challenge starts."""
    game.go(4, 5)
    game.hold_until("down", lambda: bool(game.byte("wOaksLabCurScript")), 60)
    return read_on(game, lambda: bool(game.byte("wCurOpponent")))


def to_rival_beaten(game: Game) -> Game:
    fight(to_challenge(game), won=True)
    return read_on(game, lambda: game.is_free and not game.byte("wOaksLabCurScript"))


def to_lane(game: Game) -> Game:
    game.go(4, 11)
    if game.place.map == LAB:
        game.step("down")
    game.wait(lambda: game.place.map == TOWN and game.is_free, 300)
    game.go(9, 0).step("up")
    assert game.place.map == LANE
    return game


def to_alderbrook(game: Game) -> Game:
    """Walk north without battles: the trainer is beaten and encounters are off."""
    game.set_event(BEAT_RAMBLER)
    game.poke("wGrassRate", 0)
    game.go(9, 0).step("up")
    assert game.place.map == ALDERBROOK
    return game


def to_rest_house(game: Game) -> Game:
    (door,) = [warp for warp in game.warps if warp[2] == REST_HOUSE]
    game.go(door[0], door[1])
    game.wait(lambda: game.place.map == REST_HOUSE and game.is_free, 300)
    return game


class Station(NamedTuple):
    """The station where the way begins, and the way."""

    before: str
    travel: Callable[[Game], Game]


STATIONS: Final = {
    "title": Station("", to_title),
    "main menu": Station("title", to_main_menu),
    "naming": Station("main menu", to_naming),
    "bedroom": Station("naming", to_bedroom),
    "house": Station("bedroom", to_house),
    "town": Station("house", to_town),
    "lab": Station("town", to_lab),
    "starter 1": Station("lab", partial(to_starter, starter=1)),
    "starter 2": Station("lab", partial(to_starter, starter=2)),
    "starter 3": Station("lab", partial(to_starter, starter=3)),
    "rival beaten": Station("starter 1", to_rival_beaten),
    "lane": Station("rival beaten", to_lane),
    "alderbrook": Station("lane", to_alderbrook),
    "rest house": Station("alderbrook", to_rest_house),
}
