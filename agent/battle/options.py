"""All options of a turn with their values: attacks, setup moves, switches, items, running.

The value of an outcome includes the rest of the battle and the HP left after it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from agent.battle.damage import Duel, attacks
from agent.battle.items import cured, healed, raised, useful_items
from agent.battle.matchups import (
    AttackChoice,
    bench_of,
    best_attack,
    duel,
    duel_later,
    fresh_mon,
    next_damage,
    next_turn,
    reserve_of,
    struggle,
    win_chance,
    with_ai_moves,
    with_assumed_pp,
    with_hp,
)
from agent.battle.setup_moves import setup_effects
from agent.skills import Attack, Flee, Order, Switch, UseItem, usable_slots
from emulator import Battle, BattleMon, Dex, State
from emulator.rules.chances import run_chance
from emulator.rules.damage import Odds
from emulator.rules.stats import with_badges

HP_VALUE: Final = 0.1  # value of full HP, where a won battle counts 1
FAINT_COST: Final = 0.12  # cost of a fainted mon, even if the battle is won
HP_LOSSES: Final = (0.0, 0.5, 0.9)  # shares of HP lost for which the rest of the battle is computed
TRAINING_RUN_VALUE: Final = 0.5  # value of running away in training
RUN_VALUE: Final = 1.02  # value of running away otherwise
SWITCH_COST: Final = 0.05  # prevents switching back and forth
ITEM_COST: Final = 0.08
WILD_ITEM_COST: Final = 0.25


@dataclass(frozen=True, slots=True)
class BattleGoals:
    """Goals of a battle besides winning it.

    `catch` holds the species to catch. With `train`, wild Pokemon are fought for experience; without it, running is
    preferred when it is cheap and safe; a battle that `must_win` is never run from. Items in `spare` are not used. `sequence` holds move numbers: the first one not
    yet used in this battle is preferred when it is as good as the best option.
    """

    catch: frozenset[int] = frozenset()
    train: bool = True
    spare: tuple[int, ...] = ()
    sequence: tuple[int, ...] = ()
    must_win: bool = False


class OutcomeValues(NamedTuple):
    """The value of winning, by damage taken, and of losing, by damage done."""

    won: Odds
    lost: Odds


@lru_cache(maxsize=256)
def _outcome_values(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    bench: tuple[BattleMon, ...],
    reserve: tuple[BattleMon, ...],
) -> OutcomeValues:
    """Return the outcome values of a duel; the battle goes on with `bench` against `reserve`."""
    won, lost = np.ones(own.max_hp), np.zeros(enemy.max_hp)
    if reserve:
        chances = [win_chance(dex, (_hurt(own, share), *bench), reserve) for share in HP_LOSSES]
        won = _between(chances, own.max_hp)
    if bench:
        chances = [win_chance(dex, bench, (_hurt(enemy, share), *reserve)) for share in HP_LOSSES]
        lost = np.maximum(_between(chances, enemy.max_hp) - FAINT_COST, 0)
    won = won + HP_VALUE * np.linspace(1, 0, own.max_hp)
    return OutcomeValues(won, lost)


def _hurt(mon: BattleMon, share: float) -> BattleMon:
    return with_hp(mon, round(mon.max_hp * (1 - share)))


def _between(chances: list[float], size: int) -> Odds:
    odds: Odds = np.interp(np.arange(size) / size, HP_LOSSES, chances)
    return odds


def switched_out(mon: BattleMon, badges: tuple[int, ...]) -> BattleMon:
    """Return a mon that was switched out; its HP are rounded up to quarters, for cache hits."""
    quarters = -(-4 * mon.hp // mon.max_hp)
    return with_hp(as_sent(mon, badges), mon.max_hp * quarters // 4)


def as_sent(mon: BattleMon, badges: tuple[int, ...] = ()) -> BattleMon:
    """Return a mon as it entered the battle, so that all its turns share one set of outcome values."""
    stats = mon.unmodified._replace(hp=mon.max_hp)
    made = fresh_mon(mon.species, mon.level, stats, with_assumed_pp(mon.moves), mon.types)
    status = mon.status._replace(sleep=min(mon.status.sleep, 1))
    return replace(made, position=mon.position, status=status, stats=with_badges(stats, badges))


class TurnOption(NamedTuple):
    """One option of a turn: order, value, expected turns until the enemy faints, and PP left."""

    order: Order
    value: float
    turns: float
    pp: int = 99


@dataclass(frozen=True, slots=True)
class TurnState:
    """The state of a battle in which an order is due."""

    dex: Dex
    state: State
    battle: Battle
    own: BattleMon
    enemy: BattleMon
    goals: BattleGoals
    bench: tuple[BattleMon, ...]
    reserve: tuple[BattleMon, ...]
    ai_enemy: BattleMon = field(init=False, repr=False, compare=False)  # with its AI's moves only
    values: OutcomeValues = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ai_enemy", self.against(self.own))
        own, enemy = as_sent(self.own, self.badges), as_sent(self.enemy)
        found = _outcome_values(self.dex, own, enemy, self.bench, self.reserve)
        object.__setattr__(self, "values", found)

    @property
    def badges(self) -> tuple[int, ...]:
        """The bit numbers of the player's badges, which boost stats of the own mons."""
        return self.state.player.badges

    def against(self, mon: BattleMon) -> BattleMon:
        """Return the enemy with the moves that its AI may choose against `mon`."""
        return with_ai_moves(self.dex, self.enemy, mon, self.battle.trainer_class)

    @classmethod
    def of(cls, dex: Dex, state: State, goals: BattleGoals) -> "TurnState | None":
        """Return the turn, or None unless both sides have a mon in battle."""
        battle = state.battle
        if battle is None or battle.own is None or battle.enemy is None or not battle.enemy.hp:
            return None
        bench, reserve = bench_of(state), reserve_of(state)
        return cls(dex, state, battle, battle.own, battle.enemy, goals, bench, reserve)

    @classmethod
    def facing(cls, dex: Dex, state: State, goals: BattleGoals) -> "TurnState | None":
        """Return the turn before a mon is sent; the bench holds all mons with HP."""
        battle = state.battle
        enemy = battle.enemy if battle is not None else None
        reserve = reserve_of(state)
        if battle is None or enemy is None or not (enemy.hp or reserve):
            return None
        if not enemy.hp:
            enemy, reserve = reserve[0], reserve[1:]
        bench = bench_of(state, with_active=True)
        own = battle.own if battle.own is not None else bench[0] if bench else None
        if own is None:
            return None
        return cls(dex, state, battle, replace(own, hp=0), enemy, goals, bench, reserve)


def duel_value(end: Duel, values: OutcomeValues) -> float:
    """Return the value of a duel."""
    return float(end.won @ values.won + end.lost @ values.lost)


def attack_options(turn: TurnState) -> Iterator[TurnOption]:
    """Yield every attack, or STRUGGLE when no move has PP."""
    if not usable_slots(turn.own):
        end = duel(turn.dex, turn.own, turn.ai_enemy, struggle(turn.dex))
        yield TurnOption(Attack(0), duel_value(end, turn.values), end.turns)
    for each in attacks(turn.dex, turn.own):
        end = duel(turn.dex, turn.own, turn.ai_enemy, AttackChoice(*each))
        yield TurnOption(Attack(each[0]), duel_value(end, turn.values), end.turns, each[2])


def setup_options(turn: TurnState) -> Iterator[TurnOption]:
    """Yield every setup move, followed by the best attack after it."""
    plain = best_attack(turn.dex, turn.own, turn.ai_enemy)
    if plain == struggle(turn.dex):
        return
    missed: float | None = None
    for each in setup_effects(turn.dex, turn.own, turn.ai_enemy, turn.badges):
        then = best_attack(turn.dex, each.own, each.enemy)
        end = each.then(turn.dex, then)
        value = duel_value(end, turn.values)
        if each.chance < 1:
            if missed is None:
                hit = next_damage(turn.dex, turn.own, turn.ai_enemy)
                failed = duel_later(turn.dex, turn.own, turn.ai_enemy, plain, hit)
                missed = duel_value(failed, turn.values)
            value = each.chance * value + (1 - each.chance) * missed
        yield TurnOption(Attack(each.slot), value, end.turns)


def switch_options(turn: TurnState) -> Iterator[TurnOption]:
    """Yield a switch to each bench mon with better odds than the active one; it takes a hit on entering."""
    dex, ai_enemy = turn.dex, turn.ai_enemy
    staying = duel(dex, turn.own, ai_enemy, best_attack(dex, turn.own, ai_enemy)).chance
    for mon in turn.bench:
        enemy = turn.against(mon)
        hit = next_damage(dex, mon, enemy)
        end = duel_later(dex, mon, enemy, best_attack(dex, mon, enemy), hit)
        if end.chance > staying:
            value = duel_value(end, _values_without(turn, mon, switched_out(turn.own, turn.badges)))
            yield TurnOption(Switch(mon.position), value - SWITCH_COST, end.turns)


def send_value(turn: TurnState, mon: BattleMon) -> float:
    """Return the value of sending `mon` when that costs no turn."""
    enemy = turn.against(mon)
    end = duel(turn.dex, mon, enemy, best_attack(turn.dex, mon, enemy))
    return duel_value(end, _values_without(turn, mon))


def _values_without(turn: TurnState, mon: BattleMon, *back: BattleMon) -> OutcomeValues:
    others = [each for each in turn.bench if each.position != mon.position]
    own, enemy = as_sent(mon, turn.badges), as_sent(turn.enemy)
    return _outcome_values(turn.dex, own, enemy, (*others, *back), turn.reserve)


def item_options(turn: TurnState) -> Iterator[TurnOption]:
    """Yield every item that helps the active mon; the enemy attacks in that turn."""
    dex, own = turn.dex, turn.own
    costs = WILD_ITEM_COST if turn.battle.is_wild else ITEM_COST
    for item in useful_items(turn.state.bag, turn.goals.spare):
        boosted = raised(own, item, dex.rules, turn.badges)
        helped = boosted or cured(healed(own, item), item)
        if helped == own:
            continue
        enemy = turn.against(helped)
        hit = next_damage(dex, helped, enemy)
        end = duel_later(dex, helped, enemy, best_attack(dex, helped, enemy), hit)
        position = None if boosted else own.position
        yield TurnOption(UseItem(item, position), duel_value(end, turn.values) - costs, end.turns)


def run_option(turn: TurnState) -> TurnOption | None:
    """Return the option to run, or None against a trainer, or where the battle must be won."""
    if not turn.battle.is_wild or turn.goals.must_win:
        return None
    own, enemy, dex = turn.own, turn.enemy, turn.dex
    attempt = turn.battle.run_attempts + 1
    chance = float(run_chance(own.stats.speed, enemy.stats.speed, attempt))
    health = HP_VALUE * own.hp / own.max_hp
    run_value = (TRAINING_RUN_VALUE if turn.goals.train else RUN_VALUE) + health
    if chance < 1:
        hit = next_damage(dex, own, enemy)
        failed = duel_later(dex, own, next_turn(enemy), best_attack(dex, own, enemy), hit)
        run_value = chance * run_value + (1 - chance) * duel_value(failed, turn.values)
    return TurnOption(Flee(), run_value, 0.0)
