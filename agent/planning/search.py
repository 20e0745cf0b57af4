"""A* over facts: bounded, deterministic, without side effects; and explanations of its plans."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple

from agent.planning.domain import Action, Facts, Goal, after
from agent.planning.problem import LowerBound, SearchProblem, SearchState

NODE_BUDGET: Final = 10_000
WEIGHTS: Final = (1, 2, 4)  # of the estimate: the higher, the fewer nodes are searched


class _Path(NamedTuple):
    """The last action of a path by its number, its cost, and the path before it."""

    number: int
    price: int
    before: "_Path | None"


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest actions found that reach a goal, in order, with the cost of each at its position."""

    goal: Goal
    actions: tuple[Action, ...]
    costs: tuple[int, ...]

    @property
    def cost(self) -> int:
        """The total cost."""
        return sum(self.costs)

    def rest(self) -> "Plan":
        """Return the plan without its first action."""
        return Plan(self.goal, self.actions[1:], self.costs[1:])

    def stands(self, facts: Facts) -> bool:
        """Return whether the actions are still executable in order and reach the goal.

        Each must still change a fact: a fact that came true by itself needs no action. Only facts that
        the plan relies on matter; other changes leave it valid.
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
    """Return the cheapest plan for `goal`, or None when there is none.

    The estimate never exceeds the remaining cost, so the first plan found is the cheapest. Where `max_nodes` nodes are not
    enough for it, the estimate counts for more, by each of `WEIGHTS` in turn: what is found so may cost more.
    """
    problem = SearchProblem.of(goal, facts, actions)
    if problem is None:
        return None
    bound = LowerBound(problem)
    for weight in WEIGHTS:
        found, is_complete = _search(goal, problem, bound, weight, max_nodes)
        if found is not None or is_complete:
            return found
    return None


def _search(
    goal: Goal, problem: SearchProblem, bound: LowerBound, weight: int, max_nodes: int
) -> tuple[Plan | None, bool]:
    """Return a plan that costs at most `weight` times as much as the cheapest, and whether all nodes were searched."""
    # Ties are broken by insertion order, so that the result is deterministic.
    order = count()
    most = float("inf") if goal.most_cost is None else goal.most_cost
    frontier: list[tuple[int, int, int, SearchState, _Path | None]] = []
    best: dict[SearchState, int] = {}
    actions, operators = problem.actions, problem.operators

    def add(cost: int, node: SearchState, path: _Path | None) -> None:
        left = bound.of(node[0])
        if left is not None and cost + left <= most and cost < best.get(node, cost + 1):
            best[node] = cost
            heapq.heappush(frontier, (cost + weight * left, next(order), cost, node, path))

    add(0, problem.start, None)
    for _ in range(max_nodes):
        if not frontier:
            return None, True
        _, _, cost, node, path = heapq.heappop(frontier)
        bits, values = node
        if not problem.needed & ~bits:
            return _unwound(goal, problem, path), True
        if cost > best[node]:
            continue  # a cheaper path to the same node was found meanwhile
        missing = ~bits
        for number in problem.after(path.number if path is not None else None):
            each = operators[number]
            if not each.needs & missing:
                action = actions[number]
                price = action.cost
                if action.extra is not None:
                    price += action.extra.price(values[each.paid_by])
                add(cost + price, each.then(node), _Path(number, price, path))
    return None, False


def _unwound(goal: Goal, problem: SearchProblem, path: _Path | None) -> Plan:
    steps = []
    while path is not None:
        steps.append(path)
        path = path.before
    steps.reverse()
    actions = tuple(problem.actions[step.number] for step in steps)
    return Plan(goal, actions, tuple(step.price for step in steps))


def explain(plan: Plan, facts: Facts) -> str:
    """Return the reason for each action of `plan`, one line each; line breaks in labels are removed."""
    missing = ", ".join(str(require) for require in plan.goal.requires if not require.holds(facts))
    lines = [f"Goal: {plan.goal.label} (requires {missing or 'nothing more'})."]
    for number, (action, price) in enumerate(zip(plan.actions, plan.costs, strict=True), start=1):
        changes = ", ".join(
            f"{effect.fact} {facts.get(effect.fact, 0)} -> {effect.becomes}"
            for effect in action.effects
            if facts.get(effect.fact, 0) != effect.becomes
        )
        note = f"; {action.note}" if action.note else ""
        lines.append(f"{number}. {action.label} (cost {price}; {changes}{note}).")
        facts = after(facts, action.effects)
    return "\n".join(" ".join(each.split()) for each in lines)
