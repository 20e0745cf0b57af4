"""All options of a turn with their values: attacks, setup moves, switches, items, running.

The value of an outcome includes the rest of the battle and the HP left after it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from agent.battle.damage import Duel, attacks
from agent.battle.items import cured, healed, raised, uses_of
from agent.battle.matchups import (
    Attacking,
    beats,
    bench_of,
    best_attack,
    duel,
    duel_later,
    fighter_of,
    foes_to_come,
    fresh,
    last_resort,
    minded,
    rested,
    their_next,
    with_hp,
    with_some_pp,
)
from agent.battle.setup_moves import preparations
from agent.skills import Attack, Flee, Order, Switch, UseItem, usable_slots
from emulator import Battle, BattleMon, Dex, State
from emulator.rules.chances import run_chance
from emulator.rules.damage import Odds

HEALTH: Final = 0.1  # value of full HP, where a won battle counts 1
FALL: Final = 0.12  # cost of a fainted mon, even if the battle is won
POINTS: Final = (0.0, 0.5, 0.9)  # shares of HP lost for which the rest of the battle is computed
SAFE: Final = 0.5  # value of running away in training
AWAY: Final = 1.02  # value of running away otherwise
CHANGE_COSTS: Final = 0.05  # prevents switching back and forth
ITEM_COSTS: Final = 0.08
WILD_ITEM_COSTS: Final = 0.25


@dataclass(frozen=True, slots=True)
class BattleGoals:
    """Goals of a battle besides winning it.

    `catch` holds the species to catch. With `train`, wild Pokemon are fought for experience; without it, running is
    preferred when it is cheap and safe. Items in `spare` are not used. `sequence` holds move numbers: the first one not
    yet used in this battle is preferred when it is as good as the best option.
    """

    catch: frozenset[int] = frozenset()
    train: bool = True
    spare: tuple[int, ...] = ()
    sequence: tuple[int, ...] = ()


class Stakes(NamedTuple):
    """The value of winning, by damage taken, and of losing, by damage done."""

    won: Odds
    lost: Odds


@lru_cache(maxsize=256)
def _stakes(
    dex: Dex,
    own: BattleMon,
    enemy: BattleMon,
    bench: tuple[BattleMon, ...],
    to_come: tuple[BattleMon, ...],
) -> Stakes:
    """Return the outcome values of a duel; the battle goes on with `bench` and the enemies `to_come`."""
    won, lost = np.ones(own.max_hp), np.zeros(enemy.max_hp)
    if to_come:
        chances = [beats(dex, (_hurt(own, share), *bench), to_come) for share in POINTS]
        won = _between(chances, own.max_hp)
    if bench:
        chances = [beats(dex, bench, (_hurt(enemy, share), *to_come)) for share in POINTS]
        lost = np.maximum(_between(chances, enemy.max_hp) - FALL, 0)
    won = won + HEALTH * np.linspace(1, 0, own.max_hp)
    return Stakes(won, lost)


def _hurt(mon: BattleMon, share: float) -> BattleMon:
    return with_hp(mon, round(mon.max_hp * (1 - share)))


def _between(chances: list[float], size: int) -> Odds:
    odds: Odds = np.interp(np.arange(size) / size, POINTS, chances)
    return odds


def called_back(mon: BattleMon) -> BattleMon:
    """Return a mon that was switched out; its HP are rounded up to quarters, for cache hits."""
    quarters = -(-4 * mon.hp // mon.max_hp)
    return with_hp(as_sent(mon), mon.max_hp * quarters // 4)


def as_sent(mon: BattleMon) -> BattleMon:
    """Return a mon as it entered the battle, so that all its turns share one set of outcome values."""
    stats = mon.unmodified._replace(hp=mon.max_hp)
    made = fresh(mon.species, mon.level, stats, with_some_pp(mon.moves), mon.types)
    status = mon.status._replace(sleep=min(mon.status.sleep, 1))
    return replace(made, position=mon.position, status=status)


class TurnOption(NamedTuple):
    """One option of a turn: order, value, expected turns until the enemy faints, and PP left."""

    order: Order
    worth: float
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
    wishes: BattleGoals
    bench: tuple[BattleMon, ...]
    to_come: tuple[BattleMon, ...]
    foe: BattleMon = field(init=False, repr=False, compare=False)  # with its AI's moves only
    stakes: Stakes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "foe", self.against(self.own))
        own, enemy = as_sent(self.own), as_sent(self.enemy)
        found = _stakes(self.dex, own, enemy, self.bench, self.to_come)
        object.__setattr__(self, "stakes", found)

    def against(self, mon: BattleMon) -> BattleMon:
        """Return the enemy with the moves that its AI may choose against `mon`."""
        return minded(self.dex, self.enemy, mon, self.battle.trainer_class)

    @classmethod
    def of(cls, dex: Dex, state: State, wishes: BattleGoals) -> "TurnState | None":
        """Return the turn, or None unless both sides have a mon in battle."""
        battle = state.battle
        if battle is None or battle.own is None or battle.enemy is None or not battle.enemy.hp:
            return None
        bench, to_come = bench_of(state), foes_to_come(state)
        return cls(dex, state, battle, battle.own, battle.enemy, wishes, bench, to_come)

    @classmethod
    def facing(cls, dex: Dex, state: State, wishes: BattleGoals) -> "TurnState | None":
        """Return the turn before a mon is sent; the bench holds all mons with HP."""
        battle = state.battle
        enemy = battle.enemy if battle is not None else None
        to_come = foes_to_come(state)
        if battle is None or enemy is None or not (enemy.hp or to_come):
            return None
        if not enemy.hp:
            enemy, to_come = to_come[0], to_come[1:]
        bench = tuple([fighter_of(mon, at) for at, mon in enumerate(state.party.mons) if mon.hp])
        own = battle.own if battle.own is not None else bench[0] if bench else None
        if own is None:
            return None
        return cls(dex, state, battle, replace(own, hp=0), enemy, wishes, bench, to_come)


def worth(end: Duel, stakes: Stakes) -> float:
    """Return the value of a duel."""
    return float(end.won @ stakes.won + end.lost @ stakes.lost)


def attack_options(table: TurnState) -> Iterator[TurnOption]:
    """Yield every attack, or STRUGGLE when no move has PP."""
    if not usable_slots(table.own):
        end = duel(table.dex, table.own, table.foe, last_resort(table.dex))
        yield TurnOption(Attack(0), worth(end, table.stakes), end.turns)
    for each in attacks(table.dex, table.own):
        end = duel(table.dex, table.own, table.foe, Attacking(*each))
        yield TurnOption(Attack(each[0]), worth(end, table.stakes), end.turns, each[2])


def prepared_options(table: TurnState) -> Iterator[TurnOption]:
    """Yield every setup move, followed by the best attack after it."""
    plain = best_attack(table.dex, table.own, table.foe)
    if plain == last_resort(table.dex):
        return
    missed: float | None = None
    for each in preparations(table.dex, table.own, table.foe):
        then = best_attack(table.dex, each.own, each.enemy)
        end = each.then(table.dex, then)
        value = worth(end, table.stakes)
        if each.chance < 1:
            if missed is None:
                blow = their_next(table.dex, table.own, table.foe)
                failed = duel_later(table.dex, table.own, table.foe, plain, blow)
                missed = worth(failed, table.stakes)
            value = each.chance * value + (1 - each.chance) * missed
        yield TurnOption(Attack(each.slot), value, end.turns)


def change_options(table: TurnState) -> Iterator[TurnOption]:
    """Yield a switch to each bench mon with better odds than the active one; it takes a hit on entering."""
    dex, foe = table.dex, table.foe
    staying = duel(dex, table.own, foe, best_attack(dex, table.own, foe)).chance
    for mon in table.bench:
        enemy = table.against(mon)
        blow = their_next(dex, mon, enemy)
        end = duel_later(dex, mon, enemy, best_attack(dex, mon, enemy), blow)
        if end.chance > staying:
            value = worth(end, _stakes_without(table, mon, called_back(table.own)))
            yield TurnOption(Switch(mon.position), value - CHANGE_COSTS, end.turns)


def sent(table: TurnState, mon: BattleMon) -> float:
    """Return the value of sending `mon` when that costs no turn."""
    enemy = table.against(mon)
    end = duel(table.dex, mon, enemy, best_attack(table.dex, mon, enemy))
    return worth(end, _stakes_without(table, mon))


def _stakes_without(table: TurnState, mon: BattleMon, *back: BattleMon) -> Stakes:
    others = [each for each in table.bench if each.position != mon.position]
    own, enemy = as_sent(mon), as_sent(table.enemy)
    return _stakes(table.dex, own, enemy, (*others, *back), table.to_come)


def item_options(table: TurnState) -> Iterator[TurnOption]:
    """Yield every item that helps the active mon; the enemy attacks in that turn."""
    dex, own = table.dex, table.own
    costs = WILD_ITEM_COSTS if table.battle.is_wild else ITEM_COSTS
    for item in uses_of(table.state.bag, table.wishes.spare):
        helped = raised(own, item, dex.rules) or cured(healed(own, item), item)
        if helped == own:
            continue
        enemy = table.against(helped)
        blow = their_next(dex, helped, enemy)
        end = duel_later(dex, helped, enemy, best_attack(dex, helped, enemy), blow)
        position = None if raised(own, item, dex.rules) else own.position
        yield TurnOption(UseItem(item, position), worth(end, table.stakes) - costs, end.turns)


def running(table: TurnState) -> TurnOption | None:
    """Return the option to run, or None against a trainer."""
    if not table.battle.is_wild:
        return None
    own, enemy, dex = table.own, table.enemy, table.dex
    attempt = table.battle.run_attempts + 1
    chance = float(run_chance(own.stats.speed, enemy.stats.speed, attempt))
    health = HEALTH * own.hp / own.max_hp
    away = (SAFE if table.wishes.train else AWAY) + health
    if chance < 1:
        blow = their_next(dex, own, enemy)
        failed = duel_later(dex, own, rested(enemy), best_attack(dex, own, enemy), blow)
        away = chance * away + (1 - chance) * worth(failed, table.stakes)
    return TurnOption(Flee(), away, 0.0)
