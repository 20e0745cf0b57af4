"""What outlives runs: the tactician's four tables, long-term entries, and an archive of what was let go.

A run reads it once, at its start, and afterwards only delivers to it, so that runs side by side do not disturb
each other. Nothing is deleted that the archive has not got.
"""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, decode, encode
from memory.store.database import Database, open_database, open_readonly
from memory.store.knowledge_schema import KNOWLEDGE_SCHEMA
from memory.store.knowledge_tables import BY_LESSON, TABLES, Table, knowledge
from memory.tiers import forgetting
from memory.tiers.knowledge import Knowledge
from memory.tiers.lessons import learn
from memory.tiers.settings import ConsolidationConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memory.store.run_rows import OutboxRow

MAX_ENTRIES: Final = 500  # of each scope


class Provenance(NamedTuple):
    """How far a piece of knowledge is to be trusted, and the last lesson that taught it."""

    status: Literal["verified", "claim", "retracted"]
    run_id: str
    sequence: int
    tick: int


class KnowledgeReader:
    """Knowledge, to be read."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load_knowledge(self) -> Knowledge:
        """Return all that was learnt."""
        patterns, strategies, mistakes, preferences = map(self._records, TABLES)
        stats = self._database.row(
            "SELECT total_sessions, total_battles, overall_win_rate FROM tactician_stats"
        )
        sessions, battles, win_rate = stats or (0, 0, 0.0)
        return Knowledge.from_json(
            {
                "patterns": patterns,
                "strategies": strategies,
                "mistakes": mistakes,
                "preferences": preferences,
                "total_sessions": sessions,
                "total_battles": battles,
                "overall_win_rate": win_rate,
            }
        )

    def entries(self) -> list[Entry]:
        """Return the long-term entries of all runs, oldest first."""
        sql = "SELECT id, scope, kind, data, tags, importance, NULL FROM ltm_entries ORDER BY id"
        rows = self._database.rows(sql)
        with self._database.understood("ltm_entries"):
            return [
                Entry(seq, scope, kind, 0, 0.0, dict(decode(data)), frozenset(decode(tags)), *rest)
                for seq, scope, kind, data, tags, *rest in rows
            ]

    def provenance(self, table: str, memory_id: str) -> Provenance | None:
        """Return where one row of the four tables comes from, or None when it is not known."""
        row = self._database.row(
            "SELECT status, run_id, sequence, tick FROM provenance WHERE table_name = ? AND id = ?",
            (table, memory_id),
        )
        return None if row is None else Provenance(*row)

    def content_hash(self) -> str:
        """Return 32 hex digits that change when, and only when, what a run would read changes."""
        entries: list[Json] = [
            [each.scope, each.kind, each.data, sorted(each.tags)] for each in self.entries()
        ]
        text = encode([self.load_knowledge().to_json(), entries])
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _records(self, table: Table) -> list[dict[str, Json]]:
        rows = self._database.rows(table.select)
        with self._database.understood(table.name):
            return [as_json(table.record_of(row)) for row in rows]


class KnowledgeStore(KnowledgeReader):
    """Knowledge that grows. `now` is the date it was opened, in epoch seconds."""

    def __init__(self, database: Database, *, now: float, config: ConsolidationConfig) -> None:
        super().__init__(database)
        self._now = now
        self._config = config

    def deliver(self, run_id: str, rows: Iterable[OutboxRow]) -> int:
        """Return how many lessons of `run_id` were new; those delivered before change nothing."""
        with self._database.transaction():
            fresh = [row for row in rows if self._is_new(run_id, row.sequence)]
            if fresh:
                with self._changing() as tactician:
                    for row in fresh:
                        learn(tactician, row.kind, row.payload)
                        self._note(run_id, row)
                    forgetting.prune(tactician, self._config, now=self._now)
                self._limit_entries()
        return len(fresh)

    def age(self) -> None:
        """Let knowledge fade from the last time to now; what is worth too little is archived."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO tactician_stats VALUES (1, 0, 0, 0.0, ?)", (self._now,)
            )
            row = self._database.row("SELECT decayed_at FROM tactician_stats")
            assert row is not None
            if row[0] >= self._now:
                return
            with self._changing() as tactician:
                rate = self._config.forgetting_decay_rate
                forgetting.decay(tactician, since=row[0], now=self._now, rate=rate)
                forgetting.prune(tactician, self._config, now=self._now)
            self._database.execute("UPDATE tactician_stats SET decayed_at = ?", (self._now,))

    def _is_new(self, run_id: str, sequence: int) -> bool:
        sql = "INSERT OR IGNORE INTO deliveries (run_id, sequence) VALUES (?, ?)"
        return self._database.execute(sql, (run_id, sequence)) == 1

    @contextmanager
    def _changing(self) -> Iterator[Knowledge]:
        """Lend the knowledge, and write back what was changed; what is gone goes to the archive."""
        tactician = self.load_knowledge()
        before = {table.name: dict(knowledge(tactician, table)) for table in TABLES}
        yield tactician
        database = self._database
        for table in TABLES:
            old, new = before[table.name], knowledge(tactician, table)
            database.execute_many(
                table.replace,
                [table.row_of(record) for name, record in new.items() if old.get(name) != record],
            )
            for name in old.keys() - new.keys():
                self._archive(table.name, name, encode(as_json(old[name])))
                database.execute(table.delete, (name,))
        database.execute(
            "UPDATE tactician_stats SET total_sessions = ?, total_battles = ?, overall_win_rate = ?",
            (tactician.total_sessions, tactician.total_battles, tactician.overall_win_rate),
        )

    def _note(self, run_id: str, row: OutboxRow) -> None:
        """Keep an entry, or where a lesson comes from."""
        if row.kind == "entry":
            self._database.execute(
                "INSERT INTO ltm_entries (run_id, sequence, scope, kind, data, tags, importance) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id,
                    row.sequence,
                    row.payload["scope"],
                    row.payload["kind"],
                    encode(row.payload["data"]),
                    encode(row.payload["tags"]),
                    row.payload["importance"],
                ),
            )
        elif (table := BY_LESSON.get(row.kind)) is not None:
            # Lessons are drawn from what happened, never from what a model says: they are verified.
            self._database.execute(
                "INSERT OR REPLACE INTO provenance VALUES (?, ?, 'verified', ?, ?, ?)",
                (table.name, row.payload[table.id_column], run_id, row.sequence, row.tick),
            )

    def _limit_entries(self) -> None:
        surplus = self._database.rows(
            "SELECT id, scope, kind, data FROM (SELECT *, row_number() OVER "
            "(PARTITION BY scope ORDER BY importance DESC, id DESC) AS place FROM ltm_entries) "
            "WHERE place > ?",
            (MAX_ENTRIES,),
        )
        for number, scope, kind, data in surplus:
            with self._database.understood("ltm_entries"):
                row = encode({"scope": scope, "kind": kind, "data": decode(data)})
            self._archive("ltm_entries", str(number), row)
            self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (number,))

    def _archive(self, table: str, memory_id: str, row: str) -> None:
        self._database.execute(
            "INSERT INTO archive (table_name, id, archived_at, row) VALUES (?, ?, ?, ?)",
            (table, memory_id, self._now, row),
        )
        self._database.execute(
            "DELETE FROM provenance WHERE table_name = ? AND id = ?", (table, memory_id)
        )


def open_knowledge_store(
    path: Path, *, now: float, config: ConsolidationConfig | None = None
) -> KnowledgeStore:
    """Return the knowledge at `path`, made if there is none, and faded to the date `now`."""
    database = open_database(path, KNOWLEDGE_SCHEMA, set_aside=True)
    store = KnowledgeStore(database, now=now, config=config or ConsolidationConfig())
    try:
        store.age()
    except BaseException:
        database.close()
        raise
    return store


def read_knowledge_store(path: Path) -> KnowledgeReader:
    """Return the knowledge at `path` for reading, unchanged."""
    return KnowledgeReader(open_readonly(path, KNOWLEDGE_SCHEMA))
