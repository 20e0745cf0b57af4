"""A* over facts: bounded, deterministic, and free of side effects."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from agent.planning.domain import Action, Goal
from agent.planning.facts import Facts, after

_Key: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest actions found that reach a goal, in order."""

    goal: Goal
    actions: tuple[Action, ...]
    cost: int


def plan(
    goal: Goal, facts: Facts, actions: Sequence[Action], *, max_nodes: int = 10_000
) -> Plan | None:
    """Return the cheapest plan for `goal`, or None when there is none within `max_nodes` nodes."""
    cheapest_step = min((action.cost for action in actions), default=1)
    order = count()  # ties are broken by age, so that the same question has the same answer
    frontier: list[tuple[int, int, int, dict[str, int], tuple[Action, ...]]] = []
    best: dict[_Key, int] = {}

    def add(cost: int, state: dict[str, int], path: tuple[Action, ...]) -> None:
        key = tuple(sorted(item for item in state.items() if item[1]))
        if cost < best.get(key, cost + 1):
            best[key] = cost
            estimate = 0 if goal.reached(state) else cheapest_step
            heapq.heappush(frontier, (cost + estimate, next(order), cost, state, path))

    add(0, dict(facts), ())
    for _ in range(max_nodes):
        if not frontier:
            return None
        _, _, cost, state, path = heapq.heappop(frontier)
        if goal.reached(state):
            return Plan(goal, path, cost)
        for action in actions:
            if action.possible(state):
                add(cost + action.cost, after(state, action.effects), (*path, action))
    return None
