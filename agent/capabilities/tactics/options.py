"""Everything a turn could be used for, and what it is worth: attacks, preparations, changes, items, running."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from agent.capabilities.tactics.blows import attacks
from agent.capabilities.tactics.duel import Duel
from agent.capabilities.tactics.fighters import bench_of, fighter_of, foes_to_come
from agent.capabilities.tactics.items import cured, healed, raised, uses_of
from agent.capabilities.tactics.matchup import (
    Attacking,
    best_attack,
    duel,
    duel_later,
    last_resort,
    rested,
    their_next,
)
from agent.capabilities.tactics.minds import minded
from agent.capabilities.tactics.preparations import preparations
from agent.capabilities.tactics.stakes import HEALTH, Stakes, called_back, stakes_of
from agent.capabilities.tactics.wishes import Wishes
from agent.skills import Attack, Flee, Order, Switch, Use, usable_slots
from emulator import Battle, BattleMon, Dex, State, run_chance

SAFE: Final = 0.5  # what coming away is worth when experience is wanted
AWAY: Final = 1.02  # and when it is not
CHANGE_COSTS: Final = 0.05  # so that nobody changes to and fro
ITEM_COSTS: Final = 0.08
WILD_ITEM_COSTS: Final = 0.25


class Option(NamedTuple):
    """One use of a turn: what it is worth, after how many turns the enemy falls, and what with."""

    order: Order
    worth: float
    turns: float
    pp: int = 99


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the table in a turn."""

    dex: Dex
    state: State
    battle: Battle
    own: BattleMon
    enemy: BattleMon
    wishes: Wishes
    bench: tuple[BattleMon, ...]
    to_come: tuple[BattleMon, ...]
    foe: BattleMon = field(init=False, repr=False, compare=False)  # as it chooses against `own`
    stakes: Stakes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "foe", self.against(self.own))
        found = stakes_of(self.dex, self.own, self.enemy, self.bench, self.to_come)
        object.__setattr__(self, "stakes", found)

    def against(self, mon: BattleMon) -> BattleMon:
        """Return the enemy with the moves that it would choose from against `mon`."""
        return minded(self.dex, self.enemy, mon, self.battle.trainer_class)

    @classmethod
    def of(cls, dex: Dex, state: State, wishes: Wishes) -> "Table | None":
        """Return the table, or None when not both sides are there."""
        battle = state.battle
        if battle is None or battle.own is None or battle.enemy is None:
            return None
        if not battle.enemy.hp:
            return None
        bench, to_come = bench_of(state), foes_to_come(state)
        return cls(dex, state, battle, battle.own, battle.enemy, wishes, bench, to_come)

    @classmethod
    def facing(cls, dex: Dex, state: State, wishes: Wishes) -> "Table | None":
        """Return the table before somebody is sent: all who can stand are on the bench, against who is there or comes."""
        battle = state.battle
        enemy = battle.enemy if battle is not None else None
        to_come = foes_to_come(state)
        if battle is None or enemy is None or not (enemy.hp or to_come):
            return None
        if not enemy.hp:
            enemy, to_come = to_come[0], to_come[1:]
        able = [(at, mon) for at, mon in enumerate(state.party.mons) if mon.hp]
        bench = tuple([fighter_of(mon, at) for at, mon in able])
        own = battle.own if battle.own is not None else bench[0] if bench else None
        if own is None:
            return None
        return cls(dex, state, battle, replace(own, hp=0), enemy, wishes, bench, to_come)


def worth(end: Duel, stakes: Stakes) -> float:
    """Return what a duel is worth."""
    return float(end.won @ stakes.won + end.lost @ stakes.lost)


def attack_options(table: Table) -> Iterator[Option]:
    """Yield every attack; without PP, what the game has for that case."""
    if not usable_slots(table.own):
        end = duel(table.dex, table.own, table.foe, last_resort(table.dex))
        yield Option(Attack(0), worth(end, table.stakes), end.turns)
    for each in attacks(table.dex, table.own):
        end = duel(table.dex, table.own, table.foe, Attacking(*each))
        yield Option(Attack(each[0]), worth(end, table.stakes), end.turns, each[2])


def prepared_options(table: Table) -> Iterator[Option]:
    """Yield every move that does no damage, followed by the attack that is best then."""
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
        yield Option(Attack(each.slot), value, end.turns)


def change_options(table: Table) -> Iterator[Option]:
    """Yield every mon of the bench with better odds than who fights; it takes one blow on coming in."""
    dex, foe = table.dex, table.foe
    staying = duel(dex, table.own, foe, best_attack(dex, table.own, foe)).chance
    for mon in table.bench:
        enemy = table.against(mon)
        blow = their_next(dex, mon, enemy)
        end = duel_later(dex, mon, enemy, best_attack(dex, mon, enemy), blow)
        if end.chance > staying:
            value = worth(end, _stakes_without(table, mon, called_back(table.own)))
            yield Option(Switch(mon.position), value - CHANGE_COSTS, end.turns)


def sent(table: Table, mon: BattleMon) -> float:
    """Return what it is worth to send `mon` when that costs no turn."""
    enemy = table.against(mon)
    end = duel(table.dex, mon, enemy, best_attack(table.dex, mon, enemy))
    return worth(end, _stakes_without(table, mon))


def _stakes_without(table: Table, mon: BattleMon, *back: BattleMon) -> Stakes:
    others = [each for each in table.bench if each.position != mon.position]
    return stakes_of(table.dex, mon, table.enemy, (*others, *back), table.to_come)


def item_options(table: Table) -> Iterator[Option]:
    """Yield every item that would help the mon that fights; the enemy strikes meanwhile."""
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
        yield Option(Use(item, position), worth(end, table.stakes) - costs, end.turns)


def running(table: Table) -> Option | None:
    """Return what running is worth, or None where nobody lets one go."""
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
    return Option(Flee(), away, 0.0)
