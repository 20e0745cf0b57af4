"""Work in the menus behind START: at every look the kind of menu decides the next press, until RAM tells that it is done."""

from collections.abc import Callable
from typing import Final, TypeAlias

from agent.skills.look import leave_menus, open_start_menu
from agent.skills.menu import select
from agent.skills.press import Patience, tap, wait
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, Menu, State

PRESSES: Final = 120  # that one visit to menus may take
QUIET: Final = 4  # looks without menu or text after which they are over, eight frames apart

Done: TypeAlias = Callable[[State], bool]
Answer: TypeAlias = Callable[[State, Menu], Movement]


def behind_start(answer: Answer, done: Done, state: State) -> Skill:
    """Open START's menu, answer until `done`, and leave all menus again; DONE when it was."""
    state = yield from open_start_menu(state)
    state = yield from work(answer, done, state)
    yield from leave_menus(state)
    return Outcome.DONE if done(state) else Outcome.BLOCKED


def work(answer: Answer, done: Done, state: State) -> Movement:
    """Answer every menu and read every text until `done`, or until nothing is open any more."""
    quiet, patience = 0, Patience()
    for _ in range(PRESSES):
        if done(state) or quiet > QUIET:
            break
        if state.menu is not None:
            state = yield from answer(state, state.menu)
            quiet = 0
        elif state.dialogue.is_open:
            state = yield patience.step(state)
            quiet = 0
        else:
            state = yield wait(8)
            quiet += 1
    return state


def select_item(item: int, state: State) -> Movement:
    """Choose a thing in the list of the bag; who is not there is left for."""
    items = [stack.item for stack in state.bag.items]
    if item not in items:
        return (yield tap(Button.B, settle=16))
    return (yield from select(items.index(item), state))
