"""Both kinds of file at version 1, what a later version will do to them, and files from before."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory import Observed, StoreError, open_knowledge_store, open_run_store
from memory.errors import NewerStore
from memory.store.database import Database, Schema, open_database, open_readonly
from memory.store.files import flaw_in, open_sound
from memory.store.schema import KNOWLEDGE_SCHEMA, RUN_SCHEMA
from tests.memory.samples import NOON

SCHEMAS = (RUN_SCHEMA, KNOWLEDGE_SCHEMA)
OPENERS: tuple[Callable[[Path, Schema], Database], ...] = (open_database, open_readonly)

each_kind = pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)


def with_more(schema: Schema) -> Schema:
    """Return what the next version will be like: one more migration at the end of the list."""
    more = ("CREATE TABLE more (x)",)
    return Schema(schema.name, schema.application_id, (*schema.migrations, more))


def shape(database: Database) -> list[tuple[Any, ...]]:
    return database.rows(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat*' ORDER BY name"
    )


@each_kind
def test_the_list_of_migrations_begins_with_one_item_that_only_makes(schema: Schema) -> None:
    (first,) = schema.migrations
    assert all(statement.startswith("CREATE ") for statement in first)


@each_kind
def test_a_file_of_version_1_becomes_what_a_new_one_of_the_next_is(
    tmp_path: Path, schema: Schema
) -> None:
    path, later = tmp_path / "old.sqlite", with_more(schema)
    open_database(path, schema).close()
    for _ in range(2):  # migrating twice changes nothing
        with (
            closing(open_database(path, later)) as migrated,
            closing(open_database(tmp_path / "new.sqlite", later)) as new,
        ):
            assert shape(migrated) == shape(new)
            assert migrated.row("PRAGMA user_version") == (2,)
            assert migrated.row("PRAGMA integrity_check") == ("ok",)


def test_c07_a_numbered_migration_keeps_the_observations_of_an_older_run(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="r")) as store:
        store.add_observations(
            store.next_session(), [Observed("seen", "a thing", 5)], tick=4, game_s=2.0
        )
        store.commit()
    for _ in range(2):
        with closing(open_database(path, with_more(RUN_SCHEMA))) as database:
            assert database.rows("SELECT type, content FROM observations") == [("seen", "a thing")]
            assert database.row("PRAGMA user_version") == (2,)


@each_kind
def test_a_newer_file_is_refused_and_left_as_it_is(tmp_path: Path, schema: Schema) -> None:
    path = tmp_path / "a.sqlite"
    open_database(path, with_more(schema)).close()
    before = path.read_bytes()
    for opened in OPENERS:
        with pytest.raises(NewerStore, match=r"update the program\.$"):
            opened(path, schema)
    assert path.read_bytes() == before


@each_kind
def test_a_file_from_before_version_1_is_refused_in_one_line_and_left_as_it_is(
    tmp_path: Path, schema: Schema
) -> None:
    path = tmp_path / "a.sqlite"
    open_database(path, Schema(schema.name, schema.retired, (("CREATE TABLE run (x)",),))).close()
    before = path.read_bytes()
    refused = r"from before version 1, which is not read any more; move it away\.$"
    for opened in OPENERS:
        with pytest.raises(StoreError, match=refused):
            opened(path, schema)
    with pytest.raises(StoreError, match=refused):
        open_sound(path)
    if schema is KNOWLEDGE_SCHEMA:
        with pytest.raises(StoreError, match=refused):  # and it is not set aside as damaged
            open_knowledge_store(path, now=NOON)
    flaw = flaw_in(path)
    assert flaw is not None
    assert "\n" not in str(flaw)
    assert path.read_bytes() == before
