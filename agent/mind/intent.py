"""What the mind wants done next, and why."""

from dataclasses import dataclass
from enum import Enum

from agent.skills import Course
from emulator import State


class Source(Enum):
    """Who decided."""

    REFLEX = "reflex"
    PLAN = "plan"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Intent:
    """One decision, carried out step by step until its course ends or a reflex comes first.

    `began` is the state it was decided in; `plan` the whole plan in words, where there is one.
    """

    source: Source
    name: str
    why: str
    goal: str | None
    course: Course
    began: State
    plan: str = ""
