"""Files whose schema is of no version: refused in one line by all that open them, and unchanged."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memory import CorruptStore, StoreError, file_fault, open_knowledge_store, open_run_store
from memory.errors import ForeignStore
from memory.store.database import MAX_TEXT, copy_database, open_database, open_readonly
from memory.store.schema import KNOWLEDGE_SCHEMA, RUN_SCHEMA
from memory.tapes.reader import TapeReader
from memory.tapes.tape import open_tape
from memory.team_memory import MemoryManagementAgent
from tests.memory.samples import NOON
from tests.memory.store.taught import taught
from tests.memory.tapes.tapes_files import chain, tape_file, text

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
STRANGE = {
    "a trigger that deletes": "CREATE TRIGGER t AFTER INSERT ON contributions BEGIN DELETE FROM ltm_entries; END",
    "a trigger on deliveries": "CREATE TRIGGER t AFTER INSERT ON deliveries BEGIN DELETE FROM contributions; END",
    "a trigger that ignores": "CREATE TRIGGER t BEFORE INSERT ON contributions BEGIN SELECT RAISE(IGNORE); END",
    "a trigger on an update": "CREATE TRIGGER t AFTER UPDATE ON dates BEGIN DELETE FROM archive; END",
    "a view": f"CREATE VIEW v AS {ENDLESS} SELECT i FROM n",
    "a view for a table": f"ALTER TABLE contributions RENAME TO old; CREATE VIEW contributions AS {ENDLESS} SELECT old.* FROM n, old",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5 (x)",
    "a table": "CREATE TABLE more (x)",
    "another view of a table of the design": f"DROP VIEW mistake_records; CREATE VIEW mistake_records AS {ENDLESS} SELECT i FROM n",
    "an index": "CREATE INDEX more ON archive (key)",
    "a computed column": "ALTER TABLE archive ADD COLUMN more TEXT AS (row)",
    "a column": "ALTER TABLE deliveries ADD COLUMN more TEXT",
    "a lost table": "DROP TABLE archive",
    "a lost index": "DROP INDEX open_entries",
    "a version below 0": "PRAGMA user_version = -5",
    "version 0": "PRAGMA user_version = 0",
}  # fmt: skip
OPENERS: dict[str, Callable[[Path, Path], object]] = {
    "play": lambda path, _: open_knowledge_store(path, now=NOON + 1).close(),
    "read": lambda path, _: open_readonly(path, KNOWLEDGE_SCHEMA).close(),
    "write": lambda path, _: open_database(path, KNOWLEDGE_SCHEMA).close(),
    "copy": lambda path, to: copy_database(path, KNOWLEDGE_SCHEMA, to),
    "merge": lambda path, to: MemoryManagementAgent.merge([path], to, now=NOON),
    "merge into": lambda path, to: MemoryManagementAgent.merge([taught(to)], path, now=NOON),
}


def script(path: Path, statements: str) -> bytes:
    """Run statements in a file, and return its bytes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


@pytest.mark.parametrize("statements", STRANGE.values(), ids=STRANGE)
def test_a_memory_with_a_strange_schema_is_refused_in_one_line_and_unchanged(
    tmp_path: Path, statements: str
) -> None:
    path = taught(tmp_path / "m.sqlite")
    before = script(path, statements)
    for number, opened in enumerate(OPENERS.values()):
        with pytest.raises(CorruptStore, match="is no memory file as this program") as caught:
            opened(path, tmp_path / f"{number}.sqlite")
        assert str(caught.value).startswith(f"{path} ")
        assert "\n" not in str(caught.value)
    assert isinstance(file_fault(path), CorruptStore)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*damaged*"))


def test_a_run_with_a_trigger_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    open_run_store(path, run_id="r").close()
    before = script(
        path, "CREATE TRIGGER t AFTER INSERT ON checkpoints BEGIN DELETE FROM steps; END"
    )
    with pytest.raises(CorruptStore, match="its trigger t is not in version 1"):
        open_run_store(path, run_id="r")
    with pytest.raises(CorruptStore, match="its trigger t is not in version 1"):
        open_readonly(path, RUN_SCHEMA)
    assert path.read_bytes() == before


def test_the_tables_that_sqlite_or_another_program_makes_are_no_difference(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    script(path, "ANALYZE")
    for opened in OPENERS.values():
        opened(path, tmp_path / "other.sqlite")
        (tmp_path / "other.sqlite").unlink(missing_ok=True)
    tape = tape_file(tmp_path / "tapes.sqlite", chain(("user", text("hello"))))
    more = "CREATE TABLE facets (id); CREATE VIEW v AS SELECT 1;"
    script(tape, f"{more} CREATE INDEX i ON nodes (role, model)")
    with TapeReader(tape) as reader:
        assert len(reader.list_sessions()) == 1
    open_tape(tape).close()
    empty = tmp_path / "empty.sqlite"
    script(empty, "PRAGMA user_version = 0; VACUUM")
    with pytest.raises(ForeignStore, match="nothing was ever stored"):
        open_readonly(empty, KNOWLEDGE_SCHEMA)
    open_knowledge_store(empty, now=NOON).close()
    open_readonly(empty, KNOWLEDGE_SCHEMA).close()


def test_a_text_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    script(path, f"UPDATE ltm_entries SET data = hex(zeroblob({MAX_TEXT})) WHERE kind = 'mistake'")
    for opened in (OPENERS["play"], OPENERS["merge"]):
        with pytest.raises(CorruptStore, match="a text above 16 MB") as caught:
            opened(path, tmp_path / "other.sqlite")
        assert str(caught.value).startswith(f"{path} ")


def test_rows_are_counted_before_they_are_read(tmp_path: Path) -> None:
    path, rows = taught(tmp_path / "m.sqlite"), KNOWLEDGE_SCHEMA.most_rows
    numbers = (
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= {rows}) "
        "INSERT INTO deliveries SELECT 'run ' || i, 1 FROM n"
    )
    before = script(path, numbers)
    for opened in OPENERS.values():
        with pytest.raises(StoreError, match="rows, and 150,000 are the most"):
            opened(path, tmp_path / "other.sqlite")
        (tmp_path / "other.sqlite").unlink(missing_ok=True)
    assert path.read_bytes() == before


STRANGE_TAPES = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON nodes BEGIN DELETE FROM nodes; END",
    "a view": f"ALTER TABLE nodes RENAME TO old; CREATE VIEW nodes AS {ENDLESS} SELECT old.* FROM n, old",
    "a virtual table": "DROP TABLE nodes; CREATE VIRTUAL TABLE nodes USING fts5 (hash, parent_hash, content)",
    "a computed column": "ALTER TABLE nodes ADD COLUMN more AS (hash || hash)",
    "an index of an expression": "CREATE INDEX t ON nodes (length(content))",
    "an index of some rows": "CREATE INDEX t ON nodes (hash) WHERE abs(hash) > 1",
    "a lost table": "DROP TABLE nodes",
}


@pytest.mark.parametrize("statements", STRANGE_TAPES.values(), ids=STRANGE_TAPES)
def test_a_tape_on_which_something_could_run_is_refused_and_unchanged(
    tmp_path: Path, statements: str
) -> None:
    path = tape_file(tmp_path / "tapes.sqlite", chain(("user", text("hello"))))
    before = script(path, statements)
    with pytest.raises(ForeignStore, match="is not a tape"):
        TapeReader(path)
    with pytest.raises(ForeignStore, match="is not a tape"):
        open_tape(path)
    assert path.read_bytes() == before


def test_a_folder_whose_name_is_not_utf8_holds_files(tmp_path: Path) -> None:
    folder = tmp_path / "bad\udcff\udcfe"
    folder.mkdir()
    path = taught(folder / "m.sqlite")
    for opened in OPENERS.values():
        opened(path, folder / "other.sqlite")
        (folder / "other.sqlite").unlink(missing_ok=True)
    tape = tape_file(folder / "tapes.sqlite", chain(("user", text("hello"))))
    TapeReader(tape).close()
