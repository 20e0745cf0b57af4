"""Looking over the shoulder of a skill: each state that it is sent is shown to somebody else first."""

from collections.abc import Callable

from agent.skills.skill import Course, Outcome, Skill
from emulator import State


def overseen(skill: Skill, see: Callable[[State], object]) -> Skill:
    """Carry `skill` out as it is, showing `see` every state that follows one of its steps."""
    course = Course(skill)
    while course.outcome is Outcome.RUNNING:
        state = yield course.step
        see(state)
        course.resume(state)
    return course.outcome
