"""What a check finds, and the rows it reads: one by one, so that an unreadable row does not hide the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from memory.codec import Json, decode
from memory.errors import MalformedRecord
from memory.store.knowledge_tables import TABLES, Provenance, sound_entry, sound_record
from memory.store.long_term import COLUMNS, Taught, entry_of, taught
from memory.tiers.lessons import ENTRIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.store.database import Database

    Mend: TypeAlias = Callable[[Any], object]  # takes the Mending of its kind of file


Sort: TypeAlias = Literal["damage", "contradiction", "count", "orphan", "stale"]


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What is wrong, where, why it matters, and what repair does; `repair` is '' where people must decide."""

    sort: Sort
    where: str
    what: str
    why: str
    repair: str = ""
    mend: Mend | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, str]:
        """Return it in words."""
        return {
            "sort": self.sort,
            "where": self.where,
            "what": self.what,
            "why": self.why,
            "repair": self.repair,
        }


# Text comes as bytes: the driver would refuse a whole query for one letter that is none.
_AS_BYTES: Final = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"


def columns_of(database: Database, table: str) -> list[str]:
    """Return the columns of `table`, in their order; none where there is no such table."""
    rows = database.rows("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))
    return [str(name) for (name,) in rows]


def select_raw(table: str, columns: Sequence[str]) -> str:
    """Return the query for these columns with text as bytes; a condition may follow."""
    wanted = ", ".join(_AS_BYTES.format(f'"{name}"') for name in columns)
    return f'SELECT {wanted} FROM "{table}" '  # noqa: S608  # names of our own schema


def decoded_row(values: Sequence[Any], is_blob: Sequence[bool]) -> tuple[Any, ...] | None:
    """Return a raw row with its text as text, or None where some of that is none."""
    try:
        return tuple(
            bytes(value).decode() if isinstance(value, bytes) and not blob else value
            for value, blob in zip(values, is_blob, strict=True)
        )
    except UnicodeDecodeError:
        return None


def row_as_json(values: Sequence[Any], columns: Sequence[str]) -> dict[str, Json]:
    """Return a raw row as JSON, whatever is in it."""
    return {
        name: value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
        for name, value in zip(columns, values, strict=True)
    }


def rows_of(
    database: Database, table: str, columns: Sequence[str]
) -> list[tuple[int, tuple[Any, ...] | None, dict[str, Json]]]:
    """Return each row's number, its values or None where its text is none, and the row as JSON."""
    found = []
    none_is_blob = [False] * len(columns)
    for number, *values in database.rows(select_raw(table, ["rowid", *columns]) + "ORDER BY rowid"):
        found.append((int(number), decoded_row(values, none_is_blob), row_as_json(values, columns)))
    return found


UNREADABLE = (AttributeError, LookupError, TypeError, ValueError, MalformedRecord)


class Broken(NamedTuple):
    """An unreadable row: its table, its number there, and what is left of it."""

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
    lost: tuple[tuple[str, str], ...]  # unreadable provenance, by table and id

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
        row = decoded_row(values, [False] * len(columns))
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
