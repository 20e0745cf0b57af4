"""Repairs of a file of knowledge, within one transaction; what is taken out is archived."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memory.codec import Json, as_json
from memory.store.checks.finding import Broken
from memory.store.contributions import BY_HAND, TOTALS_ROW, TOTALS_TABLE, Closing, Share
from memory.store.items import MemoryItem
from memory.store.knowledge_store import KnowledgeStore
from memory.store.knowledge_tables import (
    BY_NAME,
    NOBODY,
    STRATEGIES,
    Totals,
    save_delivery,
    save_totals,
)
from memory.tiers.knowledge import Piece, SuccessfulStrategy, more_strategy


class Mending(KnowledgeStore):
    """A file of knowledge while it is repaired; `now` is the date that the archive is given."""

    def reindex(self) -> None:
        """Make all indexes anew."""
        self._database.execute("REINDEX")

    def let_go(self, table: str, memory_id: str, row: Mapping[str, Json]) -> None:
        """Archive a row of the four tables with where it came from; what was taught of it so far brings it not back."""
        self._shares.let_go([(table, memory_id)])
        self._archive.take_out(BY_NAME[table], memory_id, row)

    def let_go_of_item(self, item: MemoryItem) -> None:
        """Archive what an item shows, whichever table it lies in."""
        number = item.more.get("number")
        if isinstance(number, int):
            self._growing.let_go(number)
        else:
            self.let_go(item.table, item.id, item.data)

    def let_go_of_entry(self, number: int) -> None:
        """Archive a long-term entry."""
        self._growing.let_go(number)

    def let_go_of_broken(self, broken: Broken) -> None:
        """Archive what is left of an unreadable row."""
        self._archive.keep(broken.table, broken.id, broken.row)
        statement = f'DELETE FROM "{broken.table}" WHERE rowid = ?'  # noqa: S608  # our own table
        self._database.execute(statement, (broken.number,))

    def bound_entry(self, number: int) -> None:
        """Count a long-term entry at least once, and bring its shares back between 0 and 1."""
        self._database.execute(
            "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
            "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
            (number,),
        )

    def unite(self, first: SuccessfulStrategy, other: SuccessfulStrategy) -> None:
        """Give `first` the battles of both; the other is archived."""
        self.put(STRATEGIES.name, more_strategy(other, first))
        self.let_go(STRATEGIES.name, other.strategy_id, as_json(other))

    def put(self, table: str, record: Piece) -> None:
        """Write a record in the place of what is under its id; it is no longer known which run taught what of it."""
        its = BY_NAME[table]
        at = its.kind.last_of(record)
        self._shares.save_by_hand(table, getattr(record, its.id_column), as_json(record), at)
        self._database.execute(its.replace, its.row_of(record))

    def put_totals(self, sessions: int, battles: int, victories: int) -> None:
        """Write totals in the place of those that cannot be."""
        sums: dict[str, Json] = {"sessions": sessions, "battles": battles, "victories": victories}
        self._shares.save_by_hand(TOTALS_TABLE, TOTALS_ROW, sums, 0.0)
        save_totals(
            self._database, Totals(sessions, battles, victories / battles if battles else 0.0)
        )

    def change(self, table: str, record: Any, **fields: object) -> None:  # noqa: ANN401  # any record
        """Write a record with some fields put right."""
        self.put(table, replace(record, **fields))

    def close_row(self, table: str, memory_id: str, reason: str, *evidence: str) -> None:
        """Note why a row no longer holds; it stays, and newer evidence may open it again."""
        mine = self._shares.of(table, memory_id).get(BY_HAND, Share(BY_HAND))
        closing = Closing(mine.sequence + 1, 0, self._now, reason, evidence)
        self._shares.keep(table, memory_id, [mine.closed(closing)])
        known = self._provenances.of(table, memory_id) or NOBODY
        closed = known._replace(closed=reason, evidence=(*known.evidence, *evidence))
        self._provenances.keep(table, memory_id, closed)

    def drop_provenance(self, table: str, memory_id: str, row: Json) -> None:
        """Archive where a row came from that is not there."""
        self._archive.keep("provenance", memory_id, {"table_name": table, "provenance": row})
        self._provenances.drop(table, memory_id)

    def note_delivery(self, run_id: str, sequence: int) -> None:
        """Remember how far a run has delivered."""
        save_delivery(self._database, run_id, sequence)

    def limit_rows(self) -> None:
        """Archive those of the four tables that are over the caps: the least relevant, successful, severe."""
        with self._changing(self._provenances.closed()) as known:
            known.limit(self._config)

    def limit_entries(self) -> None:
        """Archive the long-term entries over the cap of their scope: those worth least."""
        self._growing.limit()
