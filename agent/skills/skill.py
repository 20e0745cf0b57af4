"""The skill type, its outcomes, its run; skills that observe or stop another one; waiting, presses, turning pages."""

from collections.abc import Callable, Generator
from enum import Enum
from typing import Final, TypeAlias

from emulator import Button, State, Step
from emulator.ram import Waiting

# The pad is polled every few frames while the game is busy; a shorter press can be missed.
HOLD: Final = 4
SETTLE: Final = 8
LOOKS: Final = 5  # checks of an unchanged page before it counts as the last one
LOOKS_WITHOUT_BOX: Final = 12
LOOK_FRAMES: Final = 16

Movement: TypeAlias = Generator[Step, State, State]


class Outcome(Enum):
    """The status of a skill after a step.

    BLOCKED is a failure; INTERRUPTED means that a game event ended the skill, without a failure of its own.
    """

    RUNNING = "running"
    DONE = "done"
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"


Skill: TypeAlias = Generator[Step, State, Outcome]


class SkillRun:
    """A running skill, with its next step and its outcome."""

    def __init__(self, skill: Skill) -> None:
        self._skill = skill
        self._step: Step | None = None
        self.outcome = Outcome.RUNNING
        self._resume(None)

    @property
    def step(self) -> Step:
        """The step to perform next; available only while the skill is running."""
        if self._step is None:
            raise RuntimeError("a finished skill has no next step")
        return self._step

    def resume(self, state: State) -> Outcome:
        """Send the skill the state after its step, and return its outcome."""
        self._resume(state)
        return self.outcome

    def _resume(self, state: State | None) -> None:
        try:
            self._step = self._skill.send(state) if state is not None else next(self._skill)
        except StopIteration as stop:
            self._step, self.outcome = None, stop.value


def no_skill() -> Skill:
    """Return a skill that is BLOCKED at once, without a step."""
    yield from ()
    return Outcome.BLOCKED


def once(step: Step) -> Skill:
    """Return a skill of one step."""
    yield step
    return Outcome.DONE


def observed(skill: Skill, see: Callable[[State], object]) -> Skill:
    """Run `skill` unchanged and call `see` with every state after one of its steps."""
    run = SkillRun(skill)
    while run.outcome is Outcome.RUNNING:
        state = yield run.step
        see(state)
        run.resume(state)
    return run.outcome


def stopped_when(skill: Skill, when: Callable[[State], bool]) -> Skill:
    """Run `skill` until `when` is true for a state after one of its steps; INTERRUPTED then."""
    run = SkillRun(skill)
    while run.outcome is Outcome.RUNNING:
        state = yield run.step
        if run.resume(state) is Outcome.RUNNING and when(state):
            return Outcome.INTERRUPTED
    return run.outcome


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
