"""What memory shows of itself."""

from memory import Blackboard
from memory.flow import Flows
from memory.flow.memory_map import memory_map
from tests.memory.flow.streams import X, Y, Z, edge, note
from tests.memory.samples import FIGHT, SENSORY, STM, Tiers


def test_b13_the_map_shows_scopes_policies_counts_edges_and_what_is_pending(
    blackboard: Blackboard,
) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up"), edge("over", Y, Z))
    for n in range(3):
        note(blackboard, n)
    flows.run("up")
    claim = blackboard.write(X, "rumour", {}, tick=9, game_s=0.0, status="claim")
    blackboard.close(claim, "not so")
    shown = memory_map(blackboard, flows, [Z])
    assert set(shown.scopes) == {X, Y, Z}
    assert shown.scopes[X].kinds == {"note": 3, "rumour": 1}
    assert (shown.scopes[X].claims, shown.scopes[X].closed) == (1, 1)
    assert (shown.scopes[X].oldest_tick, shown.scopes[X].newest_tick) == (0, 9)
    assert shown.scopes[X].policies.capacity == 2000
    up, over = shown.edges
    assert (up.source, up.target, up.transformer, up.trigger) == (X, Y, "copies", "OnDemand()")
    assert [(each.carried, each.pending) for each in (up, over)] == [(3, 0), (0, 3)]
    assert (shown.count, shown.pending) == (7, 3)
    assert shown.scopes[Z].count == 0


def test_b13_circles_and_scopes_that_nobody_knows_are_told(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(edge("there", X, Y), edge("back", Y, X), edge("lost", "agent:nobody:stm", "attic"))
    note(blackboard, 1)
    assert memory_map(blackboard, flows, [Y]).problems == (
        "lost leads to attic, which is no scope",
        "lost reads agent:nobody:stm, which nobody has written to",
        f"there is a circle through {X}",
        f"there is a circle through {Y}",
    )


def test_b13_the_map_of_play_has_no_problems_and_all_its_levels(tiers: Tiers) -> None:
    shown = tiers.memory.map()
    assert shown.problems == ()
    assert len(shown.scopes) == 6
    assert [each.name for each in shown.edges if each.source == STM] == [
        "tally",
        "experiences",
        "skills",
        "concepts",
        "acquaintances",
        "belongings",
    ]


def test_b37_memory_tells_what_it_does_not_know(tiers: Tiers) -> None:
    before = tiers.memory.map().gaps
    assert {f"{SENSORY} holds nothing", "no battle is known", "no strategy is known"} <= {*before}
    assert "nothing has come by way of skills" in before
    tiers.strategist.record_battle(FIGHT)
    tiers.consolidator.consolidate(1000)
    after = tiers.memory.map().gaps
    assert not {"no battle is known", "no strategy is known"} & {*after}
    assert "nothing has come by way of skills" not in after
    assert f"{SENSORY} holds nothing" in after
