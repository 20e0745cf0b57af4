"""The bag in battle: what it does to whom, and whose turn it is then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract import battles, things
from tests.contract.battles import BAG, BURN, PARALYSIS, POISON, Mon
from tests.contract.things import LIST, PARTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

BASE = 7  # a stage of no change


@pytest.fixture
def team(start: Callable[[str], Game]) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(
        game, Mon(3, hp=60, max_hp=200, stats=(50, 50, 80, 50)), Mon(7, hp=0, max_hp=90)
    )
    return game


@pytest.fixture
def arena(team: Game) -> Game:
    """Give a wild battle at its first menu."""
    return battles.meet(team, 33, 5)


def use(game: Game, item: int, count: int = 2) -> Game:
    """Open the bag in battle with one thing in it, and press A on it."""
    things.fill_bag(game, (item, count))
    battles.choose(game, BAG)
    things.to_cursor(game, LIST).press("a")
    return game


def turn_is_over(game: Game) -> None:
    battles.read_on(game)
    assert battles.is_at_menu(game), game.text
    assert game.byte("wEnemySelectedMove")


def test_the_list_opens_at_once_and_b_costs_no_turn(arena: Game) -> None:
    things.fill_bag(arena, (things.POTION, 2))
    battles.choose(arena, BAG)
    things.to_cursor(arena, LIST)
    assert arena.byte("wListMenuID") == 3
    arena.press("b")
    things.to_cursor(arena, BAG)
    assert arena.byte("wEnemySelectedMove") == 0
    assert arena.byte("wActionResultOrTookBattleTurn") == 0


def test_a_potion_helps_who_fights_and_the_enemy_acts(arena: Game) -> None:
    use(arena, things.POTION)
    things.to_cursor(arena, PARTY).press("a")
    arena.wait(lambda: arena.has_arrow, 300)
    assert things.words(arena) == "AAAA has 20 HP more!"
    assert battles.field(arena, "own", "hp") == 80  # before the enemy acts
    arena.press("b")
    turn_is_over(arena)
    assert arena.byte("wPlayerSelectedMove") == 0
    assert arena.byte("wActionResultOrTookBattleTurn") == 0
    assert things.bag(arena) == [(things.POTION, 1)]
    assert int.from_bytes(battles.party_mon(arena, 0)[1:3]) == battles.field(arena, "own", "hp")


def test_who_waits_can_be_helped_too(arena: Game) -> None:
    use(arena, things.REVIVE)
    things.to_cursor(arena, PARTY).press("down")
    arena.press("a")
    assert "BBBB" in things.read(arena)
    turn_is_over(arena)
    assert int.from_bytes(battles.party_mon(arena, 1)[1:3]) == 45


def test_what_changes_nothing_costs_nothing(arena: Game) -> None:
    use(arena, things.ANTIDOTE)
    things.to_cursor(arena, PARTY).press("a")
    assert "nothing" in things.read(arena)
    things.to_cursor(arena, LIST).press("a")
    things.to_cursor(arena, PARTY).press("b")
    things.to_cursor(arena, LIST).press("b")
    things.to_cursor(arena, BAG)
    assert things.bag(arena) == [(things.ANTIDOTE, 2)]
    assert arena.byte("wEnemySelectedMove") == 0


@pytest.mark.parametrize(
    ("item", "state", "stat"),
    [
        (things.BURN_HEAL, BURN, "attack"),
        (things.PARALYZE_HEAL, PARALYSIS, "speed"),
        (things.ANTIDOTE, POISON, "defense"),
        (things.AWAKENING, 3, "special"),
    ],
)
def test_a_healed_fighter_has_its_stats_back(team: Game, item: int, state: int, stat: str) -> None:
    stats = (50, 50, 80, 50)
    battles.set_team(team, Mon(3, hp=60, max_hp=200, status=state, stats=stats))
    arena = battles.meet(team, 33, 5)
    use(arena, item)
    things.to_cursor(arena, PARTY).press("a")
    assert things.read(arena).startswith("AAAA")
    assert battles.field(arena, "own", "status") == 0
    own = dict(zip(("attack", "defense", "speed", "special"), stats, strict=True))
    assert battles.field(arena, "own", stat) == own[stat]


@pytest.mark.parametrize(("item", "stat"), [(65, 0), (66, 1), (67, 2), (68, 3)])
def test_a_tonic_raises_a_stage(arena: Game, item: int, stat: int) -> None:
    use(arena, item)
    assert "used the" in things.read(arena)
    assert "rose" in things.read(arena)
    assert arena.byte("wPlayerMonStatMods", stat) == BASE + 1
    turn_is_over(arena)
    assert things.bag(arena) == [(item, 1)]


def test_nobody_catches_what_belongs_to_a_trainer(team: Game) -> None:
    arena = battles.challenge(team, 1, 1)
    use(arena, things.BALL)
    things.read(arena)
    turn_is_over(arena)
    assert things.bag(arena) == [(things.BALL, 2)]


def test_a_ball_that_opens_again_is_gone_with_the_turn(arena: Game) -> None:
    battles.poke(arena, "wEnemyMonActualCatchRate", bytes([0]))
    use(arena, things.BALL)
    turn_is_over(arena)
    assert things.bag(arena) == [(things.BALL, 1)]


def test_a_ball_that_holds_is_gone_when_the_caught_one_has_its_name(arena: Game) -> None:
    battles.poke(arena, "wEnemyMonActualCatchRate", bytes([255]))
    battles.set_field(arena, "enemy", "hp", 1)
    use(arena, things.BALL)
    for _ in range(4):  # the record of whoever is new, and the question of a name
        battles.read_on(arena)
        if arena.byte("wIsInBattle") == battles.NOTHING:
            break
        arena.press("b")
    assert arena.byte("wIsInBattle") == battles.NOTHING
    assert arena.byte("wCapturedMonSpecies")
    assert things.bag(arena) == [(things.BALL, 1)]
