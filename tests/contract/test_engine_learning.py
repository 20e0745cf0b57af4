"""A fifth move: the questions, the list of what can be forgotten, and every way out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from emulator import Phase
from tests.contract import battles, growing

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

TOASTNUT: Final = 3
KNOWN: Final = (battles.HITTER, 1, 2, 4)
KEPT_FOR_EVER: Final = 15  # the first of those that machines teach again and again
YES_NO, FORGET = (15, 8), (5, 8)


def asked(start: Callable[[str], Game], known: tuple[int, ...] = KNOWN) -> tuple[Game, int]:
    """Win the level of a new move and read to the question; return the game and the move."""
    game = start("bedroom")
    battles.hurry(game)
    level, number = growing.learnset(game, TOASTNUT)[0]
    growing.win_to_level(game, level, known)
    screens = battles.read_on(game)
    assert game.cursor == YES_NO, game.text
    assert any("knows four moves" in battles.words(screen) for screen in screens)
    assert "Forget one of them" in battles.words(game.text)
    return game, number


def answer(game: Game, button: str) -> Game:
    """Answer with YES (A) or NO (B), and read to the next question, or to the map."""
    game.press(button, hold=2, settle=30)
    battles.read_on(game)
    return game


def moves_of(game: Game) -> tuple[int, ...]:
    return tuple(battles.party_mon(game, 0)[8:12])


def test_an_old_move_makes_room(start: Callable[[str], Game]) -> None:
    game, number = asked(start)
    assert game.byte("wMoveNum") == number
    assert growing.phase(game) is Phase.YES_NO
    answer(game, "a")
    assert game.cursor == FORGET
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == FORGET
    assert (game.byte("wMaxMenuItem"), game.byte("hUILayoutFlags") & 2) == (3, 2)
    assert growing.phase(game) is Phase.FORGET_MOVE
    for row in (9, 10):
        game.press("down", hold=2, settle=4)
        assert game.cursor == (5, row)
    game.press("a", hold=2, settle=4)
    said = " / ".join(battles.words(screen) for screen in battles.read_on(game))
    assert "AAAA forgot" in said
    assert "AAAA learned" in said
    assert moves_of(game) == (*KNOWN[:2], number, KNOWN[3])
    assert battles.party_mon(game, 0)[31] == battles.move(game, number).pp
    assert tuple(game.block("wBattleMon", 12)[8:12]) == moves_of(game)
    game.wait(lambda: game.is_free, 300)
    assert game.byte("hUILayoutFlags") & 2 == 0


def test_it_can_be_given_up(start: Callable[[str], Game]) -> None:
    game, _ = asked(start)
    answer(game, "b")
    assert game.cursor == YES_NO
    assert "Give up" in battles.words(game.text)
    game.press("a", hold=2, settle=30)
    said = " / ".join(battles.words(screen) for screen in battles.read_on(game))
    assert "AAAA did not learn" in said
    assert moves_of(game) == KNOWN
    game.wait(lambda: game.is_free, 300)


def test_who_says_no_twice_is_asked_again(start: Callable[[str], Game]) -> None:
    game, _ = asked(start)
    for _ in range(2):
        answer(answer(game, "b"), "b")
        assert game.cursor == YES_NO
        assert "Forget one of them" in battles.words(game.text)
    assert moves_of(game) == KNOWN


def test_b_goes_back_from_the_list_to_the_question(start: Callable[[str], Game]) -> None:
    game, _ = asked(start)
    answer(game, "a")
    answer(game, "b")
    assert game.cursor == YES_NO
    assert "Forget one of them" in battles.words(game.text)
    assert game.byte("hUILayoutFlags") & 2 == 0
    assert moves_of(game) == KNOWN


def test_moves_of_lasting_machines_are_never_forgotten(start: Callable[[str], Game]) -> None:
    game, number = asked(start, (KEPT_FOR_EVER, *KNOWN[:3]))
    answer(game, "a")
    game.press("a", hold=2, settle=4)
    screens = battles.read_on(game)
    assert "Nobody can forget that move." in [battles.words(screen) for screen in screens]
    assert game.cursor == FORGET
    game.press("down", hold=2, settle=4)
    answer(game, "a")
    assert moves_of(game) == (KEPT_FOR_EVER, number, *KNOWN[1:3])


def test_a_move_that_is_known_is_not_learned_again(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.hurry(game)
    level, number = growing.learnset(game, TOASTNUT)[0]
    growing.win_to_level(game, level, (*KNOWN[:3], number))
    battles.read_on(game)
    assert game.byte("wIsInBattle") == battles.NOTHING
    assert moves_of(game) == (*KNOWN[:3], number)


def test_of_levels_jumped_over_nothing_is_learned(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.hurry(game)
    lessons = growing.learnset(game, TOASTNUT)
    level = lessons[0][0]
    growing.win_to_level(game, level, (battles.HITTER,), enemy_level=60)
    battles.read_on(game)
    reached = battles.party_mon(game, 0)[33]
    assert reached > level
    learned = [move for when, move in lessons if when == reached]
    assert [move for move in moves_of(game) if move] == [battles.HITTER, *learned]
