"""Objects that come and go by their flags: not drawn, not in the way, but still there in RAM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract.stations import LAB

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

HIDDEN = 0xFF
RIVAL, BALL_1, BALL_2 = 1, 2, 3


def toggles(game: Game) -> dict[int, int]:
    """Return the toggle index of each slot of the map that has one."""
    data = game.block("wToggleableObjectList").split(b"\xff")[0]
    return {data[i]: data[i + 1] for i in range(0, len(data), 2)}


def is_away(game: Game, slot: int) -> bool:
    index = toggles(game)[slot]
    return bool(game.byte("wToggleableObjectFlags", index // 8) & 1 << index % 8)


def image(game: Game, slot: int) -> int:
    return game.byte("wSpriteStateData1", 16 * slot + 2)


def test_the_list_of_a_map_is_that_of_the_cartridge(start: Callable[[str], Game]) -> None:
    game = start("lab")
    pointer = int.from_bytes(game.rom(3, 0x48F5 + 2 * LAB, 2), "little")
    rows = game.rom(3, pointer, 3 * 16)
    expected = {}
    for at in range(0, len(rows), 3):
        if rows[at] != LAB:
            break
        expected[rows[at + 1]] = (pointer + at - 0x4AEA) // 3
    assert toggles(game) == expected
    assert set(expected) == {1, 2, 3, 4}
    assert toggles(start("lane")) == {}


def test_a_new_game_hides_what_the_table_hides(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    states = game.rom(3, 0x4AEA, 684)
    count = next(i for i in range(0, 684, 3) if states[i] == 0xFF) // 3
    hidden = [bool(game.byte("wToggleableObjectFlags", i // 8) & 1 << i % 8) for i in range(count)]
    assert hidden == [states[3 * i + 2] == 0x11 for i in range(count)]


def test_what_was_taken_is_gone_and_stays_gone(start: Callable[[str], Game]) -> None:
    game = start("lab")
    places = [game.sprite(slot) for slot in (BALL_1, BALL_2)]
    assert not is_away(game, BALL_1)
    game.load(start("starter 1").save())
    assert is_away(game, BALL_1)
    assert is_away(game, BALL_2)  # his
    assert [game.sprite(slot) for slot in (BALL_1, BALL_2)] == places
    assert image(game, BALL_1) == image(game, BALL_2) == HIDDEN
    game.press("a", settle=30)
    assert game.is_free  # nothing left to talk to


def test_who_is_away_is_not_in_the_way(start: Callable[[str], Game]) -> None:
    game = start("rival beaten")
    assert is_away(game, RIVAL)
    x, y = game.sprite(RIVAL)
    game.go(4, 10)
    for direction in ("right", "down") if x == 5 else ("down",):
        game.step(direction)
        if game.place.map == LAB and (game.place.x, game.place.y) == (x, y):
            break
    assert game.place.map != LAB or (game.place.x, game.place.y) == (x, y)


def test_flags_are_read_again_at_the_door(start: Callable[[str], Game]) -> None:
    game = start("lab")
    index = toggles(game)[RIVAL]
    byte = game.byte("wToggleableObjectFlags", index // 8) | 1 << index % 8
    game.poke("wToggleableObjectFlags", byte, index // 8)
    game.step("down")
    if game.place.map == LAB:
        game.hold("down")
        game.wait(lambda: game.place.map != LAB, 120)
        game.release("down")
    game.wait(lambda: game.is_free, 300)
    game.go(15, 5)
    game.wait(lambda: game.place.map == LAB and game.is_free, 300)
    game.go(4, 6)
    assert image(game, RIVAL) == HIDDEN
    game.go(4, 4).step("up")
    assert (game.place.x, game.place.y) == game.sprite(RIVAL)
