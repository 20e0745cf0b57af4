"""What the mind wants done next, and why."""

from dataclasses import dataclass
from enum import Enum

from agent.skills import Course


class Source(Enum):
    """Who decided."""

    REFLEX = "reflex"
    PLAN = "plan"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Intent:
    """One decision, carried out step by step until its course ends or a reflex comes first.

    `plan` is the whole plan in words, where one stands behind the decision.
    """

    source: Source
    name: str
    why: str
    goal: str | None
    course: Course
    plan: str = ""
