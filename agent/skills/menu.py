"""Choosing from a menu by its absolute cursor, never by counting presses."""

from agent.skills.press import tap
from agent.skills.skill import Outcome, Skill
from emulator import Button, State


def choose(index: int, state: State, *, patience: int = 20) -> Skill:
    """Move the cursor of the open menu to `index` and confirm, or give up when it will not go there."""
    for _ in range(patience):
        if state.menu is None:
            return Outcome.INTERRUPTED
        if state.menu.current == index:
            yield tap(Button.A, settle=16)
            return Outcome.DONE
        state = yield tap(Button.DOWN if state.menu.current < index else Button.UP)
    return Outcome.BLOCKED
