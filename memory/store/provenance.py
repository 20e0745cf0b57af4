"""Where the rows of the four tables come from, how far they are to be trusted, and whether they still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.store.database import Database


class Provenance(NamedTuple):
    """How far a row is to be trusted, the last lesson that taught it, and why it was closed, if it was."""

    status: str  # verified, inferred or claim; older files have retracted as well
    run_id: str
    sequence: int
    tick: int
    closed: str = ""
    evidence: tuple[str, ...] = ()


NOBODY: Final = Provenance("inferred", "", 0, 0)  # of what was not taught by any run


class Provenances:
    """The side table of the four, keyed by table and id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> Provenance | None:
        """Return where one row comes from, or None when it is not known."""
        row = self._database.row(
            "SELECT status, run_id, sequence, tick, closed, evidence FROM provenance "
            "WHERE table_name = ? AND id = ?",
            (table, memory_id),
        )
        with self._database.understood("provenance"):
            return None if row is None else Provenance._make((*row[:5], tuple(decode(row[5]))))

    def closed(self, table: str) -> frozenset[str]:
        """Return the ids of the rows that no longer hold."""
        rows = self._database.rows(
            "SELECT id FROM provenance WHERE table_name = ? AND closed <> ''", (table,)
        )
        return frozenset(memory_id for (memory_id,) in rows)

    def keep(self, table: str, memory_id: str, where: Provenance) -> None:
        """Note where a row comes from and whether it holds."""
        evidence: Sequence[str] = where.evidence
        self._database.execute(
            "INSERT OR REPLACE INTO provenance VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (table, memory_id, *where[:5], encode(evidence)),
        )

    def drop(self, table: str, memory_id: str) -> None:
        """Let go of where a row came from that is no longer there."""
        self._database.execute(
            "DELETE FROM provenance WHERE table_name = ? AND id = ?", (table, memory_id)
        )
