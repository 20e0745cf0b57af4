"""Edges between scopes: one more, many to one, one to many, and in circles."""

from collections.abc import Sequence

import pytest

from memory import Blackboard, Call, Entry, Hooks, Produced, Producers
from memory.blackboard.entry import COLLECTIVE, team_scope
from memory.flow import Flows
from memory.flow.subscription import Derived, TagFilter, Threshold, Transformer, identity, of_kinds
from tests.memory.flow.streams import X, Y, Z, copies, edge, held, note, numbers
from tests.memory.hooks.walker import Walker
from tests.memory.samples import STM, Tiers


@pytest.fixture
def flows(blackboard: Blackboard) -> Flows:
    return Flows(blackboard)


def test_b21_an_edge_is_source_filter_and_transformer(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("tagged", accepts=TagFilter(any_of=frozenset({"plan"}))))
    note(blackboard, 1, tags=["plan"])
    note(blackboard, 2, tags=["noise"])
    assert flows.run() == {"note": 1}
    assert held(blackboard, Y) == [1]


def test_b21_one_edge_more_needs_no_change_elsewhere(tiers: Tiers) -> None:
    tiers.memory.flows.add(edge("gossip", STM, team_scope("rivals"), accepts=of_kinds("rumour")))
    note(tiers.blackboard, 1, scope=STM, kind="rumour")
    tiers.consolidator.tick(1000)
    assert held(tiers.blackboard, team_scope("rivals")) == [1]


def test_b21_an_edge_more_gets_what_another_consumes(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("eats", consumes=True), edge("reads", target=Z))
    note(blackboard, 1)
    flows.run("eats")
    assert held(blackboard, X) == [1]  # waits for the one that has yet to read it
    flows.run("reads")
    note(blackboard, 2)
    flows.run("reads", "eats")
    assert (held(blackboard, X), held(blackboard, Y), held(blackboard, Z)) == ([], [1, 2], [1, 2])


def test_b21_many_feed_one_and_one_feeds_many(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(
        edge("many", "agent:*:working", COLLECTIVE),
        edge("a", X, team_scope("a")),
        edge("b", X, STM),
    )
    for n, scope in enumerate((X, Y, Z, X)):
        note(blackboard, n, scope=scope)
    flows.run()
    assert held(blackboard, COLLECTIVE) == [0, 1, 2, 3]
    assert held(blackboard, team_scope("a")) == held(blackboard, STM) == [0, 3]


@pytest.mark.parametrize("transformer", [copies, identity])
def test_b21_what_goes_round_in_a_circle_comes_to_an_end(
    blackboard: Blackboard, flows: Flows, transformer: Transformer
) -> None:
    at_once = Threshold(1, 1)
    flows.add(
        edge("xy", X, Y, transformer, trigger=at_once),
        edge("yz", Y, Z, transformer, trigger=at_once),
        edge("zx", Z, X, transformer, trigger=at_once),
    )
    note(blackboard, 1)
    note(blackboard, 2, scope=Y)
    for _ in range(3):
        flows.run(final=True)
    # Each has been everywhere, and home once.
    came_home = [1, 2] if transformer is identity else [1, 1, 2]
    assert sorted(map(str, held(blackboard, X))) == list(map(str, came_home))
    assert [flows.carried(name) for name in ("xy", "yz", "zx")] == [2, 2, 2]
    assert blackboard.faults == {}


def test_b21_an_edge_may_end_where_it_begins(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("round", X, X, trigger=Threshold(1, 2)))
    for n in range(4):
        note(blackboard, n)
    flows.run(final=True)
    assert sorted(map(str, held(blackboard, X))) == list("00112233")
    assert flows.pending("round") == []


def test_b21_what_a_circle_left_to_do_survives_a_restore(blackboard: Blackboard) -> None:
    before = Flows(blackboard)
    before.add(edge("xy", X, Y), edge("yx", Y, X))
    note(blackboard, 1)
    before.run("xy", "yx")
    after = Flows(blackboard)
    after.add(edge("xy", X, Y), edge("yx", Y, X))
    after.restore(before.to_json())
    assert after.run() == {}
    assert held(blackboard, X) == [1, 1]


def test_b22_hooks_and_explicit_writes_feed_one_level(blackboard: Blackboard, flows: Flows) -> None:
    def stood(_call: Call, result: int) -> Produced:
        return Produced({"n": result}, tick=1, game_s=0.0)

    hooks = Hooks()
    Producers(hooks, blackboard).register("Walker.walk", stood, scope=X, kind="note")
    flows.add(edge("up"))
    Walker(hooks).walk(7)
    note(blackboard, 8)
    flows.run()
    assert held(blackboard, X) == held(blackboard, Y) == [7, 8]


def test_b21_an_edge_taken_away_carries_no_more(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", trigger=Threshold(1, 1)))
    note(blackboard, 1)
    flows.remove("up")
    flows.remove("up")
    note(blackboard, 2)
    assert held(blackboard, Y) == [1]


def test_b21_an_edge_replaced_goes_on_where_it_was(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up"))
    note(blackboard, 1)
    flows.run()

    def seconds(entries: Sequence[Entry]) -> list[Derived]:
        return [Derived("second", each.data) for each in entries]

    flows.add(edge("up", transformer=seconds))
    note(blackboard, 2)
    assert numbers(flows.pending("up")) == [2]
    flows.run()
    assert [each.kind for each in blackboard.entries(Y)] == ["note", "second"]
