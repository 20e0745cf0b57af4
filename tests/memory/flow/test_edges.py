"""Edges between scopes: topology, triggers, transformers, and the memory map."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pytest

from memory import Blackboard, Call, Entry, Hooks, Produced, Producers
from memory.blackboard.entry import COLLECTIVE
from memory.flow.flows import Flows
from memory.flow.memory_map import memory_map
from memory.flow.subscription import (
    MAX_TOKENS,
    SUMMARY,
    AllOf,
    AnyOf,
    Derived,
    Fullness,
    OnDemand,
    Pending,
    Periodic,
    Summarizing,
    TagFilter,
    Threshold,
    Transformer,
    Trigger,
    filtering,
    identity,
    of_kinds,
)
from memory.tokens import tokens
from tests.memory.flow.streams import NOTE, X, Y, Z, copies, edge, held, note, notes, numbers
from tests.memory.hooks.walker import Walker
from tests.memory.samples import FIGHT, SENSORY, STM, Tiers


@pytest.fixture
def flows(blackboard: Blackboard) -> Flows:
    return Flows(blackboard)


def test_b21_another_edge_needs_no_other_change(tiers: Tiers) -> None:
    tiers.memory.flows.add(edge("gossip", STM, "team:rivals", accepts=of_kinds("rumour")))
    note(tiers.blackboard, 1, scope=STM, kind="rumour")
    tiers.consolidator.tick(1000)
    assert held(tiers.blackboard, "team:rivals") == [1]


def test_b21_another_edge_gets_entries_that_one_consumes(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(edge("eats", consumes=True), edge("reads", target=Z))
    note(blackboard, 1)
    flows.run("eats")
    assert held(blackboard, X) == [1]  # still pending at the other edge
    flows.run("reads")
    note(blackboard, 2)
    flows.run("reads", "eats")
    assert (held(blackboard, X), held(blackboard, Y), held(blackboard, Z)) == ([], [1, 2], [1, 2])


def test_b21_many_feed_one_and_one_feeds_many(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(
        edge("many", "agent:*:working", COLLECTIVE), edge("a", X, "team:a"), edge("b", X, STM)
    )
    for n, scope in enumerate((X, Y, Z, X)):
        note(blackboard, n, scope=scope)
    flows.run()
    assert held(blackboard, COLLECTIVE) == [0, 1, 2, 3]
    assert held(blackboard, "team:a") == held(blackboard, STM) == [0, 3]


@pytest.mark.parametrize("transformer", [copies, identity])
def test_b21_a_cycle_of_edges_ends(
    blackboard: Blackboard, flows: Flows, transformer: Transformer
) -> None:
    at_once = Threshold(1, 1)
    scopes = X, Y, Z, X
    for name, source, target in zip(("xy", "yz", "zx"), scopes, scopes[1:], strict=False):
        flows.add(edge(name, source, target, transformer, trigger=at_once))
    flows.add(edge("round", SENSORY, SENSORY, trigger=Threshold(1, 2)))
    notes(blackboard, range(4), scope=SENSORY)
    note(blackboard, 1)
    note(blackboard, 2, scope=Y)
    for _ in range(3):
        flows.run(final=True)
    # Each entry visited every scope, and its own once.
    came_home = [1, 2] if transformer is identity else [1, 1, 2]
    assert sorted(map(str, held(blackboard, X))) == list(map(str, came_home))
    assert [flows.carried(name) for name in ("xy", "yz", "zx")] == [2, 2, 2]
    assert sorted(map(str, held(blackboard, SENSORY))) == list("00112233")
    assert flows.pending("round") == []
    assert blackboard.faults == {}


def test_b21_a_replaced_edge_continues_from_its_cursor_and_a_removed_one_stops(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(edge("up"))
    note(blackboard, 1)
    flows.run()

    def seconds(entries: Sequence[Entry]) -> list[Derived]:
        return [Derived("second", each.data) for each in entries]

    flows.add(edge("up", transformer=seconds))
    note(blackboard, 2)
    assert numbers(flows.pending("up")) == [2]
    flows.run()
    for _ in range(2):
        flows.remove("up")
    note(blackboard, 3)
    flows.run()
    assert [each.kind for each in blackboard.entries(Y)] == ["note", "second"]


def test_b21_pending_entries_of_a_cycle_survive_a_restore(blackboard: Blackboard) -> None:
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


def waiting(
    number: int = 0, waited_s: float = 0.0, fullness: float = 0.0, *, requested: bool = False
) -> Pending:
    return Pending(number, waited_s, requested=requested, fullness=lambda: fullness)


YES, NO = Threshold(0, 0), Threshold(99, 99)


@pytest.mark.parametrize(
    ("trigger", "early", "late"),
    [
        (Periodic(120.0), waiting(0, 119.9), waiting(0, 120.0)),
        (Threshold(5, 20), waiting(19), waiting(20)),
        (Threshold(5, 20), waiting(4, requested=True), waiting(5, requested=True)),
        (Fullness(0.9), waiting(0, 0.0, 0.89), waiting(0, 0.0, 0.9)),
        (OnDemand(), waiting(99, 999.0, 1.0), waiting(requested=True)),
    ],
)
def test_b23_a_trigger_is_due_at_its_threshold(
    trigger: Trigger, early: Pending, late: Pending
) -> None:
    assert not trigger(early)
    assert trigger(late)


@pytest.mark.parametrize("triggers", [(NO, NO), (YES, NO), (NO, YES), (YES, YES)])
def test_b23_triggers_combine_as_any_and_all(triggers: tuple[Trigger, Trigger]) -> None:
    assert AnyOf(triggers)(waiting()) is (YES in triggers)
    assert AllOf(triggers)(waiting()) is (NO not in triggers)


def test_b23_a_write_runs_the_edges_it_makes_due(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", trigger=AnyOf((Threshold(2, 5), Periodic(60.0)))))
    notes(blackboard, range(5))
    assert held(blackboard, Y) == [0, 1, 2, 3, 4]
    blackboard.expire(59.0)
    note(blackboard, 5)
    assert flows.run() == {}  # requested, but below the minimum
    blackboard.expire(60.0)
    note(blackboard, 6)
    assert held(blackboard, Y) == [0, 1, 2, 3, 4, 5, 6]


def test_b23_a_full_scope_triggers_a_carry(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", trigger=AllOf((Threshold(1, 2), Fullness(0.9))), consumes=True))
    text = "word " * 1000  # 1,250 tokens of 8,000
    for n in range(5):
        blackboard.write(X, "page", {"n": n, "text": text}, tick=n, game_s=0.0)
    assert held(blackboard, Y) == []
    blackboard.write(X, "page", {"n": 5, "text": text}, tick=5, game_s=0.0)
    assert (held(blackboard, X), blackboard.fullness(X)) == ([], 0.0)
    assert held(blackboard, Y) == [0, 1, 2, 3, 4, 5]


def test_b24_identity_carries_entries_unchanged(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", transformer=identity))
    more: Any = {"tags": ["a"], "importance": 8, "status": "claim"}
    below = blackboard.write(X, NOTE, {"n": 1}, tick=5, game_s=2.0, **more)
    flows.run()
    (above,) = blackboard.entries(Y)
    fields = attrgetter("kind", "data", "tags", "importance", "status", "key")
    assert fields(above) == fields(below)
    assert above.sources == (below.key,)


def test_b24_filtering_carries_only_passing_entries(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(
        edge("up", transformer=filtering(lambda entry: entry.importance > 5)),
        edge("tagged", target=Z, accepts=TagFilter(any_of=frozenset({"plan"}))),
    )
    note(blackboard, 1, tags=["plan"])
    note(blackboard, 2, importance=6, tags=["noise"])
    assert flows.run() == {"note": 2}
    assert (held(blackboard, Y), held(blackboard, Z)) == ([2], [1])
    assert flows.pending("up") == []  # filtered entries are processed too


def test_b24_a_given_summarizer_is_used(blackboard: Blackboard, flows: Flows) -> None:
    asked: list[tuple[str, str]] = []

    def summarize(prompt: str, text: str) -> str:
        asked.append((prompt, text))
        return " Three notes were made. "

    flows.add(edge("up", transformer=Summarizing("In one line:", summarize), consumes=True))
    below = [note(blackboard, n, tags=[f"tag {n}"], importance=n + 4) for n in range(3)]
    flows.run()
    (summary,) = blackboard.entries(Y)
    assert asked == [("In one line:", "tick 0: note: n 0\ntick 1: note: n 1\ntick 2: note: n 2")]
    assert summary.kind == SUMMARY
    assert summary.data == {"text": "Three notes were made.", "count": 3}
    assert summary.sources == tuple(each.key for each in below)
    assert summary.tags == {"tag 0", "tag 1", "tag 2"}
    assert (summary.importance, summary.status) == (6, "claim")
    assert held(blackboard, X) == []


def failing(_prompt: str, _text: str) -> str:
    raise TimeoutError("no answer")


@pytest.mark.parametrize("summarize", [None, failing, lambda _prompt, _text: "  \n"])
def test_b24_without_a_summary_the_entries_are_counted(
    blackboard: Blackboard, summarize: object
) -> None:
    flows = Flows(blackboard)
    transformer = Summarizing("In one line:", summarize)  # type: ignore[arg-type]
    flows.add(edge("up", transformer=transformer, consumes=True))
    below = [note(blackboard, n, importance=9 if n == 3 else 3) for n in range(30)]
    blackboard.write(X, "battle", {"enemy": "rat"}, tick=40, game_s=0.0, importance=8)
    flows.run()
    (summary,) = blackboard.entries(Y)
    text = str(summary.data["text"])
    assert text.startswith("ticks 0 to 40: 30 note, 1 battle.")
    assert {"tick 3: note: n 3", "tick 40: battle: enemy rat"} <= {*text.splitlines()}
    assert len(summary.sources) == len(below) + 1
    assert summary.status == "inferred"  # not written by a model
    assert held(blackboard, X) == []


def test_b24_a_summary_has_500_tokens_at_most(blackboard: Blackboard, flows: Flows) -> None:
    assert MAX_TOKENS == 500
    flows.add(edge("by model", transformer=Summarizing("", lambda _prompt, text: text * 9)))
    flows.add(edge("by rule", transformer=Summarizing("")))
    for n in range(20):
        blackboard.write(X, NOTE, {"text": "word " * 300}, tick=n, game_s=0.0)
    flows.run()
    assert [tokens(str(each.data["text"])) for each in blackboard.entries(Y)] == [500, 500]


def test_b13_the_map_shows_scopes_policies_counts_edges_and_what_is_pending(
    blackboard: Blackboard,
) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up"), edge("over", Y, Z))
    notes(blackboard, range(3))
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


def test_b13_cycles_and_unknown_scopes_are_reported(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("there", X, Y), edge("back", Y, X), edge("lost", "agent:nobody:stm", "attic"))
    note(blackboard, 1)
    assert memory_map(blackboard, flows, [Y]).problems == (
        "lost leads to attic, which is no scope",
        "lost reads agent:nobody:stm, which holds no entries",
        f"there is a cycle through {X}",
        f"there is a cycle through {Y}",
    )


def test_b13_the_map_of_play_has_all_levels_and_no_problems(tiers: Tiers) -> None:
    shown = tiers.memory.map()
    assert shown.problems == ()
    assert len(shown.scopes) == 6
    from_stm = "tally experiences skills concepts opponents_met items_owned places_known"
    assert [each.name for each in shown.edges if each.source == STM] == from_stm.split()


def test_b37_the_map_lists_what_memory_does_not_know(tiers: Tiers) -> None:
    before = tiers.memory.map().gaps
    assert {f"{SENSORY} holds nothing", "no battle is known", "no strategy is known"} <= {*before}
    assert "nothing was carried by skills" in before
    tiers.strategist.record_battle(FIGHT)
    tiers.consolidator.consolidate(1000)
    after = tiers.memory.map().gaps
    assert not {"no battle is known", "no strategy is known"} & {*after}
    assert "nothing was carried by skills" not in after
    assert f"{SENSORY} holds nothing" in after
