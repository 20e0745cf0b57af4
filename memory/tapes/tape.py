"""A file of nodes that Tapes v0.4.0 can open: nodes are inserted once, parents first.

Its tables have exactly the columns that Tapes v0.4.0 expects; it holds no tables of ours.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memory.errors import ForeignStore, StoreError
from memory.store.database import Database, insert_into, open_foreign
from memory.store.schema import script
from memory.tapes.entries import TokenUsage, format_time
from memory.tapes.hashing import Bucket
from memory.tapes.readonly_file import ReadOnlyFile

COLUMNS: Final = (
    "hash", "bucket", "type", "role", "content", "model", "provider", "agent_name", "stop_reason",
    "prompt_tokens", "completion_tokens", "total_tokens", "cache_creation_input_tokens",
    "cache_read_input_tokens", "total_duration_ns", "prompt_duration_ns", "project", "created_at", "parent_hash",
)  # fmt: skip

TABLES: Final = script("memory.tapes", "tape.sql")
_PUT: Final = insert_into("nodes", COLUMNS).replace("INSERT", "INSERT OR IGNORE", 1)


@dataclass(frozen=True, slots=True)
class Node:
    """One message of a conversation. `at` is in seconds since 1970; only a reply has a `usage`."""

    hash: str
    parent: str | None
    bucket: Bucket
    at: float
    stop_reason: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    duration_ns: int = 0


class SqliteTape:
    """An open tape. Errors are raised as StoreError, in one line."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.path = database.path

    def put(self, nodes: Sequence[Node]) -> int:
        """Store `nodes`, parents before children, all or none; return how many were new."""
        before = self._changes()
        with self._database.transaction():
            self._database.execute_many(_PUT, map(_row, nodes))
        return self._changes() - before

    def close(self) -> None:
        """Close the file, in the journal mode of files made by Tapes."""
        with suppress(StoreError):  # open elsewhere; Tapes accepts a write-ahead log too
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()

    def _changes(self) -> int:
        found = self._database.row("SELECT total_changes()")
        return int(found[0]) if found else 0


def open_tape(path: Path) -> SqliteTape:
    """Open the tape at `path`, after creating it and its folder if missing.

    Raises StoreError when the file is not a tape, damaged, or of a Tapes before v0.1.0, which had fewer columns.
    """
    if path.exists() and path.stat().st_size:
        _require_columns(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{path.parent} cannot be made ({error.strerror}); name another place for a tape."
        raise StoreError(message) from error
    database = open_foreign(path, TABLES)
    # A checkpoint of the log is slow, and can wait, since model calls are rare.
    database.execute("PRAGMA wal_autocheckpoint = 4000")
    return SqliteTape(database)


def _require_columns(path: Path) -> None:
    """Raise ForeignStore when the file at `path` is not a tape; it is only read."""
    with closing(ReadOnlyFile(path)) as file:
        file.require_plain("nodes")
        there = {row[0] for row in file.rows("SELECT name FROM pragma_table_info('nodes')")}
    if missing := [name for name in COLUMNS if name not in there]:
        message = (
            f"{path} is not a tape of Tapes v0.1.0 to v0.4.0 (nodes has no {missing[0]}); "
            "name another file."
        )
        raise ForeignStore(message)


MAX_COUNT: Final = 1 << 53  # of tokens, so that sums of counts fit into a column


def usage_of(usage: Mapping[str, object]) -> TokenUsage:
    """Return the `usage` of a reply of the Messages API, in the counts of tapes, each at most `MAX_COUNT`."""
    names = ("input_tokens", "output_tokens")
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    found = (usage.get(name) for name in (*names, *cached))
    fresh, output, created, read = (
        min(max(each, 0), MAX_COUNT) if isinstance(each, int) else 0 for each in found
    )
    return TokenUsage(fresh + created + read, output, created, read)


def _row(node: Node) -> tuple[object, ...]:
    """Return the values of COLUMNS; zero counts are stored as NULL."""
    bucket, usage = node.bucket, node.usage
    return (
        node.hash,
        bucket.stored(),
        bucket.type,
        bucket.role,
        bucket.stored_content(),
        bucket.model,
        bucket.provider,
        bucket.agent_name or None,
        node.stop_reason,
        usage.input or None,
        usage.output or None,
        (usage.input or 0) + (usage.output or 0) or None,
        usage.cache_creation or None,
        usage.cache_read or None,
        node.duration_ns or None,
        None,  # the duration of the prompt alone is unknown
        None,  # a project is a checkout in Tapes; a run has none
        format_time(node.at),
        node.parent,
    )
