"""Pure search over integer facts: which actions reach a goal, at what cost, and why."""

from agent.planning.domain import (
    Action,
    Domain,
    Effect,
    Extra,
    Facts,
    Goal,
    Require,
    after,
)
from agent.planning.search import Plan, explain, plan

__all__ = [
    "Action",
    "Domain",
    "Effect",
    "Extra",
    "Facts",
    "Goal",
    "Plan",
    "Require",
    "after",
    "explain",
    "plan",
]
