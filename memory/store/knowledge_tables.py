"""The four knowledge tables as records, the side table of their provenance, and the archive.

A record must have the shape that its kind declares; a damaged file may hold others.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, decode, encode
from memory.store.database import Database
from memory.tiers.knowledge import KINDS, Knowledge, KnowledgeKind, KnowledgeRecord


class KnowledgeTable:
    """One table whose columns are the fields of its record, in order, the id first."""

    def __init__(self, kind: KnowledgeKind) -> None:
        self.name = kind.table
        self.kind = kind
        self.columns = [field.name for field in fields(kind.record)]
        self.id_column = kind.id
        marks = ", ".join("?" for _ in self.columns)
        # The names are our own, not a caller's.
        self.select = f"SELECT * FROM {self.name} ORDER BY {self.id_column}"  # noqa: S608
        self.replace = f"INSERT OR REPLACE INTO {self.name} VALUES ({marks})"  # noqa: S608
        self.delete = f"DELETE FROM {self.name} WHERE {self.id_column} = ?"  # noqa: S608
        types = [str(field.type) for field in fields(kind.record)]
        self._json_places = [
            (place, each.startswith("tuple"))
            for place, each in enumerate(types)
            if each.startswith(("Mapping", "tuple", "Json"))
        ]

    def record_of(self, row: tuple[Any, ...]) -> KnowledgeRecord:
        """Return the record in a row."""
        values = list(row)  # by index, for speed: each delivery reads the whole table
        for place, is_tuple in self._json_places:
            value = decode(values[place])
            values[place] = tuple(value) if is_tuple else value
        record: KnowledgeRecord = self.kind.record(*values)
        return record

    def row_of(self, record: KnowledgeRecord) -> tuple[object, ...]:
        """Return the row of a record."""
        values = list(as_json(record).values())
        for place, _ in self._json_places:
            values[place] = encode(values[place])
        return tuple(values)


TABLES: Final = tuple(map(KnowledgeTable, KINDS))
PATTERNS, STRATEGIES, MISTAKES, PREFERENCES = TABLES
BY_NAME: Final = {table.name: table for table in TABLES}


def known_from(records: Mapping[str, Mapping[str, Any]]) -> Knowledge:
    """Return the `Knowledge` of records by table and id; a missing table is empty."""
    records_of = [dict(records.get(table.name, {})) for table in TABLES]
    return Knowledge(records_of[0], records_of[1], records_of[2], records_of[3])


def valid_record(record: KnowledgeRecord) -> KnowledgeRecord:
    """Return `record`; raise TypeError for a field that is empty or not of its declared type."""
    for field in fields(record):
        value = getattr(record, field.name)
        kind = str(field.type)
        if (
            (kind.startswith("Mapping") and not isinstance(value, dict))
            or (kind.startswith("tuple") and not all(isinstance(each, str) for each in value))
            or (value is None and kind != "Json")
            or (isinstance(value, float) and not isfinite(value))
        ):
            raise TypeError(field.name)
    return record


def valid_entry(entry: Entry) -> Entry:
    """Return `entry`; raise TypeError when its tags or sources are not texts."""
    if not all(isinstance(each, str) for each in (*entry.tags, *entry.sources)):
        raise TypeError(entry.key)
    return entry


class Provenance(NamedTuple):
    """Trust, latest source lesson and, for closed rows, the reason, of one knowledge row."""

    status: str  # verified, inferred or claim
    run_id: str
    sequence: int
    tick: int
    closed: str = ""
    evidence: tuple[str, ...] = ()


NO_PROVENANCE: Final = Provenance("inferred", "", 0, 0)  # of rows without a run


class Provenances:
    """The side table of provenance, keyed by table and id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> Provenance | None:
        """Return the provenance of one row, or None when unknown."""
        row = self._database.row(
            "SELECT status, run_id, sequence, tick, closed, evidence FROM provenance "
            "WHERE table_name = ? AND id = ?",
            (table, memory_id),
        )
        with self._database.decoding("provenance"):
            return None if row is None else Provenance._make((*row[:5], tuple(decode(row[5]))))

    def closed(self) -> dict[str, set[str]]:
        """Return the ids of closed rows, by table."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        rows = self._database.rows("SELECT table_name, id FROM provenance WHERE closed <> ''")
        for table, memory_id in rows:
            found[table].add(memory_id)
        return found

    def save(self, table: str, memory_id: str, where: Provenance) -> None:
        """Replace the provenance of a row."""
        self._database.execute(
            "INSERT OR REPLACE INTO provenance VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (table, memory_id, *where[:5], encode(where.evidence)),
        )

    def drop(self, table: str, memory_id: str) -> None:
        """Delete the provenance of a removed row."""
        self._database.execute(
            "DELETE FROM provenance WHERE table_name = ? AND id = ?", (table, memory_id)
        )


class Totals(NamedTuple):
    """Sessions, battles won or lost, and the fraction won."""

    sessions: int
    battles: int
    win_rate: float


def totals(database: Database) -> Totals:
    """Return the totals of all runs."""
    row = database.row(
        "SELECT total_sessions, total_battles, overall_win_rate FROM tactician_stats"
    )
    return Totals(*(row or (0, 0, 0.0)))


def save_totals(database: Database, sums: Totals) -> None:
    """Write the totals of all runs."""
    database.execute(
        "UPDATE tactician_stats SET total_sessions = ?, total_battles = ?, overall_win_rate = ?",
        sums,
    )


def save_delivery(database: Database, run_id: str, sequence: int) -> None:
    """Store only the last sequence of a run: it delivers in order, so older ones are not needed; 0 is before the first."""
    database.execute("DELETE FROM deliveries WHERE run_id = ?", (run_id,))
    if sequence:
        database.execute("INSERT INTO deliveries VALUES (?, ?)", (run_id, sequence))


class Archive:
    """The table of removed rows; new ones are dated `now`, in epoch seconds."""

    def __init__(self, database: Database, *, now: float) -> None:
        self._database = database
        self.now = now

    def size(self) -> int:
        """Return the number of its rows."""
        ((count,),) = self._database.rows("SELECT count(*) FROM archive")
        return int(count)

    def move_row(self, table: KnowledgeTable, memory_id: str, row: Mapping[str, Json]) -> None:
        """Move a row of one of the four tables to the archive, with its provenance."""
        provenances = Provenances(self._database)
        where = provenances.of(table.name, memory_id)
        self.add(table.name, memory_id, row, None if where is None else where._asdict())
        self._database.execute(table.delete, (memory_id,))
        provenances.drop(table.name, memory_id)

    def add(
        self, table: str, memory_id: str, row: Mapping[str, Json], provenance: Json = None
    ) -> None:
        """Add a row, in the transaction that deletes it from its table."""
        self._database.execute(
            "INSERT INTO archive (table_name, id, archived_at, row, provenance) "
            "VALUES (?, ?, ?, ?, ?)",
            (table, memory_id, self.now, encode(row), encode(provenance)),
        )
