"""Repairs of a file of knowledge and of a run's file, each within one transaction.

What is taken out of a file of knowledge is archived; what is taken out of a run is kept as an event.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from memory.codec import as_json, encode
from memory.store.checks.finding import Broken, held_in
from memory.store.contributions import (
    BY_HAND,
    TOTALS_ROW,
    TOTALS_TABLE,
    Closing,
    Share,
    Shares,
)
from memory.store.entries import reindex_entries
from memory.store.knowledge_tables import (
    BY_NAME,
    NOBODY,
    STRATEGIES,
    TABLES,
    Archive,
    Provenances,
    Totals,
    known_from,
    save_delivery,
    save_totals,
)
from memory.store.long_term import GrowingEntries
from memory.tiers.knowledge import ConsolidationConfig, more_strategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.store.database import Database
    from memory.store.items import MemoryItem
    from memory.tiers.knowledge import Piece, SuccessfulStrategy


class Mending:
    """Writes to a file of knowledge; `now` is the date that the archive is given."""

    def __init__(self, database: Database, *, now: float) -> None:
        self.database = database
        self._archive = Archive(database, now=now)
        self._now = now
        self._provenances = Provenances(database)
        self._shares = Shares(database)
        rate = ConsolidationConfig().forgetting_decay_rate
        self._growing = GrowingEntries(database, self._archive, self._shares, rate)

    def let_go(self, table: str, memory_id: str, record: Piece) -> None:
        """Archive a row of the four tables with where it came from; what was taught of it so far brings it not back."""
        self._shares.let_go([(table, memory_id)])
        self._archive.take_out(BY_NAME[table], memory_id, as_json(record))

    def let_go_of_item(self, item: MemoryItem) -> None:
        """Archive what an item shows, whichever table it lies in."""
        number = item.more.get("number")
        if isinstance(number, int):
            self._growing.let_go(number)
            return
        self._shares.let_go([(item.table, item.id)])
        self._archive.take_out(BY_NAME[item.table], item.id, item.data)

    def let_go_of_entry(self, number: int) -> None:
        """Archive a long-term entry."""
        self._growing.let_go(number)

    def let_go_of_broken(self, broken: Broken) -> None:
        """Archive what is left of an unreadable row."""
        self._archive.keep(broken.table, broken.id, broken.row)
        statement = f'DELETE FROM "{broken.table}" WHERE rowid = ?'  # noqa: S608  # our own table
        self.database.execute(statement, (broken.number,))

    def bound_entry(self, number: int) -> None:
        """Count a long-term entry at least once, and bring its shares back between 0 and 1."""
        self.database.execute(
            "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
            "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
            (number,),
        )

    def unite(self, first: SuccessfulStrategy, other: SuccessfulStrategy) -> None:
        """Give `first` the battles of both; the other is archived."""
        self.put(STRATEGIES.name, more_strategy(other, first))
        self.let_go(STRATEGIES.name, other.strategy_id, other)

    def put(self, table: str, record: Piece) -> None:
        """Write a record in the place of what is under its id; it is no longer known which run taught what of it."""
        its = BY_NAME[table]
        at = its.kind.last_of(record)
        self._shares.save_by_hand(table, its.id_of(record), as_json(record), at)
        self.database.execute(its.replace, its.row_of(record))

    def put_totals(self, sessions: int, battles: int, victories: int) -> None:
        """Write totals in the place of those that cannot be."""
        sums: dict[str, Json] = {"sessions": sessions, "battles": battles, "victories": victories}
        self._shares.save_by_hand(TOTALS_TABLE, TOTALS_ROW, sums, 0.0)
        save_totals(
            self.database, Totals(sessions, battles, victories / battles if battles else 0.0)
        )

    def change(self, table: str, record: Any, **fields: object) -> None:  # noqa: ANN401  # any record
        """Write a record with some fields put right."""
        self.put(table, replace(record, **fields))

    def close(self, table: str, memory_id: str, reason: str, *evidence: str) -> None:
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
        save_delivery(self.database, run_id, sequence)

    def limit_rows(self) -> None:
        """Archive those of the four tables that are over the caps: the least relevant, successful, severe."""
        held = held_in(self.database)
        known = known_from({table.name: held.open(table.name) for table in TABLES})
        before = {table.name: dict(known.of(table.name)) for table in TABLES}
        known.limit(ConsolidationConfig())
        for table in TABLES:
            for memory_id in sorted(before[table.name].keys() - known.of(table.name).keys()):
                row = as_json(before[table.name][memory_id])
                self._archive.take_out(table, memory_id, row)

    def limit_entries(self) -> None:
        """Archive the long-term entries over the cap of their scope: those worth least."""
        self._growing.limit()


_EVENT: Final = (
    "INSERT INTO events (tick, kind, payload) VALUES "
    "((SELECT coalesce(max(tick), 0) FROM steps WHERE live = 1), 'archived', ?)"
)
_DROP: Final = (
    "UPDATE entries SET dropped_after = (SELECT coalesce(max(id), 0) FROM checkpoints) WHERE id = ?"
)


class RunMending:
    """Writes to a run's file."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def drop_entry(self, number: int, row: Mapping[str, Json], reason: str) -> None:
        """Take one entry off the blackboard, and keep it as play keeps what it lets go of."""
        self.database.execute(_EVENT, (encode({**row, "reason": reason}),))
        self.database.execute(_DROP, (number,))

    def lose_entry(self, number: int, row: Mapping[str, Json]) -> None:
        """Delete an unreadable entry; what is left of it is kept as an event."""
        self.database.execute(_EVENT, (encode({**row, "reason": "unreadable"}),))
        self.database.execute("DELETE FROM entries WHERE id = ?", (number,))

    def bury(self, table: str, number: int) -> None:
        """Leave a row of events or lessons out of what is live; it stays in the file."""
        statement = f"UPDATE {table} SET live = 0 WHERE rowid = ?"  # noqa: S608  # events or outbox
        self.database.execute(statement, (number,))

    def drop_parts(self) -> None:
        """Delete what was kept for checkpoints that are not there."""
        self.database.execute(
            "DELETE FROM parts WHERE checkpoint NOT IN (SELECT id FROM checkpoints)"
        )

    def reindex(self) -> None:
        """Make anew what entries are found by."""
        reindex_entries(self.database)
