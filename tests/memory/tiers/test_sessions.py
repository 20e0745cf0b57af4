"""From the senses up to what outlives runs: each level in its time, and what a session leaves when it ends."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory import BATTLE, BlackboardEvent, KnowledgeStore, as_json, open_knowledge_store
from memory.tiers.approaches import APPROACH
from memory.tiers.consolidator import CONSOLIDATION
from memory.tiers.lessons import SESSION
from memory.tiers.observer import TICK_STATE
from tests.memory.samples import (
    EPISODIC,
    FIGHT,
    NOON,
    SENSORY,
    STATE,
    STM,
    TOWN,
    WORKING,
    Tiers,
    checkpoint,
    session_of,
)

SEMANTIC = "agent:play:ltm:semantic"
PROCEDURAL = "agent:play:ltm:procedural"


@pytest.fixture
def knowledge(tmp_path: Path) -> Iterator[KnowledgeStore]:
    opened = open_knowledge_store(tmp_path / "memory.sqlite", now=NOON)
    yield opened
    opened.close()


def fight(tiers: Tiers, outcome: str = "victory") -> None:
    battle = replace(FIGHT, battle_id=outcome, outcome=outcome)
    tiers.blackboard.write(STM, BATTLE, as_json(battle), tick=20, game_s=10.0)


def kinds(tiers: Tiers, scope: str) -> set[str]:
    return set(tiers.blackboard.count(scope))


def test_b29_working_memory_moves_on_within_minutes(tiers: Tiers) -> None:
    for tick in range(3000):  # twenty-five minutes of game time, an action every half second
        tiers.act(tick, "walk on and on to the place where the leader is waiting for us")
        if kinds(tiers, STM) & {APPROACH}:
            break
    assert tiers.blackboard.game_s < 15 * 60.0
    assert tiers.consolidator.consolidations == 0  # nobody asked


def test_b29_short_term_memory_moves_on_when_the_session_ends(tiers: Tiers) -> None:
    fight(tiers, "defeat")
    assert kinds(tiers, EPISODIC) == kinds(tiers, SEMANTIC) == set()
    tiers.memory.end_session(tiers.store, 500)
    assert kinds(tiers, EPISODIC) == {BATTLE, SESSION}
    assert "mistake" in kinds(tiers, SEMANTIC)


def test_b30_experiences_concepts_and_skills_are_drawn_apart(tiers: Tiers) -> None:
    fight(tiers)
    fight(tiers, "defeat")
    for tick in range(8):
        tiers.act(tick, "heal", why="heal")
        tiers.act(tick, "push wall", why="out", success=False)
    tiers.consolidator.consolidate(1000)
    drawn = {scope: kinds(tiers, scope) for scope in (EPISODIC, SEMANTIC, PROCEDURAL)}
    assert drawn == {
        EPISODIC: {BATTLE},
        SEMANTIC: {"mistake", "totals", "acquaintance"},
        PROCEDURAL: {"pattern", "strategy"},
    }
    edges = tiers.memory.flows.subscriptions
    transformers = {edges[name].transformer for name in ("experiences", "concepts", "skills")}
    assert len(transformers) == 3


def test_e16_a_session_that_ends_is_learnt_from_kept_by_name_and_cleared(tiers: Tiers) -> None:
    fight(tiers)
    tiers.strategist.add_location(TOWN)
    for tick in range(4):
        tiers.act(tick, "heal", why="heal")
    before = session_of(tiers.strategist)
    tiers.memory.end_session(tiers.store, 500)
    assert len(tiers.tactician.patterns) == len(tiers.tactician.strategies) == 1
    assert tiers.tactician.total_sessions == 1
    assert session_of(tiers.strategist) == {
        "session_id": "session-1#2",
        "session_start_tick": 500,
        "objectives": [],
        "active_objective": None,
        "battle_history": [],
        "locations_visited": {},
        "resource_history": [],
        "total_battles": 0,
        "victories": 0,
        "defeats": 0,
    }
    tiers.strategist.restore(tiers.store.load_strategist_checkpoint("session-1"))  # type: ignore[arg-type]
    assert session_of(tiers.strategist) == before


def test_e16_the_next_session_teaches_only_what_is_its_own(tiers: Tiers) -> None:
    fight(tiers)
    tiers.memory.end_session(tiers.store, 500)
    tiers.memory.end_session(tiers.store, 900)
    assert (tiers.tactician.total_sessions, tiers.tactician.total_battles) == (2, 1)
    (strategy,) = tiers.tactician.strategies.values()
    assert strategy.total_uses == 1


def test_e40_consolidation_goes_through_every_station_in_order(
    tiers: Tiers, knowledge: KnowledgeStore
) -> None:
    stations: list[str] = []

    def pass_by(event: BlackboardEvent) -> None:
        if event.action == "write":
            stations.append(f"{event.entry.scope.rpartition(':')[2]}: {event.entry.kind}")

    tiers.blackboard.subscribe("*", pass_by)
    moment = as_json(replace(STATE, tick=1))
    tiers.blackboard.write(SENSORY, TICK_STATE, moment, tick=1, game_s=0.5)
    fight(tiers)
    for tick in range(4):
        tiers.act(tick, "heal", why="heal")
    del stations[:]

    assert tiers.consolidator.tick(999) is None
    assert stations == []
    assert tiers.consolidator.tick(1000) is not None
    ordered = ["stm: approach", "procedural: pattern", f"stm: {CONSOLIDATION}"]
    assert [each for each in dict.fromkeys(stations) if each in ordered] == ordered
    assert "procedural: strategy" in stations

    del stations[:]
    tiers.memory.end_session(tiers.store, 1500)
    ordered = [
        f"stm: {SESSION}",
        f"episodic: {SESSION}",
        "semantic: totals",
        f"stm: {CONSOLIDATION}",
        "stm: session_totals",
    ]
    assert [each for each in dict.fromkeys(stations) if each in ordered] == ordered

    assert knowledge.deliver("run-1", tiers.store.outbox()) == 0
    tiers.store.commit(checkpoint=checkpoint(1500))
    assert knowledge.deliver("run-1", tiers.store.outbox()) > 0
    known = knowledge.load_knowledge()
    assert known.patterns == dict(tiers.tactician.patterns)
    assert known.strategies == dict(tiers.tactician.strategies)
    assert known.total_sessions == 1
    assert tiers.blackboard.entries(WORKING)  # the last minutes stay
