"""The entries that outlive runs, as the runs to come read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memory.store.ltm_rows import SELECT, entry_of

if TYPE_CHECKING:
    from memory.blackboard.entry import Entry
    from memory.store.database import Database

TABLE: Final = "ltm_entries"
WORTH: Final = "importance * utility DESC, id DESC"


class LongTermEntries:
    """Entries to be read, the oldest first where nothing else is said."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Entry]:
        """Return all entries, with those that no longer hold."""
        return self._found(SELECT + "ORDER BY id")

    def best(self, limit_per_kind: int) -> list[Entry]:
        """Return the open entries worth most, at most so many of a kind in a scope, the best first."""
        place = f"row_number() OVER (PARTITION BY scope, kind ORDER BY {WORTH})"
        chosen = f"SELECT id, {place} AS place FROM ltm_entries WHERE closed = ''"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({chosen}) WHERE place <= ?) "  # noqa: S608
        return self._found(f"{SELECT}{where}ORDER BY {WORTH}", limit_per_kind)

    def search(self, words: str, scope_glob: str, limit: int) -> list[Entry]:
        """Return the open entries that hold any of `words`, the closest first."""
        terms = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", words))
        if not terms:
            return []
        where = (
            "JOIN ltm_text ON ltm_text.rowid = id WHERE ltm_text MATCH ? AND scope GLOB ? "
            "AND closed = '' ORDER BY rank, id LIMIT ?"
        )
        sql = SELECT.replace(" text ", " ltm_entries.text ") + where
        return self._found(sql, terms, scope_glob, limit)

    def _found(self, sql: str, *parameters: object) -> list[Entry]:
        rows = self._database.rows(sql, parameters)
        with self._database.understood(TABLE):
            return [entry_of(row) for row in rows]
