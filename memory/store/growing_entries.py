"""The entries that outlive runs, as lessons and time change them; each method within a transaction of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.codec import decode, encode
from memory.store.entry_rows import text_of
from memory.store.folded_entries import fold_entries, lesson_of, relevance_of, thing
from memory.store.ltm_entries import TABLE, WORTH, LongTermEntries
from memory.store.ltm_rows import (
    INSERT,
    KEY,
    SCOPE,
    SELECT,
    Taught,
    archived,
    entry_in,
    entry_of,
    keys_of,
    row_of,
)
from memory.store.share_rows import closing_in
from memory.tiers.shares import Share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.blackboard.entry import Entry
    from memory.store.archive import Archive
    from memory.store.database import Database
    from memory.store.run_rows import OutboxRow
    from memory.store.share_rows import Runs, Shares

    Row = tuple[Any, ...]

MAX_ENTRIES: Final = 500  # of each scope
IMPORTANT: Final = 8  # from here on nothing is let go of for having faded


class GrowingEntries(LongTermEntries):
    """Entries that are taught, closed, faded, made one and let go of; what goes is archived.

    `rate` is what is left of their relevance after a month.
    """

    def __init__(self, database: Database, archive: Archive, shares: Shares, rate: float) -> None:
        super().__init__(database)
        self._archive = archive
        self._shares = shares
        self._rate = rate

    def take(self, run_id: str, lesson: OutboxRow, at: float) -> None:
        """Take up the entry of a lesson, in the place of what was known under its key, if it is to be believed."""
        entry, origin = entry_in(run_id, lesson)
        name = thing(entry.scope, entry.key)
        shares = self._shares.of(TABLE, name)
        told, record = lesson_of(lesson, entry, origin, at)
        share = shares.get(run_id, Share(run_id)).taught_again(told, record)
        self._shares.keep(TABLE, name, [share])
        rows = self._rows("WHERE scope = ? AND key = ?", entry.scope, entry.key)
        if not rows and shares:  # it may have become one with another
            is_there = "EXISTS (SELECT 1 FROM json_each(merged) WHERE value = ?)"
            where = f"WHERE scope = ? AND merged <> '[]' AND {is_there}"
            rows = self._rows(where, entry.scope, entry.key)
        self._make_anew(entry.scope, rows, at, {entry.key: {**shares, run_id: share}})

    def close(self, run_id: str, lesson: OutboxRow, at: float) -> None:
        """Note why the entry that a lesson names no longer holds; it stays, with what shows it."""
        payload: Any = lesson.payload
        names = (payload["id"], f"{run_id}/{payload['id']}")
        where = (
            "WHERE key IN (?1, ?2) "
            "OR EXISTS (SELECT 1 FROM json_each(merged) WHERE value IN (?1, ?2))"
        )
        closing = closing_in(lesson, at)
        for row in self._rows(where, *names):
            for key in self._keys(row):
                name = thing(row[SCOPE], key)
                share = self._shares.of(TABLE, name).get(run_id, Share(run_id))
                self._shares.keep(TABLE, name, [share.closed(closing)])
            self._make_anew(row[SCOPE], [row], at, keep_place=True)

    def fade(self, at: float) -> None:
        """Let everything be as relevant as it is at the date `at`."""
        shares = self._shares.all(TABLE)
        relevance = []
        for row in self._rows(""):
            known = [shares.get((TABLE, thing(row[SCOPE], key)), {}) for key in self._keys(row)]
            with self._database.understood(TABLE):
                left = relevance_of(entry_of(row), known, at=at, rate=self._rate)
            relevance.append((left, row[0]))
        self._database.execute_many("UPDATE ltm_entries SET relevance = ? WHERE id = ?", relevance)

    def let_go(self, number: int) -> None:
        """Archive the entry in the row `number`, if it is there, as somebody wants it forgotten."""
        for row in self._rows("WHERE id = ?", number):
            self._shares.let_go((TABLE, thing(row[SCOPE], key)) for key in self._keys(row))
            self._let_go(row)

    def merge(self, scope_glob: str, at: float) -> int:
        """Return how many entries became one with another that says the same."""
        groups = self._database.rows(
            "SELECT scope, kind, data FROM ltm_entries WHERE scope GLOB ? AND closed = '' "
            "GROUP BY scope, kind, data HAVING count(*) > 1",
            (scope_glob,),
        )
        same = "WHERE scope = ? AND kind = ? AND data = ? AND closed = '' ORDER BY id"
        gone = 0
        for group in groups:
            rows = self._rows(same, *group)
            gone += len(rows) - self._make_anew(group[0], rows, at)
        return gone

    def make_all(self, at: float) -> None:
        """Make every entry anew that anybody ever taught, those that say the same as one."""
        shares = self._shares.all(TABLE)
        scopes: dict[str, dict[str, Runs]] = {}
        for (_, name), runs in shares.items():
            scope, key = decode(name)
            scopes.setdefault(scope, {})[key] = runs
        for scope in sorted(scopes):
            self._make_anew(scope, [], at, scopes[scope])

    def add(self, entries: Iterable[tuple[Entry, str, int]]) -> None:
        """Add entries that were not taught by a run, each with who says so and a number."""
        for entry, by, number in entries:
            self._database.execute(INSERT, (None, *row_of(entry, Taught(by, by, number))))

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

    def _make_anew(
        self,
        scope: str,
        rows: Sequence[Row],
        at: float,
        known: dict[str, Runs] | None = None,
        *,
        keep_place: bool = False,
    ) -> int:
        """Put what the shares say in the place of `rows`, with the keys that are `known` as well; return how many it is.

        What says the same is one.
        """
        shares = dict(known or {})
        for row in rows:
            for key in self._keys(row):
                if key not in shares:
                    shares[key] = self._shares.of(TABLE, thing(scope, key))
        told = fold_entries(scope, shares, at=at, rate=self._rate)
        places = {row[KEY]: row[0] for row in rows} if keep_place else {}
        said = {(each.entry.key, encode(each.entry.data)) for each in told}
        for row in rows:
            with self._database.understood(TABLE):
                stays = (row[KEY], encode(entry_of(row).data)) in said
            if stays:
                self._delete(row)
            else:
                self._let_go(row)
        for each in told:
            place = places.get(each.entry.key)
            self._database.execute(INSERT, (place, *row_of(each.entry, each.known)))
            for key, losers in each.losers.items():
                self._shares.mark(TABLE, thing(scope, key), losers)
        return len(told)

    def _keys(self, row: Row) -> tuple[str, ...]:
        """Return the keys of all that a row is made of, its own first."""
        with self._database.understood(TABLE):
            return keys_of(row)

    def _rows(self, where: str, *parameters: object) -> list[Row]:
        return self._database.rows(SELECT + where, parameters)

    def _let_go(self, row: Row) -> None:
        with self._database.understood(TABLE):
            whole = archived(row)
        self._archive.keep(TABLE, row[KEY], whole)
        self._delete(row)

    def _delete(self, row: Row) -> None:
        self._database.execute("DELETE FROM ltm_entries WHERE id = ?", (row[0],))
