"""Read-only access to a SQLite file of another program: no file is created, changed or moved. Standard library only."""

import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from memory.errors import BusyStore, CorruptStore, ForeignStore, MissingStore, StoreError

_HEAD: Final = b"SQLite format 3\0"
_READ_VERSION: Final = 19  # the header byte that is 2 for a write-ahead log
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
MAX_TEXT: Final = 16 << 20  # bytes of one value
# Of columns alone: an expression, or a condition, would be evaluated at each write.
_PLAIN_INDEX: Final = re.compile(r"[^(]*\([\w\s\"`\[\],]*\)\s*")


class ReadOnlyFile:
    """An open file for queries only. Errors are raised as StoreError, in one line."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`.

        Raises StoreError when it does not exist or is not a readable SQLite file.
        """
        self.path = path
        _require_sqlite(path)
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with _translated_errors(path):
            self._connection = sqlite3.connect(self._uri(), uri=True, isolation_level=None)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT)
            # Invalid UTF-8 is replaced.
            self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self._connection.execute("PRAGMA busy_timeout = 5000")
            self._connection.execute("PRAGMA query_only = ON")
            self._connection.execute("PRAGMA trusted_schema = OFF")

    def require_plain(self, table: str) -> None:
        """Raise ForeignStore unless `table` holds rows and nothing of it can run: no view, trigger or computed column.

        Other tables are not looked at: Tapes of any era, and other programs, have their own.
        """
        rows = self.rows(
            "SELECT type, name, sql FROM sqlite_schema WHERE lower(tbl_name) = :table",
            {"table": table},
        )
        fault = "" if rows else f"it has no table {table}"
        for kind, name, sql in rows:
            if kind == "table":
                is_plain = not str(sql).upper().lstrip().startswith("CREATE VIRTUAL")
            else:
                is_index = kind == "index"
                is_plain = is_index and (sql is None or bool(_PLAIN_INDEX.fullmatch(str(sql))))
            if not is_plain:
                fault = f"{'a virtual table' if kind == 'table' else f'its {kind}'} {name!r:.40}"
        hidden = "SELECT 1 FROM pragma_table_xinfo(:table) WHERE hidden > 0"
        if not fault and self.rows(hidden, {"table": table}):
            fault = f"{table} has a computed column"
        if fault:
            raise ForeignStore(f"{self.path} is not a tape ({fault}); name another file.")

    def rows(
        self, sql: str, parameters: Mapping[str, object] | None = None
    ) -> list[tuple[Any, ...]]:
        """Return all rows of a query at once."""
        with _translated_errors(self.path):
            return self._connection.execute(sql, parameters or {}).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _uri(self) -> str:
        """Return the URI to open the file with, so that SQLite creates no companion files."""
        log = self.path.with_name(f"{self.path.name}-wal")
        index = self.path.with_name(f"{self.path.name}-shm")
        has_log = log.exists() and log.stat().st_size > 0
        uses_log = _head(self.path)[_READ_VERSION:] == b"\x02"
        if not has_log and not index.exists() and uses_log:
            return _named(self.path, "&immutable=1")  # no process has it open, and its log is empty
        if has_log and not index.exists():
            # The writer of the log has ended; reading the log creates an index, so a copy is read.
            self._copy = tempfile.TemporaryDirectory(prefix="tape-")
            copy = Path(self._copy.name) / self.path.name
            shutil.copyfile(log, copy.with_name(log.name))
            shutil.copyfile(self.path, copy)
            return _named(copy)
        return _named(self.path)


def _named(path: Path, more: str = "") -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro{more}"


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_READ_VERSION + 1)


def _require_sqlite(path: Path) -> None:
    try:
        if path.exists() and not path.is_file():
            raise StoreError(f"{path} cannot be read (it is no file); name a tape.")
        head = _head(path)
    except FileNotFoundError:
        message = f"{path} does not exist; name a tape, such as .tapes/tapes.sqlite."
        raise MissingStore(message) from None
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); name a readable tape."
        raise StoreError(message) from error
    if not head.startswith(_HEAD):
        message = f"{path} is not a SQLite file; name a tape, such as .tapes/tapes.sqlite."
        raise ForeignStore(message)


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED | {sqlite3.SQLITE_TOOBIG}:
            message = f"{path} is damaged ({error}); put back a copy of it, or name another tape."
            raise CorruptStore(message) from error
        if code in _BUSY:
            message = f"{path} is locked by another process ({error}); try again when that is done."
            raise BusyStore(message) from error
        raise StoreError(f"{path} cannot be read ({error}); name another tape.") from error
