"""Files of every older version, built from the first migrations with data in them, and what becomes of them."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory import (
    Json,
    KnowledgeStore,
    NewerStore,
    ObservationQuery,
    Observed,
    OutboxRow,
    Provenance,
    RunStore,
    as_json,
    open_knowledge_store,
    open_run_store,
)
from memory.codec import encode
from memory.store.contributions import fold
from memory.store.database import Database, Schema, open_database, open_readonly
from memory.store.knowledge_schema import KNOWLEDGE_SCHEMA
from memory.store.knowledge_tables import PATTERNS, PREFERENCES, STRATEGIES, TABLES, knowledge
from memory.store.run_schema import RUN_SCHEMA
from tests.memory.samples import (
    EPISODIC,
    MISTAKE,
    NOON,
    PATTERN,
    PREFERENCE,
    SENSORY,
    STRATEGY,
    WORKING,
    step,
)

SCHEMAS = (RUN_SCHEMA, KNOWLEDGE_SCHEMA)
VERSIONS = [
    pytest.param(schema, version, id=f"{schema.name} {version}")
    for schema in SCHEMAS
    for version in range(1, len(schema.migrations) + 1)
]
FIGHT: dict[str, Json] = {
    "enemy_pokemon": "Rat",
    "location": "",
    "place": "Lab",
    "moves": [{"first": "tackle"}],
}
OLD_ENTRIES = [
    # From seq to expires_s, and after which checkpoint it was dropped.
    (1, WORKING, "battle", 1, 0.5, encode(FIGHT), '["fight","won"]', 7, None, None),
    (2, SENSORY, "moment", 1, 0.5, '{"location":"Lab"}', "[]", 3, 10.5, None),
    (4, WORKING, "note", 2, 1.0, '{"objective_id":"o1","subject":7}', "[]", 3, None, 1),
    (5, WORKING, "note", 3, 1.5, "{", "[1", 3, None, 2),
]


def shape(database: Database) -> list[tuple[Any, ...]]:
    return list(
        database.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*' ORDER BY name"
        )
    )


def older(schema: Schema, version: int) -> Schema:
    return Schema(schema.name, schema.application_id, schema.migrations[:version])


def fill_run(database: Database, version: int) -> None:
    """Write a run as the program of `version` did: two checkpoints, and an entry dropped after each."""
    database.execute("INSERT INTO run VALUES (1, 'run-1')")
    database.execute_many(
        "INSERT INTO steps (tick, button, hold, settle, frame, digest, full_digest, chain) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [step(tick) for tick in (1, 2, 3)],
    )
    database.execute_many(
        "INSERT INTO events (tick, kind, payload) VALUES (?, 'e', '{}')", [(1,), (2,), (3,)]
    )
    last = "last_seq" if version < 3 else "last_entry"
    database.execute_many(
        f"INSERT INTO checkpoints (tick, frame, state, chain, mind, {last}, last_sequence) "
        "VALUES (?, 0, x'', x'', '0', ?, 1)",
        [(1, 4), (2, 5)],
    )
    if version > 1:
        database.execute("UPDATE checkpoints SET last_event = tick")
    database.execute(
        "INSERT INTO outbox (tick, kind, payload) VALUES (1, 'mistake', ?)",
        (encode(as_json(MISTAKE)),),
    )
    if version < 3:
        marks = ", ".join("?" * 10)
        database.execute_many(f"INSERT INTO entries VALUES ({marks})", OLD_ENTRIES)


def fill_knowledge(database: Database, version: int) -> None:
    marks = ", ".join("?" * len(as_json(MISTAKE)))
    row = [encode(x) if isinstance(x, dict) else x for x in as_json(MISTAKE).values()]
    database.execute(f"INSERT INTO mistake_records VALUES ({marks})", row)
    database.execute("INSERT INTO tactician_stats VALUES (1, 2, 3, 0.5, ?)", (NOON,))
    database.execute("INSERT INTO deliveries VALUES ('run-1', 1)")
    database.execute(
        "INSERT INTO archive (table_name, id, archived_at, row) VALUES ('t', 'i', 1.0, '{}')"
    )
    if version < 2:
        database.execute(
            "INSERT INTO provenance VALUES ('mistake_records', 'm1', 'claim', 'run-1', 1, 30)"
        )
        database.execute_many(
            "INSERT INTO ltm_entries (run_id, sequence, scope, kind, data, tags, importance) "
            "VALUES ('run-1', ?, ?, 'session', ?, '[\"t\"]', 6)",
            [(2, EPISODIC, '{"name":"Rat"}'), (3, "agent:play:stm", "{}")],
        )


FILL: dict[str, Callable[[Database, int], None]] = {
    RUN_SCHEMA.name: fill_run,
    KNOWLEDGE_SCHEMA.name: fill_knowledge,
}


def old_file(path: Path, schema: Schema, version: int) -> Path:
    with closing(open_database(path, older(schema, version))) as database:
        FILL[schema.name](database, version)
    return path


@pytest.mark.parametrize(("schema", "version"), VERSIONS)
def test_an_older_file_with_data_becomes_what_a_new_one_is(
    tmp_path: Path, schema: Schema, version: int
) -> None:
    path = old_file(tmp_path / "old.sqlite", schema, version)
    with (
        closing(open_database(path, schema)) as migrated,
        closing(open_database(tmp_path / "new.sqlite", schema)) as new,
    ):
        assert shape(migrated) == shape(new)
        assert migrated.row("PRAGMA user_version") == (len(schema.migrations),)
        assert migrated.row("PRAGMA integrity_check") == ("ok",)
        assert migrated.rows("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("version", [1, 2, 3])
def test_c07_an_older_run_takes_observations_from_now_on_and_goes_back_to_before_them(
    tmp_path: Path, version: int
) -> None:
    path = old_file(tmp_path / "a.sqlite", RUN_SCHEMA, version)
    store = open_run_store(path, run_id="x")
    assert store.observations() == []
    assert store.sessions() == []
    session = store.next_session()
    store.add_observations(session, [Observed("seen", "a thing", 5)], tick=4, game_s=2.0)
    store.commit()
    assert [row.tick for row in store.steps()] == [1, 2, 3]
    assert [row.sequence for row in store.outbox()] == [1]
    newest, _ = store.checkpoints()
    store.rewind(newest)
    assert store.observations() == []
    store.close()
    again = open_run_store(path, run_id="x")  # migrating twice changes nothing
    assert [each.content for each in again.observations(ObservationQuery(live=False))] == [
        "a thing"
    ]
    assert again._database.row("PRAGMA user_version") == (len(RUN_SCHEMA.migrations),)
    again.close()


def test_c07_the_migration_has_a_number_and_only_adds() -> None:
    statements = RUN_SCHEMA.migrations[3]  # the fourth, and it stays that
    assert sum("CREATE TABLE observations" in each for each in statements) == 1
    assert not any(each.startswith(("DROP", "DELETE", "UPDATE")) for each in statements)


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_run_keeps_what_it_holds_and_can_be_gone_back_in(
    tmp_path: Path, version: int
) -> None:
    store = open_run_store(old_file(tmp_path / "a.sqlite", RUN_SCHEMA, version), run_id="x")
    assert [row.tick for row in store.steps()] == [1, 2, 3]
    assert [row.sequence for row in store.outbox()] == [1]
    fight, moment = store.live_entries()
    assert (fight.seq, fight.key, fight.data) == (1, "run-1/1", FIGHT)
    assert fight.tags == {"fight", "won"}
    assert (fight.version, fight.relevance, fight.utility) == (1, 1.0, 0.5)
    assert (fight.status, fight.sources, fight.closed) == ("verified", (), "")
    assert (moment.seq, moment.expires_s) == (2, 10.5)
    assert store.tags() == {"fight": 1, "won": 1}
    _, older_moment = store.checkpoints()
    store._database.execute("UPDATE entries SET data = '{}', tags = '[]' WHERE seq = 5")
    store.rewind(older_moment)
    assert [entry.seq for entry in store.live_entries()] == [1, 2, 4]
    assert [event.tick for event in store.events()] == [1]
    store.close()


def test_an_older_entry_is_found_as_one_put_today_is(tmp_path: Path) -> None:
    old = open_run_store(old_file(tmp_path / "old.sqlite", RUN_SCHEMA, 2), run_id="x")
    new = open_run_store(tmp_path / "new.sqlite", run_id="run-1")
    for entry in old.live_entries():
        new.put_entry(entry)
    new.commit()

    def rows(store: RunStore) -> list[Any]:
        return store._database.rows(
            "SELECT seq, key, place, subject, text FROM entries WHERE dropped_after IS NULL"
        )

    assert rows(old) == rows(new)
    words = "SELECT rowid FROM entry_text WHERE entry_text MATCH 'tackle'"
    assert old._database.rows(words) == new._database.rows(words) == [(1,)]
    old.close()
    new.close()


def test_older_knowledge_keeps_what_it_holds_and_says_where_it_is_from(tmp_path: Path) -> None:
    path = old_file(tmp_path / "a.sqlite", KNOWLEDGE_SCHEMA, 1)
    store: KnowledgeStore = open_knowledge_store(path, now=NOON)
    assert store.load_knowledge().mistakes == {"m1": MISTAKE}
    assert store.provenance("mistake_records", "m1") == Provenance("claim", "run-1", 1, 30)
    (entry,) = store.seed()
    assert (entry.key, entry.scope, entry.data) == ("run-1/lesson-2", EPISODIC, {"name": "Rat"})
    assert entry.sources == ("run:run-1",)
    assert store.search("rat") == [entry]
    archived = store._database.rows("SELECT table_name, provenance FROM archive ORDER BY number")
    assert archived == [("t", "null"), ("ltm_entries", "null")]  # what never was a scope to last
    store.close()


@pytest.mark.parametrize("version", [1, 2])
def test_older_knowledge_is_what_the_shares_come_to_that_it_is_given(
    tmp_path: Path, version: int
) -> None:
    """Nobody knows which run contributed what: all of a row is its last teacher's, or nobody's by name."""
    path = tmp_path / "a.sqlite"
    awkward = replace(
        PATTERN, relevance_score=0.1 + 0.2, last_validated=NOON + 1 / 3, trigger_conditions={"é": 1}
    )
    with closing(open_database(path, older(KNOWLEDGE_SCHEMA, version))) as database:
        fill_knowledge(database, version)
        for table, record in (
            (PATTERNS, awkward),
            (STRATEGIES, STRATEGY),
            (PREFERENCES, PREFERENCE),
        ):
            database.execute(table.replace, table.row_of(record))
        where: tuple[object, ...] = ("successful_strategies", "s1", "claim", "run-1", 1, 7)
        where += ("", "[]") if version > 1 else ()
        marks = ", ".join("?" * len(where))
        database.execute(f"INSERT INTO provenance VALUES ({marks})", where)
    store = open_knowledge_store(path, now=NOON)
    known = store.load_knowledge()
    assert (known.patterns, known.strategies) == ({"p1": awkward}, {"s1": STRATEGY})
    for table in TABLES:
        for name, record in knowledge(known, table).items():
            (share,) = store.shares(table.name, name).values()
            told = fold(table.name, [share], at=NOON, rate=0.95)
            assert told is not None
            assert told.record == record
    assert store.origins()["tactician_patterns", "p1"] == ("before/p1",)
    assert store.origins()["successful_strategies", "s1"] == ("run-1",)
    # A run that goes on adds to what it is said to have taught, and the totals go on as well.
    store.deliver("run-1", [OutboxRow(9, 9, "strategy", as_json(STRATEGY))])
    store.deliver(
        "run-1", [OutboxRow(10, 9, "totals", {"sessions": 1, "battles": 1, "victories": 1})]
    )
    known = store.load_knowledge()
    assert known.strategies["s1"].total_uses == 2 * STRATEGY.total_uses
    assert (known.total_sessions, known.total_battles) == (3, 4)
    store.close()


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_a_newer_file_is_refused_and_left_as_it_is(tmp_path: Path, schema: Schema) -> None:
    path = tmp_path / "a.sqlite"
    newer = Schema(
        schema.name, schema.application_id, (*schema.migrations, ("CREATE TABLE more (x)",))
    )
    open_database(path, newer).close()
    before = path.read_bytes()
    for opened in (open_database, open_readonly):
        with pytest.raises(NewerStore, match=r"update the program\.$"):
            opened(path, schema)
    assert path.read_bytes() == before
