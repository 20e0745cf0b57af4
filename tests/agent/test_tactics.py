"""What to do in a battle: the exact odds decide."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.capabilities.tactics import NEVER, command, expected_uses, prospects, turns_left
from agent.skills import Attack, Flee
from emulator import (
    Battle,
    BattleKind,
    BattleMon,
    Dex,
    MoveSlot,
    Phase,
    State,
    demo_cartridge_path,
    load_cartridge,
)
from tests.agent.support import Played, game_at

DEX = Dex.of(load_cartridge(demo_cartridge_path()))


def number_of(move: str) -> int:
    return next(number for number, each in DEX.all_moves.items() if each.name == move)


NUDGE, GLOWER, SPLISH = (number_of(name) for name in ("NUDGE", "GLOWER", "SPLISH"))


@pytest.fixture(scope="module")
def first_turn(played: Played) -> Iterator[State]:
    """The state in which the rival's battle asks for the first time."""

    def asks(state: State) -> bool:
        return state.battle is not None and state.battle.phase is Phase.MAIN_MENU

    with game_at(played.folder, asks) as game:
        yield game.state


def sides(state: State) -> tuple[Battle, BattleMon, BattleMon]:
    battle = state.battle
    assert battle is not None
    assert battle.own is not None
    assert battle.enemy is not None
    return battle, battle.own, battle.enemy


def with_moves(mon: BattleMon, *moves: tuple[int, int]) -> BattleMon:
    return replace(mon, moves=tuple(MoveSlot(move, pp, 0) for move, pp in moves))


def ordered(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> object:
    battle, *_ = sides(state)
    return command(DEX, replace(state, battle=replace(battle, own=own, enemy=enemy, kind=kind)))


def test_of_two_attacks_the_quicker_is_chosen(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 10), (GLOWER, 10), (SPLISH, 10))
    quickest = min(prospects(DEX, own, enemy)).slot
    assert quickest in (0, 2)
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(quickest)


def test_a_move_without_pp_is_not_chosen(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 10), (SPLISH, 3))
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(2)


def test_a_disabled_move_is_not_chosen(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = replace(with_moves(own, (NUDGE, 9), (SPLISH, 9)), disabled=1)
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(0)


def test_without_an_attack_some_move_with_pp_is_used(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 4))
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(1)


def test_a_lost_fight_is_left_if_it_can_be(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    weak = replace(own, hp=1, stats=own.stats._replace(speed=999))
    assert ordered(first_turn, weak, enemy, BattleKind.WILD) == Flee()
    assert isinstance(ordered(first_turn, weak, enemy, BattleKind.TRAINER), Attack)


def test_a_fight_that_will_be_won_is_fought(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    easy = replace(enemy, hp=1)
    assert isinstance(ordered(first_turn, own, easy, BattleKind.WILD), Attack)


def test_an_enemy_that_cannot_hurt_leaves_all_the_time_there_is(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    assert turns_left(DEX, own, with_moves(enemy, (GLOWER, 10))) == NEVER


SPREADS = st.dictionaries(st.integers(0, 9), st.integers(1, 9), min_size=1, max_size=5).map(
    lambda weights: {n: weight / sum(weights.values()) for n, weight in weights.items()}
)


@given(blow=SPREADS, hp=st.integers(1, 30))
def test_more_hp_never_falls_sooner(blow: dict[int, float], hp: int) -> None:
    assert 1 <= expected_uses(blow, hp) <= expected_uses(blow, hp + 1)


def test_expected_uses_are_what_many_tries_take() -> None:
    blow, hp, tries = {0: 0.2, 3: 0.5, 5: 0.3}, 17, 20_000
    chance = random.Random(7)
    total = 0
    for _ in range(tries):
        left = hp
        while left > 0:
            total += 1
            left -= chance.choices(list(blow), list(blow.values()))[0]
    assert expected_uses(blow, hp) == pytest.approx(total / tries, rel=0.02)
    assert expected_uses({0: 1.0}, hp) == NEVER
