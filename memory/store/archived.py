"""The rows of the archive as items, with date and reason, and their return to the memory."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from memory.codec import decode
from memory.store.checks.finding import READ_ERRORS
from memory.store.checks.repair import Repairs
from memory.store.database import Database
from memory.store.dates import dates_at
from memory.store.items import MemoryItem, knowledge_items, lasting_item
from memory.store.lasting import INSERT, ContributionTable, entry_of, from_archive
from memory.tiers.contributions import RESTORED, Closing, Contribution, contributed

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
