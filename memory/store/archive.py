"""What was let go of, with the whole row and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.codec import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.store.database import Database


class Archive:
    """Rows that left their tables, dated `now`, in epoch seconds."""

    def __init__(self, database: Database, *, now: float) -> None:
        self._database = database
        self._now = now

    def keep(
        self, table: str, memory_id: str, row: Mapping[str, Json], provenance: Json = None
    ) -> None:
        """Add a row, in the transaction that takes it out of its table."""
        self._database.execute(
            "INSERT INTO archive (table_name, id, archived_at, row, provenance) "
            "VALUES (?, ?, ?, ?, ?)",
            (table, memory_id, self._now, encode(row), encode(provenance)),
        )
