"""The planner: pure, bounded, sound, and able to explain its plans."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from agent.planning.domain import Action, Domain, DomainError, Effect, Extra, Goal, Require
from agent.planning.kernel import helpers_of
from agent.planning.problem import Problem, Shapes
from agent.planning.search import Plan, explain, plan

WALK = Action("walk", (Require("hurt", at_most=0),), (Effect("there", 1),), 3, "walk there")
REST = Action("rest", (), (Effect("hurt", 0),), 5, "rest")
DRIVE = Action("drive", (Require("fuel", at_least=1),), (Effect("there", 1),), 1, "drive there")
THERE_NOW = (Effect("there", 1),)
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")


def planned(goal: Goal, facts: dict[str, int], actions: tuple[Action, ...]) -> Plan:
    found = plan(goal, facts, actions)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("facts", "actions", "chosen"),
    [
        ({"fuel": 1}, (WALK, DRIVE), (DRIVE,)),  # the cheapest
        ({"hurt": 1}, (WALK, DRIVE, REST), (REST, WALK)),  # whose preconditions are met first
        ({"there": 1}, (WALK,), ()),
        ({"hurt": 1}, (WALK,), None),  # out of reach
    ],
)
def test_the_cheapest_plan_is_chosen(
    facts: dict[str, int], actions: tuple[Action, ...], chosen: tuple[Action, ...] | None
) -> None:
    found = plan(THERE, facts, actions)
    assert (found and found.actions) == chosen
    assert found is None or found.cost == sum(each.cost for each in found.actions)


def test_an_extra_cost_depends_on_the_facts_when_the_action_runs() -> None:
    near = Action("near", (), (Effect("near", 1),), 5, "go near")
    walk = Action(
        "walk", (), THERE_NOW, 3, "walk", extra=Extra("near", lambda near: 20 - 19 * near)
    )
    costs = [planned(THERE, {"near": near}, (walk,)).costs for near in (0, 1)]
    assert costs == [(23,), (4,)]
    closer = replace(walk, requires=(Require("near", at_least=1),))
    found = planned(THERE, {"near": 0}, (closer, near))
    assert (found.actions, found.costs) == ((near, closer), (5, 4))


def test_the_search_stops_at_its_node_budget() -> None:
    with patch("agent.planning.search.TRIES", ((1, 1),)):
        assert plan(THERE, {"hurt": 1}, (WALK, REST), max_nodes=1) is None


def test_a_plan_is_found_where_the_cheapest_takes_too_long_to_find() -> None:
    """From the middle of a street of seven places, with something to do at each."""
    places = range(7)
    ways = [(a, b) for a in places for b in places if a != b]
    go = [
        Action(
            f"go {a} {b}",
            (Require(f"at {a}", at_least=1),),
            (Effect(f"at {a}", 0), Effect(f"at {b}", 1)),
            3 + abs(a - b),
            "go",
        )
        for a, b in ways
    ]
    do = [
        Action(f"do {a}", (Require(f"at {a}", at_least=1),), (Effect(f"done {a}", 1),), 2, "do")
        for a in places
    ]
    goal = Goal("all", tuple(Require(f"done {a}", at_least=1) for a in places), 10, "do all")
    cheapest = planned(goal, {"at 3": 1}, (*go, *do))
    with patch("agent.planning.search.TRIES", ((1, 1),)):
        assert plan(goal, {"at 3": 1}, (*go, *do), max_nodes=100) is None
    found = plan(goal, {"at 3": 1}, (*go, *do), max_nodes=100)
    assert found is not None
    assert cheapest.cost <= found.cost <= 2 * cheapest.cost


def test_a_plan_is_explained() -> None:
    facts = {"hurt": 1}
    found = planned(THERE, facts, (WALK, REST))
    assert explain(found, facts) == snapshot("""\
Goal: be there (requires there >= 1).
1. rest (cost 5; hurt 1 -> 0).
2. walk there (cost 3; there 0 -> 1).\
""")


def test_the_most_urgent_open_goal_comes_first_unless_demoted() -> None:
    urgent = Goal("urgent", (Require("calm", at_least=1),), 90, "calm down")
    domain = Domain((WALK,), (THERE, urgent), frozenset({"there", "calm", "hurt"}))
    assert domain.open_goals({}) == [urgent, THERE]
    assert domain.open_goals({"calm": 1}) == [THERE]
    assert domain.open_goals({}, {"urgent": 85}) == [THERE, urgent]
    assert domain.open_goals({"calm": 1, "there": 1}) == []


def test_a_goal_is_dropped_while_its_unless_condition_holds() -> None:
    passing = Goal("snack", (Require("fed", at_least=1),), 5, "eat", (Require("late", at_least=1),))
    domain = Domain((), (passing,), frozenset())
    assert domain.open_goals({}) == [passing]
    assert domain.open_goals({"late": 1}) == []
    with pytest.raises(DomainError, match="'snack' names fact 'late', which no sensor reports"):
        domain.validate()


@pytest.mark.parametrize(
    ("actions", "goals", "fault"),
    [
        ((WALK,), (), "'hurt', which no sensor reports"),
        ((Action("idle", (), (), 1, "idle"),), (), "'idle' has no effect"),
        ((Action("free", (), (Effect("there", 1),), 0, "free"),), (), "must cost at least 1"),
        ((), (THERE,), "which no action can bring about"),
        ((), (Goal("any", (), 1, "any"),), "has no condition"),
        ((DRIVE, DRIVE), (), "defined more than once"),
    ],
)
def test_an_invalid_domain_is_refused(
    actions: tuple[Action, ...], goals: tuple[Goal, ...], fault: str
) -> None:
    with pytest.raises(DomainError, match=fault):
        Domain(actions, goals, frozenset({"there", "fuel"})).validate()


def test_a_requirement_has_exactly_one_direction() -> None:
    with pytest.raises(ValueError, match="exactly one"):
        Require("hp")
    with pytest.raises(ValueError, match="exactly one"):
        Require("hp", at_least=1, at_most=2)


NAMES = st.sampled_from(["a", "b", "c", "d"])
REQUIRES = st.one_of(
    st.builds(lambda name, n: Require(name, at_least=n), NAMES, st.integers(0, 2)),
    st.builds(lambda name, n: Require(name, at_most=n), NAMES, st.integers(0, 2)),
)
ACTIONS = st.lists(
    st.tuples(
        st.lists(REQUIRES, max_size=2),
        st.lists(st.builds(Effect, NAMES, st.integers(0, 2)), min_size=1, max_size=2),
        st.integers(1, 9),
    ),
    max_size=6,
).map(
    lambda rows: tuple(
        Action(f"action {n}", tuple(requires), tuple(effects), cost, f"do {n}")
        for n, (requires, effects, cost) in enumerate(rows)
    )
)
GOALS = st.lists(REQUIRES, min_size=1, max_size=3).map(lambda r: Goal("goal", tuple(r), 1, "win"))
FACTS = st.dictionaries(NAMES, st.integers(0, 2))


def carried_out(actions: tuple[Action, ...], facts: dict[str, int]) -> dict[str, int]:
    """Return the facts after `actions`, each of which must be possible when it runs."""
    for action in actions:
        assert action.possible(facts)
        facts = facts | {effect.fact: effect.becomes for effect in action.effects}
    return facts


def cheapest(goal: Goal, facts: dict[str, int], actions: tuple[Action, ...]) -> int | None:
    """Return the cost of the cheapest plan by exhaustive search (facts have few values here)."""
    costs = {tuple(sorted(facts.items())): 0}
    while True:
        found = dict(costs)
        for key, cost in costs.items():
            for action in actions:
                if action.possible(dict(key)):
                    then = tuple(sorted(carried_out((action,), dict(key)).items()))
                    found[then] = min(cost + action.cost, found.get(then, cost + action.cost))
        if found == costs:
            break
        costs = found
    return min((cost for key, cost in costs.items() if goal.reached(dict(key))), default=None)


@given(goal=GOALS, facts=FACTS, actions=ACTIONS)
def test_every_plan_executes_to_its_goal_and_is_the_same_twice(
    goal: Goal, facts: dict[str, int], actions: tuple[Action, ...]
) -> None:
    found = plan(goal, facts, actions)
    assert found == plan(goal, dict(facts), actions)
    if found is None:
        return
    assert goal.reached(carried_out(found.actions, facts))
    assert found.cost == sum(action.cost for action in found.actions)


@settings(max_examples=50)
@given(goal=GOALS, facts=FACTS, actions=ACTIONS)
def test_every_plan_is_optimal_and_none_is_missed(
    goal: Goal, facts: dict[str, int], actions: tuple[Action, ...]
) -> None:
    everything = {name: facts.get(name, 0) for name in ("a", "b", "c", "d")}
    found = plan(goal, everything, actions)
    assert (found.cost if found else None) == cheapest(goal, everything, actions)


@given(goal=GOALS, facts=FACTS, actions=ACTIONS, other=st.integers(0, 9))
def test_a_plan_is_valid_until_a_fact_it_relies_on_changes(
    goal: Goal, facts: dict[str, int], actions: tuple[Action, ...], other: int
) -> None:
    found = plan(goal, facts, actions)
    if found is None:
        return
    assert found.stands(facts | {"something else": other})
    for action in found.actions:
        facts = carried_out((action,), facts)
        found = found.rest()
        assert found.stands(facts)
    assert goal.reached(facts)


def test_a_plan_is_invalid_without_its_precondition() -> None:
    found = planned(THERE, {"fuel": 1}, (WALK, DRIVE))
    assert found.stands({"fuel": 2})
    assert not found.stands({"fuel": 0})


@given(goals=st.lists(GOALS, max_size=1), actions=ACTIONS)
def test_conditions_of_a_valid_domain_can_be_satisfied(
    goals: list[Goal], actions: tuple[Action, ...]
) -> None:
    domain = Domain(actions, tuple(goals), frozenset("abcd"))
    try:
        domain.validate()
    except DomainError:
        return
    # Each single condition has an action that can satisfy it.
    for require in (require for goal in goals for require in goal.requires):
        assert any(action.helps(require) for action in actions)


def test_a_goal_behind_actions_that_require_each_other_is_refused() -> None:
    egg = Action("egg", (Require("hen", at_least=1),), (Effect("egg", 1),), 1, "lay an egg")
    hen = Action("hen", (Require("egg", at_least=1),), (Effect("hen", 1),), 1, "hatch a hen")
    goal = Goal("egg", (Require("egg", at_least=1),), 1, "have an egg")
    with pytest.raises(DomainError, match="unreachable from the start"):
        Domain((egg, hen), (goal,), frozenset({"egg", "hen"})).validate()


@given(actions=ACTIONS, missing=NAMES)
def test_a_fact_without_a_sensor_is_refused(actions: tuple[Action, ...], missing: str) -> None:
    facts = {r.fact for a in actions for r in a.requires} | {
        e.fact for a in actions for e in a.effects
    }
    domain = Domain(actions, (), frozenset("abcd") - {missing})
    if missing in facts:
        with pytest.raises(DomainError, match=f"{missing!r}, which no sensor reports"):
            domain.validate()
    else:
        domain.validate()


def test_a_goal_waits_while_its_plan_costs_too_much() -> None:
    walk = Action("walk", (), (Effect("there", 1),), 7, "walk there")
    wish = Goal("wish", (Require("there", at_least=1),), 1, "be there", most_cost=7)
    assert plan(wish, {}, (walk,)) is not None
    assert plan(replace(wish, most_cost=6), {}, (walk,)) is None


def test_few_actions_may_have_many_conditions() -> None:
    facts = {f"needed {number}": 1 for number in range(40)}
    made = tuple(Effect(f"made {number}", 1) for number in range(40))
    build = Action("build", tuple(Require(each, at_least=1) for each in facts), made, 1, "build")
    goal = Goal("built", tuple(Require(each.fact, at_least=1) for each in made), 1, "have it")
    problem = Problem.of(goal, Shapes([build]))
    # As plain Python, since compiled code does not notice an index out of range.
    helpers = getattr(helpers_of, "py_func", helpers_of)(np.zeros(1, np.int64), problem.operators)
    assert helpers.needs_at[-1] == 40 * 40
    assert planned(goal, facts, (build,)).actions == (build,)
