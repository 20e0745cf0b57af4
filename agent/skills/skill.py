"""The skill type, its outcomes, its run, and skills that observe or stop another skill."""

from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeAlias

from emulator import State, Step

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
