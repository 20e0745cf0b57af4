"""Read-only access to a SQLite file of another program: no file is created, changed or moved. Standard library only."""

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
            # Invalid UTF-8 is replaced.
            self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self._connection.execute("PRAGMA busy_timeout = 5000")
            self._connection.execute("PRAGMA query_only = ON")

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
        if not has_log and not index.exists() and _uses_log(self.path):
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
    return f"file:{quote(str(path.absolute()))}?mode=ro{more}"


def _uses_log(path: Path) -> bool:
    return _head(path)[_READ_VERSION:] == b"\x02"


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_READ_VERSION + 1)


def _require_sqlite(path: Path) -> None:
    try:
        if path.exists() and not path.is_file():
            message = f"{path} cannot be read (it is no file); name a tape."
            raise StoreError(message)
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
        if code in _DAMAGED:
            message = f"{path} is damaged ({error}); put back a copy of it, or name another tape."
            raise CorruptStore(message) from error
        if code in _BUSY:
            message = f"{path} is locked by another process ({error}); try again when that is done."
            raise BusyStore(message) from error
        message = f"{path} cannot be read ({error}); name another tape."
        raise StoreError(message) from error
