"""What outlives runs: the tactician's four tables, long-term entries, and an archive of what was let go.

A run reads it once, at its start, and afterwards only delivers to it, so that runs side by side do not disturb
each other. Nothing is deleted that the archive has not got.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from memory.codec import Json, as_json, encode
from memory.store.contributions import (
    TOTALS_TABLE,
    ByThing,
    Contribution,
    Folded,
    Shares,
    fold,
    save_by_hand,
    sum_totals,
)
from memory.store.database import Database, open_database, open_readonly
from memory.store.knowledge_tables import (
    BY_NAME,
    PATTERNS,
    PREFERENCES,
    TABLES,
    Archive,
    KnowledgeTable,
    Provenance,
    Provenances,
    Totals,
    save_delivery,
    save_totals,
    totals,
)
from memory.store.long_term import GrowingEntries, LongTermEntries
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers import forgetting
from memory.tiers.knowledge import ConsolidationConfig, Knowledge
from memory.tiers.lessons import ENTRIES, OutboxRow


class KnowledgeReader:
    """Knowledge, to be read."""

    def __init__(self, database: Database) -> None:
        self._database = database
        long_term = LongTermEntries(database)
        self.entries = long_term.all
        self.seed = long_term.best
        self._provenances = Provenances(database)
        self.provenance = self._provenances.of
        self._shares = Shares(database)
        self.origins = self._shares.teachers
        self.shares = self._shares.of  # what each run contributed to a thing, or closed of it
        self.backup = database.backup
        self.close = database.close

    def load_knowledge(self) -> Knowledge:
        """Return all that was learnt and still holds."""
        return self._knowledge(self._provenances.closed())

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

    def _knowledge(self, without: Mapping[str, Container[str]]) -> Knowledge:
        patterns, strategies, mistakes, preferences = (
            self._records(table, without.get(table.name, ())) for table in TABLES
        )
        return Knowledge(patterns, strategies, mistakes, preferences, *totals(self._database))

    def _records(self, table: KnowledgeTable, without: Container[str]) -> dict[str, Any]:
        rows = self._database.rows(table.select)
        with self._database.understood(table.name):
            return {row[0]: table.record_of(row) for row in rows if row[0] not in without}


class KnowledgeUpkeep(NamedTuple):
    """What one round of upkeep did: how many entries became one with others, and how many went."""

    merged: int
    pruned: int


class KnowledgeStore(KnowledgeReader):
    """Knowledge that grows. `now` is the date it was opened, in epoch seconds; what is newer stays as new as it is."""

    def __init__(
        self, database: Database, *, now: float, config: ConsolidationConfig | None = None
    ) -> None:
        super().__init__(database)
        self._now = now
        self._config = config or ConsolidationConfig()
        self._archive = Archive(database, now=now)
        rate = self._config.forgetting_decay_rate
        self._growing = GrowingEntries(database, self._archive, self._shares, rate)

    def deliver(self, run_id: str, rows: Iterable[OutboxRow]) -> int:
        """Return how many lessons of `run_id`, in their order, were new; those delivered before change nothing."""
        with self._database.transaction():
            last = self.delivered(run_id)
            fresh = [row for row in rows if row.sequence > last]
            if fresh:
                save_delivery(self._database, run_id, fresh[-1].sequence)
                lessons = Contribution(self._shares, run_id, self._now)
                for row in fresh:
                    self._take(lessons, run_id, row)
                with self._changing(prunes=True) as known:
                    self._believe(known, lessons.keep())
                self._growing.limit()
        return len(fresh)

    def save_knowledge(self, known: Knowledge) -> None:
        """Make the four tables hold what is `known`, and no more: what was let go of goes to the archive.

        Rows that were closed stay. It is no longer known which run contributed what to
        what was changed: it is all said to have been taught by hand.
        """
        with self._database.transaction():
            with self._changing(self._provenances.closed()) as held:
                before = replace(held)
                for each in fields(held):
                    setattr(held, each.name, getattr(known, each.name))
            save_by_hand(self._shares, before, known)

    def age(self) -> None:
        """Let knowledge fade from the last time to now; what is worth too little is archived."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO tactician_stats VALUES (1, 0, 0, 0.0, ?)", (self._now,)
            )
            row = self._database.row("SELECT decayed_at FROM tactician_stats")
            assert row is not None
            if row[0] >= self._now:
                self._now = row[0]
                return
            with self._changing(prunes=True) as known:
                fading: dict[str, Mapping[str, object]] = {
                    PATTERNS.name: known.patterns,
                    PREFERENCES.name: known.preferences,
                }
                told = self._shares.all(*fading).items()
                for _ in self._folded(
                    known, {each: runs for each, runs in told if each[1] in fading[each[0]]}
                ):
                    pass  # where it comes from does not change with time
            self._growing.fade(self._now)
            self._growing.prune("*", self._config.importance_threshold)
            self._database.execute("UPDATE tactician_stats SET decayed_at = ?", (self._now,))

    def maintain(self, scope_glob: str = "*") -> KnowledgeUpkeep:
        """Return what upkeep did to the entries of the scopes that a glob names, shared ones as well.

        Those that say the same become one, and those that have faded go to the archive.
        """
        with self._database.transaction():
            merged = self._growing.merge(scope_glob, self._now)
            pruned = self._growing.prune(scope_glob, self._config.importance_threshold)
        return KnowledgeUpkeep(merged, pruned)

    @contextmanager
    def _changing(
        self, without: Mapping[str, Collection[str]] | None = None, *, prunes: bool = False
    ) -> Iterator[Knowledge]:
        """Lend the knowledge, and write back what was changed; what is gone goes to the archive.

        Where it `prunes`, what is worth too little goes as well, even if it was first believed a moment ago.
        """
        known = self._knowledge(without or {})
        before = _shelves(known)
        yield known
        meant = _shelves(known)
        if prunes:
            forgetting.prune(known, self._config, now=self._now)
        for table in TABLES:
            old, new = before[table.name], known.of(table.name)
            newest = {**old, **meant[table.name]}
            self._database.execute_many(
                table.replace,
                [table.row_of(record) for name, record in new.items() if old.get(name) != record],
            )
            for name in sorted(newest.keys() - new.keys()):
                self._archive.take_out(table, name, as_json(newest[name]))
        sums = known.total_sessions, known.total_battles, known.overall_win_rate
        save_totals(self._database, Totals(*sums))

    def _take(self, lessons: Contribution, run_id: str, row: OutboxRow) -> None:
        if row.kind == "entry":
            self._growing.take(run_id, row, self._now)
        elif row.kind == "close" and row.payload["table"] == ENTRIES:
            self._growing.close(run_id, row, self._now)
        else:
            lessons.take(row)

    def _believe(self, known: Knowledge, things: ByThing) -> None:
        """Take into `known` what shares come to, and note whose word it is and whose does not stand."""
        for table, memory_id, told in self._folded(known, things):
            voice = told.voice
            where = Provenance(
                voice.status, voice.run_id, voice.taught, voice.tick, told.closed, told.evidence
            )
            self._provenances.keep(table.name, memory_id, where)
            if table is PREFERENCES:
                self._shares.mark(table.name, memory_id, told.losers)

    def _folded(
        self, known: Knowledge, things: ByThing
    ) -> Iterator[tuple[KnowledgeTable, str, Folded]]:
        """Yield what each of `things` comes to today, as it is taken into `known`."""
        rate = self._config.forgetting_decay_rate
        for (name, memory_id), runs in things.items():
            if name == TOTALS_TABLE:
                sums = sum_totals(runs.values())
                known.total_sessions, known.total_battles = sums["sessions"], sums["battles"]
                known.overall_win_rate = (
                    sums["victories"] / sums["battles"] if sums["battles"] else 0.0
                )
            elif name in BY_NAME:
                told = fold(name, runs.values(), at=self._now, rate=rate)
                if told is not None:
                    known.of(name)[memory_id] = told.record
                    yield BY_NAME[name], memory_id, told


def _shelves(known: Knowledge) -> dict[str, dict[str, Any]]:
    return {table.name: dict(known.of(table.name)) for table in TABLES}


def open_knowledge_store(
    path: Path, *, now: float, config: ConsolidationConfig | None = None
) -> KnowledgeStore:
    """Return the knowledge at `path`, made if there is none, and faded to the date `now`."""
    database = open_database(path, KNOWLEDGE_SCHEMA, set_aside=True)
    store = KnowledgeStore(database, now=now, config=config)
    try:
        store.age()
    except BaseException:
        database.close()
        raise
    return store


def read_knowledge_store(path: Path) -> KnowledgeReader:
    """Return the knowledge at `path` for reading, unchanged."""
    return KnowledgeReader(open_readonly(path, KNOWLEDGE_SCHEMA))
