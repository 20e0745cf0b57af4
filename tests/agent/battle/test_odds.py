"""What to do in a battle: the exact odds decide."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.battle import BattleGoals
from agent.battle.options import TurnState, attack_options
from agent.battle.policy import choice
from agent.skills import Attack, Flee, Order, TriedOrders
from emulator import (
    Battle,
    BattleKind,
    BattleMon,
    Dex,
    Party,
    Phase,
    State,
    demo_cartridge_path,
    load_cartridge,
)
from emulator.ram import MoveSlot, Stats
from emulator.rules import TURNS, standing
from tests.agent.support import Played, game_at

DEX = Dex.of(load_cartridge(demo_cartridge_path()))


def order_in(dex: Dex, state: State, goals: BattleGoals, tried: TriedOrders | None = None) -> Order:
    return choice(dex, state, goals, tried or TriedOrders()).order


def number_of(move: str) -> int:
    return next(number for number, each in DEX.all_moves.items() if each.name == move)


NAMES = ("NUDGE", "GLOWER", "BIG EYES", "SPLISH", "CURL UP")
NUDGE, GLOWER, BIG_EYES, SPLISH, CURL_UP = map(number_of, NAMES)


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


def even(mon: BattleMon) -> BattleMon:
    """A mon of level 5 that nothing sets apart."""
    stats = Stats(20, 11, 11, 11, 11)
    return replace(mon, level=5, hp=20, stats=stats, unmodified=stats, types=(0, 0))


def tough(mon: BattleMon) -> BattleMon:
    return replace(mon, hp=26, stats=mon.stats._replace(hp=26))


def at(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> State:
    battle, *_ = sides(state)
    mons = (replace(state.party[0], hp=own.hp), *state.party.mons[1:])
    battle = replace(battle, own=own, enemy=enemy, kind=kind)
    return replace(state, battle=battle, party=Party(mons))


def ordered(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> object:
    return order_in(DEX, at(state, own, enemy, kind), BattleGoals())


def table(state: State, own: BattleMon, enemy: BattleMon) -> TurnState:
    found = TurnState.of(DEX, at(state, own, enemy, BattleKind.TRAINER), BattleGoals())
    assert found is not None
    return found


def test_of_two_attacks_the_quicker_is_chosen(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 10), (GLOWER, 10), (SPLISH, 10))
    weak = replace(enemy, hp=9)  # nothing is worth preparing
    quickest = min(attack_options(table(first_turn, own, weak)), key=lambda each: each.turns)
    assert ordered(first_turn, own, weak, BattleKind.TRAINER) == quickest.order


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


def test_what_helps_more_than_its_turn_costs_is_done_first(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(even(own), (NUDGE, 20), (CURL_UP, 20))
    strong = tough(with_moves(even(enemy), (NUDGE, 20)))  # many turns, and each one hurts
    assert ordered(first_turn, own, strong, BattleKind.TRAINER) == Attack(1)
    curled = replace(
        own, stages=own.stages._replace(defense=6), stats=own.stats._replace(defense=44)
    )
    assert ordered(first_turn, curled, strong, BattleKind.TRAINER) == Attack(0)  # no more of it


def test_what_helps_less_than_its_turn_costs_is_left(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(even(own), (NUDGE, 20), (BIG_EYES, 20))
    strong = tough(with_moves(even(enemy), (NUDGE, 20)))
    assert ordered(first_turn, own, strong, BattleKind.TRAINER) == Attack(0)


def test_what_is_nearly_won_is_finished(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 20), (BIG_EYES, 20))
    assert ordered(first_turn, own, replace(enemy, hp=2), BattleKind.TRAINER) == Attack(0)


def test_creatures_and_moves_that_no_table_has_are_fought_all_the_same(first_turn: State) -> None:
    strange = replace(DEX, all_species={}, all_moves={NUDGE: DEX.all_moves[NUDGE]})
    assert isinstance(order_in(strange, first_turn, BattleGoals()), Attack)
    empty = replace(DEX, all_species={}, all_moves={})
    assert isinstance(order_in(empty, first_turn, BattleGoals()), Attack)


def test_against_an_enemy_that_cannot_hurt_every_fight_is_won(first_turn: State) -> None:
    _, own, enemy = sides(first_turn)
    own, harmless = with_moves(own, (NUDGE, 20)), with_moves(enemy, (GLOWER, 10))
    (only,) = attack_options(table(first_turn, own, harmless))
    assert only.worth >= 1.0


SPREADS = st.dictionaries(st.integers(0, 9), st.integers(1, 9), min_size=1, max_size=5).map(
    lambda weights: {n: weight / sum(weights.values()) for n, weight in weights.items()}
)


@given(blow=SPREADS, before=st.none() | SPREADS, hp=st.integers(1, 30))
def test_standing_is_a_chance_that_only_falls(
    blow: dict[int, float], before: dict[int, float] | None, hp: int
) -> None:
    odds = list(standing(blow, hp, before))
    assert len(odds) == TURNS + 1
    assert all(-1e-9 <= later <= sooner + 1e-9 for sooner, later in pairwise([1.0, *odds]))
    more = list(standing(blow, hp + 1, before))
    assert all(one <= other + 1e-9 for one, other in zip(odds, more, strict=True))


def test_standing_is_what_many_tries_come_to() -> None:
    blow, hp, tries = {0: 0.2, 3: 0.5, 5: 0.3}, 17, 20_000
    chance = random.Random(7)
    after_five = 0
    for _ in range(tries):
        hits = chance.choices(list(blow), list(blow.values()), k=5)
        after_five += sum(hits) < hp
    assert standing(blow, hp)[5] == pytest.approx(after_five / tries, abs=0.01)
