"""The steps that everything else is made of."""

from typing import Final

from agent.skills.skill import Movement
from emulator import Button, State, Step
from emulator.ram.dialogue import Waiting

# The pad is polled every few frames while the game is busy; a shorter press can be missed.
HOLD: Final = 4
SETTLE: Final = 8
LOOKS: Final = 3  # at a page that stays as it is, before it is taken for the last
LOOK_FRAMES: Final = 16


def wait(frames: int) -> Step:
    """A step without a button."""
    return Step(None, 0, frames)


def tap(button: Button, *, settle: int = SETTLE) -> Step:
    """A press short enough to count once and long enough to be seen."""
    return Step(button, HOLD, settle)


def read_on() -> Step:
    """A press that turns the page, held so that what follows is printed faster.

    B says no where A would say yes, and never starts a talk over. A page is printed while it is held.
    """
    return Step(Button.B, 36, 12)


class TextPager:
    """Reads on without answering what is asked next: B in a question that is about to open says no to it.

    A page that shows its arrow is turned. One without may still be printed, or a box may be about to
    open; only when nothing has changed for a while is it the last one.
    """

    def __init__(self) -> None:
        self._last: tuple[str, ...] = ()
        self._looks = 0

    def step(self, state: State) -> Step:
        """Return what to do about the text that is open."""
        if state.dialogue.lines != self._last:
            self._last, self._looks = state.dialogue.lines, 0
        self._looks += 1
        if state.dialogue.waiting is Waiting.ARROW or self._looks > LOOKS:
            return read_on()
        return wait(LOOK_FRAMES)


def look_on() -> Step:
    """A longer wait with B held, for what takes its time anyway and is printed faster so.

    Held, B turns no page and leaves no menu: neither A nor B counts again before it is let go of.
    """
    return Step(Button.B, 76, 20)


def until_ready(state: State) -> Movement:
    """Wait until the state can be trusted and the player stands still, or text or a battle appears."""
    for _ in range(25):
        is_open = state.dialogue.is_open or state.menu is not None
        if state.in_control or is_open or state.in_battle:
            break
        state = yield wait(24)
    return state
