"""Knowledge that outlives runs: the four tables of the tactician, long-term entries, and the archive of removed rows.

A run reads it once at its start and afterwards only delivers lessons, so that parallel runs do not disturb each other.
Every deleted row is in the archive.
"""

import logging
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from memory.codec import Json, as_json, encode
from memory.store.contributions import (
    TOTALS_TABLE,
    AggregatedRow,
    ByRow,
    ContributionTable,
    LessonIntake,
    aggregate,
    by_precedence,
    sum_totals,
)
from memory.store.database import Database, backup_copy, open_database, open_readonly
from memory.store.dates import (
    STATS,
    Dates,
    correct_rows,
    dates_at,
    save_dates,
    wrong_contributions,
    wrong_rows,
)
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
from memory.store.long_term import LongTermEntries, LongTermEntryStore
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers import forgetting
from memory.tiers.knowledge import ConsolidationConfig, Knowledge
from memory.tiers.lessons import ENTRIES, OutboxRow

log = logging.getLogger(__name__)


class KnowledgeReader:
    """Reads a knowledge file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        long_term = LongTermEntries(database)
        self.entries = long_term.all
        self.seed = long_term.best
        self._provenances = Provenances(database)
        self.provenance = self._provenances.of
        self._contributions = ContributionTable(database)
        self.origins = self._contributions.run_ids
        self.contributions = self._contributions.of  # to one row, by run, with closings
        self.backup = database.backup
        self.close = database.close

    def load_knowledge(self) -> Knowledge:
        """Return all knowledge except closed rows."""
        return self._knowledge(self._provenances.closed())

    def delivered(self, run_id: str) -> int:
        """Return the sequence of the last lesson that `run_id` delivered, or 0."""
        row = self._database.row("SELECT max(sequence) FROM deliveries WHERE run_id = ?", (run_id,))
        return 0 if row is None or row[0] is None else int(row[0])

    def deliveries(self) -> dict[str, int]:
        """Return the sequence of the last lesson of each run that delivered any."""
        return dict(self._database.rows("SELECT run_id, max(sequence) FROM deliveries GROUP BY 1"))

    @property
    def is_in_place(self) -> bool:
        """Whether the open file still has its path; another program may have moved or replaced it."""
        return self._database.is_in_place

    def size(self) -> tuple[int, int]:
        """Return the number of rows and entries, and of the runs that delivered lessons."""
        names = (*(table.name for table in TABLES), ENTRIES, "deliveries")
        *held, (runs,) = (self._database.rows(f"SELECT count(*) FROM {name}") for name in names)  # noqa: S608  # our own tables
        return sum(count for ((count,),) in held), runs[0]

    def snapshot(self, path: Path) -> None:
        """Write what a run reads of this file to a new file at `path`; the archive stays behind."""
        self.backup(path)
        with closing(open_database(path, KNOWLEDGE_SCHEMA)) as copy:
            copy.execute("DELETE FROM archive")
            copy.execute("VACUUM")

    def content_hash(self) -> str:
        """Return 32 hex digits that change exactly when the knowledge a run would read changes."""
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
        with self._database.decoding(table.name):
            return {row[0]: table.record_of(row) for row in rows if row[0] not in without}


class MaintenanceCounts(NamedTuple):
    """The result of maintenance: the numbers of merged and of pruned entries."""

    merged: int
    pruned: int


MOST_COPIES: Final = 3  # made by openings


class Ageing(NamedTuple):
    """What an opening changed: rows with corrected dates, archived rows, and the copy of the file before."""

    corrected: int
    archived: int
    copy: Path | None = None


_FADING: Final = frozenset({PATTERNS.name, PREFERENCES.name})  # tables whose rows hold their worth
_BY_DATE: Final = [table.name for table in TABLES if table.kind.fades]  # it fades by their date


class _CopyFirst(Exception):
    """Nothing is changed before there is a copy."""


class KnowledgeStore(KnowledgeReader):
    """Reads and writes a knowledge file. `now` is what the clock shows, in epoch seconds; `age` decides what is believed."""

    def __init__(
        self, database: Database, *, now: float, config: ConsolidationConfig | None = None
    ) -> None:
        super().__init__(database)
        self._clock = self._now = now
        self._dates = Dates(now, now, now, now)
        self._config = config or ConsolidationConfig()
        self._archive = Archive(database, now=now)
        rate = self._config.forgetting_decay_rate
        self._long_term = LongTermEntryStore(database, self._archive, self._contributions, rate)

    def deliver(
        self, run_id: str, rows: Iterable[OutboxRow], *, instead_of: Mapping[str, Any] | None = None
    ) -> int:
        """Add the lessons of `run_id`, in order, and return how many were new; lessons delivered before are skipped.

        What it has taught since `instead_of`, from `taught()`, is taken back first.
        """
        with self._database.transaction():
            if instead_of is not None:
                self.take_back(run_id, instead_of)
            last = self.delivered(run_id)
            fresh = [row for row in rows if row.sequence > last]
            if fresh:
                save_delivery(self._database, run_id, fresh[-1].sequence)
                today, fades_from = self._dates.today, self._dates.fades_from
                lessons = LessonIntake(self._contributions, run_id, today, fades_from)
                for row in map(self._dates.corrected_lesson, fresh):
                    self._add_lesson(lessons, run_id, row)
                with self._editing(prunes=True) as known:
                    self._apply(known, lessons.save())
                self._long_term.limit()
        return len(fresh)

    def taught(self, run_id: str) -> Json:
        """Return all that `run_id` has taught so far, for `take_back`."""
        shares = self._contributions.stored(run_id)
        return {"delivered": self.delivered(run_id), "shares": [list(each) for each in shares]}

    def take_back(self, run_id: str, taught: Mapping[str, Any]) -> None:
        """Take back what `run_id` has taught since `taught`, from `taught()`: play goes on from before that.

        What it teaches from there holds all of it again, so that nothing counts twice.
        """
        if self.delivered(run_id) <= taught["delivered"]:
            return
        with self._database.transaction():
            changed = self._contributions.take_back(run_id, taught["delivered"], taught["shares"])
            save_delivery(self._database, run_id, taught["delivered"])
            for table, name in changed:
                if table == ENTRIES:
                    self._long_term.rebuild(name, self._now)
                elif table in BY_NAME:
                    self._database.execute(BY_NAME[table].delete, (name,))
                    self._provenances.drop(table, name)
            with self._editing() as known:
                self._apply(known, {each: self._contributions.of(*each) for each in changed})

    def age(self) -> Ageing:
        """Correct dates that cannot be believed, decay knowledge to the date that is, and archive rows worth too little.

        Before dates are corrected or rows archived, the file is copied.
        """
        try:
            with self._database.transaction():
                done = self._age()
                if done.corrected or done.archived:
                    raise _CopyFirst
        except _CopyFirst:
            copy = backup_copy(self._database, "before-ageing", most=MOST_COPIES)
            with self._database.transaction():
                done = self._age()._replace(copy=copy)
        return done

    def _age(self) -> Ageing:
        contributions = self._contributions.all()
        dates = self._use_dates(dates_at(self._clock, self._database, contributions))
        before = self._archive.size()
        corrected, keys = self._correct_dates(contributions)
        row = self._database.row(STATS)
        if row is None or not dates.is_unset:
            if corrected or row is None or row[0] < dates.now:
                self._fade(contributions, keys)
            save_dates(self._database, dates.now, dates.today)
        return Ageing(corrected, self._archive.size() - before)

    def correct_dates(self) -> int:
        """Correct the dates that cannot be believed, and nothing else; return how many rows had such."""
        with self._database.transaction():
            contributions = self._contributions.all()
            dates = self._use_dates(dates_at(self._clock, self._database, contributions))
            count, _ = self._correct_dates(contributions)
            if not dates.is_unset or self._database.row(STATS) is None:
                save_dates(self._database, dates.decayed, dates.opened)
        return count

    def _use_dates(self, dates: Dates) -> Dates:
        self._dates, self._now = dates, dates.now
        self._archive.now = dates.today
        return dates

    def _correct_dates(self, contributions: ByRow) -> tuple[int, set[tuple[str, str]]]:
        """Correct the dates of all rows, and of `contributions`; return how many were wrong, and the keys contributed to."""
        dates, database = self._dates, self._database
        wrong = list(wrong_contributions(dates, contributions))
        for name, memory_id, run_id in wrong:
            runs = contributions[name, memory_id]
            runs[run_id] = dates.corrected(runs[run_id])
            self._contributions.save(name, memory_id, [runs[run_id]])
        rows = wrong_rows(database, dates)
        correct_rows(database, dates)
        count = len(wrong) + len(rows)
        for table in TABLES:
            for record in self._records(table, ()).values():
                right = dates.corrected_record(record)
                if right is not record:
                    count += 1
                    database.execute(table.replace, table.row_of(right))
        return count, {(name, memory_id) for name, memory_id, _ in wrong}

    def _fade(self, contributions: ByRow, corrected: Container[tuple[str, str]]) -> None:
        """Decay all knowledge to the present date, and archive rows worth too little; `corrected` rows are built again."""
        with self._editing(prunes=True) as known:
            result = {
                each: runs
                for each, runs in contributions.items()
                if (each[0] in _FADING or each in corrected)
                and each[0] in BY_NAME
                and each[1] in known.of(each[0])
            }
            for _ in self._aggregated(known, result):
                pass  # provenance does not change with time
        self._long_term.fade(self._now, contributions)
        self._long_term.prune("*", self._config.importance_threshold)

    def maintain(self, scope_glob: str = "*") -> MaintenanceCounts:
        """Merge equal entries and archive decayed ones in the scopes that match a glob, and return the counts."""
        with self._database.transaction():
            merged = self._long_term.merge(scope_glob, self._now)
            pruned = self._long_term.prune(scope_glob, self._config.importance_threshold)
        return MaintenanceCounts(merged, pruned)

    @contextmanager
    def _editing(
        self, without: Mapping[str, Collection[str]] | None = None, *, prunes: bool = False
    ) -> Iterator[Knowledge]:
        """Yield the knowledge, then write back changes and archive removed rows.

        With `prunes`, rows worth too little are archived too, even new ones.
        """
        known = self._knowledge(without or {})
        before = _records_by_table(known)
        yield known
        meant = _records_by_table(known)
        if prunes:
            with self._restored_aside(known):
                forgetting.prune(known, self._config, now=self._now, since=self._fading_dates())
        for table in TABLES:
            old, new = before[table.name], known.of(table.name)
            newest = {**old, **meant[table.name]}
            self._database.execute_many(
                table.replace,
                [table.row_of(record) for name, record in new.items() if old.get(name) != record],
            )
            for name in sorted(newest.keys() - new.keys()):
                self._archive.move_row(table, name, as_json(newest[name]))
        sums = known.total_sessions, known.total_battles, known.overall_win_rate
        save_totals(self._database, Totals(*sums))

    def _fading_dates(self) -> dict[forgetting.KnowledgeKey, float]:
        """Return the dates from which rows fade that fade by their date, where decay lags behind the dates."""
        rows = self._contributions.all(*_BY_DATE) if self._dates.lags else {}
        return {
            forgetting.KnowledgeKey(*key): max(
                each.relevant_at for each in by_precedence(runs.values())
            )
            for key, runs in rows.items()
            if any(each.has_record for each in runs.values())
        }

    @contextmanager
    def _restored_aside(self, known: Knowledge) -> Iterator[None]:
        """Take restored rows out of `known` for the body, which removes others."""
        names = [each for each in self._contributions.restored() if each[0] in BY_NAME]
        aside = {(table, name): known.of(table).pop(name, None) for table, name in names}
        yield
        for (table, name), record in aside.items():
            if record is not None:
                known.of(table)[name] = record

    def _add_lesson(self, lessons: LessonIntake, run_id: str, row: OutboxRow) -> None:
        if row.kind == "entry":
            self._long_term.add_lesson(run_id, row, self._dates)
        elif row.kind == "close" and row.payload["table"] == ENTRIES:
            self._long_term.close(run_id, row, self._dates)
        else:
            lessons.add(row)

    def _apply(self, known: Knowledge, things: ByRow) -> None:
        """Put the aggregated rows into `known`, and record their provenance and overruled runs."""
        for table, memory_id, result in self._aggregated(known, things):
            best = result.deciding
            where = Provenance(
                best.status,
                best.run_id,
                best.evidence_sequence,
                best.tick,
                result.closed,
                result.evidence,
            )
            self._provenances.save(table.name, memory_id, where)
            if table is PREFERENCES:
                self._contributions.mark(table.name, memory_id, result.overruled)

    def _aggregated(
        self, known: Knowledge, things: ByRow
    ) -> Iterator[tuple[KnowledgeTable, str, AggregatedRow]]:
        """Put the aggregate of each contributed row, as of now, into `known`, and yield it."""
        for (name, memory_id), runs in things.items():
            if name == TOTALS_TABLE:
                sums = sum_totals(runs.values())
                known.total_sessions, known.total_battles = sums["sessions"], sums["battles"]
                known.overall_win_rate = (
                    sums["victories"] / sums["battles"] if sums["battles"] else 0.0
                )
            elif name in BY_NAME:
                result = aggregate(name, runs.values(), at=self._now, config=self._config)
                if result is not None:
                    known.of(name)[memory_id] = result.record
                    yield BY_NAME[name], memory_id, result


def _records_by_table(known: Knowledge) -> dict[str, dict[str, Any]]:
    return {table.name: dict(known.of(table.name)) for table in TABLES}


def open_knowledge_store(
    path: Path, *, now: float, config: ConsolidationConfig | None = None
) -> KnowledgeStore:
    """Open the knowledge file at `path`, create it if missing, and decay it to the date `now`."""
    database = open_database(path, KNOWLEDGE_SCHEMA, quarantine_damaged=True)
    store = KnowledgeStore(database, now=now, config=config)
    try:
        done = store.age()
    except BaseException:
        database.close()
        raise
    if done.copy is not None:
        changes = {
            "wrong dates corrected": done.corrected,
            "rows archived, worth too little by now": done.archived,
        }
        said = "; ".join(f"{what}: {count:,}" for what, count in changes.items() if count)
        log.warning("%s: %s; the file before is %s", path, said, done.copy)
    return store


def read_knowledge_store(path: Path) -> KnowledgeReader:
    """Open the knowledge file at `path` for reading; nothing is changed."""
    return KnowledgeReader(open_readonly(path, KNOWLEDGE_SCHEMA))
