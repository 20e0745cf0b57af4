"""The battle policy: each choice is worth what playing it out shows, and the best one is taken, with its reasons.

The policy is stateless: the same game state always gives the same order.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from agent.battle import search
from agent.battle.learn_move import offered_move, slot_to_forget
from agent.battle.odds import position_in, tables_of
from agent.battle.search import RatedOption, TurnOption, goes_on
from agent.skills import (
    BALLS,
    SAFARI_BALL,
    Attack,
    Flee,
    Order,
    Switch,
    Throw,
    TriedOrders,
    UseItem,
    any_attack,
    first_able,
    is_allowed,
    usable_slots,
)
from agent.skills.orders import GREAT_BALL, MASTER_BALL, POKE_BALL, ULTRA_BALL
from emulator import Battle, Dex, State
from emulator.engine import (
    ATTACKS,
    ETHER,
    MAX_ELIXIR,
    MAX_REVIVE,
    REVIVE,
    X_ATTACK,
    X_SPECIAL,
    best_move,
    legal_choices,
    needs_member,
)
from emulator.ram import BattleType
from emulator.rules import Position, codes
from emulator.rules.codes import choice_of_item

TRAINING_RUN_VALUE: Final = 0.5  # of running away in training
RUN_VALUE: Final = 1.02  # of running away otherwise
BALL_COSTS: Final = {POKE_BALL: 0.0, GREAT_BALL: 0.02, ULTRA_BALL: 0.04, MASTER_BALL: 0.7}
MOST_BALLS: Final = 10  # thrown at one target
LEAST_CATCH: Final = 0.03  # share of the playouts with a catch below which no ball is thrown
SWITCH_COST: Final = 0.03  # prevents switching back and forth
WILD_PP_COST: Final = 0.06  # of using the last PP of a move against a wild Pokemon
PP_COST: Final = 0.02  # the same against a trainer
EQUAL_VALUE: Final = search.TURN_COST  # values that differ by no more than a turn count as equal
GOOD_ENOUGH: Final = 0.06  # value below the highest possible at which items and switches count
CHANGE_GAIN: Final = 0.05  # gain in value required for a switch before the trainer's next mon
LEAVE_BELOW: Final = 0.25  # below this chance a wild battle is left after a mon has fainted
NOTABLE: Final = 0.1  # gain in the chance to win from which an order has a reason worth telling
UNTRIED: Final = TriedOrders()


@dataclass(frozen=True, slots=True)
class BattleGoals:
    """Goals of a battle besides winning it.

    `catch` holds the species to catch. With `train`, wild Pokemon are fought for experience; without it, running is
    preferred when it is cheap and safe; a battle that `must_win` is never run from. Items in `spare` are not used.
    `sequence` holds move numbers: the first one not yet used in this battle is preferred when it is as good as the
    best option.
    """

    catch: frozenset[int] = frozenset()
    train: bool = True
    spare: tuple[int, ...] = ()
    sequence: tuple[int, ...] = ()
    must_win: bool = False


GoalsOfBattle: TypeAlias = Callable[[State], BattleGoals]


class ChosenOrder(NamedTuple):
    """An order, whether the winning sequence of an earlier battle changed it, and the reason where it is no matter of course."""

    order: Order
    influenced: bool = False
    why: str = ""


def choose_order(
    dex: Dex, state: State, goals: BattleGoals, tried: TriedOrders = UNTRIED
) -> ChosenOrder:
    """Return the order for this turn, and whether memory changed it."""
    if state.battle is not None and state.battle.type is BattleType.SAFARI:
        return ChosenOrder(_safari_order(state.battle, state, goals))
    position = position_in(dex, state, goals.spare)
    if position is None or state.battle is None:
        return ChosenOrder(any_attack(state.battle) if state.battle is not None else Attack(0))
    choices = tuple(legal_choices(position, codes.OURS).tolist())
    turn = _Turn(dex, state, state.battle, position, goals, tried, choices, goes_on(position))
    rated = turn.rated()
    return _best(turn, rated) if rated else ChosenOrder(any_attack(state.battle))


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn in which an order is due, with what the game offers and how playouts go on."""

    dex: Dex
    state: State
    battle: Battle
    position: Position
    goals: BattleGoals
    tried: TriedOrders
    choices: tuple[int, ...]
    then: int

    @property
    def is_wanted(self) -> bool:
        """Whether the wild Pokemon is to be caught."""
        enemy, tried = self.battle.enemy, self.tried
        wanted = self.battle.is_wild and self.battle.type is BattleType.NORMAL
        wanted = wanted and enemy is not None and enemy.species in self.goals.catch
        return wanted and tried.balls < MOST_BALLS and self._ball() is not None

    def rated(self) -> list[RatedOption]:
        """Return the options that can be chosen, with their values; few when one of few is good enough."""
        if self.is_wanted:
            rated = self._rate([*self._moves(catching=True), *self._balls()], catching=True)
            if max((each.won for each in rated), default=0.0) >= LEAST_CATCH:
                return rated
        first = self._rate([*self._moves(), *self._away()], first=True)
        highest = 1 + search.HP_VALUE * float(search.hp_shares(self.position, codes.OURS))
        if max((each.value for each in first), default=0.0) >= highest - GOOD_ENOUGH:
            return first
        return self._rate([*self._moves(), *self._away(), *self._switches(), *self._items()])

    def _rate(
        self, options: Sequence[TurnOption], *, catching: bool = False, first: bool = False
    ) -> list[RatedOption]:
        able = [
            each
            for each in options
            if each.order not in self.tried.refused and is_allowed(each.order, self.state)
        ]
        weights = search.weights_of(self.position, _away(self.goals), catching=catching)
        tables = tables_of(self.dex)
        return search.rate(self.position, able, weights, tables, first=first) if able else []

    def _moves(self, *, catching: bool = False) -> Iterator[TurnOption]:
        ball = self._ball() if catching else None
        then = self.then if ball is None else choice_of_item(ball)
        own = self.battle.own
        per_use = WILD_PP_COST if self.battle.is_wild else PP_COST
        for choice in self.choices:
            if choice < codes.SLOTS and own is not None:
                cost = per_use / max(own.moves[choice].pp, 1)
                yield TurnOption(Attack(choice), choice, then, cost)
            elif codes.MIMIC_ONE <= choice < codes.ITEM:
                slot = (choice - codes.MIMIC_ONE) // codes.SLOTS
                yield TurnOption(Attack(slot), choice, then, per_use)
            elif choice in (codes.GO_ON, codes.STRUGGLES) and own is not None:
                slots = usable_slots(own)
                yield TurnOption(Attack(slots[0] if slots else 0), choice, then)

    def _away(self) -> Iterator[TurnOption]:
        if self.battle.is_wild and not self.goals.must_win:
            yield TurnOption(Flee(), codes.RUN, codes.RUN)

    def _ball(self) -> int | None:
        """Return the cheapest kind of ball that can be thrown, or None."""
        refused, bag = self.tried.refused, self.state.bag
        kinds = [ball for ball in BALLS if ball not in self.goals.spare and bag.quantity(ball)]
        return next((ball for ball in kinds if Throw(ball) not in refused), None)

    def _balls(self) -> Iterator[TurnOption]:
        for ball in BALLS:
            if ball not in self.goals.spare and self.state.bag.quantity(ball):
                choice = choice_of_item(ball)
                yield TurnOption(Throw(ball), choice, choice, BALL_COSTS[ball])

    def _switches(self) -> Iterator[TurnOption]:
        for choice in self.choices:
            if codes.SWITCH <= choice < codes.SWITCH + codes.TEAM:
                yield TurnOption(Switch(choice - codes.SWITCH), choice, self.then, SWITCH_COST)

    def _items(self) -> Iterator[TurnOption]:
        out = int(self.position.sides[codes.OURS].out)
        for choice in self.choices:
            item, target = divmod(choice - codes.ITEM, codes.PER_ITEM)
            at = target // codes.SLOTS
            if X_ATTACK <= item <= X_SPECIAL:
                yield TurnOption(UseItem(item), choice, self.then)
            elif (needs_member(item) and not ETHER <= item <= MAX_ELIXIR) and (
                at == out or item in (REVIVE, MAX_REVIVE)
            ):
                yield TurnOption(UseItem(item, at), choice, self.then)


def _away(goals: BattleGoals) -> float:
    """Return what running from a wild Pokemon is worth."""
    run = TRAINING_RUN_VALUE if goals.train else RUN_VALUE
    return 0.0 if goals.must_win else run


def _best(turn: _Turn, rated: Sequence[RatedOption]) -> ChosenOrder:
    best = max(rated, key=lambda each: each.value)
    before = _next_that_won(turn)
    for each in rated:
        if each.option.order == before and each.value >= best.value - EQUAL_VALUE:
            is_new = before != best.option.order
            return ChosenOrder(before, influenced=is_new, why=_reason(turn, each, rated))
    return ChosenOrder(best.option.order, why=_reason(turn, best, rated))


def _reason(turn: _Turn, chosen: RatedOption, rated: Sequence[RatedOption]) -> str:
    """Return the chance that an order was chosen for beside the best of the others.

    Return "" where they differ little, and for the attack with the most damage.
    """
    others = [each for each in rated if each.option.order != chosen.option.order]
    second = max(others, default=chosen, key=lambda each: each.value)
    plain = best_move(turn.position, codes.OURS, ATTACKS, tables_of(turn.dex))
    if chosen.won < second.won + NOTABLE or chosen.option.choice == plain:
        return ""
    words = f"{_words(turn, chosen.option.order)}: {chosen.won:.2f}"
    return f"{words} against {second.won:.2f} ({_words(turn, second.option.order)})"


def _words(turn: _Turn, order: Order) -> str:
    dex, own = turn.dex, turn.battle.own
    match order:
        case Attack(slot):
            known = own.moves[slot].move if own is not None and slot < len(own.moves) else 0
            return dex.all_moves[known].name if known in dex.all_moves else "an attack"
        case Switch(position):
            return f"send {turn.state.party[position].nickname}"
        case UseItem(item=item) | Throw(ball=item):
            return dex.item_name(item)
        case Flee():
            return "run"


def _next_that_won(turn: _Turn) -> Order | None:
    """Return the order of the first move of the winning sequence not yet used in this battle."""
    move = next((each for each in turn.goals.sequence if each not in turn.tried.used), None)
    slots = enumerate(turn.battle.own.moves) if turn.battle.own is not None else ()
    return next((Attack(slot) for slot, known in slots if known.move == move), None)


def _safari_order(battle: Battle, state: State, goals: BattleGoals) -> Order:
    """Return a ball throw for a wanted species, and running for all others."""
    wanted = battle.enemy is not None and battle.enemy.species in goals.catch
    ball = Throw(SAFARI_BALL)
    return ball if wanted and is_allowed(ball, state) else Flee()


@dataclass(frozen=True, slots=True)
class BattlePolicy:
    """A stateless `Commander`: the same battle state always gives the same answer.

    `on_order` is called with each order and its reason.
    """

    dex: Dex
    goals: GoalsOfBattle = lambda _state: BattleGoals()  # only experience
    on_order: Callable[[ChosenOrder], object] = lambda _chosen: None

    def order(self, state: State, tried: TriedOrders) -> Order:
        """Return the order for this turn."""
        found = choose_order(self.dex, state, self.goals(state), tried)
        self.on_order(found)
        return found.order

    def next_mon(self, state: State) -> int:
        """Return the party position of the mon to send: the one with the best odds."""
        rated = self._sent(state)
        best = max(rated, default=None, key=lambda each: each.value)
        return _place(best) if best is not None else first_able(state)

    def fights_on(self, state: State) -> bool:
        """Return whether to send another mon against a wild Pokemon instead of running."""
        best = max((each.won for each in self._sent(state)), default=1.0)
        return best >= LEAVE_BELOW or self.goals(state).must_win

    def change(self, state: State) -> int | None:
        """Return the party position of a mon with clearly better odds against the trainer's next mon, or None."""
        battle = state.battle
        if battle is None or battle.own is None or not battle.own.hp:
            return None
        rated = self._sent(state)
        staying = [each.value for each in rated if _place(each) == battle.own.position]
        best = max(rated, default=None, key=lambda each: each.value)
        if best is None or not staying or best.value < staying[0] + CHANGE_GAIN:
            return None
        return _place(best)

    def forget(self, state: State) -> int | None:
        """Return the slot of the move to forget for the offered one, or None to refuse it."""
        offer = offered_move(self.dex, state)
        if offer is None:
            return None
        return slot_to_forget(self.dex, state.party[offer.position], offer.move)

    def _sent(self, state: State) -> list[RatedOption]:
        """Return the value of sending each mon that has HP."""
        goals = self.goals(state)
        position = position_in(self.dex, state, goals.spare)
        if position is None:
            return []
        # The Pokemon that is sent meets the foe that is out, or the next one.
        position.sides[codes.THEIRS].hp = (
            position.sides[codes.THEIRS].team[position.sides[codes.THEIRS].out].hp
        )
        position.outcome = codes.WE_SEND
        able = [at for at, mon in enumerate(state.party.mons) if mon.hp]
        then, weights = goes_on(position), search.weights_of(position, _away(goals))
        options = [TurnOption(Switch(at), codes.SWITCH + at, then) for at in able]
        return search.rate(position, options, weights, tables_of(self.dex)) if options else []


def _place(rated: RatedOption) -> int:
    return rated.option.choice - codes.SWITCH
