"""A* over facts: bounded, deterministic, and free of side effects."""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Final, NamedTuple, TypeAlias

from agent.planning.domain import Action, Goal
from agent.planning.facts import Facts, Require, after

NODE_BUDGET: Final = 10_000

_Key: TypeAlias = tuple[int, ...]


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

    The estimate is the dearest of the goal's open conditions, each at its cheapest action: never more
    than what is left to pay, so the first plan found is the cheapest.
    """
    estimate = _estimate(goal, actions)
    relevant = _relevant(goal, actions)
    changing = sorted({effect.fact for action in relevant for effect in action.effects})
    useful = [action for action in relevant if _may_become_possible(action, facts, changing)]
    order = count()  # ties are broken by age, so that the same question has the same answer
    frontier: list[tuple[float, int, int, dict[str, int], _Path | None]] = []
    best: dict[_Key, int] = {}

    def key_of(state: Facts) -> _Key:
        return tuple([state.get(fact, 0) for fact in changing])

    def add(cost: int, state: dict[str, int], path: _Path | None) -> None:
        key, left = key_of(state), estimate(state)
        if left < inf and cost < best.get(key, cost + 1):
            best[key] = cost
            heapq.heappush(frontier, (cost + left, next(order), cost, state, path))

    add(0, dict(facts), None)
    for _ in range(max_nodes):
        if not frontier:
            return None
        _, _, cost, state, path = heapq.heappop(frontier)
        if goal.reached(state):
            return _unwound(goal, path)
        if cost > best[key_of(state)]:
            continue  # a cheaper way to the same facts came in between
        for action in useful:
            if action.possible(state):
                price = action.cost_in(state)
                add(cost + price, after(state, action.effects), _Path(action, price, path))
    return None


def _unwound(goal: Goal, path: _Path | None) -> Plan:
    steps = []
    while path is not None:
        steps.append(path)
        path = path.before
    steps.reverse()
    return Plan(goal, tuple(step.action for step in steps), tuple(step.price for step in steps))


def _may_become_possible(action: Action, facts: Facts, changing: Collection[str]) -> bool:
    """Say whether what no action changes allows `action` already."""
    return all(each.holds(facts) for each in action.requires if each.fact not in changing)


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
