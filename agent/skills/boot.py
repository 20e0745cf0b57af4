"""From power-on to the main menu."""

from agent.skills.press import tap, wait
from agent.skills.skill import Outcome, Skill
from emulator import Button, State


def boot(wait_frames: int, state: State, *, presses: int = 60) -> Skill:
    """Wait `wait_frames` at the first picture that stands, then press START until a menu opens."""
    while not state.screen_text.strip():
        state = yield wait(10)
    yield wait(wait_frames)
    for _ in range(presses):
        state = yield tap(Button.START, settle=26)
        if state.menu is not None:
            return Outcome.DONE
    return Outcome.BLOCKED
