"""Orders of the policy: items, balls, switches, running, and moves to learn."""

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.battle.learn_move import offered_move, slot_to_forget
from agent.battle.odds import Foe, chance_to_beat, mon_from
from agent.battle.policy import BattleGoals, BattlePolicy, choose_order
from agent.skills import Attack, Flee, Order, Switch, Throw, TriedOrders, UseItem, is_allowed
from emulator import BattleKind, BattleMon, Party, PartyMon, State, Status
from emulator.profile import symbol
from emulator.ram.party import MoveSlot, Stats
from emulator.ram.player import Bag, Stack
from tests.agent.demo import DEX, enemy_of, own_of
from tests.agent.ring import number_of, species_of
from tests.agent.support import Played, game_at

POKE_BALL, GREAT_BALL, POTION, ANTIDOTE, BURN_HEAL, AWAKENING = 4, 3, 20, 11, 12, 14
PARLYZ_HEAL = 15
WELL = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
ASLEEP = WELL._replace(sleep=4)
TRAIN, PASS = BattleGoals(), BattleGoals(train=False)


NAMES = (
    *("NUDGE", "GLOWER", "SPLISH", "CURL UP", "NAP PUFF", "BELLOWS", "NIBBLE", "LEAF FLICK"),
    *("BURST", "SIMMER"),
)
NUDGE, GLOWER, SPLISH, CURL_UP, NAP_PUFF, BELLOWS, NIBBLE, LEAF_FLICK, BURST, SIMMER = map(
    number_of, NAMES
)


def slots(*moves: tuple[int, int]) -> tuple[MoveSlot, ...]:
    return tuple(MoveSlot(move, pp, 0) for move, pp in moves)


def fighter(mon: BattleMon, *moves: int, hp: int = 30, level: int = 8, pp: int = 20) -> BattleMon:
    """Return a mon with average stats."""
    stats = Stats(30, 15, 15, 15, 15)
    return replace(
        mon,
        level=level,
        hp=hp,
        stats=stats,
        unmodified=stats,
        types=(0, 0),
        status=WELL,
        moves=slots(*[(move, pp) for move in moves]),
        disabled=None,
    )


def fast(mon: BattleMon) -> BattleMon:
    """Return a mon that moves first."""
    return replace(mon, stats=mon.stats._replace(speed=40))


def member(mon: PartyMon, like: BattleMon) -> PartyMon:
    return replace(
        mon,
        species=like.species,
        level=like.level,
        hp=like.hp,
        stats=like.unmodified,
        types=like.types,
        status=like.status,
        moves=like.moves,
    )


def at(
    state: State,
    own: BattleMon,
    enemy: BattleMon,
    *bench: BattleMon,
    kind: BattleKind = BattleKind.WILD,
    bag: tuple[tuple[int, int], ...] = (),
) -> State:
    """Return the turn with these mons on both sides."""
    assert state.battle is not None
    mon = state.party[0]
    battle = replace(
        state.battle, own=replace(own, position=0), enemy=replace(enemy, position=0), kind=kind
    )
    if kind is BattleKind.TRAINER:
        battle = replace(battle, enemy_party=Party((member(mon, enemy),)))
    party = Party(tuple(member(mon, each) for each in (own, *bench)))
    return replace(state, battle=battle, party=party, bag=Bag(tuple(Stack(*each) for each in bag)))


class Sides(NamedTuple):
    """The first turn of a battle, and an average mon on each side."""

    turn: State
    own: BattleMon
    enemy: BattleMon


@pytest.fixture(scope="module")
def sides(first_turn: State) -> Sides:
    both = own_of(first_turn), enemy_of(first_turn)
    return Sides(first_turn, *[fighter(each, NUDGE) for each in both])


def order_in(state: State, goals: BattleGoals, tried: TriedOrders | None = None) -> Order:
    return choose_order(DEX, state, goals, tried or TriedOrders()).order


def catching(enemy: BattleMon) -> BattleGoals:
    return BattleGoals(catch=frozenset({enemy.species}))


def test_a_ball_is_thrown_at_a_sleeping_wanted_species(sides: Sides) -> None:
    turn, own, enemy = sides
    sleeper = replace(enemy, status=ASLEEP, hp=3)
    state = at(turn, own, sleeper, bag=((POKE_BALL, 3),))
    assert order_in(state, catching(enemy)) == Throw(POKE_BALL)
    assert not isinstance(order_in(state, TRAIN), Throw)  # the species is not wanted


def test_no_ball_is_thrown_at_a_trainers_mon(sides: Sides) -> None:
    turn, own, enemy = sides
    sleeper = replace(enemy, status=ASLEEP, hp=3)
    state = at(turn, own, sleeper, kind=BattleKind.TRAINER, bag=((POKE_BALL, 3),))
    assert order_in(state, catching(enemy)) == Attack(0)


def test_a_wanted_species_is_weakened_first_when_that_is_safe(sides: Sides) -> None:
    turn, own, enemy = sides
    rare = replace(enemy, catch_rate=90)
    state = at(turn, own, rare, bag=((POKE_BALL, 3),))
    assert order_in(state, catching(enemy)) == Attack(0)
    weakened = at(turn, own, replace(rare, hp=4), bag=((POKE_BALL, 3),))  # too weak for an attack
    assert order_in(weakened, catching(enemy)) == Throw(POKE_BALL)
    in_danger = at(turn, replace(own, hp=3), rare, bag=((POKE_BALL, 3),))
    assert order_in(in_danger, catching(enemy)) == Throw(POKE_BALL)


def test_at_most_ten_balls_are_thrown(sides: Sides) -> None:
    turn, own, enemy = sides
    state = at(turn, own, replace(enemy, hp=4), bag=((POKE_BALL, 30),))
    assert order_in(state, catching(enemy), TriedOrders(balls=9)) == Throw(POKE_BALL)
    assert not isinstance(order_in(state, catching(enemy), TriedOrders(balls=10)), Throw)


def test_a_ball_that_the_game_refused_is_not_thrown_again(sides: Sides) -> None:
    turn, own, enemy = sides
    state = at(turn, own, replace(enemy, hp=4), bag=((POKE_BALL, 3), (GREAT_BALL, 1)))
    assert order_in(state, catching(enemy)) == Throw(POKE_BALL)
    refused = TriedOrders(frozenset({Throw(POKE_BALL)}))
    assert order_in(state, catching(enemy), refused) == Throw(GREAT_BALL)
    saved = replace(catching(enemy), spare=(POKE_BALL, GREAT_BALL))
    assert not isinstance(order_in(state, saved), Throw)


def test_a_potion_is_used_when_it_decides_the_battle(sides: Sides) -> None:
    turn, own, enemy = sides
    hurt = replace(fast(own), hp=5)
    fight = at(turn, hurt, replace(enemy, hp=14), kind=BattleKind.TRAINER, bag=((POTION, 2),))
    assert order_in(fight, TRAIN) == UseItem(POTION, 0)
    assert order_in(fight, BattleGoals(spare=(POTION,))) == Attack(0)
    nearly_won = at(turn, hurt, replace(enemy, hp=1), kind=BattleKind.TRAINER, bag=((POTION, 2),))
    assert order_in(nearly_won, TRAIN) == Attack(0)


def test_a_refused_potion_is_not_used_again(sides: Sides) -> None:
    turn, own, enemy = sides
    hurt = replace(fast(own), hp=5)
    state = at(turn, hurt, replace(enemy, hp=14), kind=BattleKind.TRAINER, bag=((POTION, 2),))
    refused = TriedOrders(frozenset({UseItem(POTION, 0)}))
    assert order_in(state, TRAIN, refused) == Attack(0)


def test_a_long_sleep_is_cured(sides: Sides) -> None:
    turn, own, enemy = sides
    sleeper = replace(fast(own), status=WELL._replace(sleep=7), hp=22)
    state = at(
        turn,
        sleeper,
        replace(enemy, hp=14),
        kind=BattleKind.TRAINER,
        bag=((AWAKENING, 1), (ANTIDOTE, 1)),
    )
    assert order_in(state, TRAIN) == UseItem(AWAKENING, 0)


def test_a_burn_is_cured_only_in_a_battle_that_it_decides(sides: Sides) -> None:
    turn, own, enemy = sides
    weak = fast(own)
    burned = replace(weak, status=WELL._replace(burned=True), stats=weak.stats._replace(attack=7))
    bag = ((BURN_HEAL, 1), (ANTIDOTE, 1))
    short = at(turn, burned, replace(enemy, hp=4), kind=BattleKind.TRAINER, bag=bag)
    assert order_in(short, TRAIN) == Attack(0)
    long = at(turn, burned, replace(enemy, hp=18), kind=BattleKind.TRAINER, bag=bag)
    assert order_in(long, TRAIN) == UseItem(BURN_HEAL, 0)


def test_a_mon_with_much_better_odds_is_switched_in(sides: Sides) -> None:
    turn, own, enemy = sides
    strong = fighter(own, SPLISH, level=20)
    fiery = replace(enemy, types=(20, 20), hp=30)
    hopeless = replace(own, hp=4)
    state = at(turn, hopeless, fiery, strong, kind=BattleKind.TRAINER)
    assert order_in(state, TRAIN) == Switch(1)
    same = at(turn, own, enemy, fighter(own, NUDGE), kind=BattleKind.TRAINER)
    assert order_in(same, TRAIN) == Attack(0)


def test_the_best_mon_is_sent_after_one_has_fainted(sides: Sides) -> None:
    turn, own, enemy = sides
    weak, strong = fighter(own, NUDGE, hp=4), fighter(own, NUDGE, level=20)
    state = at(turn, replace(own, hp=0), enemy, weak, strong, kind=BattleKind.TRAINER)
    policy = BattlePolicy(DEX)
    assert policy.next_mon(state) == 2
    hopeless = at(turn, replace(own, hp=0), fighter(enemy, NUDGE, level=60), weak)
    assert not policy.fights_on(hopeless)
    assert policy.fights_on(at(turn, replace(own, hp=0), enemy, weak, strong))


def test_a_switch_before_the_trainers_next_mon_needs_much_better_odds(sides: Sides) -> None:
    turn, own, enemy = sides
    better = fighter(own, NUDGE, level=20)
    state = at(turn, replace(own, hp=3), enemy, better, kind=BattleKind.TRAINER)
    assert BattlePolicy(DEX).change(state) == 1
    state = at(turn, own, enemy, fighter(own, NUDGE), kind=BattleKind.TRAINER)
    assert BattlePolicy(DEX).change(state) is None


def test_a_strong_enemy_is_put_to_sleep_first(sides: Sides) -> None:
    turn, own, enemy = sides
    sleepy = replace(own, moves=slots((NUDGE, 20), (NAP_PUFF, 10)))
    strong = fighter(enemy, NUDGE, level=12)
    assert order_in(at(turn, sleepy, strong, kind=BattleKind.TRAINER), TRAIN) == Attack(1)
    asleep = at(turn, sleepy, replace(strong, status=ASLEEP), kind=BattleKind.TRAINER)
    assert order_in(asleep, TRAIN) == Attack(0)


def test_a_strong_move_with_low_pp_is_saved_for_strong_enemies(sides: Sides) -> None:
    turn, own, enemy = sides
    both = replace(fast(own), moves=slots((NIBBLE, 30), (BELLOWS, 1)), types=(20, 20))
    weak = replace(enemy, hp=8)
    assert order_in(at(turn, both, weak), TRAIN) == Attack(0)
    in_danger = at(turn, replace(both, hp=8), weak, kind=BattleKind.TRAINER)
    assert order_in(in_danger, TRAIN) == Attack(1)


def test_a_wild_battle_is_left_when_the_last_attack_is_disabled(sides: Sides) -> None:
    turn, own, enemy = sides
    disabled = replace(fast(own), moves=slots((NUDGE, 20), (GLOWER, 20)), disabled=0)
    refused = TriedOrders(refused=frozenset({Flee()}))
    assert order_in(at(turn, disabled, enemy), TRAIN) == Flee()
    assert order_in(at(turn, disabled, enemy), TRAIN, refused) == Attack(1)
    trainer = at(turn, disabled, enemy, kind=BattleKind.TRAINER)
    assert order_in(trainer, TRAIN) == Attack(1)


def test_without_training_the_policy_runs_when_it_is_safe(sides: Sides) -> None:
    turn, own, enemy = sides
    assert order_in(at(turn, fast(own), enemy), PASS) == Flee()
    assert order_in(at(turn, fast(own), replace(enemy, hp=4)), TRAIN) == Attack(0)
    assert order_in(at(turn, fast(own), enemy, kind=BattleKind.TRAINER), PASS) == Attack(0)


def test_a_battle_that_must_be_won_is_never_run_from(sides: Sides) -> None:
    turn, own, enemy = sides
    must_win = BattleGoals(train=False, must_win=True)
    assert order_in(at(turn, fast(own), enemy), must_win) == Attack(0)
    hopeless = at(turn, own, fighter(enemy, NUDGE, level=90), fighter(own, SPLISH, hp=1))
    assert BattlePolicy(DEX, lambda _state: must_win).fights_on(hopeless)


def test_without_pp_the_policy_runs_from_wild_mons(sides: Sides) -> None:
    turn, own, enemy = sides
    empty = fighter(own, NUDGE, pp=0)
    assert order_in(at(turn, empty, enemy), TRAIN) == Flee()
    assert order_in(at(turn, empty, enemy, kind=BattleKind.TRAINER), TRAIN) == Attack(0)


def test_the_same_state_always_gives_the_same_order(sides: Sides) -> None:
    turn, own, enemy = sides
    state = at(turn, own, enemy, fighter(own, SPLISH), bag=((POTION, 1),))
    assert len({order_in(state, TRAIN) for _ in range(3)}) == 1


def learner(turn: State, *moves: int) -> PartyMon:
    return replace(turn.party[0], moves=slots(*[(move, 20) for move in moves]))


def test_a_lost_mon_explodes_when_another_mon_can_go_on(sides: Sides) -> None:
    turn, own, enemy = sides
    lost = fast(fighter(own, NUDGE, BURST, hp=3))
    strong = fighter(enemy, NUDGE, hp=30, level=9)
    other = fighter(own, NUDGE)
    state = at(turn, lost, strong, other, kind=BattleKind.TRAINER)
    assert order_in(state, TRAIN) == Attack(1)


def test_a_winning_mon_does_not_explode(sides: Sides) -> None:
    turn, own, enemy = sides
    winning = fast(fighter(own, NUDGE, BURST))
    weak = fighter(enemy, NUDGE, hp=4)
    state = at(turn, winning, weak, fighter(own, NUDGE), kind=BattleKind.TRAINER)
    assert order_in(state, TRAIN) == Attack(0)


def test_the_least_valuable_of_five_moves_is_forgotten(first_turn: State) -> None:
    mon = learner(first_turn, NUDGE, GLOWER, NIBBLE, LEAF_FLICK)
    assert slot_to_forget(DEX, mon, BELLOWS) is not None
    kept = slot_to_forget(DEX, mon, NAP_PUFF)
    assert kept in (0, 1, 2)  # never its best attack
    assert (
        slot_to_forget(DEX, learner(first_turn, NUDGE, SPLISH, BELLOWS, LEAF_FLICK), GLOWER) is None
    )


def test_the_only_attack_is_kept(first_turn: State) -> None:
    mon = learner(first_turn, NUDGE, GLOWER, CURL_UP, GLOWER)
    assert slot_to_forget(DEX, mon, NAP_PUFF) in (1, 2, 3)


def test_moves_of_hms_are_never_forgotten(first_turn: State) -> None:
    weak = replace(DEX.all_moves[NUDGE], power=1, number=15)
    dex = replace(DEX, all_moves={**DEX.all_moves, 15: weak, 19: weak, 57: weak, 70: weak})
    assert slot_to_forget(dex, learner(first_turn, 15, 19, 57, 70), BELLOWS) is None
    assert slot_to_forget(dex, learner(first_turn, 15, 19, NUDGE, 70), BELLOWS) == 2


def test_a_move_is_offered_to_a_mon_that_learns_it_at_its_level(played: Played) -> None:
    with game_at(played.folder, lambda state: len(state.party) == 1) as game:
        lesson = DEX.species(game.state.party[0].species).level_up_moves[0]
        game.poke({symbol("wMoveNum"): lesson.move, symbol("wWhichPokemon"): 0})
        mon = learner(game.state, NUDGE, GLOWER, NIBBLE, NAP_PUFF)
        learning = replace(game.state, party=Party((replace(mon, level=lesson.level),)))
        assert offered_move(DEX, learning) == (0, lesson.move)
        assert offered_move(DEX, replace(learning, party=Party((replace(mon, level=1),)))) is None


def test_levels_and_company_raise_the_chance_to_beat_a_trainer() -> None:
    team = (Foe(6, species_of("WRENKIN")), Foe(7, species_of("NIBBIT")))

    def party(level: int, size: int = 1) -> Party:
        mon = mon_from(DEX, Foe(level, species_of("NIBBIT")))
        assert mon is not None
        return Party((mon,) * size)

    chances = [chance_to_beat(DEX, party(level), team) for level in (5, 8, 11, 14)]
    assert chances == sorted(chances)
    assert chances[0] < 0.5 < chances[-1]
    assert chance_to_beat(DEX, party(6), team) < chance_to_beat(DEX, party(6, 2), team) <= 1
    assert chance_to_beat(DEX, Party(()), team) == 0
    assert chance_to_beat(DEX, party(6), ()) == 1


STATUSES = st.builds(
    Status, st.integers(0, 7), st.booleans(), st.booleans(), st.booleans(), st.booleans()
)
MOVES = st.lists(
    st.tuples(st.sampled_from(sorted(DEX.all_moves)), st.integers(0, 3)), min_size=1, max_size=4
)
ITEMS = st.lists(
    st.tuples(st.sampled_from((1, 2, 3, 4, 11, 14, 20, 52, 65, 70)), st.integers(1, 3))
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    moves=MOVES,
    status=STATUSES,
    hp=st.integers(1, 30),
    bench_hp=st.integers(0, 30),
    kind=st.sampled_from((BattleKind.WILD, BattleKind.TRAINER)),
    bag=ITEMS,
    goals=st.builds(
        BattleGoals, catch=st.sampled_from((frozenset(), frozenset({3}))), train=st.booleans()
    ),
    disabled=st.none() | st.integers(0, 3),
)
def test_every_order_is_allowed(
    first_turn: State,
    moves: list[tuple[int, int]],
    status: Status,
    hp: int,
    bench_hp: int,
    kind: BattleKind,
    bag: list[tuple[int, int]],
    goals: BattleGoals,
    disabled: int | None,
) -> None:
    mon = replace(
        fighter(own_of(first_turn), NUDGE, hp=hp),
        moves=slots(*moves),
        status=status,
        disabled=disabled if disabled is not None and disabled < len(moves) else None,
    )
    foe = replace(fighter(own_of(first_turn), NUDGE), species=3)
    state = at(first_turn, mon, foe, fighter(mon, NUDGE, hp=bench_hp), kind=kind, bag=tuple(bag))
    refused: set[Order] = set()
    for _ in range(3):  # also after refused orders
        order = order_in(state, goals, TriedOrders(frozenset(refused)))
        assert is_allowed(order, state)
        refused.add(order)
