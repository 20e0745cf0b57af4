"""A* over facts: bounded, deterministic, and free of side effects."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Final, TypeAlias

from agent.planning.domain import Action, Goal
from agent.planning.facts import Facts, Require, after

NODE_BUDGET: Final = 10_000

_Key: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest actions found that reach a goal, in order."""

    goal: Goal
    actions: tuple[Action, ...]
    cost: int

    def rest(self) -> "Plan":
        """Return what is left when the first action is done."""
        first, *others = self.actions
        return Plan(self.goal, tuple(others), self.cost - first.cost)

    def stands(self, facts: Facts) -> bool:
        """Say whether the actions can still be carried out one after the other and reach the goal.

        Each must still change something: what came true by itself is not worth a detour. Only facts that
        the plan relies on matter; whatever else changed, it is kept.
        """
        now = dict(facts)
        for action in self.actions:
            if not action.possible(now) or not action.changes(now):
                return False
            now = after(now, action.effects)
        return self.goal.reached(now)


def plan(
    goal: Goal, facts: Facts, actions: Sequence[Action], *, max_nodes: int = NODE_BUDGET
) -> Plan | None:
    """Return the cheapest plan for `goal`, or None when there is none within `max_nodes` nodes.

    The estimate is the dearest of the goal's open conditions, each at its cheapest action: never more
    than what is left to pay, so the first plan found is the cheapest.
    """
    estimate = _estimate(goal, actions)
    relevant = _relevant(goal, actions)
    order = count()  # ties are broken by age, so that the same question has the same answer
    frontier: list[tuple[float, int, int, dict[str, int], tuple[Action, ...]]] = []
    best: dict[_Key, int] = {}

    def add(cost: int, state: dict[str, int], path: tuple[Action, ...]) -> None:
        key, left = _key(state), estimate(state)
        if left < inf and cost < best.get(key, cost + 1):
            best[key] = cost
            heapq.heappush(frontier, (cost + left, next(order), cost, state, path))

    add(0, dict(facts), ())
    for _ in range(max_nodes):
        if not frontier:
            return None
        _, _, cost, state, path = heapq.heappop(frontier)
        if goal.reached(state):
            return Plan(goal, path, cost)
        if cost > best[_key(state)]:
            continue  # a cheaper way to the same facts came in between
        for action in relevant:
            if action.possible(state):
                add(cost + action.cost, after(state, action.effects), (*path, action))
    return None


def _key(facts: Facts) -> _Key:
    return tuple(sorted(item for item in facts.items() if item[1]))


def _estimate(goal: Goal, actions: Sequence[Action]) -> Callable[[Facts], float]:
    cheapest = {require: _cheapest(require, actions) for require in goal.requires}

    def estimate(facts: Facts) -> float:
        still = (cost for require, cost in cheapest.items() if not require.holds(facts))
        return max(still, default=0)

    return estimate


def _cheapest(require: Require, actions: Sequence[Action]) -> float:
    return min((each.cost for each in actions if each.helps(require)), default=inf)


def _relevant(goal: Goal, actions: Sequence[Action]) -> list[Action]:
    """The actions that help the goal, or help those that do, in the order given."""
    chosen: set[str] = set()
    wanted: list[Require] = list(goal.requires)
    seen: set[Require] = set()
    while wanted:
        require = wanted.pop()
        if require in seen:
            continue
        seen.add(require)
        for action in _unchosen(actions, chosen):
            if action.helps(require):
                chosen.add(action.name)
                wanted += action.requires
    return [action for action in actions if action.name in chosen]


def _unchosen(actions: Iterable[Action], chosen: set[str]) -> Iterator[Action]:
    return (action for action in actions if action.name not in chosen)
