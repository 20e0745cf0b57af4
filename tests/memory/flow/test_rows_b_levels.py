"""The levels of memory, the edges between them, and when these carry."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from memory import Blackboard, Call, Entry, Hooks, Produced, Producers, scope_name
from memory.blackboard.entry import scope_of, team_scope
from memory.errors import UnknownScope
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.memory_map import memory_map
from memory.flow.subscription import (
    AllOf,
    AnyOf,
    Derived,
    Fullness,
    MemorySubscription,
    OnDemand,
    Pending,
    Periodic,
    TagFilter,
    Threshold,
    identity,
    of_kinds,
)
from tests.memory.hooks.walker import Walker
from tests.memory.samples import ACT, EPISODIC, SENSORY, STM, WORKING, Tiers, checkpoint, open_tiers

OTHER = scope_name("other", "working")
TEAM = team_scope("red")
LEVELS = {
    SENSORY,
    WORKING,
    STM,
    EPISODIC,
    scope_name("play", "ltm:semantic"),
    scope_name("play", "ltm:procedural"),
}


def note(
    blackboard: Blackboard, number: int, *, scope: str = WORKING, tags: Sequence[str] = ()
) -> Entry:
    data = {"n": number}
    return blackboard.write(scope, "note", data, tick=number, game_s=float(number), tags=tags)


def numbers(blackboard: Blackboard, scope: str) -> list[object]:
    return [entry.data["n"] for entry in blackboard.entries(scope)]


def anew(entries: Sequence[Entry]) -> list[Derived]:
    return [Derived("note", dict(entry.data), (entry.key,)) for entry in entries]


def waiting(number: int = 0, *, waited_s: float = 0.0, asked: bool = False) -> Pending:
    return Pending(number, waited_s, asked, lambda: 0.5)


def test_b18_what_was_carried_and_what_waits_outlive_the_process(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    for tick in range(30):
        tiers.act(tick, "up")
    tiers.consolidator.consolidate(1000)
    tiers.act(31, "down")
    flows = tiers.memory.flows
    before = [(flows.carried(name), flows.pending(name)) for name in flows.subscriptions]
    assert flows.carried("actions") > 20
    assert len(flows.pending("actions")) == 2
    tiers.store.commit(checkpoint=checkpoint(1001))
    tiers.store.close()
    again = open_tiers(tmp_path / "run.sqlite")
    flows = again.memory.flows
    assert [(flows.carried(name), flows.pending(name)) for name in flows.subscriptions] == before
    again.store.close()


def test_b19_six_levels_are_scopes_under_the_agents_name(tiers: Tiers) -> None:
    assert set(tiers.memory.map().scopes) >= LEVELS
    assert all(name.startswith("agent:play:") for name in LEVELS)
    with pytest.raises(UnknownScope):
        scope_of("agent:play:attic")


def test_b19_the_first_entry_of_each_level_can_be_written_and_read(blackboard: Blackboard) -> None:
    for number, scope in enumerate(sorted(LEVELS), start=1):
        note(blackboard, number, scope=scope)
        assert numbers(blackboard, scope) == [number]


def test_b20_levels_have_the_sizes_and_lifetimes_known(tiers: Tiers) -> None:
    sensory, working, stm = map(scope_of, (SENSORY, WORKING, STM))
    assert (sensory.capacity, sensory.ttl_s) == (50, 10.0)
    assert (working.tokens, working.ttl_s) == (8_000, None)
    assert stm.ttl_s == 3_600.0
    actions = tiers.memory.flows.subscriptions["actions"]
    assert actions.keep_s == 300.0
    assert "Fullness(share=0.9)" in repr(actions.trigger)


def test_b21_many_scopes_feed_one(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("team", "agent:*:working", TEAM, identity))
    note(blackboard, 1)
    note(blackboard, 2, scope=OTHER)
    flows.run()
    assert numbers(blackboard, TEAM) == [1, 2]


def test_b21_one_scope_feeds_many_through_filters(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    grave = TagFilter(any_of=frozenset({"grave"}))
    flows.add(
        MemorySubscription("all", WORKING, STM, identity),
        MemorySubscription("grave", WORKING, EPISODIC, identity, grave),
        MemorySubscription("none", WORKING, TEAM, identity, of_kinds("battle")),
    )
    note(blackboard, 1)
    note(blackboard, 2, tags=("grave",))
    flows.run()
    assert numbers(blackboard, STM) == [1, 2]
    assert numbers(blackboard, EPISODIC) == [2]
    assert numbers(blackboard, TEAM) == []


def test_b21_an_edge_more_finds_what_was_there_before_it(tiers: Tiers) -> None:
    tiers.observer.add_action(ACT)
    edge = MemorySubscription("copies", WORKING, TEAM, identity)
    tiers.memory.flows.add(edge)
    assert len(tiers.memory.flows.pending("copies")) == 1
    tiers.memory.flows.run("copies")
    (copy,) = tiers.blackboard.entries(TEAM)
    assert copy.data["action_value"] == ACT.action_value
    assert "copies" in {each.name for each in tiers.memory.map().edges}


def test_b21_each_entry_goes_over_an_edge_once(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("up", WORKING, STM, anew))
    for number in (1, 2, 3):
        note(blackboard, number)
        flows.run()
        flows.run()
    assert numbers(blackboard, STM) == [1, 2, 3]
    assert flows.carried("up") == 3


def test_b21_an_edge_back_to_its_own_scope_does_not_carry_what_it_wrote(
    blackboard: Blackboard,
) -> None:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("ring", WORKING, WORKING, anew, trigger=Threshold(1, 1)))
    note(blackboard, 1)
    flows.run()
    assert numbers(blackboard, WORKING) == [1, 1]


@pytest.mark.parametrize("transformer", [anew, identity])
@pytest.mark.parametrize("trigger", [OnDemand(), Threshold(1, 1)], ids=repr)
def test_b21_in_a_ring_an_entry_goes_over_each_edge_once(
    blackboard: Blackboard,
    transformer: Callable[[Sequence[Entry]], list[Derived]],
    trigger: OnDemand | Threshold,
) -> None:
    flows, calls = Flows(blackboard), count()

    def limited(entries: Sequence[Entry]) -> list[Derived]:
        if next(calls) > 20:
            raise RecursionError("round and round")
        return transformer(entries)

    flows.add(
        MemorySubscription("up", WORKING, STM, limited, trigger=trigger),
        MemorySubscription("down", STM, WORKING, limited, trigger=trigger),
    )
    note(blackboard, 1)
    for _ in range(3):
        flows.run()
    assert [flows.carried("up"), flows.carried("down")] == [1, 1]


def test_b21_a_ring_of_edges_is_told_of(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("up", WORKING, STM, anew))
    note(blackboard, 1)
    assert memory_map(blackboard, flows, LEVELS).problems == ()
    flows.add(MemorySubscription("down", STM, WORKING, anew))
    assert any("circle" in each for each in memory_map(blackboard, flows, LEVELS).problems)


def test_b22_one_level_is_fed_by_hooks_by_writes_and_by_edges(blackboard: Blackboard) -> None:
    hooks = Hooks()

    def walked(_call: Call, result: int) -> Produced:
        return Produced({"n": result}, result, float(result))

    Producers(hooks, blackboard).register("Walker.walk", walked, scope=WORKING, kind="note")
    flows = Flows(blackboard)
    flows.add(MemorySubscription("senses", SENSORY, WORKING, anew))
    Walker(hooks).walk(1)
    note(blackboard, 2)
    note(blackboard, 3, scope=SENSORY)
    flows.run()
    assert numbers(blackboard, WORKING) == [1, 2, 3]


@pytest.mark.parametrize(
    ("trigger", "pending", "due"),
    [
        (OnDemand(), waiting(9, waited_s=9.0), False),
        (OnDemand(), waiting(asked=True), True),
        (Periodic(8.0), waiting(9, waited_s=7.9), False),
        (Periodic(8.0), waiting(waited_s=8.0), True),
        (Threshold(3, 10), waiting(9), False),
        (Threshold(3, 10), waiting(10), True),
        (Threshold(3, 10), waiting(2, asked=True), False),
        (Threshold(3, 10), waiting(3, asked=True), True),
        (Fullness(0.6), waiting(), False),
        (Fullness(0.5), waiting(), True),
        (AnyOf((Periodic(8.0), Threshold(3, 10))), waiting(2, waited_s=8.0), True),
        (AnyOf((Periodic(8.0), Threshold(3, 10))), waiting(2, waited_s=7.0), False),
        (AllOf((Periodic(8.0), Threshold(3, 10))), waiting(10, waited_s=8.0), True),
        (AllOf((Periodic(8.0), Threshold(3, 10))), waiting(10, waited_s=7.0), False),
    ],
)
def test_b23_triggers(
    trigger: OnDemand | Periodic | Threshold | Fullness | AnyOf | AllOf,
    pending: Pending,
    due: bool,  # noqa: FBT001
) -> None:
    assert trigger.due(pending) is due


@pytest.mark.parametrize(
    ("trigger", "carried"), [(Threshold(1, 3), 6), (Periodic(4.0), 4), (OnDemand(), 0)], ids=repr
)
def test_b23_an_edge_carries_when_its_trigger_says(
    blackboard: Blackboard, trigger: Threshold | Periodic | OnDemand, carried: int
) -> None:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("up", WORKING, STM, anew, trigger=trigger))
    for number in range(1, 8):
        note(blackboard, number)
    assert len(numbers(blackboard, STM)) == flows.carried("up") == carried


def test_b26_each_level_is_looked_after_by_itself_when_its_time_has_come(
    blackboard: Blackboard,
) -> None:
    maintenance = Maintenance(blackboard, every_s=600.0)
    note(blackboard, 1)
    blackboard.expire(599.0)
    assert maintenance.run() == []
    blackboard.expire(600.0)
    assert [each.scope for each in maintenance.run()] == [WORKING]
    note(blackboard, 700, scope=STM)
    blackboard.expire(1199.0)
    assert [each.scope for each in maintenance.run()] == [STM]
    assert [each.scope for each in maintenance.run(asked=True)] == [STM, WORKING]


def test_b26_what_has_faded_is_pruned_and_what_matters_is_archived_first(
    blackboard: Blackboard,
) -> None:
    archived: list[tuple[object, str]] = []
    maintenance = Maintenance(
        blackboard, archive=lambda entry, why: archived.append((entry.data["n"], why))
    )
    note(blackboard, 1)
    blackboard.write(WORKING, "note", {"n": 2}, tick=2, game_s=2.0, importance=9)
    hours = 3600.0 * 4  # 0.99 to the power of 240 minutes is under a tenth
    note(blackboard, int(hours))
    assert maintenance.prune(WORKING) == 2
    assert numbers(blackboard, WORKING) == [hours]
    assert archived == [(2, "pruned")]


def kept_by(policy: str, blackboard: Blackboard) -> Callable[[], int]:
    maintenance = Maintenance(blackboard)
    return {
        "lifetime": lambda: blackboard.expire(10.0),
        "pruning": lambda: maintenance.prune(SENSORY, 1.1),
        "merging": lambda: maintenance.deduplicate(SENSORY, 0.0),
    }[policy]


@pytest.mark.parametrize(("policy", "left"), [("lifetime", 0), ("pruning", 0), ("merging", 1)])
def test_b28_policies_work_one_by_one(blackboard: Blackboard, policy: str, left: int) -> None:
    for _ in range(3):
        blackboard.write(SENSORY, "note", {"n": 1}, tick=0, game_s=0.0)
    assert kept_by(policy, blackboard)() == 3 - left
    assert len(blackboard.entries(SENSORY)) == left


def test_b28_time_is_the_games(blackboard: Blackboard) -> None:
    note(blackboard, 0, scope=SENSORY)
    assert blackboard.expire(9.9) == 0
    assert blackboard.expire(5.0) == 0  # it never runs backward
    assert blackboard.game_s == 9.9
    assert blackboard.expire(10.0) == 1
