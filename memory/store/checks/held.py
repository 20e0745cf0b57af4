"""All that a file of knowledge holds, read row by row, with the rows that nobody can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from memory.codec import Json, decode
from memory.errors import MalformedRecord
from memory.store.checks.raw import columns_of, rows_of, select_raw, text
from memory.store.knowledge_tables import TABLES
from memory.store.ltm_entries import TABLE as ENTRIES
from memory.store.ltm_rows import COLUMNS, Taught, entry_of, taught
from memory.store.provenance import Provenance
from memory.store.shapes import sound_entry, sound_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.blackboard.entry import Entry
    from memory.store.database import Database

UNREADABLE = (AttributeError, LookupError, TypeError, ValueError, MalformedRecord)


class Broken(NamedTuple):
    """A row that nobody can read: its table, its number there, and what is left of it."""

    table: str
    number: int
    id: str
    row: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Held:
    """A file of knowledge as it is; closed rows are those with a reason in their provenance."""

    database: Database
    records: Mapping[str, Mapping[str, Any]]
    entries: tuple[tuple[Taught, Entry], ...]
    provenance: Mapping[tuple[str, str], Provenance]
    deliveries: Mapping[str, int]
    stats: tuple[int, int, float, float] | None
    broken: tuple[Broken, ...]
    lost: tuple[tuple[str, str], ...]  # provenance that nobody can read, by table and id

    def open(self, table: str) -> dict[str, Any]:
        """Return the records of a table that still hold, by id."""
        return {
            memory_id: record
            for memory_id, record in self.records[table].items()
            if not self.closed(table, memory_id)
        }

    def closed(self, table: str, memory_id: str) -> str:
        """Return why a row no longer holds, '' while it does."""
        where = self.provenance.get((table, memory_id))
        return "" if where is None else where.closed


def held_in(database: Database) -> Held:
    """Return what `database` holds."""
    broken: list[Broken] = []
    records: dict[str, dict[str, Any]] = {}
    for table in TABLES:
        records[table.name] = {}
        for number, values, row in rows_of(database, table.name, table.columns):
            try:
                record = sound_record(table.record_of(_there(values)))
            except UNREADABLE:
                broken.append(Broken(table.name, number, str(row[table.id_column]), row))
            else:
                records[table.name][str(row[table.id_column])] = record
    entries = []
    names = COLUMNS.split(", ")
    for number, values, row in rows_of(database, ENTRIES, names):
        try:
            entries.append((taught(_there(values)), sound_entry(entry_of(_there(values)))))
        except UNREADABLE:
            broken.append(Broken(ENTRIES, number, str(row["key"]), row))
    provenance, lost = _provenance(database)
    stats = database.row(
        "SELECT total_sessions, total_battles, overall_win_rate, decayed_at FROM tactician_stats"
    )
    return Held(
        database,
        records,
        tuple(entries),
        provenance,
        dict(database.rows("SELECT run_id, max(sequence) FROM deliveries GROUP BY run_id")),
        stats,
        tuple(broken),
        lost,
    )


def _provenance(
    database: Database,
) -> tuple[dict[tuple[str, str], Provenance], tuple[tuple[str, str], ...]]:
    columns = columns_of(database, "provenance")
    found: dict[tuple[str, str], Provenance] = {}
    lost: list[tuple[str, str]] = []
    for values in database.rows(select_raw("provenance", columns)):
        row = text(values, [False] * len(columns))
        try:
            table, memory_id, *rest, evidence = _there(row)
            sources = decode(evidence)
            if not isinstance(sources, list) or not all(isinstance(each, str) for each in sources):
                raise TypeError(evidence)
            found[table, memory_id] = Provenance._make((*rest, tuple(sources)))
        except UNREADABLE:
            table, memory_id = (bytes(each).decode(errors="replace") for each in values[:2])
            lost.append((table, memory_id))
    return found, tuple(lost)


def _there(values: tuple[Any, ...] | None) -> tuple[Any, ...]:
    if values is None:
        message = "its text is no text"
        raise ValueError(message)
    return values
