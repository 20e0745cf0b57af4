"""The six levels, their settings, and the flow from play to knowledge."""

from dataclasses import replace
from typing import Any

from memory import ACTION, BlackboardEvent, as_json, scope_name
from memory.blackboard.entry import Entry, scope_of
from memory.blackboard.view import View
from memory.flow.subscription import AllOf, AnyOf, Fullness, OnDemand, Periodic, Threshold
from memory.tiers.approaches import APPROACH, SITUATION, SPAN
from memory.tiers.consolidator import CONSOLIDATION
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lessons import COMPACT_AT, KEPT_S, SESSION, LessonTransformers, edges
from memory.tiers.observer import RECENT_ACTIONS, TICK_STATE
from tests.memory.samples import (
    EPISODIC,
    FIGHT,
    NOON,
    PATTERN,
    SENSORY,
    STM,
    WORKING,
    Tiers,
    checkpoint,
    memory_in,
)

SEMANTIC, PROCEDURAL = scope_name("play", "ltm:semantic"), scope_name("play", "ltm:procedural")
EDGES = {
    each.name: each for each in edges("play", LessonTransformers(ConsolidationConfig(), "s", NOON))
}


def held(tiers: Tiers, scope: str) -> dict[str, int]:
    return tiers.blackboard.count(scope)


def test_b19_b35_the_six_levels_are_scopes_and_a_resumed_session_does_not_begin_again(
    tiers: Tiers,
) -> None:
    levels = ("ltm:episodic", "ltm:procedural", "ltm:semantic", "sensory", "stm", "working")
    assert sorted(tiers.memory.map().scopes) == [f"agent:play:{each}" for each in levels]
    tiers.store.commit(checkpoint=checkpoint(1))
    again = memory_in(tiers.store)
    assert len(again.blackboard.entries(STM, kind="session_begun")) == 1
    assert again.strategist.session_id == "session-1"


def test_b20_each_level_has_its_size_lifetime_and_rhythm() -> None:
    # Two figures differ from the design: short-term memory has room for a session's events, and the
    # consolidator feeds all levels above it every 1,000 ticks, before a checkpoint.
    policies = [(scope_of(each).capacity, scope_of(each).ttl_s) for each in (SENSORY, STM)]
    assert policies == [(50, 10.0), (2_000, 3_600.0)]
    assert scope_of(WORKING).tokens == 8_000
    moments, actions = EDGES["moments"], EDGES["actions"]
    assert moments.trigger == AnyOf((Threshold(1, 20), Periodic(8.0)))  # before they expire
    compacting = AllOf((Threshold(1, 20), Fullness(0.9)))
    assert actions.trigger == AnyOf((OnDemand(), compacting))
    assert (COMPACT_AT, actions.keep_s, KEPT_S) == (0.9, 300.0, 300.0)
    assert (actions.consumes, actions.keep_last) == (True, RECENT_ACTIONS)
    above = ("experiences", "skills", "concepts", "habits")
    assert {EDGES[name].trigger for name in above} == {OnDemand()}
    assert ConsolidationConfig().tick_interval == 1000
    assert "10 to 100 or after 600 to 1,800" in str(edges.__doc__)


def test_b20_a_full_working_memory_does_not_wait_for_the_consolidator(tiers: Tiers) -> None:
    fullest = 0.0
    for tick in range(1, 1800):  # a quarter of an hour, two actions a second
        tiers.act(tick, f"act {tick % 7}", why="a reason of quite a few words " * 4)
        fullest = max(fullest, tiers.blackboard.fullness(WORKING))
    working = tiers.blackboard.entries(WORKING)
    assert working[-1].game_s - working[0].game_s <= KEPT_S + 20.0
    assert held(tiers, STM)[APPROACH] > 0
    assert len(tiers.observer.recent_actions) == RECENT_ACTIONS


def test_b29_working_memory_flows_in_minutes_and_short_term_at_consolidation(tiers: Tiers) -> None:
    for tick in range(1, 481):  # four minutes
        tiers.moment(tick, f"place {tick // 60}")
        tiers.act(tick, f"act {tick % 3}", why="walk")
    assert held(tiers, WORKING)[SPAN] > 0
    assert SITUATION not in held(tiers, STM)
    tiers.consolidator.consolidate(480)
    assert held(tiers, STM)[SITUATION] > 0
    assert held(tiers, STM)[APPROACH] > 0
    assert held(tiers, PROCEDURAL) == {"pattern": 1}


def test_b30_experiences_concepts_and_skills_are_three_edges_with_three_transformers(
    tiers: Tiers,
) -> None:
    above = {name: EDGES[name] for name in ("experiences", "concepts", "skills")}
    assert {each.source for each in above.values()} == {STM}
    assert [each.target for each in above.values()] == [EPISODIC, SEMANTIC, PROCEDURAL]
    assert len({each.transformer.__name__ for each in above.values()}) == 3
    tiers.fight(5, "defeat")
    tiers.fight(6, "victory")
    tiers.consolidator.consolidate(1000)
    expected = {"battle": 1}, {"mistake": 1, "totals": 1, "opponent_met": 1}, {"strategy": 1}
    assert tuple(held(tiers, scope) for scope in (EPISODIC, SEMANTIC, PROCEDURAL)) == expected


def test_e29_e30_knowledge_can_be_traced_to_its_evidence(tiers: Tiers) -> None:
    def sources(view: View[Any], *scopes: str) -> tuple[Entry, Entry]:
        """Return an entry of knowledge, and the entry it was made of."""
        entry = view.entry(next(iter(view)))
        assert entry is not None
        found = (tiers.blackboard.get(scope, key) for scope in scopes for key in entry.sources)
        return entry, next(each for each in found if each is not None)

    tiers.acts(range(1, 10), "talk", why="heal")
    actions = {each.key for each in tiers.blackboard.entries(WORKING, kind=ACTION)}
    for tick in range(11, 14):
        tiers.fight(tick, "victory")
    battles = {each.key for each in tiers.blackboard.entries(STM, kind="battle")}
    tiers.consolidator.consolidate(1000, reason="session_end")
    pattern, approach = sources(tiers.tactician.patterns, STM)
    assert {*approach.sources} & actions
    assert pattern.status == approach.status == "inferred"
    _, strategy = sources(tiers.tactician.preferences, PROCEDURAL)
    assert battles <= {*strategy.sources}


def test_e30_each_experience_is_delivered_once(tiers: Tiers) -> None:
    tiers.fight(5, "victory")
    for tick in (1000, 2000):
        tiers.consolidator.consolidate(tick)
    tiers.consolidator.consolidate(2500, reason="session_end")
    tiers.store.commit(checkpoint=checkpoint(2500))
    kinds = [row.kind for row in tiers.store.outbox.rows()]
    # The entries are the opponents met, and the session.
    assert sorted(kinds) == ["entry", "entry", "strategy", "totals", "totals"]


def test_e40_consolidation_follows_the_diagram(tiers: Tiers) -> None:
    events: list[tuple[str, str, str]] = []

    def listen(event: BlackboardEvent) -> None:
        events.append((event.action, event.entry.scope, event.entry.kind))

    weak = replace(PATTERN, pattern_id="weak", relevance_score=0.1)
    tiers.tactician.add_pattern(weak)
    tiers.acts(range(1, 10), "talk", why="heal")
    tiers.fight(9, "victory")
    tiers.blackboard.subscribe("*", listen)
    assert tiers.consolidator.tick(999) is None  # within the first interval
    assert events == []
    tiers.consolidator.tick(1000)
    interval, events[:] = tuple(events), []
    tiers.acts(range(1001, 1010), "rest", why="sleep")
    events.clear()
    tiers.memory.end_session(tiers.store, 1500)

    in_order(
        interval,
        ("write", STM, APPROACH),  # recent actions, counted as approaches
        ("write", PROCEDURAL, "pattern"),
        ("forget", PROCEDURAL, "pattern"),  # forgetting, pruned
        ("write", STM, CONSOLIDATION),
    )
    in_order(
        events,
        ("write", STM, APPROACH),
        ("write", STM, SESSION),  # the summary
        ("write", EPISODIC, SESSION),
        ("write", PROCEDURAL, "pattern"),  # extracted, to the tactician
        ("write", STM, CONSOLIDATION),
        ("write", STM, "session_ended"),
    )
    saved = tiers.store.strategist_checkpoints.load("session-1")
    assert saved["totals"]["total_battles"] == 1
    tiers.store.commit(checkpoint=checkpoint(1500))
    assert {"pattern", "strategy", "entry", "totals"} <= {
        row.kind for row in tiers.store.outbox.rows()
    }


def in_order(events: object, *expected: tuple[str, str, str]) -> None:
    assert isinstance(events, tuple | list)
    rest = iter(events)
    for each in expected:
        assert each in rest, f"{each} is not at its place in {events}"


def test_b35_a_session_has_events_at_its_start_and_after_its_last_carry(tiers: Tiers) -> None:
    events: list[tuple[str, object, int]] = []

    def listen(event: BlackboardEvent) -> None:
        if event.action == "write" and event.entry.kind.startswith("session_"):
            name = event.entry.data.get("session_id")
            events.append((event.entry.kind, name, tiers.memory.map().pending))

    (begun,) = tiers.blackboard.entries(STM, kind="session_begun")
    assert begun.data == {"session_id": "session-1"}
    for tick in range(1, 30):
        tiers.moment(tick)
        tiers.act(tick, "walk", why="go")
    tiers.blackboard.subscribe(STM, listen)
    assert tiers.memory.map().pending > 0
    tiers.memory.end_session(tiers.store, 30)
    said = [each for each in events if each[0] != "session_totals"]
    assert said == [("session_ended", "session-1", 0), ("session_begun", "session-1#2", 0)]


def test_a_state_without_a_field_loses_only_itself(tiers: Tiers) -> None:
    for scope, kind in ((SENSORY, TICK_STATE), (WORKING, SPAN)):
        tiers.blackboard.write(scope, kind, {"odd": True}, tick=1, game_s=0.0)
    for tick in range(1, 41):
        tiers.moment(tick)
    tiers.consolidator.consolidate(1000, reason="session_end")
    (situation,) = tiers.blackboard.entries(STM, kind=SITUATION)
    assert situation.data["ticks"] == 40
    assert tiers.blackboard.faults.total() > 1


def test_session_totals_survive_many_small_entries(tiers: Tiers) -> None:
    tiers.strategist.record_battle(FIGHT)
    for n in range(2_500):
        tiers.blackboard.write(STM, "disagreement", {"n": n}, tick=n, game_s=n, importance=9)
    assert tiers.strategist.totals.total_battles == 1
    assert as_json(tiers.strategist.battle_history[0]) == as_json(FIGHT)


def test_a_consolidation_undone_by_a_restore_runs_again(tiers: Tiers) -> None:
    tiers.store.commit(checkpoint=checkpoint(1000))
    assert tiers.consolidator.tick(1000) is not None
    tiers.store.rewind(next(tiers.store.checkpoints.all()))
    assert tiers.consolidator.tick(1001) is not None
