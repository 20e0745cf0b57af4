"""Running: by speed and chance from the wild, never from trainers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract import battles
from tests.contract.battles import RUN, Mon
from tests.contract.test_engine_battle_damage import Chance, watch_chance

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game


def wild(start: Callable[[str], Game], *, own_speed: int, enemy_speed: int) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(game, Mon(3, hp=500, max_hp=500, experience=1000))
    battles.meet(game, 33, 3)
    battles.set_field(game, "own", "speed", own_speed)
    battles.set_field(game, "enemy", "speed", enemy_speed)
    return game


def escapes(own: int, enemy: int, attempt: int, byte: int) -> bool:
    """Return what the formula says about the n-th attempt in a row, from 1."""
    divisor = enemy // 4 % 256
    if own >= enemy or not divisor:
        return True
    odds = own * 32 // divisor + 30 * (attempt - 1)
    return odds > 255 or byte <= odds


def test_the_faster_always_gets_away(start: Callable[[str], Game]) -> None:
    game = wild(start, own_speed=50, enemy_speed=50)
    battles.choose(game, RUN)
    battles.read_on(game)
    game.wait(lambda: game.is_free, 200)
    assert game.byte("wIsInBattle") == battles.NOTHING
    assert game.byte("wBattleResult") == battles.LEFT
    assert game.byte("wCurOpponent") == 0


def test_the_slower_by_the_formula(start: Callable[[str], Game]) -> None:
    outcomes = set()
    for own, enemy in ((20, 120), (5, 200), (30, 300), (60, 500), (3, 999)):
        game = wild(start, own_speed=own, enemy_speed=enemy)
        chances: list[Chance] = []
        hook = watch_chance(game, chances)
        for attempt in range(1, 12):
            chances.clear()
            battles.choose(game, RUN)
            battles.read_on(game)
            fled = game.byte("wBattleResult") == battles.LEFT
            assert fled == escapes(own, enemy, attempt, chances[0].byte)
            outcomes.add(fled)
            if fled:
                break
            assert game.byte("wNumRunAttempts") == attempt
            assert game.byte("wEnemySelectedMove")  # the turn was lost
            battles.set_field(game, "own", "hp", 500)
            battles.set_field(game, "enemy", "speed", enemy)
        game.pyboy.hook_deregister(0, hook)
    assert outcomes == {False, True}


def test_fighting_forgets_the_attempts(start: Callable[[str], Game]) -> None:
    game = wild(start, own_speed=1, enemy_speed=999)
    battles.choose(game, RUN)
    battles.read_on(game)
    assert game.byte("wNumRunAttempts") == 1
    battles.fight(game)
    assert game.byte("wNumRunAttempts") == 0


def test_nobody_runs_from_trainers(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(game, Mon(3, hp=100, max_hp=100, stats=(50, 50, 500, 50)))
    battles.challenge(game, 1, 1)
    assert game.byte("wIsInBattle") == battles.TRAINER
    battles.choose(game, RUN)
    (said,) = battles.read_on(game)
    assert "Nobody runs" in battles.words(said)
    assert game.cursor == RUN
    assert game.byte("wEnemySelectedMove") == 0
    assert battles.field(game, "own", "hp") == 100
