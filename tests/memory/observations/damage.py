"""Damage to a file that is open elsewhere."""

import sqlite3
from contextlib import closing
from pathlib import Path


def corrupt_table(path: Path, table: str) -> None:
    """Overwrite the first page of a table, and invalidate the page cache of other connections."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        ((root,),) = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,))
        ((size,),) = file.execute("PRAGMA page_size")
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with path.open("r+b") as raw:
            raw.seek((root - 1) * size)
            raw.write(b"\xa5" * size)
        file.execute("UPDATE run SET run_id = run_id")  # a new page in the log invalidates caches
