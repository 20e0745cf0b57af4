"""From power-on to the main menu."""

from typing import Final

from agent.skills.press import tap, wait
from agent.skills.skill import Outcome, Skill
from emulator import Button, State

LONGEST_START: Final = 3_000  # frames to the first picture with words on it, fifty seconds


def boot(wait_frames: int, state: State, *, presses: int = 60) -> Skill:
    """Wait `wait_frames` at the first picture that stands, then press START until a menu opens.

    BLOCKED when no picture has words, or no menu opens.
    """
    waited = 0
    while not state.screen_text.strip():
        if waited >= LONGEST_START:
            return Outcome.BLOCKED
        state = yield wait(10)
        waited += 10
    yield wait(wait_frames)
    for _ in range(presses):
        state = yield tap(Button.START, settle=26)
        if state.menu is not None:
            return Outcome.DONE
    return Outcome.BLOCKED
