"""Orders chosen by exact odds, and the moves predicted for the enemy."""

import random
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.battle.damage import (
    HORIZON,
    NEGLIGIBLE,
    Duel,
    TurnDamage,
    damage_odds,
    survival,
    use_hit_chance,
)
from agent.battle.matchups import AttackChoice, bench_of, duel, with_ai_moves
from agent.battle.options import BattleGoals, TurnState, attack_options
from agent.battle.policy import choose_order
from agent.battle.setup_moves import setup_effects
from agent.skills import Attack, Flee, Switch
from emulator import BattleKind, BattleMon, Cartridge, Dex, Party, State
from emulator.ram.party import MoveSlot, Stats
from emulator.rules.moves import MoveData
from tests.agent.demo import DEX, enemy_of, own_of
from tests.agent.ring import Fighter, Ring, Script, number_of

NAMES = ("NUDGE", "GLOWER", "BIG EYES", "SPLISH", "CURL UP")
NUDGE, GLOWER, BIG_EYES, SPLISH, CURL_UP = map(number_of, NAMES)
GLARE, REST, RECOVER, GHOST = 137, 156, 105, 8  # of the real game


def sides(state: State) -> tuple[BattleMon, BattleMon]:
    return own_of(state), enemy_of(state)


def with_moves(mon: BattleMon, *moves: tuple[int, int]) -> BattleMon:
    return replace(mon, moves=tuple(MoveSlot(move, pp, 0) for move, pp in moves))


def average_mon(mon: BattleMon) -> BattleMon:
    """Return a mon of level 5 with average stats."""
    stats = Stats(20, 11, 11, 11, 11)
    return replace(mon, level=5, hp=20, stats=stats, unmodified=stats, types=(0, 0))


def tough(mon: BattleMon) -> BattleMon:
    return replace(mon, hp=26, stats=mon.stats._replace(hp=26))


def with_battle(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> State:
    assert state.battle is not None
    mons = (replace(state.party[0], hp=own.hp), *state.party.mons[1:])
    battle = replace(state.battle, own=own, enemy=enemy, kind=kind)
    return replace(state, battle=battle, party=Party(mons))


def order_for(state: State, own: BattleMon, enemy: BattleMon, kind: BattleKind) -> object:
    return choose_order(DEX, with_battle(state, own, enemy, kind), BattleGoals()).order


def turn_of(state: State, own: BattleMon, enemy: BattleMon) -> TurnState:
    found = TurnState.of(DEX, with_battle(state, own, enemy, BattleKind.TRAINER), BattleGoals())
    assert found is not None
    return found


def test_the_attack_with_the_fewest_turns_is_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 10), (GLOWER, 10), (SPLISH, 10))
    weak = replace(enemy, hp=9)  # no setup move is worthwhile
    quickest = min(attack_options(turn_of(first_turn, own, weak)), key=lambda each: each.turns)
    assert order_for(first_turn, own, weak, BattleKind.TRAINER) == quickest.order


def test_a_move_without_pp_is_not_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 10), (SPLISH, 3))
    assert order_for(first_turn, own, enemy, BattleKind.TRAINER) == Attack(2)


def test_a_disabled_move_is_not_chosen(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = replace(with_moves(own, (NUDGE, 9), (SPLISH, 9)), disabled=1)
    assert order_for(first_turn, own, enemy, BattleKind.TRAINER) == Attack(0)


def test_without_an_attack_a_move_with_pp_is_used(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 0), (GLOWER, 4))
    assert order_for(first_turn, own, enemy, BattleKind.TRAINER) == Attack(1)


def test_a_lost_wild_battle_is_left_by_running(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    weak = replace(own, hp=1, stats=own.stats._replace(speed=999))
    assert order_for(first_turn, weak, enemy, BattleKind.WILD) == Flee()
    assert isinstance(order_for(first_turn, weak, enemy, BattleKind.TRAINER), Attack)


def test_a_battle_that_will_be_won_is_fought(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    easy = replace(enemy, hp=1)
    assert isinstance(order_for(first_turn, own, easy, BattleKind.WILD), Attack)


def test_a_setup_move_is_used_when_it_gains_more_than_its_turn_costs(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(average_mon(own), (NUDGE, 20), (CURL_UP, 20))
    strong = tough(with_moves(average_mon(enemy), (NUDGE, 20)))  # many turns, and each one hurts
    assert order_for(first_turn, own, strong, BattleKind.TRAINER) == Attack(1)
    curled = replace(
        own, stages=own.stages._replace(defense=6), stats=own.stats._replace(defense=44)
    )
    assert order_for(first_turn, curled, strong, BattleKind.TRAINER) == Attack(0)  # only once


def test_a_setup_move_is_skipped_when_it_gains_less_than_its_turn_costs(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(average_mon(own), (NUDGE, 20), (BIG_EYES, 20))
    strong = tough(with_moves(average_mon(enemy), (NUDGE, 20)))
    assert order_for(first_turn, own, strong, BattleKind.TRAINER) == Attack(0)


def test_glare_paralyzes_a_ghost_and_rest_is_no_healing_move(
    first_turn: State, synthetic_cartridge: Cartridge
) -> None:
    own, enemy = sides(first_turn)
    ghost = replace(enemy, types=(GHOST, GHOST))
    hurt = with_moves(replace(own, hp=own.max_hp - 5), (GLARE, 9), (REST, 9), (RECOVER, 9))
    effects = setup_effects(Dex.of(synthetic_cartridge), hurt, ghost)
    assert [hurt.moves[each.slot].move for each in effects] == [GLARE, RECOVER]


def test_an_enemy_with_low_hp_is_attacked(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own = with_moves(own, (NUDGE, 20), (BIG_EYES, 20))
    assert order_for(first_turn, own, replace(enemy, hp=2), BattleKind.TRAINER) == Attack(0)


def test_unknown_species_and_moves_still_give_an_attack(first_turn: State) -> None:
    strange = replace(DEX, all_species={}, all_moves={NUDGE: DEX.all_moves[NUDGE]})
    assert isinstance(choose_order(strange, first_turn, BattleGoals()).order, Attack)
    empty = replace(DEX, all_species={}, all_moves={})
    assert isinstance(choose_order(empty, first_turn, BattleGoals()).order, Attack)


def test_an_enemy_without_damaging_moves_is_always_beaten(first_turn: State) -> None:
    own, enemy = sides(first_turn)
    own, harmless = with_moves(own, (NUDGE, 20)), with_moves(enemy, (GLOWER, 10))
    (only,) = attack_options(turn_of(first_turn, own, harmless))
    assert only.value >= 1.0


SPREADS = st.dictionaries(st.integers(0, 9), st.integers(1, 9), min_size=1, max_size=5).map(
    lambda weights: {n: weight / sum(weights.values()) for n, weight in weights.items()}
)


def survival_chances(hit: dict[int, float], hp: int) -> list[float]:
    """Return the survival chances after 0, 1, ... such hits."""
    odds, whole = np.zeros(hp + 1), np.zeros(hp)
    for amount, share in hit.items():
        odds[min(amount, hp)] += share
    whole[0] = 1.0
    return list(survival(whole, TurnDamage((odds,))).alive)


@given(hit=SPREADS, hp=st.integers(1, 30))
def test_the_survival_chance_never_rises(hit: dict[int, float], hp: int) -> None:
    odds = survival_chances(hit, hp)
    assert len(odds) == HORIZON + 1
    assert all(-1e-9 <= later <= sooner + 1e-9 for sooner, later in pairwise([1.0, *odds]))
    pairs = zip(odds, survival_chances(hit, hp + 1), strict=True)
    assert all(one <= other + NEGLIGIBLE for one, other in pairs)


def test_the_survival_chance_matches_a_simulation() -> None:
    hit, hp, tries = {0: 0.2, 3: 0.5, 5: 0.3}, 17, 20_000
    chance = random.Random(7)
    after_five = 0
    for _ in range(tries):
        hits = chance.choices(list(hit), list(hit.values()), k=5)
        after_five += sum(hits) < hp
    assert survival_chances(hit, hp)[5] == pytest.approx(after_five / tries, abs=0.01)


CAIRN = (34, 1)  # prefers strong types, and gives no second status
RAMBLER = (1, 1)  # chooses any move
POISONED = 8


def predicted_moves(ring: Ring, trainer_class: int) -> set[str]:
    found = with_ai_moves(DEX, ring.enemy, ring.own, trainer_class)
    return {DEX.move(each.move).name for each in found.moves}


class EnoughTurns(Exception):
    """Raised when a test has seen enough turns."""


def seen(ring: Ring, turns: int) -> set[str]:
    """Return the moves that the enemy uses in `turns` turns."""

    def watch(state: State) -> Attack:
        if len(script.seen) > turns:
            raise EnoughTurns
        return Attack(0)

    script = Script((watch,))
    with pytest.raises(EnoughTurns):
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
def test_a_trainer_chooses_only_predicted_moves(
    ring: Ring,
    name: str,
    status: int,
    trainer: tuple[int, int],
    armed: tuple[str, ...],
    chosen: set[str],
) -> None:
    ring.enter(Fighter(name, 40, ("PONDER",), status=status), trainer=trainer)
    ring.arm(*armed)
    predicted = predicted_moves(ring, trainer[0])
    assert predicted == chosen
    assert seen(ring, 5) <= predicted


def test_a_wild_mon_may_choose_any_move(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12))
    ring.arm("NUDGE", "GRAVEL")
    assert predicted_moves(ring, 0) == {"NUDGE", "GRAVEL"}


EVERY_BADGE = 0xFF


def test_badges_raise_the_stats_of_the_bench_and_of_raised_stages_as_in_the_game(
    ring: Ring,
) -> None:
    ring.enter(Fighter("TOASTNUT", 12), Fighter("PLIPPET", 30, moves=("PUFF UP",)))
    ring.arm("PONDER")
    ring.poke("wObtainedBadges", [EVERY_BADGE])
    (bench,) = bench_of(ring.state)
    assert bench.stats.attack > bench.unmodified.attack
    commander = Script((Switch(1), Attack(0), Flee()))
    ring.fight(commander)
    sent, enemy = sides(commander.seen[1])
    assert sent.stats == bench.stats
    (effect,) = setup_effects(DEX, sent, enemy, ring.state.player.badges)
    assert own_of(commander.seen[2]).stats == effect.own.stats


def duel_with(ring: Ring, move: str) -> Duel:
    return duel(DEX, ring.own, ring.enemy, AttackChoice(0, DEX.move(number_of(move)), 5))


def test_a_charged_move_wins_a_turn_later_than_one_with_recharge(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 30), wild=("NIBBIT", 3))
    charged, rested = duel_with(ring, "SLOW BLOOM"), duel_with(ring, "ALL AT ONCE")
    assert rested.turns < 1.5
    assert 1.9 < charged.turns < 2.5


def chance(ring: Ring, move: MoveData) -> float:
    return duel(DEX, ring.own, ring.enemy, AttackChoice(0, move, 20)).chance


def test_a_trapping_move_raises_the_win_chance(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 10))
    ring.arm("NUDGE")
    tangle = DEX.move(number_of("TANGLE"))
    assert chance(ring, tangle) > chance(ring, replace(tangle, effect=0))


def test_a_user_out_of_reach_has_a_higher_win_chance(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("NIBBIT", 12))
    ring.arm("NUDGE")
    burrow = DEX.move(number_of("BURROW"))
    in_sight = replace(burrow, number=number_of("SLOW BLOOM"), power=burrow.power)
    assert chance(ring, burrow) > chance(ring, in_sight)


FLICKER, STICKY_BUR, TANGLE, CLEAR_AIR = map(
    number_of, ("FLICKER", "STICKY BUR", "TANGLE", "CLEAR AIR")
)


@dataclass
class SimulatedDuel:
    """A duel of NUDGE against random moves, one turn after another."""

    own: BattleMon
    enemy: BattleMon
    chance: random.Random
    bound: bool = False  # in this turn
    strikes: int = 0  # left of a trapping move
    strike: int = 0  # the damage of the enemy's last move, and of each strike
    seeds: int = 0  # HP lost each turn

    def is_won(self) -> bool:
        """Play to the end, and return whether the own mon wins."""
        faster = self.own.stats.speed > self.enemy.stats.speed
        while True:
            self.bound = self.strikes > 0
            for act in (self.act, self.suffer) if faster else (self.suffer, self.act):
                act()
                if not self.enemy.hp or not self.own.hp:
                    return not self.enemy.hp

    def act(self) -> None:
        if not self.bound:
            self.enemy = hit(self.enemy, sampled(self.chance, self.own, self.enemy, NUDGE))
        if self.enemy.hp:
            self.own, self.enemy = hit(self.own, self.seeds), hit(self.enemy, -self.seeds)

    def suffer(self) -> None:
        if self.strikes:
            self.strikes -= 1
            self.own = hit(self.own, self.strike)
            return
        move = self.chance.choice(self.enemy.moves).move
        self.strike = sampled(self.chance, self.enemy, self.own, move)
        self.own = hit(self.own, self.strike)
        hits = use_hit_chance(DEX, DEX.move(move), self.enemy, self.own)
        if move == TANGLE and self.strike:
            self.bound, self.strikes = True, self.chance.choices((1, 2, 3, 4), (3, 3, 1, 1))[0]
        elif move == STICKY_BUR and self.chance.random() < hits:
            self.seeds = self.own.max_hp // 16
        elif move == FLICKER and self.chance.random() < hits * 3 / 4:
            stage = max(self.own.stages.accuracy - 1, -6)
            self.own = replace(self.own, stages=self.own.stages._replace(accuracy=stage))


def simulated_wins(own: BattleMon, enemy: BattleMon, tries: int) -> float:
    """Return the share of simulated duels that `own` wins."""
    chance = random.Random(7)
    return sum(SimulatedDuel(own, enemy, chance).is_won() for _ in range(tries)) / tries


def hit(mon: BattleMon, damage: int) -> BattleMon:
    return replace(mon, hp=min(max(mon.hp - damage, 0), mon.max_hp))


def sampled(chance: random.Random, mon: BattleMon, target: BattleMon, move: int) -> int:
    odds = damage_odds(DEX, mon, target, (move,))
    return chance.choices(range(len(odds)), odds.tolist())[0]


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize(
    "moves", [(NUDGE, FLICKER), (NUDGE, STICKY_BUR), (NUDGE, TANGLE), (TANGLE, FLICKER)]
)
def test_moves_that_hinder_lower_the_odds_as_much_as_in_a_simulation(
    moves: tuple[int, int], first_turn: State, *, faster: bool
) -> None:
    own, enemy = [average_mon(each) for each in sides(first_turn)]
    own = replace(tough(with_moves(own, (NUDGE, 30))), hp=24)
    own = replace(own, stats=own.stats._replace(hp=32, speed=12 if faster else 10))
    enemy = replace(enemy, hp=30, stats=enemy.stats._replace(hp=30))
    enemy = with_moves(enemy, *[(each, 30) for each in moves])
    harmless = with_moves(enemy, *[(NUDGE if each == NUDGE else CLEAR_AIR, 30) for each in moves])
    attack = AttackChoice(0, DEX.move(NUDGE), 30)
    odds = duel(DEX, own, enemy, attack).chance
    assert odds < duel(DEX, own, harmless, attack).chance
    assert odds == pytest.approx(simulated_wins(own, enemy, 1_500), abs=0.1)
