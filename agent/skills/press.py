"""The steps that everything else is made of."""

from typing import Final

from agent.skills.skill import Movement
from emulator import Button, State, Step

# The pad is polled every few frames while the game is busy; a shorter press can be missed.
HOLD: Final = 4
SETTLE: Final = 8


def wait(frames: int) -> Step:
    """A step without a button."""
    return Step(None, 0, frames)


def tap(button: Button, *, settle: int = SETTLE) -> Step:
    """A press short enough to count once and long enough to be seen."""
    return Step(button, HOLD, settle)


def read_on() -> Step:
    """A press that turns the page, held so that what follows is printed faster.

    B says no where A would say yes, and never starts a talk over. It is let go of before a held key
    counts again.
    """
    return Step(Button.B, 20, 12)


def look_on() -> Step:
    """A longer wait with B held, for what takes its time anyway and is printed faster so."""
    return Step(Button.B, 28, 20)


def until_ready(state: State, *, frames: int = 600) -> Movement:
    """Wait until the state can be trusted and the player stands still, or text appears."""
    while frames > 0 and not state.in_control and not state.dialogue.is_open and state.menu is None:
        state = yield wait(16)
        frames -= 16
    return state
