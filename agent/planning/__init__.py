"""Pure search over integer facts: what to do, in which order, and why. Knows nothing of games."""

from agent.planning.domain import Action, Domain, DomainError, Extra, Goal
from agent.planning.explain import explain
from agent.planning.facts import Effect, Facts, Require, after
from agent.planning.search import Plan, plan

__all__ = [
    "Action",
    "Domain",
    "DomainError",
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
