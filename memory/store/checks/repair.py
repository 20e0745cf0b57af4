"""Repairs of a memory file, within one transaction; removed rows are archived, and can be brought back."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Data, Entry
from memory.codec import Json, decode
from memory.store.checks.finding import READ_ERRORS, UnreadableRow
from memory.store.database import Database
from memory.store.dates import dates_at
from memory.store.items import MemoryItem, knowledge_items, lasting_item
from memory.store.knowledge_store import KnowledgeStore
from memory.store.lasting import (
    INSERT,
    KNOWN,
    NOT_RESTORED,
    ContributionTable,
    entry_of,
    from_archive,
    save_delivery,
)
from memory.tiers.contributions import BY_HAND, RESTORED, Closing, Contribution, contributed
from memory.tiers.lasting import TOTALS_KEY, over_limits, rule_of


class Repairs(KnowledgeStore):
    """A memory file under repair; `now` is what the clock shows."""

    def __init__(self, database: Database, *, now: float) -> None:
        super().__init__(database, now=now)
        self._use_dates(dates_at(now, database, {}))

    def reindex(self) -> None:
        """Rebuild all indexes."""
        self._database.execute("REINDEX")

    def archive_unreadable(self, unreadable: UnreadableRow) -> None:
        """Archive the raw values of an unreadable row."""
        self._archive.add(unreadable.scope, unreadable.key, unreadable.row, self._dates.today)
        self._database.execute("DELETE FROM ltm_entries WHERE rowid = ?", (unreadable.number,))

    def clamp(self, number: int) -> None:
        """Set the count of an entry to at least 1, and its fractions to 0..1."""
        self._database.execute(
            "UPDATE ltm_entries SET count = max(1, count), relevance = min(1.0, max(0.0, relevance)), "
            "utility = min(1.0, max(0.0, utility)) WHERE id = ?",
            (number,),
        )

    def merge_into(self, first: Entry, other: Entry) -> None:
        """Add the evidence of `other` to `first`, of the same kind, and archive `other`."""
        merge = rule_of(first.scope, first.kind).merge
        assert merge is not None
        self.change(first, **dict(merge(other.data, first.data)))
        self.archive(other.seq)

    def change(self, entry: Entry, **fields: Json) -> None:
        """Replace an entry of knowledge after correcting some fields; its contributions by run are no longer known."""
        data: Data = {**entry.data, **fields}
        kind = rule_of(entry.scope, entry.kind).kind
        assert kind is not None
        at = float(data[kind.date] or 0.0)  # type: ignore[arg-type]  # a date
        mine = Contribution(
            BY_HAND,
            record=contributed(entry._replace(data=data, closed=""), BY_HAND),
            times=1,
            at=at,
            since=at,
            relevant_at=self._dates.decayed,  # of which the relevance in the entry is
            dates_by_trust={"verified": at},
        )
        self._contributions.replace_by_hand(entry.scope, entry.key, mine)
        self._rebuild_key(entry.scope, entry.key)

    def replace_totals(self, run_id: str, sums: Data) -> None:
        """Replace the impossible totals of a run."""
        mine = self._contributions.of(*TOTALS_KEY)[run_id]
        self._contributions.save(*TOTALS_KEY, replace(mine, record={**mine.content, "data": sums}))

    def close_entry(self, entry: Entry, reason: str, *evidence: str) -> None:
        """Close an entry with a reason; it stays, and newer evidence may reopen it."""
        mine = self._contributions.of(entry.scope, entry.key).get(BY_HAND, Contribution(BY_HAND))
        closing = Closing(mine.sequence + 1, 0, self._dates.today, reason, evidence)
        self._contributions.save(entry.scope, entry.key, mine.with_closing(closing))
        self._database.execute(
            "UPDATE ltm_entries SET closed = ? WHERE id = ?", (reason, entry.seq)
        )

    def record_delivery(self, run_id: str, sequence: int) -> None:
        """Record the last lesson a run delivered."""
        save_delivery(self._database, run_id, sequence)

    def limit_knowledge(self) -> None:
        """Archive open knowledge over the caps: the least relevant, successful or severe."""
        known = self._entries.found(f"WHERE {NOT_RESTORED} AND closed = '' AND {KNOWN}")
        for entry in over_limits(known, self._config):
            self._archive_all(self._entries.rows("WHERE id = ?", entry.seq))


_ROWS: Final = "SELECT number, scope, key, archived_at, row FROM archive ORDER BY number DESC"


class ArchivedItem(NamedTuple):
    """One removed item: its number in the archive, when and why it was removed, and its row as stored there."""

    number: int
    at: float
    why: str
    item: MemoryItem
    row: Mapping[str, Any]


def archived_items(database: Database, *, now: float) -> Iterator[ArchivedItem]:
    """Yield the items of the archive that the memory no longer holds, the last removed first, each once.

    Rows that were archived since they are unreadable are left out.
    """
    dates = dates_at(now, database, {})
    seen = {key for each in knowledge_items(database, now=now) for key in _keys(each)}
    contributions = ContributionTable(database)
    for number, scope, key, at, text in database.rows(_ROWS):
        try:
            row = decode(text)
            item = lasting_item(from_archive(row), dates)
        except READ_ERRORS:
            continue
        (own, *merged) = _keys(item)
        if own in seen:  # also where it is a part of another entry now
            continue
        seen.update((own, *merged))
        why = _why(item, contributions.of(scope, key).values())
        yield ArchivedItem(number, at, why, item, row)


def _why(item: MemoryItem, contributions: Iterable[Contribution]) -> str:
    if item.closed:
        return f"no longer true: {item.closed}"
    if any(each.is_forgotten for each in contributions):
        return "forgotten or repaired"
    return "worth too little, or over a limit"


def _keys(item: MemoryItem) -> list[tuple[str, str, str]]:
    """Return table, scope and key of an item, then of those merged into it."""
    merged: Any = item.more.get("merged", ())
    return [(item.table, item.scope, key) for key in (item.id, *merged)]


class Restorer(Repairs):
    """Brings archived items back. They stay until they are forgotten again, and count against no limit."""

    def restore(self, archived: ArchivedItem) -> None:
        """Put an item back as it was archived: with its record, unless lessons of runs still hold it."""
        values = from_archive(archived.row)
        entry = self._dates.corrected_entry(entry_of(values))
        known = self._contributions.of(entry.scope, entry.key)
        sequence = known.get(RESTORED, Contribution(RESTORED)).sequence + 1
        restored = Contribution(RESTORED, sequence)
        if not any(each.has_record for each in known.values()):
            restored = Contribution(
                RESTORED,
                sequence,
                contributed(entry, str(archived.row["origin"])),
                times=1,
                status=entry.status,
                evidence_sequence=sequence,
                since=self._dates.right(archived.item.last),
                at=self._dates.right(archived.item.last),
                relevant_at=self._now,
                evidence=archived.item.evidence,
                dates_by_trust={entry.status: self._dates.right(archived.item.last)},
            )
        if entry.closed:
            closing = Closing(
                sequence, entry.tick, self._dates.today, entry.closed, archived.item.evidence
            )
            restored = restored.with_closing(closing)
        self._contributions.save(entry.scope, entry.key, restored)
        self._database.execute(INSERT, values)
        self._database.execute("DELETE FROM archive WHERE number = ?", (archived.number,))
