"""The deeds of repair upon a run's file, each within one transaction: what goes is kept as an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.codec import encode
from memory.store.indexes import rebuild

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.store.database import Database

_EVENT: Final = (
    "INSERT INTO events (tick, kind, payload) VALUES "
    "((SELECT coalesce(max(tick), 0) FROM steps WHERE live = 1), 'archived', ?)"
)
_DROP: Final = (
    "UPDATE entries SET dropped_after = (SELECT coalesce(max(id), 0) FROM checkpoints) WHERE id = ?"
)


class RunMending:
    """Writes to a run's file."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def drop_entry(self, number: int, row: Mapping[str, Json], reason: str) -> None:
        """Take one entry off the blackboard, and keep it as play keeps what it lets go of."""
        self.database.execute(_EVENT, (encode({**row, "reason": reason}),))
        self.database.execute(_DROP, (number,))

    def lose_entry(self, number: int, row: Mapping[str, Json]) -> None:
        """Take away an entry that nobody can read; what is left of it is kept."""
        self.database.execute(_EVENT, (encode({**row, "reason": "unreadable"}),))
        self.database.execute("DELETE FROM entries WHERE id = ?", (number,))

    def bury(self, table: str, number: int) -> None:
        """Leave a row of events or lessons out of what is live; it stays in the file."""
        statement = f"UPDATE {table} SET live = 0 WHERE rowid = ?"  # noqa: S608  # events or outbox
        self.database.execute(statement, (number,))

    def reindex(self) -> None:
        """Make anew what entries are found by."""
        rebuild(self.database)
