"""The phases in which the design has the three tiers built, each shown by what one played game left."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.mind import AGENT
from memory import AgentMemory, RunStore, open_memory, open_run_store, read_knowledge_store
from tests.agent.support import Played


@pytest.fixture
def store(played: Played, tmp_path: Path) -> Iterator[RunStore]:
    copy = shutil.copy(played.folder / "run.sqlite", tmp_path / "run.sqlite")
    with closing(open_run_store(Path(copy), run_id="a copy")) as opened:
        yield opened


@pytest.fixture
def memory(store: RunStore) -> AgentMemory:
    return open_memory(store, AGENT, session_id=store.run_id, started_at=0.0)


def test_e39_foundation_moments_and_sessions_are_there(memory: AgentMemory) -> None:
    assert memory.observer.current_state is not None
    assert memory.observer.sensory_input is not None
    assert memory.strategist.session_id.endswith("#2")  # the first one has ended


def test_e39_core_the_session_told_of_battles_places_and_belongings(
    store: RunStore, memory: AgentMemory
) -> None:
    kept = store.load_strategist_checkpoint(store.run_id)
    assert isinstance(kept, dict)
    for history in ("objectives", "battle_history", "locations_visited", "resource_history"):
        assert kept[history]
    assert memory.strategist.total_battles == 0  # a new session has begun


def test_e39_persistence_knowledge_outlives_the_run(played: Played, memory: AgentMemory) -> None:
    with closing(read_knowledge_store(played.memory)) as knowledge:
        known = knowledge.load_knowledge()
    assert known.strategies
    assert known.total_sessions == 1
    assert known.strategies.keys() <= memory.tactician.knowledge().strategies.keys()


def test_e39_consolidation_patterns_and_strategies_were_drawn(memory: AgentMemory) -> None:
    history = memory.consolidator.consolidation_history
    assert [each.reason for each in history] == ["interval", "session_end"]
    assert sum(each.actions for each in history) > 0
    assert sum(each.patterns for each in history) > 0
    assert sum(each.strategies for each in history) > 0


def test_e39_integration_the_planner_and_a_model_are_given_what_is_known(
    store: RunStore, memory: AgentMemory
) -> None:
    assert list(store.events("recollection"))  # called to mind before a challenge
    context = memory.observer.decision_context
    assert context["recent_outcomes"]


def test_e39_optimization_memory_is_ranked_and_lets_go(memory: AgentMemory) -> None:
    ranked = memory.consolidator.prioritize_memories()
    assert ranked["tactician"]
    status = memory.consolidator.get_consolidation_status()
    assert status["pending_actions"] == 0
    assert memory.maintenance.run(asked=True)
