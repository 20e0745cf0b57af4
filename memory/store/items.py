"""All rows of a memory file as items of one shape, closed ones included."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import log
from typing import Any, Final

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, content_id
from memory.store.database import Database
from memory.store.dates import Dates, dates_at
from memory.store.knowledge_tables import (
    TABLES,
    KnowledgeTable,
    Provenance,
    Provenances,
    known_from,
    valid_entry,
    valid_record,
)
from memory.store.long_term import SELECT, entry_of, history_of
from memory.store.run_store import RunReader
from memory.tiers.forgetting import MONTH_S, values
from memory.tiers.knowledge import KIND_BY_TABLE, ConsolidationConfig, KnowledgeRecord
from memory.tiers.lessons import ENTRIES

LIVE_ENTRIES: Final = "entries"  # the table of a run's file
KIND_OF: Final = {table: kind.name for table, kind in KIND_BY_TABLE.items()}
_FIRST_DATES: Final = ("first_used", "first_occurred", "created_at")


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One remembered row. `first` and `last` are epoch seconds, 0.0 if unknown; `worth` decides when it is pruned."""

    kind: str
    table: str
    id: str
    data: Mapping[str, Json]
    status: str = "unknown"
    closed: str = ""
    run_id: str = ""
    sequence: int = 0
    tick: int = 0
    game_s: float | None = None
    evidence: tuple[str, ...] = ()
    first: float = 0.0
    last: float = 0.0
    worth: float | None = None
    more: Mapping[str, Json] = field(default_factory=dict)  # fields that only entries have

    @property
    def short(self) -> str:
        """A name of eight characters for people."""
        return self.id[:8] if self.table in KIND_OF else content_id(self.scope, self.id)[:8]

    @property
    def scope(self) -> str:
        """The scope of an entry; for a row of the four tables, its table."""
        return str(self.more.get("scope", self.table))

    def has_name(self, name: str) -> bool:
        """Return whether `name` is the id, the short name, or the beginning or end of the id."""
        if name in {self.id, self.short}:
            return True
        return len(name) >= 4 and (self.id.startswith(name) or self.id.endswith(f"/{name}"))

    def as_json(self) -> dict[str, Json]:
        """Return all fields, in a fixed order."""
        return {
            "id": self.id,
            "short": self.short,
            "kind": self.kind,
            "table": self.table,
            "status": self.status,
            "closed": self.closed,
            "run": self.run_id,
            "lesson": self.sequence,
            "tick": self.tick,
            "game_s": self.game_s,
            "evidence": list(self.evidence),
            "worth": None if self.worth is None else round(self.worth, 6),  # decays by the second
            "data": self.data,
            **self.more,
        }


def knowledge_items(database: Database, *, now: float) -> Iterator[MemoryItem]:
    """Yield the items of a knowledge file: rows of the four tables by table and id, then entries, oldest first."""
    dates = dates_at(now, database, {})
    yield from _rows(database, dates)
    for row in database.rows(SELECT + "ORDER BY id"):
        with database.decoding(ENTRIES):
            item = entry_item(row, dates.decayed)
        yield item


def run_items(run: RunReader) -> Iterator[MemoryItem]:
    """Yield the entries of a run at its last commit, oldest first."""
    run_id = run.run_id
    for entry in run.live_entries():
        yield _item(entry, LIVE_ENTRIES, run_id, {"expires_s": entry.expires_s})


def _rows(database: Database, dates: Dates) -> Iterator[MemoryItem]:
    provenances = Provenances(database)
    for table in TABLES:
        for row in database.rows(table.select):
            with database.decoding(table.name):
                record = valid_record(dates.corrected_record(table.record_of(row)))
                item = row_item(table, record, provenances.of(table.name, row[0]), dates)
            yield item


def row_item(
    table: KnowledgeTable, record: KnowledgeRecord, where: Provenance | None, dates: Dates
) -> MemoryItem:
    """Return the item of a row of one of the four tables."""
    data: dict[str, Any] = as_json(record)
    name: str = data[table.id_column]
    alone = known_from({table.name: {name: record}})
    rate = ConsolidationConfig().forgetting_decay_rate
    (worth,) = values(alone, now=dates.now, rate=rate).values()
    last = table.kind.last_of(record)
    first = next((data[each] for each in _FIRST_DATES if data.get(each)), last)
    known = {} if where is None else where._asdict()
    kind = KIND_OF[table.name]
    return MemoryItem(kind, table.name, name, data, **known, first=first, last=last, worth=worth)


def entry_item(row: tuple[Any, ...], decayed_at: float) -> MemoryItem:
    """Return the item of a long-term entry, from a row of `COLUMNS`."""
    entry, known = valid_entry(entry_of(row)), history_of(row)
    more: dict[str, Json] = {
        "number": entry.seq,
        "origin": known.origin,
        "taught": known.times,
        "merged": list(known.merged),
    }
    item = _item(entry, ENTRIES, known.run_id, more, sequence=known.sequence)
    if not decayed_at:
        return item
    # An entry decays at a fixed rate from its delivery, so its relevance gives its date.
    rate = ConsolidationConfig().forgetting_decay_rate
    date = decayed_at - log(max(1e-9, min(1.0, entry.relevance))) / log(rate) * MONTH_S
    return replace(item, first=date, last=date)


def _item(
    entry: Entry, table: str, run_id: str, more: Mapping[str, Json], sequence: int = 0
) -> MemoryItem:
    ratings: dict[str, Json] = {
        "scope": entry.scope,
        "version": entry.version,
        "importance": entry.importance,
        "relevance": entry.relevance,
        "utility": entry.utility,
        "tags": sorted(entry.tags),
    }
    return MemoryItem(
        entry.kind,
        table,
        entry.key,
        entry.data,
        entry.status,
        entry.closed,
        run_id,
        sequence,
        entry.tick,
        entry.game_s,
        entry.sources,
        worth=None if table == LIVE_ENTRIES else entry.relevance * (0.5 + entry.utility),
        more=ratings | dict(more),
    )
