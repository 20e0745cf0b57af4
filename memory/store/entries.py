"""The entries of one run's file: put and dropped in memory, written with the next commit."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from memory.codec import decode, encode, require_json
from memory.store import indexes
from memory.store.entry_rows import INSERT, encode_tags, is_searched, row_of
from memory.store.indexes import Indexed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory.blackboard.entry import Entry
    from memory.store.database import Database

COUNT_TAGS: Final = "SELECT tag, count(*) FROM entry_tags WHERE scope GLOB ? GROUP BY tag"
_LIVE: Final = (
    "SELECT id, scope, tags, text FROM entries "
    "WHERE dropped_after IS NULL AND seq IN (SELECT value FROM json_each(?))"
)
_SEEN: Final = "SELECT id, last_entry FROM checkpoints ORDER BY id DESC LIMIT 1"
_MARK: Final = "UPDATE entries SET dropped_after = ? WHERE id = ?"


class Entries:
    """What a blackboard changed since the last commit.

    An entry that is revised, or written again under its key, is a new row; the old one is marked with the last
    checkpoint that needs it, and goes when that one goes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._put: dict[int, Entry] = {}
        self._dropped: dict[int, None] = {}  # in their order
        self._highest = self._highest_seq()

    def put(self, entry: Entry) -> None:
        """Keep `entry` at the next commit, in the place of one of its seq if there is one."""
        require_json(entry.data)
        if entry.tags:
            encode_tags(entry.tags)
        if entry.sources:
            encode(entry.sources)
        # Encoded when it is committed: most entries of a moment are let go of before.
        self._put[entry.seq] = entry
        if entry.seq <= self._highest:
            self._dropped[entry.seq] = None

    def drop(self, seq: int) -> None:
        """Let go of one entry at the next commit; one that was never committed leaves no trace."""
        self._put.pop(seq, None)
        if seq <= self._highest:
            self._dropped[seq] = None

    def flush(self) -> None:
        """Write what changed, within the transaction of a commit."""
        database = self._database
        if self._dropped:
            self._let_go(self._live(self._dropped))
        rows = [
            row_of(number, each) for number, each in enumerate(self._put.values(), self._next_id())
        ]
        database.execute_many(INSERT, rows)
        indexes.add(database, [Indexed(row[0], row[2], row[7], row[-1]) for row in rows])

    def forget_changes(self) -> None:
        """Begin anew from what the file holds."""
        self._put.clear()
        self._dropped.clear()
        self._highest = self._highest_seq()

    def count_tags(self, scope_glob: str) -> dict[str, int]:
        """Return how many live entries carry each tag, by the index of tags and what is new since."""
        counts = Counter(dict(self._database.rows(COUNT_TAGS, (scope_glob,))))
        for row in self._live(self._dropped):
            if row.text and fnmatchcase(row.scope, scope_glob):
                counts.subtract(decode(row.tags))
        for entry in self._searched():
            if fnmatchcase(entry.scope, scope_glob):
                counts.update(entry.tags)
        return {tag: number for tag, number in sorted(counts.items()) if number}

    def rewind(self, number: int, last_entry: int) -> None:
        """Bring back the rows of checkpoint `number`, within a transaction."""
        database = self._database
        columns = "SELECT id, scope, tags, text FROM entries "
        died = database.rows(columns + "WHERE id > ? AND dropped_after IS NULL", (last_entry,))
        indexes.cut(database, list(map(Indexed._make, died)))
        database.execute("DELETE FROM entries WHERE id > ?", (last_entry,))
        revived = database.rows(columns + "WHERE dropped_after >= ?", (number,))
        indexes.add(database, list(map(Indexed._make, revived)))
        database.execute(
            "UPDATE entries SET dropped_after = NULL WHERE dropped_after >= ?", (number,)
        )

    def prune(self, before: int, after: int) -> None:
        """Delete the rows that were made and dropped between two checkpoints that stay, within a transaction.

        `before` is 0 where none stays that is older.
        """
        self._database.execute(
            "DELETE FROM entries WHERE dropped_after >= ?1 AND dropped_after < ?2 "
            "AND id > coalesce((SELECT last_entry FROM checkpoints WHERE id = ?1), 0)",
            (before, after),
        )

    def _let_go(self, rows: list[Indexed]) -> None:
        database = self._database
        checkpoint, seen = database.row(_SEEN) or (0, 0)
        indexes.cut(database, rows)
        # What no checkpoint has seen, none can need.
        database.execute_many(
            "DELETE FROM entries WHERE id = ?", ((row.id,) for row in rows if row.id > seen)
        )
        database.execute_many(_MARK, ((checkpoint, row.id) for row in rows if row.id <= seen))

    def _live(self, seqs: Iterable[int]) -> list[Indexed]:
        rows = self._database.rows(_LIVE, (encode(list(seqs)),))
        return [Indexed._make(row) for row in rows]

    def _next_id(self) -> int:
        """Return a number that no row has or ever had."""
        row = self._database.row("SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
        return 1 if row is None else int(row[0]) + 1

    def _searched(self) -> Iterator[Entry]:
        return filter(is_searched, self._put.values())

    def _highest_seq(self) -> int:
        """Return the highest seq that is live in the file: no row is looked for above it."""
        row = self._database.row("SELECT max(seq) FROM entries WHERE dropped_after IS NULL")
        return 0 if row is None or row[0] is None else int(row[0])
