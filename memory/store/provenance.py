"""Where the rows of the four tables come from, how far they are to be trusted, and whether they still hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from memory.codec import decode, encode
from memory.store.knowledge_tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.store.database import Database
    from memory.store.run_rows import OutboxRow


class Provenance(NamedTuple):
    """How far a row is to be trusted, the last lesson that taught it, and why it was closed, if it was."""

    status: Literal["verified", "inferred", "claim", "retracted"]
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

    def origins(self) -> dict[tuple[str, str], str]:
        """Return the run that taught each row last, by table and id."""
        rows = self._database.rows("SELECT table_name, id, run_id FROM provenance")
        return {(table, memory_id): run_id for table, memory_id, run_id in rows}

    def closed(self, table: str) -> frozenset[str]:
        """Return the ids of the rows that no longer hold."""
        rows = self._database.rows(
            "SELECT id FROM provenance WHERE table_name = ? AND closed <> ''", (table,)
        )
        return frozenset(memory_id for (memory_id,) in rows)

    def taught(self, table: str, memory_id: str, run_id: str, lesson: OutboxRow) -> None:
        """Note the lesson that taught a row; one that was closed holds again."""
        payload = lesson.payload
        status, evidence = payload.get("status", "verified"), payload.get("sources", ())
        where = Provenance(status, run_id, lesson.sequence, lesson.tick, "", tuple(evidence))
        self._keep(table, memory_id, where)

    def close(self, table: str, run_id: str, lesson: OutboxRow) -> None:
        """Note why a row no longer holds, and what shows it."""
        payload: Any = lesson.payload
        taught = Provenance("verified", run_id, lesson.sequence, lesson.tick)
        self.note_closed(table, payload["id"], payload["reason"], payload["evidence"], taught)

    def note_closed(
        self,
        table: str,
        memory_id: str,
        reason: str,
        evidence: Sequence[str],
        otherwise: Provenance = NOBODY,
    ) -> None:
        """Note why a row no longer holds; it was taught as `otherwise` says where that is not known."""
        known = self.of(table, memory_id) or otherwise
        closed = known._replace(closed=reason, evidence=(*known.evidence, *evidence))
        self._keep(table, memory_id, closed)

    def drop(self, table: str, memory_id: str) -> None:
        """Let go of where a row came from that is no longer there."""
        self._database.execute(
            "DELETE FROM provenance WHERE table_name = ? AND id = ?", (table, memory_id)
        )

    def drop_orphans(self) -> None:
        """Let go of where lessons came from that left no row."""
        for table in TABLES:
            self._database.execute(table.orphans)

    def _keep(self, table: str, memory_id: str, where: Provenance) -> None:
        evidence: Sequence[str] = where.evidence
        self._database.execute(
            "INSERT OR REPLACE INTO provenance VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (table, memory_id, *where[:5], encode(evidence)),
        )
