"""What the mind wants done next, and why."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from agent.planning.domain import Goal
from agent.skills import Outcome, SkillRun
from emulator import State


class IntentSource(Enum):
    """Where a decision comes from."""

    REFLEX = "reflex"
    PLAN = "plan"
    LADDER = "ladder"  # a way out of getting nowhere
    ADVICE = "advice"  # what the advisor would try
    IDLE = "idle"


class ActiveGoal(NamedTuple):
    """A goal, and the tick at which play turned to it."""

    goal: Goal
    since: int


@dataclass(frozen=True, slots=True)
class Intent:
    """One decision, carried out step by step until its course ends or a reflex comes first.

    `began` is the state it was decided in; `plan` the whole plan in words, where there is one.
    """

    source: IntentSource
    name: str
    why: str
    pursuit: ActiveGoal | None
    course: SkillRun
    began: State
    plan: str = ""


@dataclass(frozen=True, slots=True)
class ActionEnded:
    """An action was carried out to an end; `here` is the last state it was carried out in."""

    intent: Intent
    outcome: Outcome
    here: State
