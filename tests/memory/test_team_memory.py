"""Memory shared by several agents, and the management agent."""

from dataclasses import replace

import pytest

from memory import Blackboard, as_json, scope_name
from memory.blackboard.entry import COLLECTIVE, team_scope
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.team_memory import AGREED, SHARED, MemoryManagementAgent, team_subscription
from tests.memory.samples import MISTAKE, PATTERN

TEAM = team_scope("red")
SEMANTIC = {agent: scope_name(agent, "ltm:semantic") for agent in ("ann", "bob", "new")}


class Team:
    """Two agents on one blackboard, and their management agent."""

    def __init__(self, blackboard: Blackboard) -> None:
        self.blackboard = blackboard
        self.flows = Flows(blackboard)
        self.manager = MemoryManagementAgent(blackboard, self.flows, Maintenance(blackboard))
        self.flows.add(team_subscription("ann", "red"), team_subscription("bob", "red"))

    def learn(self, agent: str, tip: str, *, about: str = "m1", importance: int = 6) -> None:
        data = as_json(replace(MISTAKE, mistake_id=about, prevention_tip=tip))
        self.blackboard.write(
            SEMANTIC[agent],
            "mistake",
            data,
            tick=1,
            game_s=1.0,
            key=f"mistake:{about}",
            importance=importance,
            status="inferred",
        )


@pytest.fixture
def team(blackboard: Blackboard) -> Team:
    return Team(blackboard)


def test_b31_entries_of_an_agent_are_shared_with_its_team(team: Team) -> None:
    team.learn("ann", "go round")
    team.learn("bob", "push")
    team.flows.run()
    shared = team.blackboard.entries(TEAM, kind=SHARED)
    assert {entry.data["origin"] for entry in shared} == {"ann", "bob"}
    assert {entry.data["about"] for entry in shared} == {"mistake:m1"}


def test_b34_statements_of_two_agents_on_one_subject_coexist(team: Team) -> None:
    team.learn("ann", "go round")
    team.learn("bob", "push")
    team.flows.run()
    team.learn("ann", "go far round")
    team.flows.run()
    shared = team.blackboard.entries(TEAM, kind=SHARED)
    assert [entry.key for entry in shared] == ["shared:bob/mistake:m1", "shared:ann/mistake:m1"]
    assert shared[1].version == 2


def test_b32_the_management_agent_agrees_on_one_statement(team: Team) -> None:
    team.learn("ann", "go round", importance=3)
    team.learn("bob", "push", importance=9)
    team.learn("bob", "wait", about="m2")
    team.flows.run(*(name for name in team.flows.subscriptions if name != "teams"))
    done = team.manager.run()
    assert done["agreed"] == 2
    agreed = {str(each.data["about"]): each for each in team.blackboard.entries(COLLECTIVE)}
    assert agreed["mistake:m1"].data["origins"] == ["ann", "bob"]
    record = agreed["mistake:m1"].data["record"]
    assert isinstance(record, dict)
    assert record["prevention_tip"] == "push"  # the more important one
    assert len(agreed["mistake:m1"].sources) == 2
    assert team.manager.run()["agreed"] == 0


def test_b34_the_management_agent_maintains_collective_memory(team: Team) -> None:
    for n in range(3):
        team.blackboard.write(COLLECTIVE, "note", {"text": "same words"}, tick=n, game_s=0.0)
    faint = team.blackboard.write(COLLECTIVE, "note", {"text": "old"}, tick=9, game_s=0.0)
    team.blackboard.revise(faint, relevance=0.05)
    done = team.manager.run()
    assert (done["merged"], done["pruned"]) == (2, 1)
    assert len(team.blackboard.entries(COLLECTIVE, kind="note")) == 1


def test_b33_a_new_agent_starts_with_agreed_entries(team: Team) -> None:
    for n in range(120):
        team.learn("ann", "tip", about=f"m{n}", importance=9 if n < 20 else 4)
    team.flows.run()
    team.manager.run()
    assert team.manager.transfer({"mistake": SEMANTIC["new"]}) == 100
    seeded = team.blackboard.entries(SEMANTIC["new"])
    assert len(seeded) == 100
    assert {f"mistake:m{n}" for n in range(20)} <= {entry.key for entry in seeded}
    assert all("ann" in entry.sources for entry in seeded)


def test_b33_the_own_entries_of_a_new_agent_are_not_overwritten(team: Team) -> None:
    team.learn("ann", "go round")
    team.learn("new", "my own way")
    team.flows.run()
    team.manager.run()
    team.manager.transfer({"mistake": SEMANTIC["new"]})
    (entry,) = team.blackboard.entries(SEMANTIC["new"])
    assert entry.data["prevention_tip"] == "my own way"
    assert AGREED not in team.blackboard.count(SEMANTIC["new"])


def test_a_pattern_is_shared_like_other_entries(team: Team) -> None:
    procedural = scope_name("bob", "ltm:procedural")
    team.blackboard.write(procedural, "pattern", as_json(PATTERN), tick=1, game_s=1.0)
    team.flows.run()
    (shared,) = team.blackboard.entries(TEAM)
    assert shared.data["kind"] == "pattern"
