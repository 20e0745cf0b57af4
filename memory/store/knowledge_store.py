"""The memory that outlives runs: its entries, added up from what each run contributed, and the archive of removed ones.

A run reads it once at its start and afterwards only delivers lessons, so that parallel runs do not disturb each other.
Every deleted row is in the archive.
"""

import logging
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, encode
from memory.store.copies import backup_copy, open_or_quarantine
from memory.store.database import Database
from memory.store.dates import (
    STORED,
    Dates,
    correct_rows,
    dates_at,
    save_dates,
    wrong_contributions,
    wrong_rows,
)
from memory.store.lasting import (
    INSERT,
    KEY,
    KNOWN,
    NOT_RESTORED,
    OTHERS,
    SCOPE,
    WORTH,
    Archive,
    KnowledgeReader,
    Row,
    archived,
    entry_of,
    row_of,
    save_delivery,
)
from memory.store.outbox import OutboxReader, entry_from
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers.contributions import (
    ByEntry,
    ByRun,
    Closing,
    Contribution,
    add_up,
    closing_from,
    current_relevance,
)
from memory.tiers.knowledge import KNOWLEDGE_SCOPES, ConsolidationConfig
from memory.tiers.lasting import ENTRIES, Key, OutboxRow, key_of, over_limits, rule_of, worth_of
from memory.tiers.tactician import TOTALS

log = logging.getLogger(__name__)

MAX_ENTRIES: Final = 500  # of each scope, knowledge aside
IMPORTANT: Final = 8  # from this importance on, entries are never pruned for low relevance
MOST_COPIES: Final = 3  # made by openings


class Ageing(NamedTuple):
    """What an opening changed: rows with corrected dates, archived rows, and the copy of the file before."""

    corrected: int
    archived: int
    copy: Path | None = None


class _CopyFirst(Exception):
    """Nothing is changed before there is a copy."""


class KnowledgeStore(KnowledgeReader):
    """Reads and writes a memory file. `now` is what the clock shows, in epoch seconds; `age` decides what is believed."""

    def __init__(
        self, database: Database, *, now: float, config: ConsolidationConfig | None = None
    ) -> None:
        super().__init__(database)
        self._clock = self._now = now
        self._dates = Dates(now, now, now, now)
        self._config = config or ConsolidationConfig()
        self._archive = Archive(database)

    def deliver(
        self, run_id: str, rows: Iterable[OutboxRow], *, instead_of: Mapping[str, Any] | None = None
    ) -> int:
        """Add the lessons of `run_id`, in order, and return how many were new; lessons delivered before are skipped.

        What it has contributed since `instead_of`, from `contributed_by()`, is taken back first.
        """
        with self._database.transaction():
            if instead_of is not None:
                self.take_back(run_id, instead_of)
            last = self.delivered(run_id)
            new = [row for row in rows if row.sequence > last]
            if new:
                save_delivery(self._database, run_id, new[-1].sequence)
                self._add_lessons(run_id, [self._dates.corrected_lesson(row) for row in new])
                self._prune_knowledge()
                self.limit()
        return len(new)

    def deliver_from(
        self, run_id: str, outbox: OutboxReader, *, instead_of: Mapping[str, Any] | None = None
    ) -> int:
        """Add the lessons of `run_id` that wait in its outbox, as `deliver` does."""
        last = self.delivered(run_id) if instead_of is None else instead_of["delivered"]
        rows = outbox.rows(after=last)
        return self.deliver(run_id, rows, instead_of=instead_of) if rows else 0

    def contributed_by(self, run_id: str) -> Json:
        """Return all that `run_id` has contributed so far, for `take_back`."""
        stored = self._contributions.stored(run_id)
        return {"delivered": self.delivered(run_id), "contributions": [list(row) for row in stored]}

    def take_back(self, run_id: str, before: Mapping[str, Any]) -> None:
        """Take back what `run_id` has contributed since `before`, from `contributed_by()`: play goes on from there.

        What it delivers from there holds all of it again, so that nothing counts twice.
        """
        last = before["delivered"]
        if self.delivered(run_id) <= last:
            return
        with self._database.transaction():
            # A run of an earlier version kept them in another shape, of a memory that is no longer read.
            then = before.get("contributions", ())
            changed = self._contributions.take_back(run_id, last, then)
            save_delivery(self._database, run_id, last)
            for scope, key in changed:
                self._rebuild_key(scope, key)

    def age(self) -> Ageing:
        """Correct dates that cannot be believed, decay all to the date that is, and archive rows worth too little.

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
        row = self._database.row(STORED)
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
            if not dates.is_unset or self._database.row(STORED) is None:
                save_dates(self._database, dates.decayed, dates.opened)
        return count

    def _use_dates(self, dates: Dates) -> Dates:
        self._dates, self._now = dates, dates.now
        return dates

    def _correct_dates(self, contributions: ByEntry) -> tuple[int, set[Key]]:
        """Correct the dates of all rows, and of `contributions`; return how many were wrong, and the keys contributed to."""
        dates, database = self._dates, self._database
        wrong = list(wrong_contributions(dates, contributions))
        for key, run_id in wrong:
            runs = contributions[key]
            runs[run_id] = dates.corrected(runs[run_id])
            self._contributions.save(*key, runs[run_id])
        count = len(wrong) + len(wrong_rows(database, dates))
        correct_rows(database, dates)
        for entry in self._entries.found(f"WHERE {KNOWN}"):
            right = dates.corrected_entry(entry)
            if right is not entry:
                count += 1
                change = "UPDATE ltm_entries SET data = ? WHERE id = ?"
                database.execute(change, (encode(right.data), entry.seq))
        return count, {key for key, _ in wrong}

    def _fade(self, contributions: ByEntry, corrected: Container[Key]) -> None:
        """Decay all entries to the present date, and archive those worth too little; `corrected` ones are built again."""
        rate, relevance = self._config.forgetting_decay_rate, []
        for row in self._entries.rows("ORDER BY id"):
            scope, keys = row[SCOPE], self._entries.keys(row)
            if scope in KNOWLEDGE_SCOPES and (scope, row[KEY]) in corrected:
                self._rebuild_key(scope, row[KEY])
                continue
            known = [contributions.get((scope, key), {}) for key in keys]
            with self._database.decoding(ENTRIES):
                left = current_relevance(entry_of(row), known, at=self._now, rate=rate)
            relevance.append((left, row[0]))
        self._database.execute_many("UPDATE ltm_entries SET relevance = ? WHERE id = ?", relevance)
        self._prune_knowledge()
        self.prune()

    def maintain(self, scope_glob: str = "*") -> tuple[int, int]:
        """Return how many equal entries were merged and how many decayed ones archived, in the scopes that match a glob."""
        with self._database.transaction():
            return self._merge(scope_glob), self.prune(scope_glob)

    def prune(self, scope_glob: str = "*") -> int:
        """Archive entries worth too little or over the cap of their scope, and return how many; important ones stay."""
        rows = self._entries.rows(
            f"WHERE scope GLOB ? AND {OTHERS} AND {NOT_RESTORED} "
            "AND importance < ? AND relevance * (0.5 + utility) < ?",
            scope_glob,
            IMPORTANT,
            self._config.importance_threshold,
        )
        return self._archive_all(rows) + self.limit(scope_glob)

    def limit(self, scope_glob: str = "*") -> int:
        """Archive the least valuable entries over the cap of their scope, and return how many.

        Restored entries stay, and do not count.
        """
        place = f"row_number() OVER (PARTITION BY scope ORDER BY closed <> '', {WORTH})"
        others = f"FROM ltm_entries WHERE scope GLOB ? AND {OTHERS} AND {NOT_RESTORED}"
        where = (
            f"WHERE id IN (SELECT id FROM (SELECT id, {place} AS place {others}) WHERE place > ?)"  # noqa: S608  # our own
        )
        return self._archive_all(self._entries.rows(where, scope_glob, MAX_ENTRIES))

    def _prune_knowledge(self) -> None:
        """Archive knowledge worth too little, and then that over the caps; what was restored stays, and does not count."""
        rows = {row[0]: row for row in self._entries.rows(f"WHERE {NOT_RESTORED} AND {KNOWN}")}
        with self._database.decoding(ENTRIES):
            known = [entry_of(row) for row in rows.values()]
            least = self._config.importance_threshold
            left = [each for each in known if worth_of(each) >= least]
            over = {each.seq for each in over_limits(left, self._config)}
        stay = {each.seq for each in left} - over
        self._archive_all(row for number, row in rows.items() if number not in stay)

    def archive(self, number: int) -> None:
        """Archive the entry in row `number`, if it exists, and mark it as forgotten on purpose."""
        for row in self._entries.rows("WHERE id = ?", number):
            self._contributions.forget((row[SCOPE], key) for key in self._entries.keys(row))
            self._archive_row(row)

    def _add_lessons(self, run_id: str, lessons: Iterable[OutboxRow]) -> None:
        """Add lessons in order. What adds up within its run is built once, at the end; other entries lesson by lesson."""
        changed: dict[Key, None] = {}
        for lesson in lessons:
            if lesson.kind == "close":
                changed |= dict.fromkeys(self._close(run_id, lesson))
                continue
            entry, origin = entry_from(run_id, lesson)
            key = entry.scope, entry.key
            known = self._contributions.of(*key)
            at = self._date_of(entry, lesson)
            mine = known.get(run_id, Contribution(run_id)).with_lesson(
                entry, origin, lesson, at, self._dates.fades_from(at)
            )
            self._contributions.save(*key, mine)
            if rule_of(entry.scope, entry.kind).adds:
                changed[key] = None
            else:
                rows = self._entries.row_with(*key, is_old=bool(known))
                self._rebuild(entry.scope, rows, {entry.key: {**known, run_id: mine}})
        for key in changed:
            self._rebuild_key(*key)

    def _date_of(self, entry: Entry, lesson: OutboxRow) -> float:
        """Return the date of a lesson: of the record in it, or its own."""
        kind = rule_of(entry.scope, entry.kind).kind
        if kind is not None:
            return float(entry.data[kind.date] or 0.0)  # type: ignore[arg-type]  # a date
        if entry.kind == TOTALS:
            return 0.0
        return float(lesson.payload.get("at", self._dates.today))

    def _close(self, run_id: str, lesson: OutboxRow) -> list[Key]:
        """Close what a lesson names, with reason and evidence; it stays. Return what is to be built again."""
        payload: Any = lesson.payload
        closed = closing_from(lesson, self._dates.today)
        if payload["table"] != ENTRIES:
            key = key_of(payload["table"], payload["id"])
            self._save_closing(run_id, key, closed)
            return [key]
        names = (payload["id"], f"{run_id}/{payload['id']}")
        is_part = "EXISTS (SELECT 1 FROM json_each(merged) WHERE value IN (?1, ?2))"
        for row in self._entries.rows(f"WHERE {OTHERS} AND (key IN (?1, ?2) OR {is_part})", *names):
            for name in self._entries.keys(row):
                self._save_closing(run_id, (row[SCOPE], name), closed)
            self._rebuild(row[SCOPE], [row], keep_place=True)
        return []

    def _save_closing(self, run_id: str, key: Key, closed: Closing) -> None:
        mine = self._contributions.of(*key).get(run_id, Contribution(run_id))
        self._contributions.save(*key, mine.with_closing(closed))

    def _merge(self, scope_glob: str) -> int:
        """Merge entries with equal content, and return how many were removed."""
        groups = self._database.rows(
            "SELECT scope, kind, data FROM ltm_entries WHERE scope GLOB ? AND closed = '' "
            "GROUP BY scope, kind, data HAVING count(*) > 1",
            (scope_glob,),
        )
        same = "WHERE scope = ? AND kind = ? AND data = ? AND closed = '' ORDER BY id"
        gone = 0
        for group in groups:
            rows = self._entries.rows(same, *group)
            gone += len(rows) - self._rebuild(group[0], rows)
        return gone

    def _rebuild_key(self, scope: str, key: str) -> None:
        """Build the entry of a key again, and those merged with it, after its contributions changed."""
        rows = self._entries.row_with(scope, key, is_old=True)
        keys = dict.fromkeys([key, *(each for row in rows for each in self._entries.keys(row))])
        known = {each: self._contributions.of(scope, each) for each in keys}
        self._rebuild(scope, rows, known, keep_place=True)

    def _rebuild(
        self,
        scope: str,
        rows: Sequence[Row],
        known: Mapping[str, ByRun] | None = None,
        *,
        keep_place: bool = False,
    ) -> int:
        """Replace `rows` by the entries their contributions and `known` add up to; return their number.

        A row whose content was replaced is archived, except where several runs or lessons are counted together.
        """
        contributions = dict(known or {})
        for key in (key for row in rows for key in self._entries.keys(row)):
            if key not in contributions:
                contributions[key] = self._contributions.of(scope, key)
        added = add_up(scope, contributions, at=self._now, config=self._config)
        current = {(each.entry.key, encode(each.entry.data)) for each in added}
        extended = {
            each.entry.key for each in added if rule_of(scope, each.entry.kind).merge is not None
        }
        for row in rows:
            with self._database.decoding(ENTRIES):
                stays = row[KEY] in extended or (row[KEY], encode(entry_of(row).data)) in current
            if stays:
                self._delete(row)
            else:
                self._archive_row(row)
        places = {row[KEY]: row[0] for row in rows} if keep_place else {}
        for each in added:
            place = places.get(each.entry.key)
            self._database.execute(INSERT, (place, *row_of(each.entry, each.known)))
            for key, overruled in each.overruled.items():
                self._contributions.mark_overruled(scope, key, overruled)
        return len(added)

    def _archive_all(self, rows: Iterable[Row]) -> int:
        gone = list(rows)
        for row in gone:
            self._archive_row(row)
        return len(gone)

    def _archive_row(self, row: Row) -> None:
        with self._database.decoding(ENTRIES):
            values = archived(row)
        self._archive.add(row[SCOPE], row[KEY], values, self._dates.today)
        self._delete(row)

    def _delete(self, row: Row) -> None:
        self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (row[0],))


def open_knowledge_store(
    path: Path, *, now: float, config: ConsolidationConfig | None = None
) -> KnowledgeStore:
    """Open the memory file at `path`, create it if missing, and decay it to the date `now`."""
    database = open_or_quarantine(path, KNOWLEDGE_SCHEMA)
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
