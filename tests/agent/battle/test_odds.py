"""What to do in a battle by exact odds, and what the other side is expected to do."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.battle.damage import HORIZON, NEGLIGIBLE, Duel, TurnDamage, survival
from agent.battle.matchups import AttackChoice, duel, with_ai_moves
from agent.battle.options import BattleGoals, TurnState, attack_options
from agent.battle.policy import choice
from agent.skills import Attack, Flee
from emulator import BattleKind, BattleMon, Party, State
from emulator.ram.party import MoveSlot, Stats
from emulator.rules.moves import MoveData
from tests.agent.demo import DEX, enemy_of, own_of
from tests.agent.ring import Fighter, Ring, Script, number_of

NAMES = ("NUDGE", "GLOWER", "BIG EYES", "SPLISH", "CURL UP")
NUDGE, GLOWER, BIG_EYES, SPLISH, CURL_UP = map(number_of, NAMES)


def sides(state: State) -> tuple[BattleMon, BattleMon]:
    return own_of(state), enemy_of(state)


def with_moves(mon: BattleMon, *moves: tuple[int, int]) -> BattleMon:
    return replace(mon, moves=tuple(MoveSlot(move, pp, 0) for move, pp in moves))


def even(mon: BattleMon) -> BattleMon:
    """A mon of level 5 that nothing sets apart."""
    stats = Stats(20, 11, 11, 11, 11)
    return replace(mon, level=5, hp=20, stats=stats, unmodified=stats, types=(0, 0))


def tough(mon: BattleMon) -> BattleMon:
    return replace(mon, hp=26, stats=mon.stats._replace(hp=26))


def at(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> State:
    assert state.battle is not None
    mons = (replace(state.party[0], hp=own.hp), *state.party.mons[1:])
    battle = replace(state.battle, own=own, enemy=enemy, kind=kind)
    return replace(state, battle=battle, party=Party(mons))


def ordered(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> object:
    return choice(DEX, at(state, own, enemy, kind), BattleGoals()).order


def turn_of(state: State, own: BattleMon, enemy: BattleMon) -> TurnState:
    found = TurnState.of(DEX, at(state, own, enemy, BattleKind.TRAINER), BattleGoals())
    assert found is not None
    return found


def test_of_two_attacks_the_quicker_is_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 10), (GLOWER, 10), (SPLISH, 10))
    weak = replace(enemy, hp=9)  # nothing is worth preparing
    quickest = min(attack_options(turn_of(first_turn, own, weak)), key=lambda each: each.turns)
    assert ordered(first_turn, own, weak, BattleKind.TRAINER) == quickest.order


def test_a_move_without_pp_is_not_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 10), (SPLISH, 3))
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(2)


def test_a_disabled_move_is_not_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = replace(with_moves(own, (NUDGE, 9), (SPLISH, 9)), disabled=1)
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(0)


def test_without_an_attack_some_move_with_pp_is_used(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 4))
    assert ordered(first_turn, own, enemy, BattleKind.TRAINER) == Attack(1)


def test_a_lost_fight_is_left_if_it_can_be(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    weak = replace(own, hp=1, stats=own.stats._replace(speed=999))
    assert ordered(first_turn, weak, enemy, BattleKind.WILD) == Flee()
    assert isinstance(ordered(first_turn, weak, enemy, BattleKind.TRAINER), Attack)


def test_a_fight_that_will_be_won_is_fought(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    easy = replace(enemy, hp=1)
    assert isinstance(ordered(first_turn, own, easy, BattleKind.WILD), Attack)


def test_what_helps_more_than_its_turn_costs_is_done_first(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(even(own), (NUDGE, 20), (CURL_UP, 20))
    strong = tough(with_moves(even(enemy), (NUDGE, 20)))  # many turns, and each one hurts
    assert ordered(first_turn, own, strong, BattleKind.TRAINER) == Attack(1)
    curled = replace(
        own, stages=own.stages._replace(defense=6), stats=own.stats._replace(defense=44)
    )
    assert ordered(first_turn, curled, strong, BattleKind.TRAINER) == Attack(0)  # no more of it


def test_what_helps_less_than_its_turn_costs_is_left(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(even(own), (NUDGE, 20), (BIG_EYES, 20))
    strong = tough(with_moves(even(enemy), (NUDGE, 20)))
    assert ordered(first_turn, own, strong, BattleKind.TRAINER) == Attack(0)


def test_what_is_nearly_won_is_finished(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 20), (BIG_EYES, 20))
    assert ordered(first_turn, own, replace(enemy, hp=2), BattleKind.TRAINER) == Attack(0)


def test_creatures_and_moves_that_no_table_has_are_fought_all_the_same(first_turn: State) -> None:
    strange = replace(DEX, all_species={}, all_moves={NUDGE: DEX.all_moves[NUDGE]})
    assert isinstance(choice(strange, first_turn, BattleGoals()).order, Attack)
    empty = replace(DEX, all_species={}, all_moves={})
    assert isinstance(choice(empty, first_turn, BattleGoals()).order, Attack)


def test_against_an_enemy_that_cannot_hurt_every_fight_is_won(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own, harmless = with_moves(own, (NUDGE, 20)), with_moves(enemy, (GLOWER, 10))
    (only,) = attack_options(turn_of(first_turn, own, harmless))
    assert only.worth >= 1.0


SPREADS = st.dictionaries(st.integers(0, 9), st.integers(1, 9), min_size=1, max_size=5).map(
    lambda weights: {n: weight / sum(weights.values()) for n, weight in weights.items()}
)


def alive(blow: dict[int, float], hp: int) -> list[float]:
    """Return the chances to stand after 0, 1, ... such blows."""
    odds, whole = np.zeros(hp + 1), np.zeros(hp)
    for amount, share in blow.items():
        odds[min(amount, hp)] += share
    whole[0] = 1.0
    return list(survival(whole, TurnDamage((odds,))).alive)


@given(blow=SPREADS, hp=st.integers(1, 30))
def test_standing_is_a_chance_that_only_falls(blow: dict[int, float], hp: int) -> None:
    odds = alive(blow, hp)
    assert len(odds) == HORIZON + 1
    assert all(-1e-9 <= later <= sooner + 1e-9 for sooner, later in pairwise([1.0, *odds]))
    pairs = zip(odds, alive(blow, hp + 1), strict=True)
    assert all(one <= other + NEGLIGIBLE for one, other in pairs)


def test_standing_is_what_many_tries_come_to() -> None:
    blow, hp, tries = {0: 0.2, 3: 0.5, 5: 0.3}, 17, 20_000
    chance = random.Random(7)
    after_five = 0
    for _ in range(tries):
        hits = chance.choices(list(blow), list(blow.values()), k=5)
        after_five += sum(hits) < hp
    assert alive(blow, hp)[5] == pytest.approx(after_five / tries, abs=0.01)


CAIRN = (34, 1)  # goes by types, and spares who ails
RAMBLER = (1, 1)  # chooses anything
POISONED = 8


def foreseen(ring: Ring, trainer_class: int) -> set[str]:
    found = with_ai_moves(DEX, ring.enemy, ring.own, trainer_class)
    return {DEX.move(each.move).name for each in found.moves}


class Enough(Exception):
    """As many turns were seen as a test wants."""


def seen(ring: Ring, turns: int) -> set[str]:
    """Return the moves that the enemy uses in so many turns."""

    def watch(state: State) -> Attack:
        if len(script.seen) > turns:
            raise Enough
        return Attack(0)

    script = Script((watch,))
    with pytest.raises(Enough):
        ring.fight(script)
    moves = [state.battle.enemy_move for state in script.seen[1:] if state.battle is not None]
    return {DEX.move(move).name for move in moves if move is not None}


@pytest.mark.parametrize(
    ("name", "status", "trainer", "armed", "chosen"),
    [
        ("WRENKIN", 0, CAIRN, ("NUDGE", "GRAVEL"), {"GRAVEL"}),  # strong against its type
        ("TOASTNUT", 0, CAIRN, ("NUDGE", "LEAF FLICK"), {"NUDGE"}),  # the other is weak
        ("TOASTNUT", POISONED, CAIRN, ("NUDGE", "ITCH DUST"), {"NUDGE"}),
        ("TOASTNUT", 0, RAMBLER, ("NUDGE", "GRAVEL"), {"NUDGE", "GRAVEL"}),
    ],
)
def test_a_trainer_chooses_as_foreseen(
    ring: Ring,
    name: str,
    status: int,
    trainer: tuple[int, int],
    armed: tuple[str, ...],
    chosen: set[str],
) -> None:
    ring.enter(Fighter(name, 40, ("PONDER",), status=status), trainer=trainer)
    ring.arm(*armed)
    expected = foreseen(ring, trainer[0])
    assert expected == chosen
    assert seen(ring, 5) <= expected


def test_who_is_wild_chooses_anything(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12))
    ring.arm("NUDGE", "GRAVEL")
    assert foreseen(ring, 0) == {"NUDGE", "GRAVEL"}


def ends(ring: Ring, move: str) -> Duel:
    return duel(DEX, ring.own, ring.enemy, AttackChoice(0, DEX.move(number_of(move)), 5))


def test_a_move_that_must_be_charged_wins_a_turn_later_than_one_that_rests_afterwards(
    ring: Ring,
) -> None:
    ring.enter(Fighter("TOASTNUT", 30), wild=("NIBBIT", 3))
    charged, rested = ends(ring, "SLOW BLOOM"), ends(ring, "ALL AT ONCE")
    assert rested.turns < 1.5
    assert 1.9 < charged.turns < 2.5


def chance(ring: Ring, move: MoveData) -> float:
    return duel(DEX, ring.own, ring.enemy, AttackChoice(0, move, 20)).chance


def test_who_is_held_does_less(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 10))
    ring.arm("NUDGE")
    tangle = DEX.move(number_of("TANGLE"))
    assert chance(ring, tangle) > chance(ring, replace(tangle, effect=0))


def test_who_is_out_of_reach_takes_half(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 12))
    ring.arm("NUDGE")
    burrow = DEX.move(number_of("BURROW"))
    in_sight = replace(burrow, number=number_of("SLOW BLOOM"), power=burrow.power)
    assert chance(ring, burrow) > chance(ring, in_sight)
