"""The findings of a check, and row readers that read one row at a time, so that an unreadable row hides no others.

The texts of all findings are in `findings.toml`.
"""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

from memory.blackboard.entry import Entry
from memory.codec import Json
from memory.errors import MalformedRecord
from memory.store.database import Database
from memory.store.dates import Dates
from memory.store.lasting import NAMES, ContributionTable, entry_of, history_of
from memory.tiers.contributions import EntryHistory
from memory.tiers.knowledge import KNOWLEDGE_SCOPES
from memory.tiers.lasting import ENTRIES, Key, valid_entry

RepairAction: TypeAlias = Callable[[Any], object]  # takes the `Repairs` or `Database` of a file


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One problem: its place, why it matters, and what repair does; `repair` is '' when the owner must decide."""

    sort: str  # damage, contradiction, count, orphan or stale
    where: str
    what: str
    why: str
    repair: str = ""
    action: RepairAction | None = field(default=None, compare=False, repr=False)

    def as_json(self) -> dict[str, str]:
        """Return the texts of the finding, by field name."""
        return {name: getattr(self, name) for name in ("sort", "where", "what", "why", "repair")}


@cache
def _texts() -> Mapping[str, Mapping[str, str]]:
    text = (files("memory.store.checks") / "findings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def finding(name: str, action: RepairAction | None = None, **details: object) -> CheckFinding:
    """Return the finding of this name in `findings.toml`, formatted with `details`; without `action` it has no repair."""
    texts = {field: text.format(**details) for field, text in _texts()[name].items()}
    return CheckFinding(**(texts if action else texts | {"repair": ""}), action=action)


def fix(method: Callable[..., object], *given: object, **named: object) -> RepairAction:
    """Return the repair that calls `method` of the file's repair object with these arguments."""
    return lambda repairs: method(repairs, *given, **named)


def duplicate_keys(
    entries: Iterable[tuple[int, Entry]], outcome: str, drop: Callable[[int], RepairAction]
) -> Iterator[CheckFinding]:
    """Yield entries that share a key in one scope, which only a damaged index allows.

    Entries come by number, oldest first; `drop` removes one, and `outcome` names where it is stored then.
    """
    by_key: defaultdict[tuple[str, str], list[tuple[int, Entry]]] = defaultdict(list)
    for number, entry in entries:
        by_key[entry.scope, entry.key].append((number, entry))
    for (scope, key), (*older, (newest, last)) in by_key.items():
        for number, entry in older:
            differs = ", with different data" if entry.data != last.data else ""
            details = {"older": number, "newest": newest, "scope": scope, "key": key}
            yield finding("same_key", drop(number), **details, differs=differs, outcome=outcome)


# Text is read as bytes: the driver refuses a whole query for one invalid character.
_AS_BYTES: Final = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"
READ_ERRORS = (AttributeError, LookupError, TypeError, ValueError, MalformedRecord)


class RawRow(NamedTuple):
    """A row as stored, with text as bytes."""

    number: int
    values: Sequence[Any]
    columns: Sequence[str]

    def read(self) -> tuple[Any, ...]:
        """Return the decoded values; raise ValueError for invalid text."""
        return tuple(bytes(v).decode() if isinstance(v, bytes) else v for v in self.values)

    def as_json(self) -> dict[str, Json]:
        """Return the values by column; invalid bytes are escaped."""
        return {
            name: value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
            for name, value in zip(self.columns, self.values, strict=True)
        }


def rows_of(database: Database, table: str, columns: Sequence[str]) -> Iterator[RawRow]:
    """Yield the rows of one of our tables in the order of their numbers."""
    wanted = ", ".join(_AS_BYTES.format(f'"{name}"') for name in columns)
    for place, *values in database.rows(f'SELECT rowid, {wanted} FROM "{table}" ORDER BY 1'):  # noqa: S608
        yield RawRow(place, values, columns)


def rows_by_run(database: Database, but: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield each table, except those in `but`, with each run id in its rows."""
    for (table,) in database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        named = "SELECT 1 FROM pragma_table_info(?) WHERE name = 'run_id'"
        if table not in but and database.row(named, (table,)) is not None:
            runs = database.rows(f'SELECT DISTINCT run_id FROM "{table}" ORDER BY run_id')  # noqa: S608
            for (run_id,) in runs:
                yield table, run_id


def damaged_indexes(database: Database, action: RepairAction) -> Iterator[CheckFinding]:
    """Yield the disagreements between indexes and rows; `action` rebuilds the indexes."""
    for (report,) in database.rows("PRAGMA integrity_check(20)"):
        if report != "ok":
            yield finding("damaged_index", action, report=report)


class UnreadableRow(NamedTuple):
    """An unreadable entry: its number, scope and key, and its raw values."""

    number: int
    scope: str
    key: str
    row: dict[str, Json]


@dataclass(frozen=True, slots=True)
class KnowledgeContent:
    """All rows of a memory file: its entries with their history, and the numbers of lessons that runs delivered."""

    database: Database
    entries: tuple[tuple[EntryHistory, Entry], ...]
    deliveries: Mapping[str, int]
    unreadable: tuple[UnreadableRow, ...]
    misdated: tuple[Entry, ...]  # knowledge, as stored
    restored: frozenset[Key]

    def known(self, kind: str) -> list[Entry]:
        """Return the knowledge of a kind, closed ones too."""
        return [
            each for _, each in self.entries if each.scope in KNOWLEDGE_SCOPES and each.kind == kind
        ]


ANY_DATE: Final = Dates(0.0, 0.0, 0.0, 0.0)  # believes every number


def knowledge_content(database: Database, dates: Dates = ANY_DATE) -> KnowledgeContent:
    """Return all rows of `database`, with believed dates; a wrong date makes no row unreadable."""
    entries, misdated, unreadable = [], list[Entry](), list[UnreadableRow]()
    for raw in rows_of(database, ENTRIES, NAMES):
        try:
            row = raw.read()
            entry = entry_of(row)
            right = dates.corrected_entry(entry)
            entries.append((history_of(row), valid_entry(right)))
            misdated += [entry] * (right is not entry)
        except READ_ERRORS:
            values = raw.as_json()
            scope, key = str(values["scope"]), str(values["key"])
            unreadable.append(UnreadableRow(raw.number, scope, key, values))
    return KnowledgeContent(
        database,
        tuple(entries),
        dict(database.rows("SELECT run_id, sequence FROM deliveries")),
        tuple(unreadable),
        tuple(misdated),
        ContributionTable(database).restored(),
    )
