"""The entries that outlive runs, as lessons and time change them; each method within a transaction of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.codec import decode, encode
from memory.store.entry_rows import text_of
from memory.store.ltm_entries import TABLE, WORTH, LongTermEntries
from memory.store.ltm_rows import (
    INSERT,
    KEY,
    SELECT,
    SOURCES,
    Taught,
    archived,
    entry_in,
    entry_of,
    row_of,
    taught,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.blackboard.entry import Entry
    from memory.store.archive import Archive
    from memory.store.database import Database
    from memory.store.run_rows import OutboxRow

    Row = tuple[Any, ...]

MAX_ENTRIES: Final = 500  # of each scope
IMPORTANT: Final = 8  # from here on nothing is let go of for having faded
_TRUST: Final = ("claim", "inferred", "verified")


class GrowingEntries(LongTermEntries):
    """Entries that are taught, closed, faded, made one and let go of; what goes is archived."""

    def __init__(self, database: Database, archive: Archive) -> None:
        super().__init__(database)
        self._archive = archive

    def take(self, run_id: str, lesson: OutboxRow) -> None:
        """Take up the entry of a lesson, in the place of what was known under its key."""
        entry, origin = entry_in(run_id, lesson)
        known = Taught(origin, run_id, lesson.sequence)
        for row in self._rows("WHERE scope = ? AND key = ?", entry.scope, entry.key):
            before, old = self._understood(row)
            entry = entry._replace(version=old.version + 1)
            known = Taught(before.origin, run_id, lesson.sequence, before.times + 1, before.merged)
            if old.data == entry.data:
                self._delete(row)
            else:
                self._let_go(row)
        self._database.execute(INSERT, row_of(entry, known))

    def close(self, run_id: str, lesson: OutboxRow) -> None:
        """Note why the entry that a lesson names no longer holds; it stays, with what shows it."""
        payload: Any = lesson.payload
        names = (payload["id"], f"{run_id}/{payload['id']}")
        where = (
            "WHERE key IN (?1, ?2) "
            "OR EXISTS (SELECT 1 FROM json_each(merged) WHERE value IN (?1, ?2))"
        )
        for row in self._rows(where, *names):
            with self._database.understood(TABLE):
                sources = [*decode(row[SOURCES]), *payload["evidence"]]
            self._database.execute(
                "UPDATE ltm_entries SET closed = ?, sources = ? WHERE id = ?",
                (payload["reason"], encode(sources), row[0]),
            )

    def let_go(self, number: int) -> None:
        """Archive the entry in the row `number`, if it is there."""
        for row in self._rows("WHERE id = ?", number):
            self._let_go(row)

    def fade(self, kept: float) -> None:
        """Let everything be only `kept` as relevant as it was."""
        self._database.execute("UPDATE ltm_entries SET relevance = relevance * ?", (kept,))

    def merge(self, scope_glob: str) -> int:
        """Return how many entries became one with another that says the same."""
        groups = self._database.rows(
            "SELECT scope, kind, data FROM ltm_entries WHERE scope GLOB ? AND closed = '' "
            "GROUP BY scope, kind, data HAVING count(*) > 1",
            (scope_glob,),
        )
        same = "WHERE scope = ? AND kind = ? AND data = ? AND closed = '' ORDER BY id"
        return sum(self._make_one(self._rows(same, *group)) for group in groups)

    def prune(self, scope_glob: str, threshold: float) -> int:
        """Return how many entries went that had faded under `threshold` or were over the cap.

        What proved useful fades later, what proved useless sooner; what is important stays.
        """
        faded = self._rows(
            "WHERE scope GLOB ? AND importance < ? AND relevance * (0.5 + utility) < ?",
            scope_glob,
            IMPORTANT,
            threshold,
        )
        for row in faded:
            self._let_go(row)
        return len(faded) + self.limit(scope_glob)

    def limit(self, scope_glob: str = "*") -> int:
        """Return how many entries went that were over the cap of their scope: those worth least."""
        place = f"row_number() OVER (PARTITION BY scope ORDER BY closed <> '', {WORTH})"
        placed = f"SELECT id, {place} AS place FROM ltm_entries WHERE scope GLOB ?"  # noqa: S608
        where = f"WHERE id IN (SELECT id FROM ({placed}) WHERE place > ?)"  # noqa: S608
        surplus = self._rows(where, scope_glob, MAX_ENTRIES)
        for row in surplus:
            self._let_go(row)
        return len(surplus)

    def reindex(self) -> int:
        """Return how many entries can be searched, after what they are found by was made anew."""
        database = self._database
        database.execute("REINDEX ltm_entries")
        entries = self.all()
        database.execute_many(
            "UPDATE ltm_entries SET text = ? WHERE id = ?",
            ((text_of(each), each.seq) for each in entries),
        )
        database.execute("INSERT INTO ltm_text (ltm_text) VALUES ('rebuild')")
        return len(entries)

    def _make_one(self, rows: Sequence[Row]) -> int:
        """Put the most trusted of `rows`, then oldest, in the place of all; return how many went."""
        read = [self._understood(row) for row in rows]
        entries = [entry for _, entry in read]
        best = max(range(len(rows)), key=lambda n: (_TRUST.index(entries[n].status), -n))
        others = [n for n in range(len(rows)) if n != best]
        known, entry = read[best]
        keys = [*known.merged]
        for n in others:
            keys += (entries[n].key, *read[n][0].merged)
            self._let_go(rows[n])
        self._delete(rows[best])
        times = sum(before.times for before, _ in read)
        known = known._replace(times=times, merged=tuple(keys))
        self._database.execute(INSERT, row_of(_united(entry, entries), known))
        return len(others)

    def _understood(self, row: Row) -> tuple[Taught, Entry]:
        with self._database.understood(TABLE):
            return taught(row), entry_of(row)

    def _rows(self, where: str, *parameters: object) -> list[Row]:
        return self._database.rows(SELECT + where, parameters)

    def _let_go(self, row: Row) -> None:
        with self._database.understood(TABLE):
            whole = archived(row)
        self._archive.keep(TABLE, row[KEY], whole)
        self._delete(row)

    def _delete(self, row: Row) -> None:
        self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (row[0],))


def _united(entry: Entry, entries: Sequence[Entry]) -> Entry:
    """Return `entry` with the tags and the evidence of all, judged as the best of them is."""
    return entry._replace(
        tags=frozenset().union(*(each.tags for each in entries)),
        importance=max(each.importance for each in entries),
        relevance=max(each.relevance for each in entries),
        utility=max(each.utility for each in entries),
        sources=tuple(dict.fromkeys(source for each in entries for source in each.sources)),
    )
