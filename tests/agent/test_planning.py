"""The planner: pure, bounded, sound, and able to say why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from agent.planning import Action, Domain, DomainError, Effect, Goal, Require, explain, plan

WALK = Action("walk", (Require("hurt", at_most=0),), (Effect("there", 1),), 3, "walk there")
REST = Action("rest", (), (Effect("hurt", 0),), 5, "rest")
DRIVE = Action("drive", (Require("fuel", at_least=1),), (Effect("there", 1),), 1, "drive there")
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")


def test_the_cheapest_way_is_taken() -> None:
    found = plan(THERE, {"fuel": 1}, (WALK, DRIVE))
    assert found is not None
    assert found.actions == (DRIVE,)


def test_preconditions_are_met_first() -> None:
    found = plan(THERE, {"hurt": 1}, (WALK, DRIVE, REST))
    assert found is not None
    assert (found.actions, found.cost) == ((REST, WALK), 8)


def test_a_goal_out_of_reach_has_no_plan() -> None:
    assert plan(THERE, {"hurt": 1}, (WALK,)) is None


def test_a_reached_goal_needs_no_action() -> None:
    found = plan(THERE, {"there": 1}, (WALK,))
    assert found is not None
    assert found.actions == ()


def test_the_search_stops_at_its_node_budget() -> None:
    assert plan(THERE, {"hurt": 1}, (WALK, REST), max_nodes=1) is None


def test_a_plan_says_why() -> None:
    facts = {"hurt": 1}
    found = plan(THERE, facts, (WALK, REST))
    assert found is not None
    assert explain(found, facts) == snapshot("""\
Goal: be there (wants there >= 1).
1. rest (cost 5; hurt 1 -> 0).
2. walk there (cost 3; there 0 -> 1).\
""")


def test_the_most_urgent_open_goal_comes_first_unless_demoted() -> None:
    urgent = Goal("urgent", (Require("calm", at_least=1),), 90, "calm down")
    domain = Domain((WALK,), (THERE, urgent), frozenset({"there", "calm", "hurt"}))
    assert domain.next_goal({}) == urgent
    assert domain.next_goal({"calm": 1}) == THERE
    assert domain.next_goal({}, {"urgent": 85}) == THERE
    assert domain.next_goal({"calm": 1, "there": 1}) is None


@pytest.mark.parametrize(
    ("actions", "goals", "fault"),
    [
        ((WALK,), (), "'hurt', which no sensor tells"),
        ((Action("idle", (), (), 1, "idle"),), (), "'idle' has no effect"),
        ((Action("free", (), (Effect("there", 1),), 0, "free"),), (), "must cost at least 1"),
        ((), (THERE,), "which no action brings about"),
        ((), (Goal("any", (), 1, "any"),), "has no condition"),
        ((DRIVE, DRIVE), (), "defined more than once"),
    ],
)
def test_a_domain_that_does_not_fit_is_refused(
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


@given(goal=GOALS, facts=FACTS, actions=ACTIONS)
def test_every_plan_executes_to_its_goal_and_is_the_same_twice(
    goal: Goal, facts: dict[str, int], actions: tuple[Action, ...]
) -> None:
    found = plan(goal, facts, actions)
    assert found == plan(goal, dict(facts), actions)
    if found is None:
        return
    state = dict(facts)
    for action in found.actions:
        assert action.possible(state)
        state |= {effect.fact: effect.becomes for effect in action.effects}
    assert goal.reached(state)
    assert found.cost == sum(action.cost for action in found.actions)
