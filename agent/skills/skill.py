"""What a skill is: a generator of steps, how it ends, and skills that watch or stop another one."""

from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeAlias

from emulator import State, Step

Movement: TypeAlias = Generator[Step, State, State]


class Outcome(Enum):
    """How a skill stands after a step.

    BLOCKED is a failure; INTERRUPTED means that the game took another turn, for which the skill is not to blame.
    """

    RUNNING = "running"
    DONE = "done"
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"


Skill: TypeAlias = Generator[Step, State, Outcome]


class SkillRun:
    """A skill under way: the step it wants next, and how it stands."""

    def __init__(self, skill: Skill) -> None:
        self._skill = skill
        self._step: Step | None = None
        self.outcome = Outcome.RUNNING
        self._resume(None)

    @property
    def step(self) -> Step:
        """The step to perform next; only while the skill is running."""
        if self._step is None:
            raise RuntimeError("a finished skill has no next step")
        return self._step

    def resume(self, state: State) -> Outcome:
        """Tell the skill what followed its step, and return how it stands now."""
        self._resume(state)
        return self.outcome

    def _resume(self, state: State | None) -> None:
        try:
            self._step = self._skill.send(state) if state is not None else next(self._skill)
        except StopIteration as stop:
            self._step, self.outcome = None, stop.value


def nothing() -> Skill:
    """A skill that cannot even begin."""
    yield from ()
    return Outcome.BLOCKED


def once(step: Step) -> Skill:
    """A skill of one step."""
    yield step
    return Outcome.DONE


def overseen(skill: Skill, see: Callable[[State], object]) -> Skill:
    """Carry `skill` out as it is, showing `see` every state that follows one of its steps."""
    course = SkillRun(skill)
    while course.outcome is Outcome.RUNNING:
        state = yield course.step
        see(state)
        course.resume(state)
    return course.outcome


def broken_off(skill: Skill, when: Callable[[State], bool]) -> Skill:
    """Carry `skill` out as long as `when` is not so of a state that follows one of its steps; INTERRUPTED then."""
    course = SkillRun(skill)
    while course.outcome is Outcome.RUNNING:
        state = yield course.step
        if course.resume(state) is Outcome.RUNNING and when(state):
            return Outcome.INTERRUPTED
    return course.outcome
