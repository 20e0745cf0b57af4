"""Looking over the shoulder of a skill: each state that it is sent is shown to somebody else first, who may end it."""

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


def broken_off(skill: Skill, when: Callable[[State], bool]) -> Skill:
    """Carry `skill` out as long as `when` is not so of a state that follows one of its steps; INTERRUPTED then."""
    course = Course(skill)
    while course.outcome is Outcome.RUNNING:
        state = yield course.step
        if course.resume(state) is Outcome.RUNNING and when(state):
            return Outcome.INTERRUPTED
    return course.outcome
