"""Repairs of a file of knowledge, within one transaction; what is taken out is archived."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory.codec import Json, as_json
from memory.store.checks.finding import UnreadableRow
from memory.store.contributions import (
    MANUAL_SOURCE,
    TOTALS_ROW,
    TOTALS_TABLE,
    Closing,
    Contribution,
)
from memory.store.items import MemoryItem
from memory.store.knowledge_store import KnowledgeStore
from memory.store.knowledge_tables import (
    NO_PROVENANCE,
    STRATEGIES,
    TABLE_NAMED,
    Totals,
    save_delivery,
    save_totals,
)
from memory.tiers.knowledge import Piece, SuccessfulStrategy, more_strategy


class Repairs(KnowledgeStore):
    """A file of knowledge while it is repaired; `now` is the date that the archive is given."""

    def reindex(self) -> None:
        """Make all indexes anew."""
        self._database.execute("REINDEX")

    def let_go(self, table: str, memory_id: str, row: Mapping[str, Json]) -> None:
        """Archive a row of the four tables with where it came from; what was taught of it so far brings it not back."""
        self._contributions.let_go([(table, memory_id)])
        self._archive.take_out(TABLE_NAMED[table], memory_id, row)

    def archive_item(self, item: MemoryItem) -> None:
        """Archive what an item shows, whichever table it lies in."""
        number = item.more.get("number")
        if isinstance(number, int):
            self._long_term.let_go(number)
        else:
            self.let_go(item.table, item.id, item.data)

    def archive_entry(self, number: int) -> None:
        """Archive a long-term entry."""
        self._long_term.let_go(number)

    def archive_unreadable(self, unreadable: UnreadableRow) -> None:
        """Archive what is left of an unreadable row."""
        self._archive.keep(unreadable.table, unreadable.id, unreadable.row)
        statement = f'DELETE FROM "{unreadable.table}" WHERE rowid = ?'  # noqa: S608  # our own table
        self._database.execute(statement, (unreadable.number,))

    def clamp_entry(self, number: int) -> None:
        """Count a long-term entry at least once, and bring its shares back between 0 and 1."""
        self._database.execute(
            "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
            "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
            (number,),
        )

    def merge_strategies(self, first: SuccessfulStrategy, other: SuccessfulStrategy) -> None:
        """Give `first` the battles of both; the other is archived."""
        self.put(STRATEGIES.name, more_strategy(other, first))
        self.let_go(STRATEGIES.name, other.strategy_id, as_json(other))

    def put(self, table: str, record: Piece) -> None:
        """Write a record in the place of what is under its id; it is no longer known which run taught what of it."""
        its = TABLE_NAMED[table]
        at = its.kind.last_of(record)
        self._contributions.save_manual(table, getattr(record, its.id_column), as_json(record), at)
        self._database.execute(its.replace, its.row_of(record))

    def replace_totals(self, sessions: int, battles: int, victories: int) -> None:
        """Write totals in the place of those that cannot be."""
        sums: dict[str, Json] = {"sessions": sessions, "battles": battles, "victories": victories}
        self._contributions.save_manual(TOTALS_TABLE, TOTALS_ROW, sums, 0.0)
        save_totals(
            self._database, Totals(sessions, battles, victories / battles if battles else 0.0)
        )

    def change(self, table: str, record: Any, **fields: object) -> None:  # noqa: ANN401  # any record
        """Write a record with some fields put right."""
        self.put(table, replace(record, **fields))

    def close_row(self, table: str, memory_id: str, reason: str, *evidence: str) -> None:
        """Note why a row no longer holds; it stays, and newer evidence may open it again."""
        mine = self._contributions.of(table, memory_id).get(
            MANUAL_SOURCE, Contribution(MANUAL_SOURCE)
        )
        closing = Closing(mine.sequence + 1, 0, self._now, reason, evidence)
        self._contributions.keep(table, memory_id, [mine.closed(closing)])
        known = self._provenances.of(table, memory_id) or NO_PROVENANCE
        closed = known._replace(closed=reason, evidence=(*known.evidence, *evidence))
        self._provenances.keep(table, memory_id, closed)

    def drop_provenance(self, table: str, memory_id: str, row: Json) -> None:
        """Archive where a row came from that is not there."""
        self._archive.keep("provenance", memory_id, {"table_name": table, "provenance": row})
        self._provenances.drop(table, memory_id)

    def record_delivery(self, run_id: str, sequence: int) -> None:
        """Remember how far a run has delivered."""
        save_delivery(self._database, run_id, sequence)

    def limit_rows(self) -> None:
        """Archive those of the four tables that are over the caps: the least relevant, successful, severe."""
        with self._editing(self._provenances.closed()) as known:
            known.limit(self._config)

    def limit_entries(self) -> None:
        """Archive the long-term entries over the cap of their scope: those worth least."""
        self._long_term.limit()
