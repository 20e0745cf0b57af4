"""A* over facts: bounded, deterministic, free of side effects; and its plans explained in words."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, NamedTuple

from agent.planning.domain import Action, Facts, Goal, after
from agent.planning.problem import LowerBound, SearchProblem, SearchState

NODE_BUDGET: Final = 10_000


class _Path(NamedTuple):
    """The last action of a way, its price, and the way before it."""

    action: Action
    price: int
    before: "_Path | None"


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest actions found that reach a goal, in order, and what each costs where it comes."""

    goal: Goal
    actions: tuple[Action, ...]
    costs: tuple[int, ...]

    @property
    def cost(self) -> int:
        """What all of it costs."""
        return sum(self.costs)

    def rest(self) -> "Plan":
        """Return what is left when the first action is done."""
        return Plan(self.goal, self.actions[1:], self.costs[1:])

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

    The estimate is never more than what is left to pay, so the first plan found is the cheapest.
    """
    question = SearchProblem.of(goal, facts, actions)
    if question is None:
        return None
    # Ties are broken by age: the same answer every time.
    bound, order = LowerBound(question), count()
    frontier: list[tuple[int, int, int, SearchState, _Path | None]] = []
    best: dict[SearchState, int] = {}

    def add(cost: int, moment: SearchState, path: _Path | None) -> None:
        left = bound.of(moment[0])
        if left is not None and cost < best.get(moment, cost + 1):
            best[moment] = cost
            heapq.heappush(frontier, (cost + left, next(order), cost, moment, path))

    add(0, question.start, None)
    for _ in range(max_nodes):
        if not frontier:
            return None
        _, _, cost, moment, path = heapq.heappop(frontier)
        bits, values = moment
        if not question.wanted & ~bits:
            return _unwound(goal, path)
        if cost > best[moment]:
            continue  # a cheaper way to the same moment came in between
        for each in question.operators:
            if not each.needs & ~bits:
                price = each.price(values)
                add(cost + price, each.then(moment), _Path(each.action, price, path))
    return None


def _unwound(goal: Goal, path: _Path | None) -> Plan:
    steps = []
    while path is not None:
        steps.append(path)
        path = path.before
    steps.reverse()
    return Plan(goal, tuple(step.action for step in steps), tuple(step.price for step in steps))


def explain(plan: Plan, facts: Facts) -> str:
    """Return why each action of `plan` is taken, one line each, however things are called."""
    wants = ", ".join(str(require) for require in plan.goal.requires if not require.holds(facts))
    lines = [f"Goal: {plan.goal.says} (wants {wants or 'nothing more'})."]
    for number, (action, price) in enumerate(zip(plan.actions, plan.costs, strict=True), start=1):
        changes = ", ".join(
            f"{effect.fact} {facts.get(effect.fact, 0)} -> {effect.becomes}"
            for effect in action.effects
            if facts.get(effect.fact, 0) != effect.becomes
        )
        note = f"; {action.note}" if action.note else ""
        lines.append(f"{number}. {action.says} (cost {price}; {changes}{note}).")
        facts = after(facts, action.effects)
    return "\n".join(" ".join(each.split()) for each in lines)
