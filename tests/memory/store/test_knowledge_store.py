"""Knowledge files: the tables of the design, delivery, decay, and quarantine."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory import (
    BATTLE,
    CorruptStore,
    KnowledgeStore,
    RunStore,
    as_json,
    open_knowledge_store,
    read_knowledge_store,
)
from memory.tiers.knowledge import Knowledge
from tests.memory.samples import (
    EPISODIC,
    FIGHT,
    MISTAKE,
    MONTH,
    NOON,
    PATTERN,
    PREFERENCE,
    STM,
    STRATEGY,
    checkpoint,
    open_tiers,
)
from tests.memory.store.taught import LESSONS as TAUGHT
from tests.memory.store.taught import note

SEED_TABLES = {
    "tactician_patterns": "pattern_id text, pattern_type text, description text, "
    "trigger_conditions text, learned_from_session text, learned_from_tick integer, "
    "success_count integer, failure_count integer, confidence real, last_validated real, "
    "relevance_score real",
    "successful_strategies": "strategy_id text, context text, enemy_type text, "
    "player_pokemon text, strategy_description text, moves_sequence text, success_rate real, "
    "total_uses integer, first_used real, last_used real",
    "mistake_records": "mistake_id text, description text, situation text, outcome text, "
    "severity text, prevention_tip text, first_occurred real, last_occurred real, "
    "occurrence_count integer",
    "player_preferences": "preference_id text, category text, description text, "
    "preference_value text, learned_from_session text, confidence real, created_at real, "
    "updated_at real",
}
LESSONS = [
    *TAUGHT,
    replace(note(6, "", scope=EPISODIC, kind="session", data={"n": 1}, tags=["t"]), tick=60),
]


@pytest.fixture
def store(path: Path) -> Iterator[KnowledgeStore]:
    with closing(open_knowledge_store(path, now=NOON)) as opened:
        yield opened


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("table", SEED_TABLES)
def test_e23_the_tables_have_the_columns_of_the_design(path: Path, table: str) -> None:
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("run-1", LESSONS)
    names = [name for _, name, *_ in rows(path, f"PRAGMA table_info({table})")]
    (types,) = rows(path, f"SELECT {', '.join(f'typeof({each})' for each in names)} FROM {table}")
    assert [f"{name} {kind}" for name, kind in zip(names, types, strict=True)] == (
        SEED_TABLES[table].split(", ")
    )


def test_e24_the_next_run_loads_delivered_knowledge(path: Path) -> None:
    with closing(open_knowledge_store(path, now=NOON)) as store:
        assert store.deliver("run-1", LESSONS) == 6
    with closing(read_knowledge_store(path)) as reader:
        assert reader.load_knowledge() == Knowledge(
            {"p1": PATTERN}, {"s1": STRATEGY}, {"m1": MISTAKE}, {"f1": PREFERENCE}, 1, 4, 0.75
        )
        (entry,) = reader.entries()
        assert [entry.scope, entry.data, entry.tags] == [EPISODIC, {"n": 1}, {"t"}]
        learnt = reader.entry("ltm:semantic", "mistake:m1")
        assert learnt is not None
        assert (learnt.status, learnt.tick, learnt.closed) == ("verified", 30, "")
        assert reader.entry("ltm:semantic", "mistake:m2") is None


def test_e37_delivering_twice_changes_nothing_and_the_last_delivery_is_stored(
    path: Path, store: KnowledgeStore
) -> None:
    empty = store.content_hash()
    assert store.delivered("run-1") == 0
    store.deliver("run-1", LESSONS[:3])
    assert store.deliver("run-1", LESSONS) == 3
    store.deliver("run-2", LESSONS[:1])
    full = store.content_hash()
    assert store.deliver("run-1", LESSONS) == 0
    assert store.content_hash() == full != empty
    assert (store.delivered("run-1"), store.delivered("run-2")) == (6, 1)
    stored = rows(path, "SELECT run_id, sequence FROM deliveries ORDER BY run_id")
    assert stored == [("run-1", 6), ("run-2", 1)]


def test_a_failed_delivery_can_be_repeated_and_two_runs_that_learnt_the_same_add_up(
    store: KnowledgeStore,
) -> None:
    broken = replace(LESSONS[1], payload={"strategy_id": "s1"})
    with pytest.raises(Exception, match="SuccessfulStrategy cannot be read"):
        store.deliver("run-1", [LESSONS[0], broken])
    assert store.load_knowledge().patterns == {}
    for run_id in ("run-1", "run-2"):
        assert store.deliver(run_id, LESSONS) == 6
    tactician = store.load_knowledge()
    pattern = tactician.patterns["p1"]
    assert (pattern.success_count, pattern.failure_count) == (6, 2)
    assert tactician.mistakes["m1"].occurrence_count == 6
    assert (tactician.total_sessions, tactician.total_battles) == (2, 8)


def test_e31_knowledge_decays_once_a_month_however_often_it_is_opened(path: Path) -> None:
    store = open_knowledge_store(path, now=NOON)
    store.deliver("run-1", LESSONS)
    store.close()
    for at in (NOON, NOON + MONTH / 3, NOON + MONTH / 3, NOON + MONTH, NOON, NOON + MONTH):
        open_knowledge_store(path, now=at).close()
    reader = read_knowledge_store(path)
    tactician = reader.load_knowledge()
    reader.close()
    assert tactician.patterns["p1"].relevance_score == pytest.approx(0.75 * 0.95)
    assert tactician.preferences["f1"].confidence == pytest.approx(0.9 * 0.95)


@pytest.mark.parametrize(
    ("where", "change"),
    [
        *(
            ("ltm_entries: ", f"data = {change}'")
            for change in (
                "json_set(data, '$.trigger_conditions', 1) WHERE kind = 'pattern",
                "json_set(data, '$.context', 'x') WHERE kind = 'strategy",
                "json_set(data, '$.moves_sequence[0]', 7) WHERE kind = 'strategy",
                "json_set(data, '$.last_occurred', '1') WHERE kind = 'mistake",
                "json_remove(data, '$.category') WHERE kind = 'preference",
                "'[1",
            )
        ),
        ("ltm_entries: ", "tags = '[1'"),
        ("malformed JSON", "tags = tags; UPDATE contributions SET contribution = '[1'"),
    ],
)
def test_unreadable_content_is_reported_in_one_line(path: Path, where: str, change: str) -> None:
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("run-1", LESSONS)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(f"UPDATE ltm_entries SET {change}")
    with closing(read_knowledge_store(path)) as reader, pytest.raises(CorruptStore) as caught:
        reader.content_hash()
    line = str(caught.value)
    assert line.startswith(f"{path} is damaged ({where}")
    assert line.endswith("put back a copy of it, or name another file.")
    assert "\n" not in line


def test_a_damaged_knowledge_file_is_quarantined(path: Path) -> None:
    open_knowledge_store(path, now=NOON).close()
    content = path.read_bytes()[:5000]
    path.write_bytes(content)
    with pytest.raises(CorruptStore, match=r"damaged-1; start again for a new one"):
        open_knowledge_store(path, now=NOON)
    assert path.with_name(f"{path.name}.damaged-1").read_bytes() == content
    open_knowledge_store(path, now=NOON).close()


def deliver(knowledge: KnowledgeStore, run: RunStore) -> int:
    return knowledge.deliver(run.run_id, run.outbox.rows())


def test_b33_a_run_starts_with_the_knowledge_of_the_last_one(path: Path, tmp_path: Path) -> None:
    knowledge = open_knowledge_store(path, now=NOON)
    first = open_tiers(tmp_path / "1.sqlite", known=knowledge.load_knowledge())
    first.blackboard.write(STM, BATTLE, as_json(FIGHT), tick=20, game_s=10.0)
    for tick in range(5):
        first.act(tick, "push wall", success=False)
    first.consolidator.consolidate(100, reason="session_end")
    first.store.commit()
    assert deliver(knowledge, first.store) == 0
    first.store.commit(checkpoint=checkpoint(100))
    assert deliver(knowledge, first.store) > 0
    assert deliver(knowledge, first.store) == 0
    assert knowledge.load_knowledge() == first.tactician.knowledge()
    first.store.close()

    second = open_tiers(tmp_path / "2.sqlite")
    second.memory.inherit(knowledge)
    assert second.tactician.get_successful_strategies("rat", "turtle")
    assert second.tactician.get_mistakes_for_context({"location": "town"})
    assert second.blackboard.entries(EPISODIC)[0].data["battles"] == 1
    knowledge.deliver("a run beside it", LESSONS)
    assert second.tactician.knowledge() == first.tactician.knowledge()
    second.store.close()
    knowledge.close()
