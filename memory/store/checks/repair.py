"""Repairs of a knowledge file, within one transaction; removed rows are archived."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory.codec import Json, as_json
from memory.store.checks.finding import UnreadableRow
from memory.store.contributions import BY_HAND, TOTALS_ROW, TOTALS_TABLE, Closing, Contribution
from memory.store.database import Database
from memory.store.dates import dates_at
from memory.store.items import MemoryItem
from memory.store.knowledge_store import KnowledgeStore
from memory.store.knowledge_tables import (
    BY_NAME,
    NO_PROVENANCE,
    STRATEGIES,
    Totals,
    save_delivery,
    save_totals,
)
from memory.tiers.knowledge import KnowledgeRecord, SuccessfulStrategy, merge_strategy


class Repairs(KnowledgeStore):
    """A knowledge file under repair; `now` is what the clock shows."""

    def __init__(self, database: Database, *, now: float) -> None:
        super().__init__(database, now=now)
        self._use_dates(dates_at(now, database, {}))

    def reindex(self) -> None:
        """Rebuild all indexes."""
        self._database.execute("REINDEX")

    def archive_row(self, table: str, memory_id: str, row: Mapping[str, Json]) -> None:
        """Archive a row of the four tables with its provenance; earlier contributions no longer restore it."""
        self._contributions.forget([(table, memory_id)])
        self._archive.move_row(BY_NAME[table], memory_id, row)

    def archive_item(self, item: MemoryItem) -> None:
        """Archive the row of an item, in any table."""
        number = item.more.get("number")
        if isinstance(number, int):
            self._long_term.archive(number)
        else:
            self.archive_row(item.table, item.id, item.data)

    def archive_entry(self, number: int) -> None:
        """Archive a long-term entry."""
        self._long_term.archive(number)

    def archive_unreadable(self, unreadable: UnreadableRow) -> None:
        """Archive the raw values of an unreadable row."""
        self._archive.add(unreadable.table, unreadable.id, unreadable.row)
        statement = f'DELETE FROM "{unreadable.table}" WHERE rowid = ?'  # noqa: S608  # our own table
        self._database.execute(statement, (unreadable.number,))

    def clamp_entry(self, number: int) -> None:
        """Set the count of a long-term entry to at least 1, and its fractions to 0..1."""
        self._database.execute(
            "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
            "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
            (number,),
        )

    def merge_strategies(self, first: SuccessfulStrategy, other: SuccessfulStrategy) -> None:
        """Add the battles of `other` to `first`, and archive `other`."""
        self.put(STRATEGIES.name, merge_strategy(other, first))
        self.archive_row(STRATEGIES.name, other.strategy_id, as_json(other))

    def put(self, table: str, record: KnowledgeRecord) -> None:
        """Replace the record with this id; its contributions by run are no longer known."""
        its = BY_NAME[table]
        at = its.kind.last_of(record)
        self._contributions.save_manual(table, getattr(record, its.id_column), as_json(record), at)
        self._database.execute(its.replace, its.row_of(record))

    def replace_totals(self, sessions: int, battles: int, victories: int) -> None:
        """Replace impossible totals."""
        sums: dict[str, Json] = {"sessions": sessions, "battles": battles, "victories": victories}
        self._contributions.save_manual(TOTALS_TABLE, TOTALS_ROW, sums, 0.0)
        save_totals(
            self._database, Totals(sessions, battles, victories / battles if battles else 0.0)
        )

    def change(self, table: str, record: Any, **fields: object) -> None:  # noqa: ANN401  # any record
        """Replace a record after correcting some fields."""
        self.put(table, replace(record, **fields))

    def close_row(self, table: str, memory_id: str, reason: str, *evidence: str) -> None:
        """Close a row with a reason; the row stays, and newer evidence may reopen it."""
        mine = self._contributions.of(table, memory_id).get(BY_HAND, Contribution(BY_HAND))
        closing = Closing(mine.sequence + 1, 0, self._dates.today, reason, evidence)
        self._contributions.save(table, memory_id, [mine.with_closing(closing)])
        known = self._provenances.of(table, memory_id) or NO_PROVENANCE
        closed = known._replace(closed=reason, evidence=(*known.evidence, *evidence))
        self._provenances.save(table, memory_id, closed)

    def drop_provenance(self, table: str, memory_id: str, row: Json) -> None:
        """Archive the provenance of a row that does not exist."""
        self._archive.add("provenance", memory_id, {"table_name": table, "provenance": row})
        self._provenances.drop(table, memory_id)

    def record_delivery(self, run_id: str, sequence: int) -> None:
        """Record the last lesson a run delivered."""
        save_delivery(self._database, run_id, sequence)

    def limit_rows(self) -> None:
        """Archive rows of the four tables over the caps: the least relevant, successful or severe."""
        with self._editing(self._provenances.closed()) as known, self._restored_aside(known):
            known.limit(self._config)

    def limit_entries(self) -> None:
        """Archive the long-term entries over the cap of their scope, least valuable first."""
        self._long_term.limit()
