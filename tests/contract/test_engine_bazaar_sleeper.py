"""Who sleeps in the only way of Snore Lane, and the pipe that wakes him."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.contract import battles
from tests.contract.battles import Mon
from tests.contract.chapter import bag, empty_bag, fill_bag, through_the_door
from tests.contract.conftest import FONT_LOADED
from tests.contract.things import BAG, LIST, USE, to_cursor

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

BAZAAR, GATE, LANE = 122, 76, 27
PIPER, SLEEPER = 1, 1
PIPE = 73
GOT_FLUTE, FIGHT_SLEEPER, BEAT_SLEEPER = 0x128, 0x4C8, 0x4C9
BESIDE, BEYOND, FAR = (8, 6), (10, 6), (6, 6)
LEFT_RESULT: Final = 2
SPECIES, LEVEL = 125, 12


def play(game: Game) -> Game:
    """Use the pipe from the bag, and read what it says."""
    game.press("start", settle=20)
    while game.byte("wCurrentMenuItem") != BAG:
        game.press("down")
    game.press("a")
    to_cursor(game, LIST).press("a")
    to_cursor(game, USE).press("a")
    for _ in range(60):
        game.tick(8)
        if game.has_arrow:
            game.press("b")
        if not game.byte("wFontLoaded") & FONT_LOADED:
            return game
    pytest.fail(game.text)


@pytest.fixture
def lane(start: Callable[[str], Game]) -> Game:
    """Give the lane, with the pipe in the bag and a team that cannot lose."""
    game = through_the_door(start, LANE)
    battles.hurry(game)
    battles.set_team(game, Mon(3, hp=300, max_hp=300, level=30, stats=(90, 90, 90, 90)))
    empty_bag(game, PIPE)
    return game


def hidden(game: Game) -> bool:
    pairs = game.block("wToggleableObjectList", 34)
    toggle = next(pairs[i + 1] for i in range(0, 34, 2) if pairs[i] == SLEEPER)
    return bool(game.byte("wToggleableObjectFlags", toggle // 8) & 1 << toggle % 8)


def rouse(game: Game) -> Game:
    play(game.go(*BESIDE))
    for _ in range(120):
        if game.byte("wIsInBattle"):
            return game
        game.press("b", settle=8)
    pytest.fail(game.text)


def walk_past(game: Game) -> tuple[int, int]:
    """Take two steps to the right, over where he lay."""
    for _ in range(2):
        game.step("right")
    return (game.place.x, game.place.y)


def to_the_map(game: Game) -> Game:
    for _ in range(120):
        if game.is_free and not game.byte("wIsInBattle"):
            return game
        game.press("b", settle=12)
    pytest.fail(game.text)


def test_the_piper_gives_the_pipe_once(start: Callable[[str], Game]) -> None:
    game = through_the_door(start, BAZAAR)
    battles.hurry(game)
    fill_bag(game)
    game.go_beside(*game.sprite(PIPER)).press("a")
    game.read_to_the_end()
    assert not game.has_happened(GOT_FLUTE)
    empty_bag(game)
    for _ in range(2):
        game.press("a")
        game.read_to_the_end()
        assert bag(game) == {PIPE: 1}
    assert game.has_happened(GOT_FLUTE)


def test_he_lies_in_the_only_way(lane: Game) -> None:
    assert lane.route(*BEYOND) is None
    lane.go(*BESIDE).press("a")
    assert "Zzz" in " ".join(lane.read_to_the_end())


def test_from_afar_the_pipe_is_only_a_tune(lane: Game) -> None:
    play(lane.go(*FAR))
    lane.tick(60)
    assert lane.is_free
    assert bag(lane) == {PIPE: 1}
    assert not lane.has_happened(FIGHT_SLEEPER)
    assert not hidden(lane)


def test_beside_him_it_wakes_him_and_winning_clears_the_way(lane: Game) -> None:
    rouse(lane)
    assert not lane.has_happened(FIGHT_SLEEPER)
    lane.wait(lambda: battles.field(lane, "enemy", "species") == SPECIES, 300)
    assert battles.field(lane, "enemy", "level") == LEVEL
    battles.read_on(lane)
    battles.set_field(lane, "enemy", "hp", 1)
    battles.fight(lane)
    to_the_map(lane)
    assert lane.has_happened(BEAT_SLEEPER)
    assert hidden(lane)
    assert bag(lane) == {PIPE: 1}
    assert walk_past(lane) == BEYOND
    play(lane)
    lane.tick(60)
    assert lane.is_free


def test_running_counts_as_well(lane: Game) -> None:
    battles.read_on(rouse(lane))
    battles.choose(lane, battles.RUN)
    to_the_map(lane)
    assert lane.byte("wBattleResult") == LEFT_RESULT
    assert lane.has_happened(BEAT_SLEEPER)
    assert walk_past(lane) == BEYOND


def test_losing_does_not(lane: Game) -> None:
    battles.read_on(rouse(lane))
    battles.set_field(lane, "own", "hp", 1)
    battles.set_field(lane, "own", "speed", 1)
    battles.set_moves(lane, "enemy", [battles.HITTER])
    battles.fight(lane)
    to_the_map(lane)
    assert lane.place.map != LANE
    assert not lane.has_happened(BEAT_SLEEPER)
