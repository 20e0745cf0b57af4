"""The battle policy: it chooses the option of the highest value, and when to throw a ball.

The policy is stateless: the same game state always gives the same order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from agent.battle.damage import after, attacks, expected, standing_at, strikes
from agent.battle.learn_move import offered, slot_to_forget
from agent.battle.matchups import beats, their_next
from agent.battle.options import (
    FALL,
    BattleGoals,
    TurnOption,
    TurnState,
    attack_options,
    change_options,
    item_options,
    prepared_options,
    running,
    sent,
)
from agent.battle.setup_moves import preparations
from agent.skills import (
    BALLS,
    SAFARI_BALL,
    Attack,
    Flee,
    Order,
    Throw,
    TriedOrders,
    any_attack,
    first_able,
    is_lawful,
    usable_slots,
)
from agent.skills.orders import GREAT_BALL, MASTER_BALL
from emulator import Battle, BattleMon, Dex, State, Status
from emulator.ram.battle import BattleType
from emulator.rules.chances import first_chance
from emulator.rules.moves import EXPLODE

BYTE: Final = 256
LUCK: Final = {4: 256, 3: 201, 2: 151}  # range of the first random number, by ball
WORTH: Final = {4: 0.0, 3: 0.05, 2: 0.1, MASTER_BALL: 0.7}  # of a ball, in catch chance
MOST_BALLS: Final = 10  # thrown at one target
HOPELESS: Final = 0.02
LIKELY: Final = 0.6  # catch chance from which the target is not weakened first
BETTER: Final = 1.15  # factor by which weakening must raise the catch chance
KNOCKED_OUT: Final = 0.03  # highest accepted risk of a knock-out while weakening
SAFE: Final = 0.9  # required chance to survive two more hits
# Values within this difference count as equal; then the quicker option is chosen.
AS_GOOD: Final = 0.02
AS_QUICK: Final = 0.5  # extra turns allowed for a move that won before
HOPEFUL: Final = 0.95  # value from which items and switches are not considered
WILD_THRIFT: Final = 0.06  # cost of using the last PP of a move against a wild Pokemon
THRIFT: Final = 0.02  # the same against a trainer
CHANGE_GAIN: Final = 0.05  # gain in value required for a switch before the trainer's next mon
LOST: Final = 0.25  # below this value a wild battle is left after a mon has fainted
UNTRIED: Final = TriedOrders()
GoalsOfBattle: TypeAlias = Callable[[State], BattleGoals]


def sacrifices(table: TurnState) -> Iterator[TurnOption]:
    """Yield each usable EXPLOSION or SELFDESTRUCT while the bench has a mon with HP."""
    own, foe, dex = table.own, table.foe, table.dex
    for slot in usable_slots(own) if table.bench else ():
        known = own.moves[slot]
        move = dex.all_moves.get(known.move)
        if move is None or move.effect != EXPLODE:
            continue
        standing = after(standing_at(foe), strikes(dex, own, foe, (move.number,)))
        value = float(standing @ table.stakes.lost)
        value += (1 - float(standing.sum())) * (beats(dex, table.bench, table.to_come) - FALL)
        first = float(first_chance(own.stats.speed, move.number, foe.stats.speed, 0))
        blow = their_next(dex, own, foe)
        if blow is not None and first < 1:
            falls = (1 - first) * (1 - float(after(standing_at(own), blow).sum()))
            value += falls * (float(standing_at(foe) @ table.stakes.lost) - value)
        yield TurnOption(Attack(slot), value, 1.0, known.pp)


def catch_chance(enemy: BattleMon, ball: int) -> float:
    """Return the chance that a ball thrown now catches the enemy."""
    if ball == MASTER_BALL:
        return 1.0
    span, ease = LUCK[ball], _ease(enemy.status)
    surely = min(ease, span)
    tested = min(max(span - ease, 0), enemy.catch_rate + 1)
    factor = 8 if ball == GREAT_BALL else 12
    hold = enemy.max_hp * 255 // factor // max(enemy.hp // 4, 1)
    passed = 1.0 if hold > BYTE - 1 else (hold + 1) / BYTE
    return (surely + tested * passed) / span


def catching(table: TurnState, tried: TriedOrders) -> Order | None:
    """Return the best order for a catch, or None when the target is not wanted or hardly catchable."""
    battle, enemy, wishes = table.battle, table.enemy, table.wishes
    wanted = battle.is_wild and enemy.species in wishes.catch
    if not wanted or battle.type is not BattleType.NORMAL or tried.balls >= MOST_BALLS:
        return None
    bag, spare = table.state.bag, wishes.spare
    balls = [ball for ball in BALLS if bag.quantity(ball) and ball not in spare]
    balls = [ball for ball in balls if Throw(ball) not in tried.refused]
    if not balls:
        return None
    ball = max(balls, key=lambda each: catch_chance(enemy, each) - WORTH[each])
    now = catch_chance(enemy, ball)
    if now < LIKELY and _is_safe(table):
        better = max(_worn(table, ball), default=(0.0, Attack(0)), key=lambda each: each[0])
        if better[0] >= now * BETTER and better[1] not in tried.refused:
            return better[1]
    return Throw(ball) if now >= HOPELESS else None


def _ease(status: Status) -> int:
    if status.sleep or status.frozen:
        return 25
    return 12 if any(status) else 0


def _worn(table: TurnState, ball: int) -> Iterator[tuple[float, Order]]:
    """Yield the catch chance after each weakening move with a low knock-out risk, and the move."""
    own, enemy = table.own, table.enemy
    for slot, move, _ in attacks(table.dex, own):
        odds = strikes(table.dex, own, enemy, (move.number,))
        if odds[enemy.hp :].sum() <= KNOCKED_OUT:
            left = max(enemy.hp - round(expected(odds, enemy.hp)), 1)
            yield catch_chance(replace(enemy, hp=left), ball), Attack(slot)
    for each in preparations(table.dex, own, enemy):
        status = each.enemy.status
        if each.naps is not None:
            status = status._replace(sleep=max(each.naps))
        if status != enemy.status:
            worn = catch_chance(replace(enemy, status=status), ball)
            now = catch_chance(enemy, ball)
            yield each.chance * worn + (1 - each.chance) * now, Attack(each.slot)


def _is_safe(table: TurnState) -> bool:
    blow = their_next(table.dex, table.own, table.enemy)
    if blow is None:
        return True
    twice = after(after(standing_at(table.own), blow), blow)
    return float(twice.sum()) >= SAFE


class Choice(NamedTuple):
    """An order, and whether the winning sequence of an earlier battle changed it."""

    order: Order
    swayed: bool = False


def choice(dex: Dex, state: State, wishes: BattleGoals, tried: TriedOrders = UNTRIED) -> Choice:
    """Return the order for this turn, and whether memory changed it."""
    if state.battle is not None and state.battle.type is BattleType.SAFARI:
        return Choice(_in_the_safari(state.battle, state, wishes))
    table = TurnState.of(dex, state, wishes)
    if table is None:
        return Choice(any_attack(state.battle) if state.battle is not None else Attack(0))
    order = catching(table, tried)
    if order is not None and is_lawful(order, state):
        return Choice(order)
    found = [each for each in _options(table) if each.order not in tried.refused]
    lawful = [each for each in found if is_lawful(each.order, state)]
    return _best(table, lawful, tried) if lawful else Choice(any_attack(table.battle))


def _in_the_safari(battle: Battle, state: State, wishes: BattleGoals) -> Order:
    """Return a ball throw for a wanted species, and running for all others."""
    wanted = battle.enemy is not None and battle.enemy.species in wishes.catch
    ball = Throw(SAFARI_BALL)
    return ball if wanted and is_lawful(ball, state) else Flee()


def _options(table: TurnState) -> list[TurnOption]:
    found = [*attack_options(table), *prepared_options(table), *sacrifices(table)]
    away = running(table)
    if away is not None:
        found.append(away)
    if max((each.worth for each in found), default=0.0) < HOPEFUL:
        found += [*change_options(table), *item_options(table)]
    return found


def _best(table: TurnState, found: list[TurnOption], tried: TriedOrders) -> Choice:
    thrift = WILD_THRIFT if table.battle.is_wild else THRIFT
    prices = [(each.worth - thrift / each.pp, each) for each in found]
    highest = max(price for price, _ in prices)
    good = [each for price, each in prices if price >= highest - AS_GOOD]
    best = min(good, key=lambda each: each.turns)
    won = _next_that_won(table, tried)
    as_quick = [each.order for each in good if each.turns <= best.turns + AS_QUICK]
    if won is None or won == best.order or won not in as_quick:
        return Choice(best.order)
    return Choice(won, swayed=True)


def _next_that_won(table: TurnState, tried: TriedOrders) -> Order | None:
    """Return the order of the first move of the winning sequence not yet used in this battle."""
    move = next((each for each in table.wishes.sequence if each not in tried.used), None)
    slots = enumerate(table.own.moves)
    return next((Attack(slot) for slot, known in slots if known.move == move), None)


@dataclass(frozen=True, slots=True)
class BattlePolicy:
    """A stateless `Commander`: the same battle state always gives the same answer.

    `swayed` is called in each turn in which a winning sequence from memory decides between equal moves.
    """

    dex: Dex
    goals: GoalsOfBattle = lambda _state: BattleGoals()  # only experience
    swayed: Callable[[State], object] = lambda _state: None

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return the order for this turn."""
        found = choice(self.dex, state, self.goals(state), tried)
        if found.swayed:
            self.swayed(state)
        return found.order

    def next_mon(self, state: State) -> int:
        """Return the party position of the mon to send: the one with the best odds."""
        return max(self._values(state), default=(0.0, 0))[1]

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against a wild Pokemon instead of running."""
        return max(self._values(state), default=(1.0, 0))[0] >= LOST

    def change(self, state: State) -> int | None:
        """Return the party position of a mon with clearly better odds against the trainer's next mon, or None."""
        battle = state.battle
        if battle is None or battle.own is None or not battle.own.hp:
            return None
        values = self._values(state)
        staying = next((value for value, at in values if at == battle.own.position), 1.0)
        best, at = max(values, default=(0.0, 0))
        return at if best >= staying + CHANGE_GAIN else None

    def forget(self, state: State) -> int | None:
        """Return the slot of the move to forget for the offered one, or None to refuse it."""
        offer = offered(self.dex, state)
        if offer is None:
            return None
        return slot_to_forget(self.dex, state.party[offer.position], offer.move)

    def _values(self, state: State) -> list[tuple[float, int]]:
        """Return the value of sending each mon that has HP, with its party position."""
        table = TurnState.facing(self.dex, state, self.goals(state))
        if table is None:
            return [(0.0, first_able(state))]
        return [(sent(table, mon), mon.position) for mon in table.bench]
