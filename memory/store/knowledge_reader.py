"""What was learnt in all runs, for whoever wants to know."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from memory.codec import encode
from memory.store.knowledge_tables import TABLES, Table
from memory.store.ltm_entries import LongTermEntries
from memory.store.provenance import Provenance, Provenances
from memory.store.share_rows import Shares
from memory.tiers.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from pathlib import Path

    from memory.blackboard.entry import Entry
    from memory.codec import Json
    from memory.store.database import Database
    from memory.tiers.shares import Share

SEEDS: Final = 100  # of each kind in a scope


class KnowledgeReader:
    """Knowledge, to be read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._long_term = LongTermEntries(database)
        self._provenances = Provenances(database)
        self._shares = Shares(database)

    def load_knowledge(self) -> Knowledge:
        """Return all that was learnt and still holds."""
        closed = {table.name: self._provenances.closed(table.name) for table in TABLES}
        return self._knowledge(closed)

    def entries(self) -> list[Entry]:
        """Return the long-term entries of all runs, oldest first, with those that no longer hold."""
        return self._long_term.all()

    def seed(self, limit_per_kind: int = SEEDS) -> list[Entry]:
        """Return the entries a new run starts with, those worth most first.

        They still hold, and name the run they come from: their keys begin with it, their sources end with it.
        """
        return self._long_term.best(limit_per_kind)

    def search(self, words: str, *, scope_glob: str = "*", limit: int = 10) -> list[Entry]:
        """Return the entries that hold any of `words` and still hold true, the closest first."""
        return self._long_term.search(words, scope_glob, limit)

    def provenance(self, table: str, memory_id: str) -> Provenance | None:
        """Return where one row of the four tables comes from, or None when it is not known."""
        return self._provenances.of(table, memory_id)

    def origins(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the runs that taught each thing, by table and id, in the order of their names, which are dates."""
        return self._shares.teachers()

    def shares(self, table: str, memory_id: str) -> dict[str, Share]:
        """Return what each run contributed to one row of the four tables, or closed of it."""
        return self._shares.of(table, memory_id)

    def delivered(self, run_id: str) -> int:
        """Return the sequence of the last lesson that `run_id` delivered; 0 when there was none."""
        row = self._database.row("SELECT max(sequence) FROM deliveries WHERE run_id = ?", (run_id,))
        return 0 if row is None or row[0] is None else int(row[0])

    def content_hash(self) -> str:
        """Return 32 hex digits that change when, and only when, what a run would read changes."""
        seeds: list[Json] = [
            [each.scope, each.kind, each.key, each.data, sorted(each.tags), *each[10:14]]
            for each in self.seed()
        ]
        text = encode([self.load_knowledge().to_json(), seeds])
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def backup(self, path: Path) -> None:
        """Copy everything to a new file at `path`, also while runs deliver to this one."""
        self._database.backup(path)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _knowledge(self, without: Mapping[str, Container[str]]) -> Knowledge:
        patterns, strategies, mistakes, preferences = (
            self._records(table, without.get(table.name, ())) for table in TABLES
        )
        stats = self._database.row(
            "SELECT total_sessions, total_battles, overall_win_rate FROM tactician_stats"
        )
        totals = stats or (0, 0, 0.0)
        return Knowledge(patterns, strategies, mistakes, preferences, *totals)

    def _records(self, table: Table, without: Container[str]) -> dict[str, Any]:
        rows = self._database.rows(table.select)
        with self._database.understood(table.name):
            return {row[0]: table.record_of(row) for row in rows if row[0] not in without}
