"""The decision of the mind for the next steps, and its reason."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from agent.planning.domain import Goal
from agent.skills import Outcome, SkillRun
from emulator import State


class IntentSource(Enum):
    """The part of the mind that made a decision."""

    REFLEX = "reflex"
    PLAN = "plan"
    RECOVERY = "recovery"  # an exit action of stuck recovery
    ADVICE = "advice"  # a candidate that the advisor proposed
    IDLE = "idle"


class ActiveGoal(NamedTuple):
    """A goal, and the tick at which it became active."""

    goal: Goal
    since: int


@dataclass(frozen=True, slots=True)
class Intent:
    """One decision, carried out step by step until its skill run ends or a reflex interrupts it.

    `began` is the state it was decided in; `confidence` is lower after each failure of the same action; `plan` is the
    plan in words, '' without one.
    """

    source: IntentSource
    name: str
    why: str
    active_goal: ActiveGoal | None
    skill_run: SkillRun
    began: State
    confidence: float = 1.0
    plan: str = ""


@dataclass(frozen=True, slots=True)
class ActionEnded:
    """An action has ended; `here` is the last state in which it ran."""

    intent: Intent
    outcome: Outcome
    here: State
