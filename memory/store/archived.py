"""The rows of the archive as items, with date and reason, and their return to the memory."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from memory.codec import Json, as_json, decode, encode, from_json
from memory.store.checks.finding import READ_ERRORS
from memory.store.checks.repair import Repairs
from memory.store.contributions import RESTORED, Closing, Contribution, ContributionTable
from memory.store.database import Database
from memory.store.dates import dates_at
from memory.store.items import MemoryItem, entry_item, knowledge_items, row_item
from memory.store.knowledge_tables import BY_NAME, Provenance, valid_record
from memory.store.long_term import COLUMNS, INSERT, entry_of, id_of, record_of_entry
from memory.tiers.lessons import ENTRIES

_ROWS: Final = "SELECT number, table_name, id, archived_at, row, provenance FROM archive ORDER BY number DESC"  # fmt: skip
_JSON: Final = frozenset({"data", "tags", "sources", "merged"})


class ArchivedItem(NamedTuple):
    """One removed item: its number in the archive, when and why it was removed, and its row as stored there."""

    number: int
    at: float
    why: str
    item: MemoryItem
    row: Mapping[str, Any]
    provenance: Provenance | None


def archived_items(database: Database, *, now: float) -> Iterator[ArchivedItem]:
    """Yield the items of the archive that the memory no longer holds, the last removed first, each once.

    Rows that were archived since they are unreadable are left out.
    """
    dates = dates_at(now, database, {})
    seen = {key for each in knowledge_items(database, now=now) for key in _keys(each)}
    contributions = ContributionTable(database)
    for number, table, _, at, text, where in database.rows(_ROWS):
        try:
            row, known = decode(text), decode(where)
            provenance = known and Provenance(**{**known, "evidence": tuple(known["evidence"])})
            if table == ENTRIES:
                item = entry_item(_columns(None, row), dates.decayed)
            else:
                record = dates.corrected_record(from_json(BY_NAME[table].kind.record, row))
                item = row_item(BY_NAME[table], valid_record(record), provenance, dates)
        except READ_ERRORS:
            continue
        (own, *merged) = _keys(item)
        if own in seen:  # also where it is a part of another entry now
            continue
        seen.update((own, *merged))
        runs = contributions.of(table, _key(item)).values()
        yield ArchivedItem(number, at, _why(item, runs), item, row, provenance)


def _why(item: MemoryItem, contributions: Iterable[Contribution]) -> str:
    if item.closed:
        return f"no longer true: {item.closed}"
    if any(each.is_forgotten for each in contributions):
        return "forgotten or repaired"
    return "worth too little, or over a limit"


def _keys(item: MemoryItem) -> list[tuple[str, str, str]]:
    """Return table, scope and key of an item, then of those merged into it."""
    merged: Any = item.more.get("merged", ())
    return [(item.table, item.scope, key) for key in (item.id, *merged)]


def _key(item: MemoryItem) -> str:
    """Return the id of an item in the table of contributions."""
    return id_of(item.scope, item.id) if item.table == ENTRIES else item.id


def _columns(number: int | None, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return an archived entry as a row of `COLUMNS`."""
    values = {**row, "id": number}
    return tuple(
        encode(values[name]) if name in _JSON else values[name] for name in COLUMNS.split(", ")
    )


class Restorer(Repairs):
    """Brings archived items back. They stay until they are forgotten again, and count against no limit."""

    def restore(self, archived: ArchivedItem) -> None:
        """Put an item back as it was archived."""
        item, where = archived.item, archived.provenance
        if item.table == ENTRIES:
            values = _columns(None, archived.row)
            self._database.execute(INSERT, values)
            record = record_of_entry(entry_of(values), str(archived.row["origin"]))
        else:
            table = BY_NAME[item.table]
            row = self._dates.corrected_record(from_json(table.kind.record, archived.row))
            self._database.execute(table.replace, table.row_of(row))
            if where is not None:
                self._provenances.save(item.table, item.id, where)
            record = as_json(row)
        self._keep(item, record)
        self._database.execute("DELETE FROM archive WHERE number = ?", (archived.number,))

    def _keep(self, item: MemoryItem, record: dict[str, Json]) -> None:
        """Record that the item was restored; with its record, unless lessons of runs still hold it."""
        key = _key(item)
        known = self._contributions.of(item.table, key)
        sequence = known.get(RESTORED, Contribution(RESTORED)).sequence + 1
        restored = Contribution(RESTORED, sequence)
        if not any(each.has_record for each in known.values()):
            date = self._dates.right(item.last)
            data = {"record": record, "times": 1, "status": item.status, "at": date}
            data |= {"fresh": self._now, "tick": item.tick, "evidence": list(item.evidence)}
            restored = Contribution.from_json(RESTORED, sequence, data)
        if item.closed:
            closing = Closing(sequence, item.tick, self._dates.today, item.closed, item.evidence)
            restored = restored.with_closing(closing)
        self._contributions.save(item.table, key, [restored])
