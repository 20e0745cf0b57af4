"""Memory files named by the owner: detection of their kind and integrity checks. No file is changed or moved.

SQLite has no page checksums, so a lost page inside a long text can stay unnoticed: texts that must be JSON are checked
as well.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from memory.errors import CorruptStore, ForeignStore, MissingStore, RunFolderError, StoreError
from memory.store.checks.finding import knowledge_content
from memory.store.database import MAGIC, Database, open_readonly
from memory.store.schema import KNOWLEDGE_SCHEMA, RUN_FILE, RUN_SCHEMA, Schema

_JSON: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {  # by kind of file and table: columns
    RUN_SCHEMA.name: {
        "events": ("payload",),
        "outbox": ("payload",),
        "entries": ("data", "tags", "sources"),
        "parts": ("data",),
        "strategist_checkpoints": ("data",),
    },
    KNOWLEDGE_SCHEMA.name: {
        "contributions": ("contribution", "evidence"),
        "archive": ("row",),
        "ltm_entries": ("data", "tags", "sources", "merged"),
    },
}
_WITH_DEAD_ROWS: Final = frozenset({"events", "outbox"})
KINDS: Final = (KNOWLEDGE_SCHEMA, RUN_SCHEMA)
_HEADER: Final = 100  # bytes
_APPLICATION_ID_AT: Final = 68  # offset of the application id in the header


class OpenedFile(NamedTuple):
    """An intact file, open for reading, with its kind."""

    path: Path
    schema: Schema
    database: Database

    @property
    def is_run(self) -> bool:
        """Whether it is the file of one run."""
        return self.schema is RUN_SCHEMA


def store_file(path: Path) -> Path:
    """Return the file at `path`, or the store of the run folder at `path`.

    Raises StoreError when there is no readable file.
    """
    if path.is_dir():
        if not (path / RUN_FILE).exists():
            raise RunFolderError(
                f"{path} is a folder without {RUN_FILE}; name the folder of a run, or a memory file"
            )
        path = path / RUN_FILE
    try:
        found = path.stat()
    except FileNotFoundError:
        message = f"{path} does not exist; name a memory file, or the folder of a run"
        raise MissingStore(message) from None
    except OSError as error:
        message = f"{path} cannot be reached ({error.strerror}); name a memory file"
        raise StoreError(message) from error
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"{path} is not a file; name a memory file, or the folder of a run")
    if not os.access(path, os.R_OK):
        message = f"{path} cannot be read (permission denied); ask its owner, or name another file"
        raise StoreError(message)
    if not found.st_size:
        message = f"{path} is empty: nothing was ever stored in it; remove it, or name another file"
        raise ForeignStore(message)
    _require_header(path)
    return path


def open_intact(path: Path, kinds: tuple[Schema, ...] = KINDS) -> OpenedFile:
    """Open the file at `path`, of one of `kinds`, after an integrity check of all pages.

    Raises StoreError, in one line, with the fault and what to do.
    """
    file = store_file(path)
    for schema in kinds:
        try:
            database = open_readonly(file, schema)
        except ForeignStore:
            continue
        try:
            require_intact_pages(database)
        except BaseException:
            database.close()
            raise
        return OpenedFile(file, schema, database)
    names = " nor a ".join(each.name for each in kinds)
    raise ForeignStore(f"{file} is not a {names}; name another file")


def file_fault(path: Path) -> StoreError | None:
    """Return the fault of the file at `path`, in one line, or None when it is intact and readable."""
    try:
        opened = open_intact(path)
        with closing(opened.database):
            require_valid_json(opened.database, opened.schema)
            if opened.schema is KNOWLEDGE_SCHEMA:
                _require_readable_rows(opened.database)
    except StoreError as flaw:
        return flaw
    return None


def _require_readable_rows(database: Database) -> None:
    """Raise CorruptStore for knowledge that no game can be played with."""
    if unreadable := knowledge_content(database).unreadable:
        message = (
            f"{database.path} is damaged (its entry {unreadable[0].key} cannot be read); "
            "put back a copy of it"
        )
        raise CorruptStore(message)


def _require_header(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(_HEADER)
    if head.startswith(MAGIC):
        return
    mark = int.from_bytes(head[_APPLICATION_ID_AT : _APPLICATION_ID_AT + 4], "big")
    if mark in {each.application_id for each in KINDS}:
        message = f"{path} is damaged (its first bytes are not SQLite's); put back a copy of it"
        raise CorruptStore(message)
    raise ForeignStore(f"{path} is not a SQLite file; name a memory file, or the folder of a run")


def require_intact_pages(database: Database) -> None:
    """Raise CorruptStore when pages of the file are inconsistent."""
    report = database.rows("PRAGMA quick_check(1)")
    if report != [("ok",)]:
        with database.decoding("quick_check"):
            text = str(report[0][0])
        raise CorruptStore(
            f"{database.path} is damaged ({' '.join(text.split())[:120]}); put back a copy of it"
        )


def require_valid_json(database: Database, schema: Schema) -> None:
    """Raise CorruptStore for a text that must be JSON and is not."""
    for table, columns in _JSON[schema.name].items():
        wrong = " OR ".join(f"NOT json_valid({each})" for each in columns)
        # A repair leaves unreadable rows of these in the file, for no reader.
        live = "live = 1 AND " if table in _WITH_DEAD_ROWS else ""
        # The names are our own.
        if database.row(f"SELECT 1 FROM {table} WHERE {live}({wrong}) LIMIT 1"):  # noqa: S608
            message = f"{database.path} is damaged (a text of its {table} cannot be read); put back a copy of it"
            raise CorruptStore(message)
