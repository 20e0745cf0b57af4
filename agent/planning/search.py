"""Plans by A* over facts: bounded, deterministic, without side effects; and explanations of its plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agent.planning.domain import Action, Facts, Goal, after
from agent.planning.kernel import EXHAUSTED, FOUND, search, useful_actions
from agent.planning.problem import Problem, Shapes

NODE_BUDGET: Final = 10_000
NO_LIMIT: Final = 1 << 60
# Weights of the estimate, with parts of the budget. The higher, the fewer nodes are searched, but for plans that take back
# what is done, as those to repeat a row of trainers that was lost, of which the estimate knows nothing.
TRIES: Final = ((1, 1), (2, 1), (4, 1), (1, 3))


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
    enough for it, the estimate counts for more, by each of `TRIES` in turn: what is found so may cost more. Of equal
    paths the one found first stands, so that the result is deterministic.
    """
    problem = Problem.of(goal, Shapes(actions))
    offered = [actions[index] for index in problem.chosen]
    start, operators = problem.start(facts), problem.operators_at(facts)
    useful = useful_actions(start[:-1], problem.needed, operators)
    costs = np.array([each.cost for each in offered], np.int64)
    most = NO_LIMIT if goal.most_cost is None else goal.most_cost
    for weight, part in TRIES:
        limits = (most, weight, part * max_nodes)
        result, path = search(start, problem.needed, useful, operators, costs, limits)
        if result == FOUND:
            numbers, prices = path.T.tolist()
            return Plan(goal, tuple([offered[each] for each in numbers]), tuple(prices))
        if result == EXHAUSTED:
            break
    return None


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
