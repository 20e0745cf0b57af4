"""The only module that imports sqlite3 for writing: opens, migrates and transacts files of any content."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
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
    StrangeStore,
)
from memory.file_access import new_file, real_path
from memory.store.schema import (
    MORE_ROWS,
    NAMES,
    RUN_FILE,
    SHAPE,
    Schema,
    expected_shape,
    shape_fault,
    tables_in,
    wanted,
)

Values: TypeAlias = Sequence[object] | Mapping[str, object]  # by position or by name
Made = TypeVar("Made")

COMPANIONS: Final = ("-wal", "-shm", "-journal")  # files that SQLite keeps next to a database
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_NO_COMPANION: Final = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})
_DECODE_ERRORS: Final = ("Could not decode", "malformed JSON")  # errors without a code of their own
MAGIC: Final = b"SQLite format 3\0"
MAX_SQL: Final = 1 << 20
# Bytes of one value: the largest of ours are states of the game, far below 1 MB.
MAX_TEXT: Final = 16 << 20


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
                    with closing(_opened(new.absolute())) as copy:
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
            connection = _opened(self.path.absolute(), any_thread=True)
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

    def scratch_copy(self) -> Database:
        """Return a copy of the committed content that is removed when it is closed; a large one is on disk."""
        with _translated_errors(self.path):
            copy = _opened("")
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


def open_database(path: Path, schema: Schema) -> Database:
    """Open the file at `path`, after creating or migrating it; a damaged file is refused.

    A file that is not SQLite belongs to another program: it is refused too.
    """
    _refuse_foreign(path)
    connection = _connect(path, schema)
    with _translated_errors(path), _configured(connection):
        _migrate(path, connection, schema)
    return Database(path, connection)


def open_foreign(path: Path, tables: Sequence[str]) -> Database:
    """Open a file that another program reads too; a new one is created by the statements of `tables`.

    Its header has no application id, and any thread may use it, one at a time. Closing it removes its write-ahead log.
    """
    _refuse_foreign(path)
    with _translated_errors(path):
        connection = _opened(path.absolute(), any_thread=True)
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
        connection = _opened(":memory:")
        _migrate(path, connection, schema)
    return Database(path, connection)


def open_readonly(path: Path, schema: Schema) -> Database:
    """Open the file at `path` for reading; no file is created, changed or moved."""
    _require_file(path, schema)
    with _translated_errors(path):
        connection = _connect_readonly(path)
        with _configured(connection):
            version = _version(path, connection, schema)
            if not version:
                message = f"{path} is empty: nothing was ever stored in it; name {wanted(schema)}"
                raise ForeignStore(message)
            _require_size(path, connection, schema)
            if version < schema.newest:
                connection = _migrated_copy(path, connection, schema)
            connection.execute("PRAGMA query_only = ON")
    return Database(path, connection)


def _migrated_copy(
    path: Path, connection: sqlite3.Connection, schema: Schema
) -> sqlite3.Connection:
    """Return a scratch copy in the newest version, instead of a connection to an older file, which is closed."""
    copy = _opened("")
    with _configured(copy):
        connection.backup(copy)
        connection.close()
        _migrate(path, copy, schema)
    return copy


def _require_file(path: Path, schema: Schema) -> None:
    """Raise MissingStore, with what `path` is instead, unless it is a file."""
    if path.is_file():
        return
    if path.is_dir():
        what = "is the folder of a run" if (path / RUN_FILE).is_file() else "is a folder"
    else:
        what = "is not a file" if path.exists() else "does not exist"
    raise MissingStore(f"{path} {what}; name {wanted(schema)}")


def copy_database(path: Path, schema: Schema, to: Path) -> None:
    """Copy the file at `path`, of any version; no other file is created, changed or moved."""
    _require_file(path, schema)
    _refuse_foreign(path)
    with _translated_errors(path):
        # A file that no process has open is read as immutable, which creates no companions.
        is_alone = _is_self_contained(path) and not path.with_name(f"{path.name}-shm").exists()
        connection = _connect_immutable(path) if is_alone else _connect_readonly(path)
        with closing(connection), _configured(connection):
            _version(path, connection, schema)
            _require_size(path, connection, schema)
            report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if report != "ok":
                raise _damaged(path, report)
            Database(path, connection).backup(to)


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file, None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _opened(name: Path | str, *, any_thread: bool = False) -> sqlite3.Connection:
    """Open a connection to a path, a URI or a name with a meaning in SQLite, which reads no text above `MAX_TEXT`."""
    connection = sqlite3.connect(
        name,
        isolation_level=None,
        check_same_thread=not any_thread,
        uri=isinstance(name, str) and name.startswith("file:"),
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"  # any bytes, not only UTF-8


def _connect_readonly(path: Path) -> sqlite3.Connection:
    path = real_path(path)  # SQLite keeps the companions next to the file that a link leads to
    # A read-write connection removes the companions that reading created; existing ones belong to another process.
    companions = [path.with_name(path.name + suffix) for suffix in COMPANIONS]
    mode = "ro" if any(each.exists() for each in companions) else "rw"
    connection = _opened(_uri(path, mode))
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
    return _opened(_uri(path, "ro&immutable=1"))


def _is_self_contained(path: Path) -> bool:
    """Return whether no committed content is in companions of the file."""
    path = real_path(path)
    companions = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    return not any(each.exists() and each.stat().st_size for each in companions)


def _connect(path: Path, schema: Schema) -> sqlite3.Connection:
    with _translated_errors(path):
        # Absolute, because names like ":memory:" have a special meaning in SQLite.
        connection = _opened(path.absolute())
        with _configured(connection):
            _version(
                path, connection, schema
            )  # before anything that a strange schema could make run
            _require_size(path, connection, schema)
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
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
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
    """Return the version of a file of this kind whose schema is exactly that of the version; any other is refused."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application_id != schema.application_id and (application_id or tables):
        if application_id and application_id == schema.retired:
            message = f"{path} is a {schema.name} from before version 1, which is no longer supported; move it away."
            raise RetiredStore(message)
        other = NAMES.get(application_id)
        what = f"is a {other}" if other else f"is not a {schema.name}"
        raise ForeignStore(f"{path} {what}; name {wanted(schema)}")
    known = schema.newest
    if version > known:
        message = f"{path} has version {version}, this program knows {known}; update the program."
        raise NewerStore(message)
    if 0 < version < schema.oldest:
        message = f"{path} is a {schema.name} of version {version}, which is no longer supported; move it away."
        raise RetiredStore(message)
    expected = expected_shape(schema, version, _shape_of)
    found = connection.execute(SHAPE, (len(expected) + MORE_ROWS,)).fetchall()
    if fault := shape_fault(version, found, expected):
        message = f"{path} is no {schema.name} as this program writes it ({fault}); put back a copy of it, or name another file."
        raise StrangeStore(message)
    return int(version)


def _require_size(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    """Raise StoreError for a file that is too large to be read as a whole."""
    pages, unused, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    what = ""
    if schema.most_bytes and (pages - unused) * size > schema.most_bytes:
        what = f"{(pages - unused) * size >> 20:,} MB, and {schema.most_bytes >> 20:,}"
    elif schema.most_rows:
        names = tables_in(expected_shape(schema, _version(path, connection, schema), _shape_of))
        rows = sum(
            connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608  # our own
            for name in names
        )
        if rows > schema.most_rows:
            what = f"{rows:,} rows, and {schema.most_rows:,}"
    if what:
        message = f"{path} holds {what} are the most that a {schema.name} may hold; name another file, or a copy with less."
        raise StoreError(message)


def _shape_of(statements: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return what statements make of an empty file."""
    with closing(_opened(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        return connection.execute(SHAPE, (-1,)).fetchall()


def _migrate(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    while (version := _version(path, connection, schema)) < schema.newest:
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Read again under the lock: another process may have migrated it.
            if _version(path, connection, schema) == version:
                made = max(version + 1, schema.oldest)
                for statement in schema.migrations_to(made)[-1]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {schema.application_id}")
                connection.execute(f"PRAGMA user_version = {made}")
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
        raise ForeignStore(f"{path} is not a SQLite file; name another one, or move it away.")


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
        if code == sqlite3.SQLITE_TOOBIG:
            raise _damaged(path, f"it has a text above {MAX_TEXT >> 20} MB") from error
        if code in _DAMAGED or str(error).startswith(_DECODE_ERRORS):
            raise _damaged(path, str(error)) from error
        if code in _BUSY:
            message = f"{path} is locked by another process ({error}); try again when that is done."
            raise BusyStore(message) from error
        message = f"{path} cannot be used ({error}); check its folder, free space and other users."
        raise StoreError(message) from error
