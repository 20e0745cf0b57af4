"""Fighting: from what should be done this turn to the presses that do it, and everything between turns.

Each step answers what RAM shows at that moment, so nothing is pressed into a menu that is not there; what
is chosen is compared with what lies under the cursor first.
"""

from typing import Final

from agent.skills.answers import Answers
from agent.skills.menu import select
from agent.skills.orders import (
    Attack,
    Commander,
    Flee,
    Order,
    Switch,
    Throw,
    Use,
    first_able,
)
from agent.skills.press import look_on, read_on, tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.turn import Turn
from emulator import Battle, BattleResult, BattleType, Button, MenuKind, Phase, State, Step

LONGEST: Final = 6_000  # steps of one battle, far more than any needs
FIGHT, BAG, TEAM, RUN = range(
    4
)  # entries of the battle menu, by column: FIGHT over BAG, TEAM over RUN
NET: Final = 0  # of the Safari's menu, where running stands where it does elsewhere
COLUMNS: Final = (
    (MenuKind.BATTLE_LEFT, MenuKind.BATTLE_RIGHT),
    (MenuKind.SAFARI_LEFT, MenuKind.SAFARI_RIGHT),
)
YES: Final = 0
QUIET_FRAMES: Final = 48  # between two looks at what must not be hurried
SWITCH: Final = 0  # first entry of what can be done with a mon of the team
OPENING: Final = 30  # looks at a screen that may take its time to open
GLANCE: Final = 8  # frames between two of them


def fight(commander: Commander, state: State) -> Skill:
    """Fight to the end, asking `commander` whatever the battle asks.

    INTERRUPTED when the battle was lost.
    """
    turn, answers = Turn(commander), Answers()
    for _ in range(LONGEST):
        battle = state.battle
        if battle is None or not state.in_battle:
            lost = state.battle_result is BattleResult.LOST
            return Outcome.INTERRUPTED if lost else Outcome.DONE
        turn.saw(battle, state)
        if battle.phase is Phase.MAIN_MENU:
            answers = Answers()
        if battle.phase is not Phase.YES_NO:
            answers.close()
        state = yield from _react(battle, turn, answers, state)
    return Outcome.BLOCKED


def _react(battle: Battle, turn: Turn, answers: Answers, state: State) -> Movement:
    match battle.phase:
        case Phase.MAIN_MENU:
            entry = _entry(turn.order_for(state), battle)
            return (yield from _choose_from_battle_menu(entry, battle, state))
        case Phase.MOVE_MENU | Phase.BAG | Phase.PARTY | Phase.PARTY_SUBMENU | Phase.FORGET_MOVE:
            if turn.is_at_a_loss():
                return (yield tap(Button.B, settle=16))
            return (yield from _choose(battle, turn, state))
        case Phase.YES_NO | Phase.NEXT_MON | Phase.CHANGE_MON:
            if _says_yes(battle.phase, turn, answers, state):
                return (yield from _then_wait(select(YES, state)))
            return (yield read_on())
        case _:
            return (yield _pass(battle, turn.order))


def _says_yes(asked: Phase, turn: Turn, answers: Answers, state: State) -> bool:
    commander = turn.commander
    if asked is Phase.NEXT_MON:
        return commander.fights_on(state)
    if asked is Phase.CHANGE_MON:
        turn.change = commander.change(state)
        return turn.change is not None
    wanted = commander.forget(state) is not None and not turn.is_at_a_loss()
    return answers.to(state.dialogue.text, first=wanted)


def _pass(battle: Battle, order: Order | None) -> Step:
    """The step for what wants no choice."""
    match battle.phase:
        case Phase.NAMING:
            return tap(Button.START, settle=16)  # takes the name that is offered
        case Phase.EVOLVING:
            return wait(QUIET_FRAMES)
        case Phase.INTRO | Phase.BUSY:
            return wait(QUIET_FRAMES) if may_be_asked(battle, order) else look_on()
        case Phase.TEXT | Phase.LEVEL_UP if may_be_asked(battle, order):
            return tap(Button.A, settle=20)
        case _:
            return read_on()  # which says no and leaves menus as well


def may_be_asked(battle: Battle, order: Order | None) -> bool:
    """Whether a question may be about to open, or somebody to evolve: B pressed too early would answer it.

    Between two who stand nobody asks anything, unless a ball has flown.
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
    """Choose an entry, or leave the menu when there is nothing to choose in it."""
    if index is None:
        return (yield tap(Button.B, settle=16))
    return (yield from select(index, state))


def _then_wait(choice: Movement) -> Movement:
    """Carry out a choice, and press nothing until what it opens is there."""
    state = yield from choice
    for _ in range(OPENING):
        busy = state.battle is not None and state.battle.phase in (Phase.BUSY, Phase.INTRO)
        if not busy:
            break
        state = yield wait(GLANCE)
    return state


def _entry(order: Order, battle: Battle) -> int:
    match order:
        case Throw() if battle.type is BattleType.SAFARI:
            return NET
        case Attack():
            return FIGHT
        case Use() | Throw():
            return BAG
        case Switch():
            return TEAM
        case Flee():
            return RUN


def _choose_from_battle_menu(entry: int, battle: Battle, state: State) -> Movement:
    """The menu has two columns, and its cursor changes kind with them."""
    wanted = COLUMNS[battle.type is BattleType.SAFARI][entry >= TEAM]
    if state.menu is not None and state.menu.kind is not wanted:
        state = yield tap(Button.LEFT if entry < TEAM else Button.RIGHT)
    if state.menu is None or state.menu.kind is not wanted:
        return state
    return (yield from select(entry, state))


def _place_in_bag(order: Order | None, state: State) -> int | None:
    match order:
        case Use(item=item) | Throw(ball=item):
            stacks = enumerate(state.bag.items)
            return next((at for at, stack in stacks if stack.item == item), None)
        case _:
            return None


def _mon(battle: Battle, turn: Turn, state: State) -> int | None:
    """Whom to choose from the team; None when nobody was asked for and nobody has to be sent."""
    if battle.own is None or battle.own.fainted:
        position = turn.commander.next_mon(state)
        able = position < len(state.party) and state.party[position].hp
        return position if able else first_able(state)
    match turn.order:
        case Switch(position) if turn.change is None:
            return position if state.party[position].hp else None
        case Use() as use if turn.change is None:
            return use.position
        case _:
            return turn.change
