"""The battle policy: it chooses the option of the highest value, and when to throw a ball.

The policy is stateless: the same game state always gives the same order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from agent.battle.damage import add_damage, attacks, damage_odds, damage_taken, expected_damage
from agent.battle.learn_move import offered_move, slot_to_forget
from agent.battle.matchups import next_damage, win_chance
from agent.battle.options import (
    FAINT_COST,
    BattleGoals,
    TurnOption,
    TurnState,
    attack_options,
    item_options,
    run_option,
    send_value,
    setup_options,
    switch_options,
)
from agent.battle.setup_moves import setup_effects
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
    is_allowed,
    usable_slots,
)
from agent.skills.orders import GREAT_BALL, MASTER_BALL
from emulator import Battle, BattleMon, Dex, State, Status
from emulator.ram.battle import BattleType
from emulator.rules.arithmetic import BYTE, catch_threshold
from emulator.rules.chances import first_chance
from emulator.rules.moves import EXPLODE

BALL_RANGE: Final = {4: 256, 3: 201, 2: 151}  # range of the first random number, by ball
BALL_COSTS: Final = {4: 0.0, 3: 0.05, 2: 0.1, MASTER_BALL: 0.7}  # of a ball, in catch chance
MOST_BALLS: Final = 10  # thrown at one target
LOWEST_CATCH_CHANCE: Final = 0.02
HIGH_CATCH_CHANCE: Final = 0.6  # catch chance from which the target is not weakened first
WEAKENING_GAIN: Final = 1.15  # factor by which weakening must raise the catch chance
KNOCK_OUT_RISK: Final = 0.03  # highest accepted risk of a knock-out while weakening
SAFE_CHANCE: Final = 0.9  # required chance to survive two more hits
# Values within this difference count as equal; then the quicker option is chosen.
EQUAL_VALUE: Final = 0.02
EXTRA_TURNS: Final = 0.5  # extra turns allowed for a move that won before
GOOD_ENOUGH: Final = 0.95  # value from which items and switches are not considered
WILD_PP_COST: Final = 0.06  # cost of using the last PP of a move against a wild Pokemon
PP_COST: Final = 0.02  # the same against a trainer
CHANGE_GAIN: Final = 0.05  # gain in value required for a switch before the trainer's next mon
LEAVE_BELOW: Final = 0.25  # below this value a wild battle is left after a mon has fainted
UNTRIED: Final = TriedOrders()
GoalsOfBattle: TypeAlias = Callable[[State], BattleGoals]


def explosion_options(turn: TurnState) -> Iterator[TurnOption]:
    """Yield each usable EXPLOSION or SELFDESTRUCT while the bench has a mon with HP."""
    own, foe, dex = turn.own, turn.ai_enemy, turn.dex
    for slot in usable_slots(own) if turn.bench else ():
        known = own.moves[slot]
        move = dex.all_moves.get(known.move)
        if move is None or move.effect != EXPLODE:
            continue
        standing = add_damage(damage_taken(foe), damage_odds(dex, own, foe, (move.number,)))
        value = float(standing @ turn.values.lost)
        value += (1 - float(standing.sum())) * (
            win_chance(dex, turn.bench, turn.reserve) - FAINT_COST
        )
        first = float(first_chance(own.stats.speed, move.number, foe.stats.speed, 0))
        hit = next_damage(dex, own, foe)
        if hit is not None and first < 1:
            falls = (1 - first) * (1 - float(add_damage(damage_taken(own), hit).sum()))
            value += falls * (float(damage_taken(foe) @ turn.values.lost) - value)
        yield TurnOption(Attack(slot), value, 1.0, known.pp)


def catch_chance(enemy: BattleMon, ball: int) -> float:
    """Return the chance that a ball thrown now catches the enemy."""
    if ball == MASTER_BALL:
        return 1.0
    span, bonus = BALL_RANGE[ball], _status_bonus(enemy.status)
    certain = min(bonus, span)
    tested = min(max(span - bonus, 0), enemy.catch_rate + 1)
    factor = 8 if ball == GREAT_BALL else 12
    passed = catch_threshold(enemy.max_hp, enemy.hp, factor) / BYTE
    return (certain + tested * passed) / span


def catch_order(turn: TurnState, tried: TriedOrders) -> Order | None:
    """Return the best order for a catch, or None when the target is not wanted or hardly catchable."""
    battle, enemy, goals = turn.battle, turn.enemy, turn.goals
    wanted = battle.is_wild and enemy.species in goals.catch
    if not wanted or battle.type is not BattleType.NORMAL or tried.balls >= MOST_BALLS:
        return None
    bag, spare = turn.state.bag, goals.spare
    balls = [ball for ball in BALLS if bag.quantity(ball) and ball not in spare]
    balls = [ball for ball in balls if Throw(ball) not in tried.refused]
    if not balls:
        return None
    ball = max(balls, key=lambda each: catch_chance(enemy, each) - BALL_COSTS[each])
    now = catch_chance(enemy, ball)
    if now < HIGH_CATCH_CHANCE and _is_safe(turn):
        better = max(_weakening(turn, ball), default=(0.0, Attack(0)), key=lambda each: each[0])
        if better[0] >= now * WEAKENING_GAIN and better[1] not in tried.refused:
            return better[1]
    return Throw(ball) if now >= LOWEST_CATCH_CHANCE else None


def _status_bonus(status: Status) -> int:
    if status.sleep or status.frozen:
        return 25
    return 12 if any(status) else 0


def _weakening(turn: TurnState, ball: int) -> Iterator[tuple[float, Order]]:
    """Yield the catch chance after each weakening move with a low knock-out risk, and the move."""
    own, enemy = turn.own, turn.enemy
    for slot, move, _ in attacks(turn.dex, own):
        odds = damage_odds(turn.dex, own, enemy, (move.number,))
        if odds[enemy.hp :].sum() <= KNOCK_OUT_RISK:
            left = max(enemy.hp - round(expected_damage(odds, enemy.hp)), 1)
            yield catch_chance(replace(enemy, hp=left), ball), Attack(slot)
    for each in setup_effects(turn.dex, own, enemy, turn.badges):
        status = each.enemy.status
        if each.idle is not None:
            status = status._replace(sleep=max(each.idle))
        if status != enemy.status:
            weakened = catch_chance(replace(enemy, status=status), ball)
            now = catch_chance(enemy, ball)
            yield each.chance * weakened + (1 - each.chance) * now, Attack(each.slot)


def _is_safe(turn: TurnState) -> bool:
    hit = next_damage(turn.dex, turn.own, turn.enemy)
    if hit is None:
        return True
    twice = add_damage(add_damage(damage_taken(turn.own), hit), hit)
    return float(twice.sum()) >= SAFE_CHANCE


class ChosenOrder(NamedTuple):
    """An order, and whether the winning sequence of an earlier battle changed it."""

    order: Order
    influenced: bool = False


def choose_order(
    dex: Dex, state: State, goals: BattleGoals, tried: TriedOrders = UNTRIED
) -> ChosenOrder:
    """Return the order for this turn, and whether memory changed it."""
    if state.battle is not None and state.battle.type is BattleType.SAFARI:
        return ChosenOrder(_safari_order(state.battle, state, goals))
    turn = TurnState.of(dex, state, goals)
    if turn is None:
        return ChosenOrder(any_attack(state.battle) if state.battle is not None else Attack(0))
    order = catch_order(turn, tried)
    if order is not None and is_allowed(order, state):
        return ChosenOrder(order)
    found = [each for each in _options(turn) if each.order not in tried.refused]
    allowed = [each for each in found if is_allowed(each.order, state)]
    return _best(turn, allowed, tried) if allowed else ChosenOrder(any_attack(turn.battle))


def _safari_order(battle: Battle, state: State, goals: BattleGoals) -> Order:
    """Return a ball throw for a wanted species, and running for all others."""
    wanted = battle.enemy is not None and battle.enemy.species in goals.catch
    ball = Throw(SAFARI_BALL)
    return ball if wanted and is_allowed(ball, state) else Flee()


def _options(turn: TurnState) -> list[TurnOption]:
    found = [*attack_options(turn), *setup_options(turn), *explosion_options(turn)]
    away = run_option(turn)
    if away is not None:
        found.append(away)
    if max((each.value for each in found), default=0.0) < GOOD_ENOUGH:
        found += [*switch_options(turn), *item_options(turn)]
    return found


def _best(turn: TurnState, found: list[TurnOption], tried: TriedOrders) -> ChosenOrder:
    pp_cost = WILD_PP_COST if turn.battle.is_wild else PP_COST
    prices = [(each.value - pp_cost / each.pp, each) for each in found]
    highest = max(price for price, _ in prices)
    good = [each for price, each in prices if price >= highest - EQUAL_VALUE]
    best = min(good, key=lambda each: each.turns)
    won = _next_that_won(turn, tried)
    as_quick = [each.order for each in good if each.turns <= best.turns + EXTRA_TURNS]
    if won is None or won == best.order or won not in as_quick:
        return ChosenOrder(best.order)
    return ChosenOrder(won, influenced=True)


def _next_that_won(turn: TurnState, tried: TriedOrders) -> Order | None:
    """Return the order of the first move of the winning sequence not yet used in this battle."""
    move = next((each for each in turn.goals.sequence if each not in tried.used), None)
    slots = enumerate(turn.own.moves)
    return next((Attack(slot) for slot, known in slots if known.move == move), None)


@dataclass(frozen=True, slots=True)
class BattlePolicy:
    """A stateless `Commander`: the same battle state always gives the same answer.

    `on_influence` is called in each turn in which a winning sequence from memory decides between equal moves.
    """

    dex: Dex
    goals: GoalsOfBattle = lambda _state: BattleGoals()  # only experience
    on_influence: Callable[[State], object] = lambda _state: None

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return the order for this turn."""
        found = choose_order(self.dex, state, self.goals(state), tried)
        if found.influenced:
            self.on_influence(state)
        return found.order

    def next_mon(self, state: State) -> int:
        """Return the party position of the mon to send: the one with the best odds."""
        return max(self._values(state), default=(0.0, 0))[1]

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against a wild Pokemon instead of running."""
        best = max(self._values(state), default=(1.0, 0))[0]
        return best >= LEAVE_BELOW or self.goals(state).must_win

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
        offer = offered_move(self.dex, state)
        if offer is None:
            return None
        return slot_to_forget(self.dex, state.party[offer.position], offer.move)

    def _values(self, state: State) -> list[tuple[float, int]]:
        """Return the value of sending each mon that has HP, with its party position."""
        turn = TurnState.facing(self.dex, state, self.goals(state))
        if turn is None:
            return [(0.0, first_able(state))]
        return [(send_value(turn, mon), mon.position) for mon in turn.bench]
