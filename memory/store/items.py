"""All entries of a memory file as items of one shape, closed ones included."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any, Final

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, content_id
from memory.store.database import Database
from memory.store.dates import Dates, dates_at
from memory.store.lasting import SELECT, Row, entry_of, history_of
from memory.tiers.contributions import EntryHistory
from memory.tiers.knowledge import (
    KIND_BY_NAME,
    KIND_BY_TABLE,
    KNOWLEDGE_SCOPES,
    MONTH_S,
    ConsolidationConfig,
    decayed,
)
from memory.tiers.lasting import ENTRIES, record_of, valid_entry, worth_of

LIVE_ENTRIES: Final = "entries"  # the table of a run's file
KIND_OF: Final = {table: kind.name for table, kind in KIND_BY_TABLE.items()}
_FIRST_DATES: Final = ("first_used", "first_occurred", "created_at")
_RATE: Final = ConsolidationConfig().forgetting_decay_rate


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One remembered row. `first` and `last` are epoch seconds, 0.0 if unknown; `worth` decides when it is pruned.

    Knowledge has the name of its view as `table` and `scope`, and the id of its record.
    """

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
    more: Mapping[str, Json] = field(default_factory=dict)  # fields that knowledge does not have
    row: int = 0  # its number in its table

    @property
    def short(self) -> str:
        """A name of eight characters for people."""
        return self.id[:8] if self.table in KIND_OF else content_id(self.scope, self.id)[:8]

    @property
    def scope(self) -> str:
        """The scope of an entry; for knowledge, its table."""
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
    """Yield the items of a memory file: knowledge by kind and id, then other entries, oldest first."""
    dates = dates_at(now, database, {})
    order = (
        " ORDER BY scope NOT GLOB 'ltm:*', CASE WHEN scope GLOB 'ltm:*' THEN scope || key END, id"
    )
    for row in database.rows(SELECT + order):
        with database.decoding(ENTRIES):
            item = lasting_item(row, dates)
        yield item


def run_items(run_id: str, entries: Iterable[Entry]) -> Iterator[MemoryItem]:
    """Yield the entries of a run as items."""
    for entry in entries:
        yield _item(entry, LIVE_ENTRIES, run_id, {"expires_s": entry.expires_s})


def lasting_item(row: Row, dates: Dates) -> MemoryItem:
    """Return the item of an entry that outlives runs, from a row of `COLUMNS`."""
    entry, known = valid_entry(dates.corrected_entry(entry_of(row))), history_of(row)
    if entry.scope in KNOWLEDGE_SCOPES:
        return _knowledge_item(entry, known, dates)
    more: dict[str, Json] = {
        "number": entry.seq,
        "origin": known.origin,
        "reported": known.times,
        "merged": list(known.merged),
    }
    # An entry decays at a fixed rate from its delivery, so its relevance gives its date.
    left = log(max(1e-9, min(1.0, entry.relevance))) / log(_RATE) * MONTH_S
    date = dates.decayed - left if dates.decayed else 0.0
    return _item(entry, ENTRIES, known.run_id, more, known.sequence, date)


def _knowledge_item(entry: Entry, known: EntryHistory, dates: Dates) -> MemoryItem:
    kind, data = KIND_BY_NAME[entry.kind], as_json(record_of(entry))
    last: Any = data[kind.date] or 0.0
    first: Any = next((data[each] for each in _FIRST_DATES if data.get(each)), last)
    return MemoryItem(
        kind.name,
        kind.table,
        str(data[kind.id]),
        data,
        entry.status,
        entry.closed,
        known.run_id,
        known.sequence,
        entry.tick,
        evidence=entry.sources,
        first=first,
        last=last,
        worth=worth_of(entry) * decayed(dates.decayed or dates.now, dates.now, _RATE),
        row=entry.seq,
    )


def _item(  # an entry, and what is known of its row
    entry: Entry,
    table: str,
    run_id: str,
    more: Mapping[str, Json],
    sequence: int = 0,
    date: float = 0.0,
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
        date,
        date,
        worth=None if table == LIVE_ENTRIES else worth_of(entry),
        more=ratings | dict(more),
        row=entry.seq,
    )
