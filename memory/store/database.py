"""The only module that imports sqlite3 for writing: opens, migrates, transacts and quarantines files of any content."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import quote

from memory.errors import (
    BusyStore,
    CorruptStore,
    ForeignStore,
    MalformedRecord,
    MissingStore,
    NewerStore,
    RetiredStore,
    StoreError,
)
from memory.file_access import new_file, real_path, sync

Values: TypeAlias = Sequence[object] | Mapping[str, object]  # by position or by name
Made = TypeVar("Made")

COMPANIONS: Final = ("-wal", "-shm", "-journal")  # files that SQLite keeps next to a database
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_COMPANION: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_DECODE_ERROR: Final = "Could not decode"  # an error of the sqlite3 module, without a code
MAGIC: Final = b"SQLite format 3\0"


RUN_FILE: Final = "run.sqlite"  # in the folder of a run
MEMORY_ID: Final = 0x52454412
RUN_ID: Final = 0x52454411
NAMES: Final = {MEMORY_ID: "memory file", RUN_ID: "record of a run"}  # of files, by application id
EXAMPLES: Final = {MEMORY_ID: "memory.sqlite", RUN_ID: RUN_FILE}


@dataclass(frozen=True, slots=True)
class Schema:
    """One kind of file: its name, its application id in the header, and its migrations.

    Each migration is a tuple of statements. The list is only ever appended to; existing items never change. `retired` is the
    application id of files from before version 1, which are refused.
    """

    name: str
    application_id: int
    migrations: tuple[tuple[str, ...], ...]
    retired: int = 0


class Database:
    """One open file. Errors are raised as StoreError, in one line."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._identity = _identity(path)

    @property
    def is_in_place(self) -> bool:
        """Whether the open file still has its path; another program may have moved or replaced it."""
        return _identity(self.path) == self._identity

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock for the body; commit at the end, or roll back when the body raises.

        Within another transaction it becomes a part of that one.
        """
        is_part = self._connection.in_transaction
        self.execute("SAVEPOINT part" if is_part else "BEGIN IMMEDIATE")
        try:
            yield
            self.execute("RELEASE part" if is_part else "COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                if is_part:
                    self._connection.execute("ROLLBACK TO part")
                    self._connection.execute("RELEASE part")
                else:
                    self._connection.rollback()
            raise

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> int:
        """Run one statement, and return how many rows it changed."""
        with _translated_errors(self.path):
            return self._connection.execute(sql, parameters).rowcount

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row."""
        with _translated_errors(self.path):
            self._connection.executemany(sql, rows)

    def define(self, name: str, arguments: int, function: Callable[..., float]) -> None:
        """Define the pure SQL function `name`."""
        with _translated_errors(self.path):
            self._connection.create_function(name, arguments, function, deterministic=True)

    def rows(self, sql: str, parameters: Values = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query at once, so that no query stays open."""
        with _translated_errors(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row of a query, or None."""
        with _translated_errors(self.path):
            found: tuple[Any, ...] | None = self._connection.execute(sql, parameters).fetchone()
            return found

    def read(
        self, what: str, make: Callable[[Any], Made], sql: str, parameters: Values = ()
    ) -> list[Made]:
        """Return `make(row)` for each row of a query; an error of `make` raises CorruptStore that names `what`."""
        rows = self.rows(sql, parameters)
        with self.decoding(what):
            return [make(row) for row in rows]

    @contextmanager
    def decoding(self, what: str) -> Iterator[None]:
        """Raise CorruptStore for errors of the body, which decodes `what` from this file."""
        try:
            yield
        except (AttributeError, LookupError, TypeError, ValueError, MalformedRecord) as error:
            raise _damaged(self.path, f"{what}: {error!r}") from error

    def backup(self, path: Path, *, replaces: bool = False) -> None:
        """Copy the committed content to a file at `path`; other processes may write meanwhile.

        An existing file is overwritten only with `replaces`, and an unfinished copy has another name.
        """
        try:
            with _translated_errors(path), new_file(path, replaces=replaces) as new:
                try:
                    with closing(sqlite3.connect(new.absolute())) as copy:
                        self._connection.backup(copy)
                        copy.execute("PRAGMA journal_mode = DELETE")  # complete without companions
                finally:
                    for suffix in COMPANIONS:
                        new.with_name(new.name + suffix).unlink(missing_ok=True)
        except FileExistsError:
            what = "is a link" if path.is_symlink() else "exists"
            message = f"{path} {what}; name a path without a file for the copy of {self.path}."
            raise StoreError(message) from None
        except OSError as error:
            message = f"{path} cannot be written ({error.strerror}); name another path for the copy of {self.path}."
            raise StoreError(message) from error

    def second_connection(self) -> Database:
        """Return a second connection to the same file: any thread may use it, one at a time.

        Its commits survive even a loss of power.
        """
        with _translated_errors(self.path):
            connection = sqlite3.connect(
                self.path.absolute(), isolation_level=None, check_same_thread=False
            )
            with _configured(connection):
                connection.execute("PRAGMA synchronous = FULL")
        return Database(self.path, connection)

    def defer_log_checkpoints(self) -> None:
        """Leave the write-ahead log to calls of `checkpoint_log`, up to 16 MB of it.

        SQLite would write it into the file within the commit that fills it, and that commit would wait for the disk.
        """
        self.execute("PRAGMA wal_autocheckpoint = 4000")

    def checkpoint_log(self) -> None:
        """Write the write-ahead log into the file, as far as no reader needs it."""
        self.rows("PRAGMA wal_checkpoint(PASSIVE)")

    def in_memory_copy(self) -> Database:
        """Return an in-memory copy of the committed content."""
        with _translated_errors(self.path):
            copy = sqlite3.connect(":memory:", isolation_level=None)
            self._connection.backup(copy)
        return Database(self.path, copy)

    def close(self) -> None:
        """Close the file, with an empty write-ahead log."""
        with _translated_errors(self.path), closing(self._connection) as connection:
            if not connection.execute("PRAGMA query_only").fetchone()[0]:
                with suppress(sqlite3.OperationalError):  # another process has the file open
                    connection.execute("PRAGMA optimize")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def insert_into(table: str, columns: Sequence[str]) -> str:
    """Return the statement that inserts these columns into one of our tables."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


def select_from(table: str, columns: Sequence[str]) -> str:
    """Return the query for these columns of one of our tables; conditions may be appended."""
    return f"SELECT {', '.join(columns)} FROM {table} "  # noqa: S608


class Reader:
    """A reader of tables of one open file."""

    def __init__(self, database: Database) -> None:
        self._database = database


def open_database(path: Path, schema: Schema, *, quarantine_damaged: bool = False) -> Database:
    """Open the file at `path`, after creating or migrating it; a damaged file is refused.

    With `quarantine_damaged` a damaged file is renamed first. A file that is not SQLite belongs to another program: it is
    refused and stays in place.
    """
    _refuse_foreign(path)
    try:
        connection = _connect(path)
    except CorruptStore as error:
        if not quarantine_damaged:
            raise
        kept = quarantine(path, "damaged")
        message = f"{path} is damaged and was renamed to {kept}; start again for a new one."
        raise CorruptStore(message) from error
    with _translated_errors(path), _configured(connection):
        _migrate(path, connection, schema)
    return Database(path, connection)


def open_foreign(path: Path, tables: Sequence[str]) -> Database:
    """Open a file that another program reads too; a new one is created by the statements of `tables`.

    Its header has no application id, and any thread may use it, one at a time. Closing it removes its write-ahead log.
    """
    _refuse_foreign(path)
    with _translated_errors(path):
        connection = sqlite3.connect(path.absolute(), isolation_level=None, check_same_thread=False)
        with _configured(connection):
            _choose_journal(connection)
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                for statement in tables:
                    connection.execute(statement)
            connection.execute("COMMIT")
    return Database(path, connection)


def in_memory(schema: Schema) -> Database:
    """Return an empty in-memory database with this schema."""
    path = Path(f"in-memory {schema.name}")
    with _translated_errors(path):
        connection = sqlite3.connect(":memory:", isolation_level=None)
        _migrate(path, connection, schema)
    return Database(path, connection)


def open_readonly(path: Path, schema: Schema) -> Database:
    """Open the file at `path` for reading; no file is created, changed or moved."""
    _require_file(path, schema)
    with _translated_errors(path):
        connection = _connect_readonly(path)
        with _configured(connection):
            connection.execute("PRAGMA query_only = ON")
            version = _version(path, connection, schema)
            if version < len(schema.migrations):
                message = f"{path} has version {version}; open it for writing once to update it."
                raise StoreError(message)
    return Database(path, connection)


def _require_file(path: Path, schema: Schema) -> None:
    """Raise MissingStore, with what `path` is instead, unless it is a file."""
    if path.is_file():
        return
    if path.is_dir():
        what = "is the folder of a run" if (path / RUN_FILE).is_file() else "is a folder"
    else:
        what = "is not a file" if path.exists() else "does not exist"
    message = f"{path} {what}; name {_wanted(schema)}"
    raise MissingStore(message)


def _wanted(schema: Schema) -> str:
    example = EXAMPLES.get(schema.application_id)
    return f"a {schema.name}, such as {example}" if example else f"a {schema.name}"


def copy_database(path: Path, schema: Schema, to: Path) -> None:
    """Copy the file at `path`, of any version; no other file is created, changed or moved."""
    _require_file(path, schema)
    _refuse_foreign(path)
    with _translated_errors(path):
        # A file that no process has open is read as immutable, which creates no companions.
        is_alone = _is_self_contained(path) and not path.with_name(f"{path.name}-shm").exists()
        connection = _connect_immutable(path) if is_alone else _connect_readonly(path)
        with closing(connection):
            connection.execute("PRAGMA busy_timeout = 5000")
            _version(path, connection, schema)
            report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise _damaged(path, report)
            Database(path, connection).backup(to)


def unused_path(path: Path, word: str) -> Path:
    """Return an unused path next to `path`: its name, a word, and a number."""
    names = (path.with_name(f"{path.name}.{word}-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def quarantine(path: Path, word: str) -> Path:
    """Rename the file at `path`, and its companions, to an unused name with `word`, and return the new path."""
    quarantined = unused_path(path, word)
    path.rename(quarantined)
    for suffix in COMPANIONS:
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(quarantined.with_name(quarantined.name + suffix))
    return quarantined


def restore_copy(copy: Path, path: Path, *, aside: str = "") -> Path | None:
    """Write a copy of the complete file `copy` to `path`, synced to disk before the rename; `copy` stays.

    An existing file is renamed with the word `aside`, and its new path returned; without a word it is overwritten. It stays
    unchanged when there is no space for the copy. Its remaining companions are deleted, since they do not fit the copy.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as new:
        shutil.copyfile(copy, new)
        sync(new)
        moved = quarantine(path, aside) if aside and os.path.lexists(path) else None
        for suffix in COMPANIONS:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    return moved


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file, None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connect_readonly(path: Path) -> sqlite3.Connection:
    path = real_path(path)  # SQLite keeps the companions next to the file that a link leads to
    # A read-write connection removes the companions that reading created; existing ones belong to another process.
    companions = [path.with_name(path.name + suffix) for suffix in COMPANIONS]
    mode = "ro" if any(each.exists() for each in companions) else "rw"
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF not in _NO_COMPANION or not _is_self_contained(path):
            raise
        # Reading a file with a write-ahead log creates a companion, which a read-only folder refuses.
        return _connect_immutable(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_immutable(path: Path) -> sqlite3.Connection:
    """Open a file that no process writes to, as immutable."""
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _is_self_contained(path: Path) -> bool:
    """Return whether no committed content is in companions of the file."""
    path = real_path(path)
    companions = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    return not any(each.exists() and each.stat().st_size for each in companions)


def _connect(path: Path) -> sqlite3.Connection:
    with _translated_errors(path):
        # Absolute, because names like ":memory:" have a special meaning in SQLite.
        connection = sqlite3.connect(path.absolute(), isolation_level=None)
        with _configured(connection):
            report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise _damaged(path, report)
            _choose_journal(connection)
    return connection


@contextmanager
def _configured(connection: sqlite3.Connection) -> Iterator[None]:
    """Configure a connection, which is closed when the body fails."""
    try:
        connection.execute("PRAGMA busy_timeout = 5000")
        connection.execute("PRAGMA foreign_keys = ON")
        yield
    except BaseException:
        connection.close()
        raise


def _choose_journal(connection: sqlite3.Connection) -> None:
    """Select a write-ahead log, or a rollback journal where the file system has no shared memory."""
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise
        mode = None
    if mode == "wal":
        connection.execute("PRAGMA synchronous = NORMAL")
    else:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = FULL")  # NORMAL is safe only with a log


def _version(path: Path, connection: sqlite3.Connection, schema: Schema) -> int:
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application_id != schema.application_id and (application_id or tables):
        if application_id and application_id == schema.retired:
            message = f"{path} is a {schema.name} from before version 1, which is no longer supported; move it away."
            raise RetiredStore(message)
        other = NAMES.get(application_id)
        what = f"is a {other}" if other else f"is not a {schema.name}"
        message = f"{path} {what}; name {_wanted(schema)}"
        raise ForeignStore(message)
    known = len(schema.migrations)
    if version > known:
        message = f"{path} has version {version}, this program knows {known}; update the program."
        raise NewerStore(message)
    return int(version)


def _migrate(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    while (version := _version(path, connection, schema)) < len(schema.migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Read again under the lock: another process may have migrated it.
            if _version(path, connection, schema) == version:
                for statement in schema.migrations[version]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {schema.application_id}")
                connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            connection.rollback()
            raise


def _refuse_foreign(path: Path) -> None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            message = f"{path} exists and is not a file; name a file, or a path without one."
            raise StoreError(message)
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError:
        return  # missing, or SQLite will report more
    if head and head != MAGIC:
        message = f"{path} is not a SQLite file; name another one, or move it away."
        raise ForeignStore(message)


def _damaged(path: Path, why: str) -> CorruptStore:
    line = " ".join(why.split())[:200]  # it may quote file content
    return CorruptStore(f"{path} is damaged ({line}); put back a copy of it, or name another file.")


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite into StoreError, with the file's name and what to do."""
    try:
        yield
    except UnicodeDecodeError as error:  # the message of SQLite quotes invalid text
        raise _damaged(path, f"{error.reason} in its own description") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED or str(error).startswith(_DECODE_ERROR):
            raise _damaged(path, str(error)) from error
        if code in _BUSY:
            message = f"{path} is locked by another process ({error}); try again when that is done."
            raise BusyStore(message) from error
        message = f"{path} cannot be used ({error}); check its folder, free space and other users."
        raise StoreError(message) from error
