"""One turn of a battle after the other: the order under way, and what became of those before."""

from typing import Final

from agent.skills.orders import (
    SAFARI_BALL,
    Attack,
    Commander,
    Flee,
    Order,
    Switch,
    Throw,
    Tried,
    Use,
    is_lawful,
    last_resort,
)
from emulator import Battle, Phase, State

DEAF: Final = 30  # looks at a battle menu that waits on and on, before its order counts as refused
PATIENCE: Final = 16  # choices in the menus of one order, before it counts as refused


class Turn:
    """The order of this turn; asks for the next one whenever the battle menu waits again."""

    def __init__(self, commander: Commander) -> None:
        self.commander = commander
        self.order: Order | None = None
        self.change: int | None = None  # whom to change to before the trainer's next
        self._given_in: State | None = None
        self._done = False
        self._asked = False  # whether the battle menu waited the last time somebody looked
        self._choices = 0
        self._looks = 0
        self._refused: set[Order] = set()
        self._balls = 0
        self._used: set[int] = set()  # the numbers of moves

    def order_for(self, state: State) -> Order:
        """Return the order to carry out while the battle menu waits."""
        self._looks += 1
        if self._asked and self._looks > DEAF:
            self._asked = False  # the menu does not take it
        if not self._asked or self.order is None:
            self._settle(state)
            self.order = self._next(state)
            self._given_in, self._done, self._choices, self.change = state, False, 0, None
            self._looks = 0
        self._asked = True
        return self.order

    def saw(self, battle: Battle, state: State) -> None:
        """Take note of a moment: the order may have been carried out by now."""
        if battle.phase is not Phase.MAIN_MENU:
            self._asked = False
        if self._given_in is not None and self.order is not None:
            self._done = self._done or _is_done(self.order, self._given_in, state)

    def is_at_a_loss(self) -> bool:
        """Count a choice in a menu, and return whether there were too many for one order."""
        self._choices += 1
        return self._choices > PATIENCE and self._choices % PATIENCE < PATIENCE // 2

    def _next(self, state: State) -> Order:
        order = self.commander.order(
            state, Tried(frozenset(self._refused), self._balls, frozenset(self._used))
        )
        if order not in self._refused and is_lawful(order, state):
            return order
        return last_resort(state.battle) if state.battle is not None else Attack(0)

    def _settle(self, state: State) -> None:
        """A turn that passed makes what was refused worth another try; one that did not adds to it."""
        if self.order is None:
            return
        if not self._done:
            self._refused.add(self.order)
            return
        self._refused.clear()
        self._balls += isinstance(self.order, Throw)
        self._used |= _moves_of(self.order, self._given_in)


def _is_done(order: Order, before: State, now: State) -> bool:
    then, battle = before.battle, now.battle
    if then is None or battle is None:
        return True
    match order:
        case Switch(position):
            return battle.own is not None and battle.own.position == position
        case Throw(ball) if ball == SAFARI_BALL:
            return now.safari.balls < before.safari.balls
        case Use(item=item) | Throw(ball=item):
            return now.bag.quantity(item) < before.bag.quantity(item)
        case Flee():
            return battle.run_attempts > then.run_attempts
        case Attack():
            # Whatever a turn does shows on one of the two; a refusal leaves both as they were.
            return (battle.own, battle.enemy) != (then.own, then.enemy)


def _moves_of(order: Order, before: State | None) -> set[int]:
    """Return the move that an order used, as a set of none or one."""
    own = before.battle.own if before is not None and before.battle is not None else None
    if own is None or not isinstance(order, Attack) or order.slot >= len(own.moves):
        return set()
    return {own.moves[order.slot].move}
