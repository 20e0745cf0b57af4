"""The skill that fights a battle to its end: the presses for each order and for each question.

Each step answers the current RAM state. The cursor is compared with the wanted entry before A is pressed.
"""

from typing import Final

from agent.skills.menu import select
from agent.skills.orders import (
    SAFARI_BALL,
    Attack,
    Commander,
    Flee,
    Order,
    Switch,
    Throw,
    TriedOrders,
    UseItem,
    fallback_order,
    first_able,
    is_allowed,
)
from agent.skills.skill import Movement, Outcome, Skill, hold_b, tap, turn_page, wait
from emulator import Battle, BattleResult, Button, MenuKind, Phase, State, Step
from emulator.ram import BattleType

MENU_PATIENCE: Final = 30  # states with an unchanged battle menu before its order counts as refused
PATIENCE: Final = 16  # menu choices for one order before it counts as refused
MOST_STEPS: Final = 6_000  # steps of one battle, far more than any battle needs
# Entries of the battle menu, by column: FIGHT over BAG, TEAM over RUN.
FIGHT, BAG, TEAM, RUN = range(4)
SAFARI_THROW: Final = 0  # ball entry of the Safari menu; its RUN entry is at the usual place
COLUMNS: Final = (
    (MenuKind.BATTLE_LEFT, MenuKind.BATTLE_RIGHT),
    (MenuKind.SAFARI_LEFT, MenuKind.SAFARI_RIGHT),
)
YES: Final = 0
QUIET_FRAMES: Final = 48  # wait where a press could answer a question too early
SWITCH: Final = 0  # first entry of a party mon's menu
OPENING: Final = 30  # checks of a screen that opens slowly
CHECK_FRAMES: Final = 8  # frames between two checks


class YesNoAnswers:
    """Yes or no for each question: `first` for the first one, and yes for a question that follows a no.

    When the game offers a fifth move, it asks whether to forget a move; after a no it asks whether to give up the
    new one; after a no to that it starts over. Either question may come first, so a repeated question gets
    the other answer.
    """

    def __init__(self) -> None:
        self._given: dict[str, bool] = {}
        self._asked = ""  # the open question

    def to(self, asked: str, *, first: bool = False) -> bool:
        """Return whether to answer yes."""
        if asked != self._asked:
            self._given[asked] = self._answer(asked, first=first)
            self._asked = asked
        return self._given[asked]

    def close(self) -> None:
        """Record that no question is open."""
        self._asked = ""

    def _answer(self, asked: str, *, first: bool) -> bool:
        if asked in self._given:
            return not self._given.pop(asked)
        return first if not self._given else list(self._given.values())[-1] is False


class Turn:
    """The order of the current turn; it requests a new order each time the battle menu opens."""

    def __init__(self, commander: Commander) -> None:
        self.commander = commander
        self.order: Order | None = None
        self.change: int | None = None  # party position to switch to before the trainer's next mon
        self._ordered_in: State | None = None
        self._done = False
        self._asked = False  # whether the battle menu was open at the last state
        self._choices = 0
        self._looks = 0
        self._refused: set[Order] = set()
        self._balls = 0
        self._used: set[int] = set()  # the numbers of moves

    def order_for(self, state: State) -> Order:
        """Return the order to carry out while the battle menu waits."""
        self._looks += 1
        if self._asked and self._looks > MENU_PATIENCE:
            self._asked = False  # the menu does not accept the order
        if not self._asked or self.order is None:
            self._close_turn(state)
            self.order = self._next(state)
            self._ordered_in, self._done, self._choices, self.change = state, False, 0, None
            self._looks = 0
        self._asked = True
        return self.order

    def observe(self, battle: Battle, state: State) -> None:
        """Record a state; it may show that the order was carried out."""
        if battle.phase is not Phase.MAIN_MENU:
            self._asked = False
        if self._ordered_in is not None and self.order is not None:
            self._done = self._done or _is_done(self.order, self._ordered_in, state)

    def has_failed(self) -> bool:
        """Count a menu choice, and return whether the order has taken too many."""
        self._choices += 1
        return self._choices > PATIENCE and self._choices % PATIENCE < PATIENCE // 2

    def _next(self, state: State) -> Order:
        tried = TriedOrders(frozenset(self._refused), self._balls, frozenset(self._used))
        order = self.commander.order(state, tried)
        if order not in self._refused and is_allowed(order, state):
            return order
        return fallback_order(state.battle) if state.battle is not None else Attack(0)

    def _close_turn(self, state: State) -> None:
        """Clear the refused orders after a completed turn, or add the failed order to them."""
        if self.order is None:
            return
        if not self._done:
            self._refused.add(self.order)
            return
        self._refused.clear()
        self._balls += isinstance(self.order, Throw)
        self._used |= _moves_of(self.order, self._ordered_in)


def _is_done(order: Order, before: State, now: State) -> bool:
    then, battle = before.battle, now.battle
    if then is None or battle is None:
        return True
    match order:
        case Switch(position):
            return battle.own is not None and battle.own.position == position
        case Throw(ball) if ball == SAFARI_BALL:
            return now.safari.balls < before.safari.balls
        case UseItem(item=item) | Throw(ball=item):
            return now.bag.quantity(item) < before.bag.quantity(item)
        case Flee():
            return battle.run_attempts > then.run_attempts
        case Attack():
            # A completed turn changes one of the two; a refusal changes neither.
            return (battle.own, battle.enemy) != (then.own, then.enemy)


def _moves_of(order: Order, before: State | None) -> set[int]:
    """Return the move that an order used, as a set with at most one number."""
    own = before.battle.own if before is not None and before.battle is not None else None
    if own is None or not isinstance(order, Attack) or order.slot >= len(own.moves):
        return set()
    return {own.moves[order.slot].move}


def fight(commander: Commander, state: State) -> Skill:
    """Fight a battle to its end by the orders and answers of `commander`; INTERRUPTED when it was lost."""
    turn, answers = Turn(commander), YesNoAnswers()
    for _ in range(MOST_STEPS):
        battle = state.battle
        if battle is None or not state.in_battle:
            lost = state.battle_result is BattleResult.LOST
            return Outcome.INTERRUPTED if lost else Outcome.DONE
        turn.observe(battle, state)
        if battle.phase is Phase.MAIN_MENU:
            answers = YesNoAnswers()
        if battle.phase is not Phase.YES_NO:
            answers.close()
        state = yield from _react(battle, turn, answers, state)
    return Outcome.BLOCKED


def _react(battle: Battle, turn: Turn, answers: YesNoAnswers, state: State) -> Movement:
    match battle.phase:
        case Phase.MAIN_MENU:
            entry = _entry(turn.order_for(state), battle)
            choice = _choose_from_battle_menu(entry, battle, state)
            return (yield from choice if entry == RUN else _then_wait(choice))
        case Phase.MOVE_MENU | Phase.BAG | Phase.PARTY | Phase.PARTY_SUBMENU | Phase.FORGET_MOVE:
            if turn.has_failed():
                return (yield tap(Button.B, settle=16))
            return (yield from _choose(battle, turn, state))
        case Phase.YES_NO | Phase.NEXT_MON | Phase.CHANGE_MON:
            if _is_yes(battle.phase, turn, answers, state):
                return (yield from _then_wait(select(YES, state)))
            return (yield turn_page())
        case _:
            return (yield _step_without_choice(battle, turn.order))


def _is_yes(asked: Phase, turn: Turn, answers: YesNoAnswers, state: State) -> bool:
    commander = turn.commander
    if asked is Phase.NEXT_MON:
        return commander.fights_on(state)
    if asked is Phase.CHANGE_MON:
        turn.change = commander.change(state)
        return turn.change is not None
    wanted = commander.forget(state) is not None and not turn.has_failed()
    return answers.to(state.dialogue.text, first=wanted)


def _step_without_choice(battle: Battle, order: Order | None) -> Step:
    """Return the step for a phase without a choice."""
    match battle.phase:
        case Phase.NAMING:
            return tap(Button.START, settle=16)  # accepts the default name
        case Phase.EVOLVING:
            return wait(QUIET_FRAMES)
        case Phase.COPY_MOVE:
            return tap(Button.A, settle=16)  # the only way out of that list
        case Phase.DEX_PAGE:
            return tap(Button.B, settle=20)  # before a question for a name, which B would refuse
        case Phase.INTRO | Phase.BUSY:
            return wait(QUIET_FRAMES) if question_may_open(battle, order) else hold_b()
        case Phase.TEXT | Phase.LEVEL_UP if question_may_open(battle, order):
            return tap(Button.A, settle=20)
        case _:
            return turn_page()  # B also answers no and closes menus


def question_may_open(battle: Battle, order: Order | None) -> bool:
    """Return whether a question or an evolution may start now, which an early B press would answer.

    There is none while both mons have HP, except after a ball throw.
    """
    fallen = any(mon is not None and mon.fainted for mon in (battle.own, battle.enemy))
    return fallen or isinstance(order, Throw)


def _choose(battle: Battle, turn: Turn, state: State) -> Movement:
    order = turn.order
    match battle.phase:
        case Phase.MOVE_MENU:
            slot = order.slot if isinstance(order, Attack) else None
            return (yield from _pick(slot, state))
        case Phase.BAG:
            return (yield from _then_wait(_pick(_place_in_bag(order, state), state)))
        case Phase.PARTY:
            return (yield from _then_wait(_pick(_mon(battle, turn, state), state)))
        case Phase.PARTY_SUBMENU:
            return (yield from _then_wait(select(SWITCH, state)))
        case _:
            return (yield from _then_wait(_pick(turn.commander.forget(state), state)))


def _pick(index: int | None, state: State) -> Movement:
    """Choose an entry, or leave the menu when `index` is None."""
    if index is None:
        return (yield tap(Button.B, settle=16))
    return (yield from select(index, state))


def _then_wait(choice: Movement) -> Movement:
    """Perform a choice and wait, without a press, until the next screen is open."""
    state = yield from choice
    for _ in range(OPENING):
        busy = state.battle is not None and state.battle.phase in (Phase.BUSY, Phase.INTRO)
        if not busy:
            break
        state = yield wait(CHECK_FRAMES)
    return state


def _entry(order: Order, battle: Battle) -> int:
    match order:
        case Throw() if battle.type is BattleType.SAFARI:
            return SAFARI_THROW
        case Attack():
            return FIGHT
        case UseItem() | Throw():
            return BAG
        case Switch():
            return TEAM
        case Flee():
            return RUN


def _choose_from_battle_menu(entry: int, battle: Battle, state: State) -> Movement:
    """Choose an entry of the battle menu, which has two columns with one menu kind each."""
    wanted = COLUMNS[battle.type is BattleType.SAFARI][entry >= TEAM]
    if state.menu is not None and state.menu.kind is not wanted:
        state = yield tap(Button.LEFT if entry < TEAM else Button.RIGHT)
    if state.menu is None or state.menu.kind is not wanted:
        return state
    return (yield from select(entry, state))


def _place_in_bag(order: Order | None, state: State) -> int | None:
    match order:
        case UseItem(item=item) | Throw(ball=item):
            stacks = enumerate(state.bag.items)
            return next((at for at, stack in stacks if stack.item == item), None)
        case _:
            return None


def _mon(battle: Battle, turn: Turn, state: State) -> int | None:
    """Return the party position to choose, or None when no mon was ordered and none must be sent."""
    if battle.own is None or battle.own.fainted:
        position = turn.commander.next_mon(state)
        able = position < len(state.party) and state.party[position].hp
        return position if able else first_able(state)
    match turn.order:
        case Switch(position) if turn.change is None:
            return position if state.party[position].hp else None
        case UseItem() as use if turn.change is None:
            return use.position
        case _:
            return turn.change
