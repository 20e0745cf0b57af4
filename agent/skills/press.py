"""Basic steps: waiting, pressing a button, turning pages."""

from typing import Final

from agent.skills.skill import Movement
from emulator import Button, State, Step
from emulator.ram.dialogue import Waiting

# The pad is polled every few frames while the game is busy; a shorter press can be missed.
HOLD: Final = 4
SETTLE: Final = 8
LOOKS: Final = 5  # checks of an unchanged page before it counts as the last one
LOOKS_WITHOUT_BOX: Final = 12
LOOK_FRAMES: Final = 16


def wait(frames: int) -> Step:
    """Return a step without a button."""
    return Step(None, 0, frames)


def tap(button: Button, *, settle: int = SETTLE) -> Step:
    """Return a press that is short enough to count once and long enough to be registered."""
    return Step(button, HOLD, settle)


def turn_page() -> Step:
    """Return a B press that turns the page; holding it prints the next page faster.

    B answers no where A would answer yes, and it never starts a conversation again.
    """
    return Step(Button.B, 36, 12)


class TextPager:
    """Page turning that does not answer the next question; a B press while a question opens would answer no.

    A page with an arrow is turned. A page without one may still be printing, or a box may be opening;
    it counts as the last one only when it has not changed for a while, longer where no box is shown.
    """

    def __init__(self) -> None:
        self._last: tuple[str, ...] = ()
        self._looks = 0

    def step(self, state: State) -> Step:
        """Return the next step for the open text."""
        if state.dialogue.lines != self._last:
            self._last, self._looks = state.dialogue.lines, 0
        if state.dialogue.waiting is Waiting.ARROW:
            return turn_page()
        self._looks += not state.control.fading
        boxed = state.dialogue.waiting is Waiting.QUIET
        if self._looks > (LOOKS if boxed else LOOKS_WITHOUT_BOX):
            return tap(Button.B, settle=16)  # short: if a question opens now, it sees no press
        return wait(LOOK_FRAMES)


def hold_b() -> Step:
    """Return a longer wait with B held, which prints text faster.

    A held B turns no page and closes no menu: A and B count again only after a release.
    """
    return Step(Button.B, 76, 20)


def until_ready(state: State) -> Movement:
    """Wait until the player can move, or a text, a menu or a battle appears."""
    for _ in range(25):
        is_open = state.dialogue.is_open or state.menu is not None
        if state.in_control or is_open or state.in_battle:
            break
        state = yield wait(24)
    return state
