"""Opening SQLite files: damaged, foreign, newer, older, read-only and oddly named ones."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory import (
    Blackboard,
    Observed,
    RunStore,
    StoreError,
    open_knowledge_store,
    open_run_store,
    read_run_store,
)
from memory.errors import CorruptStore, ForeignStore, MissingStore, NewerStore
from memory.store.copies import open_or_quarantine
from memory.store.database import Database, _choose_journal, open_database, open_readonly
from memory.store.files import file_fault, open_intact
from memory.store.schema import KNOWLEDGE_SCHEMA, RUN_SCHEMA, Schema
from tests.memory.samples import NOON, WORKING, checkpoint, step

FIRST = Schema("note store", 0x1234, (("CREATE TABLE notes (text TEXT) STRICT",),))
BROKEN = Schema(
    "note store",
    0x1234,
    (*FIRST.migrations, ("ALTER TABLE notes ADD COLUMN at INTEGER", "CREATE NONSENSE")),
)


OPENERS: tuple[Callable[[Path, Schema], Database], ...] = (open_readonly, open_database)


def shape(database: Database) -> list[tuple[Any, ...]]:
    return list(
        database.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*' ORDER BY name"
        )
    )


def note(path: Path, text: str = "kept") -> None:
    database = open_database(path, FIRST)
    database.execute("INSERT INTO notes VALUES (?)", (text,))
    database.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    note(path)
    with pytest.raises(StoreError, match="near"):
        open_database(path, BROKEN)
    database = open_database(path, FIRST)
    assert list(database.rows("SELECT * FROM notes")) == [("kept",)]
    database.close()


def test_a_file_of_another_kind_is_refused_and_unchanged(tmp_path: Path) -> None:
    path, letter = tmp_path / "a.sqlite", tmp_path / "letter.txt"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE theirs (x)")
    letter.write_bytes(b"Dear all, " * 1000)
    before = path.read_bytes()
    for opened in OPENERS:
        with pytest.raises(ForeignStore, match="is not a note store"):
            opened(path, FIRST)
        if opened is open_readonly:
            assert path.read_bytes() == before
    with pytest.raises(ForeignStore, match="is not a SQLite file"):
        open_database(letter, FIRST)
    assert letter.read_bytes() == b"Dear all, " * 1000
    assert sorted(tmp_path.iterdir()) == [path, letter]


@pytest.mark.parametrize("damage", ["truncated", "overwritten page"])
def test_a_damaged_file_is_refused_or_quarantined_and_never_overwritten(
    tmp_path: Path, damage: str
) -> None:
    path = tmp_path / "a.sqlite"
    database = open_database(path, FIRST)
    database.execute_many("INSERT INTO notes VALUES (?)", [("x" * 500,)] * 200)
    database.close()
    content, is_cut = path.read_bytes(), damage == "truncated"
    content = content[:8192] + (b"" if is_cut else b"\xff" * 4096 + content[12288:])
    path.write_bytes(content)
    with pytest.raises(CorruptStore) as caught:
        open_database(path, FIRST)
    line = str(caught.value)
    assert line.startswith(f"{path} is damaged (")
    assert line.endswith("); put back a copy of it, or name another file.")
    assert "\n" not in line
    assert path.read_bytes() == content
    for number in (1, 2):
        path.write_bytes(content)
        with pytest.raises(CorruptStore, match=rf"a\.sqlite\.damaged-{number}; start again"):
            open_or_quarantine(path, FIRST)
        assert not path.exists()
        assert (tmp_path / f"a.sqlite.damaged-{number}").read_bytes() == content
    open_database(path, FIRST).close()


def test_a_reader_does_not_move_create_or_change_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(MissingStore, match="does not exist"):
        open_readonly(path, FIRST)
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"no database, though it is long enough to be one " * 100)
    with pytest.raises(CorruptStore):
        open_readonly(path, FIRST)
    assert path.exists()
    path.unlink()
    note(path)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(path.read_bytes())  # a closed file is complete without its log
    with closing(open_readonly(copy, FIRST)) as reader:
        with pytest.raises(StoreError, match="readonly"):
            reader.execute("DELETE FROM notes")
        assert list(reader.rows("SELECT * FROM notes")) == [("kept",)]


def test_a_reader_of_an_older_file_reads_it_in_its_newest_version(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    note(path)
    before = path.read_bytes()
    with closing(open_readonly(path, with_more(FIRST))) as reader:
        assert reader.rows("SELECT * FROM notes") == [("kept",)]
        assert reader.rows("SELECT * FROM more") == []
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_reader_sees_committed_rows_only(tmp_path: Path) -> None:
    path = tmp_path / "a ?#%.sqlite"
    writer = open_database(path, FIRST)
    writer.execute("INSERT INTO notes VALUES ('one')")
    reader = open_readonly(path, FIRST)

    def fail() -> None:
        with writer.transaction():
            writer.execute("INSERT INTO notes VALUES ('two')")
            assert reader.row("SELECT count(*) FROM notes") == (1,)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert writer.row("SELECT count(*) FROM notes") == (1,)  # rolled back
    with writer.transaction():
        writer.execute("INSERT INTO notes VALUES ('two')")
        assert reader.row("SELECT count(*) FROM notes") == (1,)
    rows = iter(reader.rows("SELECT * FROM notes"))
    assert next(rows) == ("one",)
    reader.close()
    writer.close()
    assert next(rows) == ("two",)  # rows stay readable


def test_a_file_locked_by_another_connection_can_be_closed(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    mine, other = open_database(path, KNOWLEDGE_SCHEMA), open_database(path, KNOWLEDGE_SCHEMA)
    mine.execute("PRAGMA busy_timeout = 0")
    marks = [(f"run-{n}", n) for n in range(1000)]
    with mine.transaction():
        mine.execute_many("INSERT INTO deliveries VALUES (?, ?)", marks)
        mine.execute("INSERT INTO archive (scope, key, archived_at, row) VALUES ('', '', 0, '')")
    mine.rows("SELECT * FROM ltm_entries WHERE scope = 'a' AND kind = 'b' AND closed = ''")
    with other.transaction():
        mine.close()
    other.close()
    again = open_readonly(path, KNOWLEDGE_SCHEMA)
    assert again.row("SELECT count(*) FROM deliveries") == (1000,)
    again.close()


def test_a_closed_file_can_be_read_where_no_companion_can_be_created(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    note(path)
    # Prevents the companion file, as a read-only folder does, even for root.
    (tmp_path / "a.sqlite-shm").symlink_to("nowhere")
    reader = open_readonly(path, FIRST)
    assert reader.rows("SELECT * FROM notes") == [("kept",)]
    reader.close()
    (tmp_path / "a.sqlite-wal").write_bytes(b"committed, but not yet in the file")
    with pytest.raises(StoreError, match="cannot be used"):
        open_readonly(path, FIRST)


@pytest.mark.parametrize("name", [":memory:", "file:a.sqlite?mode=memory", " "])
def test_names_with_a_special_meaning_in_sqlite_name_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    note(Path(name))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    reader = open_readonly(Path(name), FIRST)
    assert reader.rows("SELECT * FROM notes") == [("kept",)]
    reader.close()


def test_a_path_that_is_not_a_file_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path()):
        with pytest.raises(StoreError) as caught:
            open_or_quarantine(path, FIRST)
        assert str(caught.value).startswith(f"{path} exists and is not a file; ")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_invalid_text_is_reported_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    database = open_database(path, FIRST)
    database.execute("INSERT INTO notes VALUES (CAST(x'22ff0a22' AS TEXT))")
    with pytest.raises(CorruptStore) as caught:
        database.rows("SELECT text FROM notes")
    assert str(caught.value).startswith(f"{path} is damaged (Could not decode")
    assert "\n" not in str(caught.value)
    database.close()


def test_a_connection_has_crash_safe_settings(tmp_path: Path) -> None:
    database = open_database(tmp_path / "a.sqlite", FIRST)
    assert database.row("PRAGMA journal_mode") == ("wal",)
    assert database.row("PRAGMA synchronous") == (1,)
    assert database.row("PRAGMA foreign_keys") == (1,)
    assert database.row("PRAGMA busy_timeout") == (5000,)
    database.close()


def test_a_rollback_journal_is_used_without_shared_memory(tmp_path: Path) -> None:
    # This VFS has no shared memory, like some network mounts.
    uri = f"file:{tmp_path / 'a.sqlite'}?vfs=unix-dotfile"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        _choose_journal(connection)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        connection.execute("CREATE TABLE t (x)")


SCHEMAS = (RUN_SCHEMA, KNOWLEDGE_SCHEMA)

each_kind = pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)


def with_more(schema: Schema) -> Schema:
    """Return the schema of a next version: one more migration at the end of the list."""
    more = ("CREATE TABLE more (x)",)
    return replace(schema, migrations=(*schema.migrations, more))


@each_kind
def test_a_migrated_file_has_the_schema_of_a_new_one(tmp_path: Path, schema: Schema) -> None:
    assert all(statement.startswith("CREATE ") for statement in schema.migrations[0])
    path, later = tmp_path / "old.sqlite", with_more(schema)
    open_database(path, schema).close()
    for _ in range(2):  # migrating twice changes nothing
        with (
            closing(open_database(path, later)) as migrated,
            closing(open_database(tmp_path / "new.sqlite", later)) as new,
        ):
            assert shape(migrated) == shape(new)
            assert migrated.row("PRAGMA user_version") == (later.newest,)
            assert migrated.row("PRAGMA integrity_check") == ("ok",)


def test_c07_a_numbered_migration_keeps_the_observations_of_an_older_run(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="r")) as store:
        store.observations.add(
            store.next_session(), [Observed("seen", "a thing", 5)], tick=4, game_s=2.0
        )
        store.commit()
    for _ in range(2):
        with closing(open_database(path, with_more(RUN_SCHEMA))) as database:
            assert database.rows("SELECT type, content FROM observations") == [("seen", "a thing")]
            assert database.row("PRAGMA user_version") == (2,)


@each_kind
def test_a_newer_file_is_refused_and_unchanged(tmp_path: Path, schema: Schema) -> None:
    path = tmp_path / "a.sqlite"
    open_database(path, with_more(schema)).close()
    before = path.read_bytes()
    for opened in OPENERS:
        with pytest.raises(NewerStore) as caught:
            opened(path, schema)
        known = schema.newest
        line = f"{path} has version {known + 1}, this program knows {known}; update the program."
        assert str(caught.value) == line
    assert path.read_bytes() == before


@each_kind
@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_file_of_an_older_version_is_refused_in_one_line_and_unchanged(
    tmp_path: Path, schema: Schema, version: int
) -> None:
    if version >= schema.oldest:
        pytest.skip("it is supported")
    path, which = tmp_path / "a.sqlite", f"of version {version}" if version else "before version 1"
    application_id = schema.application_id if version else schema.retired
    older = Schema(
        schema.name, application_id, (("CREATE TABLE run (x)",),), oldest=max(version, 1)
    )
    open_database(path, older).close()
    before = path.read_bytes()
    refused = which + r", which is no longer supported; move it away\.$"
    for opened in OPENERS:
        with pytest.raises(StoreError, match=refused):
            opened(path, schema)
    with pytest.raises(StoreError, match=refused):
        open_intact(path)
    if schema is KNOWLEDGE_SCHEMA:
        with pytest.raises(StoreError, match=refused):  # and it is not quarantined as damaged
            open_knowledge_store(path, now=NOON)
    flaw = file_fault(path)
    assert flaw is not None
    assert "\n" not in str(flaw)
    assert path.read_bytes() == before


def test_a_run_can_be_copied_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    blackboard = Blackboard(store)
    reader = read_run_store(path)
    for tick in range(1, 40):
        store.record.append(step(tick))
        blackboard.write(WORKING, "n", {"n": tick}, tick=tick, game_s=float(tick))
        if tick % 10 == 0:
            store.commit(checkpoint=checkpoint(tick))
            source = store if tick % 20 else reader
            source.backup(tmp_path / f"copy-{tick}.sqlite")
    store._database.execute("BEGIN IMMEDIATE")  # as in the middle of a commit
    store._database.execute("DELETE FROM steps")
    reader.backup(tmp_path / "meanwhile.sqlite")
    store._database.execute("ROLLBACK")
    reader.close()
    store.close()
    for tick, name in [(10, "copy-10"), (20, "copy-20"), (30, "copy-30"), (30, "meanwhile")]:
        copy = tmp_path / f"{name}.sqlite"
        assert sorted(each.name for each in tmp_path.glob(f"{name}*")) == [copy.name]
        again = open_run_store(copy, run_id="other")
        assert again.run_id == "run-1"
        assert [row.tick for row in again.record.steps()] == list(range(1, tick + 1))
        assert again.checkpoints.latest() == checkpoint(tick)
        assert [each.data["n"] for each in again.live_entries()] == list(range(1, tick + 1))
        again.close()
        open_readonly(copy, RUN_SCHEMA).close()


def test_a_copy_overwrites_no_file_and_leaves_no_unfinished_one(
    tmp_path: Path, store: RunStore
) -> None:
    (tmp_path / "letter.txt").write_text("foreign", encoding="utf-8")
    with pytest.raises(StoreError, match=r"letter\.txt exists; name a path"):
        store.backup(tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "foreign"
    with pytest.raises(StoreError, match=r"cannot be written \(No such file"):
        store.backup(tmp_path / "no such folder" / "copy.sqlite")
    assert not list(tmp_path.glob("*copy*"))
