"""Choosing from a menu by its absolute cursor, never by counting presses."""

from agent.skills.press import tap
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, MenuKind, State

PATIENCE = 40  # presses that a cursor may take to get where it should


def choose(index: int, state: State) -> Skill:
    """Choose entry `index` of the open menu; BLOCKED when the cursor will not go there."""
    state = yield from point_at(index, state)
    if state.menu is None:
        return Outcome.INTERRUPTED
    if state.menu.index != index:
        return Outcome.BLOCKED
    yield tap(Button.A, settle=16)
    return Outcome.DONE


def select(index: int, state: State) -> Movement:
    """Choose entry `index` of the open menu, as far as the cursor goes there."""
    state = yield from point_at(index, state)
    if state.menu is not None and state.menu.index == index:
        state = yield tap(Button.A, settle=16)
    return state


def count_to(quantity: int, state: State) -> Movement:
    """Set the open box to so many. UP is one more, and each press counts one, however long it is held."""
    for _ in range(PATIENCE):
        menu = state.menu
        if menu is None or menu.kind is not MenuKind.QUANTITY or menu.index == quantity:
            break
        state = yield tap(Button.UP if menu.index < quantity else Button.DOWN)
    return state


def point_at(index: int, state: State) -> Movement:
    """Move the cursor of the open menu to entry `index`, while that menu stays open."""
    kind = state.menu.kind if state.menu is not None else None
    for _ in range(PATIENCE):
        menu = state.menu
        if menu is None or menu.kind is not kind or menu.index == index:
            break
        state = yield tap(Button.DOWN if menu.index < index else Button.UP)
    return state
