"""The entries of one run's file: their rows, their full-text and tag indexes, and their changes.

Changes wait in memory for the next commit. Indexes hold live rows only, and are updated by hand, in bulk: triggers
would cost several times as much.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry
from memory.codec import Json, decode, encode, require_json, valid_unicode
from memory.store.database import Database, insert_into, select_from

PLACES: Final = ("location", "location_name", "place")  # fields with the place
SUBJECTS: Final = ("enemy_pokemon", "species", "subject", "objective_id")  # fields with the subject
UNSEARCHED: Final = ":sensory"  # suffix of scopes whose entries live too briefly to be searched

COLUMNS: Final = (
    "seq, scope, kind, tick, game_s, data, tags, importance, expires_s, "
    "coalesce(key, ''), version, relevance, utility, status, sources, closed"
)
LIVE: Final = f"SELECT {COLUMNS} FROM entries WHERE dropped_after IS NULL ORDER BY seq"  # noqa: S608
INSERT: Final = insert_into("entries", ("id", *Entry._fields, "place", "subject", "text"))


@lru_cache(maxsize=1_024)  # each checkpoint is read again, and few of its rows are new
def entry_of(row: tuple[Any, ...]) -> Entry:
    """Return the entry in a row of `COLUMNS`."""
    data, tags, sources = row[5], row[6], row[14]
    tags_then = frozenset(() if tags == "[]" else decode(tags))
    evidence = () if sources == "[]" else tuple(decode(sources))
    return Entry._make((*row[:5], dict(decode(data)), tags_then, *row[7:14], evidence, row[15]))


def row_of(number: int, entry: Entry) -> tuple[Any, ...]:
    """Return the row for `INSERT`, with the id `number`."""
    data = entry.data
    return (
        number,
        *entry[:5],
        valid_unicode(encode(data)),
        encode_tags(entry.tags),
        entry.importance,
        entry.expires_s,
        entry.key or None,
        *entry[10:14],
        encode(entry.sources) if entry.sources else "[]",
        entry.closed,
        valid_unicode(_first(data, PLACES)),
        valid_unicode(_first(data, SUBJECTS)),
        valid_unicode(text_of(entry)),
    )


@lru_cache(maxsize=1024)  # few distinct sets, used often
def encode_tags(tags: frozenset[str]) -> str:
    """Return the JSON text of a set of tags, sorted."""
    return encode(sorted(tags))


def is_searched(entry: Entry) -> bool:
    """Return whether `entry` is indexed by words and tags: not in short-lived scopes, nor of least importance."""
    return not entry.scope.endswith(UNSEARCHED) and (entry.importance > 1 or bool(entry.tags))


def text_of(entry: Entry) -> str:
    """Return the indexed text of an entry; '' when it is not searched."""
    if not is_searched(entry):
        return ""
    words, key = [entry.kind], entry.key
    if not key[key.rfind("/") + 1 :].isdigit():  # a key that is a mere number has no words
        words.append(key)
    words += sorted(entry.tags)
    _collect_texts(entry.data.values(), words)
    # The full-text index of SQLite ends a text at a NUL character.
    return " ".join(filter(None, words)).replace("\0", " ")


def _first(data: Mapping[str, Json], names: tuple[str, ...]) -> str:
    """Return the first text in `data` under any of `names`, or ''."""
    for name in names:
        value = data.get(name)
        if value and isinstance(value, str):
            return value
    return ""


def _collect_texts(values: Iterable[Json], words: list[str]) -> None:
    for value in values:
        if isinstance(value, str):
            words.append(value)
        elif isinstance(value, dict):
            _collect_texts(value.values(), words)
        elif isinstance(value, list | tuple):
            _collect_texts(value, words)


_ADD_TEXT: Final = "INSERT INTO entry_text (rowid, text) VALUES (?, ?)"
_ADD_TAG: Final = "INSERT INTO entry_tags (tag, scope, entry) VALUES (?, ?, ?)"
_REMOVE_TEXT: Final = "INSERT INTO entry_text (entry_text, rowid, text) VALUES ('delete', ?, ?)"
_REMOVE_TAG: Final = "DELETE FROM entry_tags WHERE tag = ? AND scope = ? AND entry = ?"
_SET_SEARCHED: Final = (
    "UPDATE entries SET place = ?, subject = ?, text = ? WHERE seq = ? AND dropped_after IS NULL"
)


class Indexed(NamedTuple):
    """The indexed columns of a row; a row without text is in no index."""

    id: int
    scope: str
    tags: str
    text: str


def add_to_indexes(database: Database, rows: Sequence[Indexed]) -> None:
    """Add `rows` to the indexes, within a transaction."""
    database.execute_many(_ADD_TEXT, ((row.id, row.text) for row in rows if row.text))
    database.execute_many(_ADD_TAG, _tags_of(database, rows))


def remove_from_indexes(database: Database, rows: Sequence[Indexed]) -> None:
    """Remove `rows` from the indexes, within a transaction."""
    database.execute_many(_REMOVE_TEXT, ((row.id, row.text) for row in rows if row.text))
    database.execute_many(_REMOVE_TAG, _tags_of(database, rows))


def reindex_entries(database: Database) -> int:
    """Rebuild all indexes of entries within a transaction, and return how many entries are searched."""
    database.execute("REINDEX entries")
    entries = database.read("entries", entry_of, LIVE)
    database.execute_many(
        _SET_SEARCHED,
        (
            (_first(each.data, PLACES), _first(each.data, SUBJECTS), text_of(each), each.seq)
            for each in entries
        ),
    )
    database.execute("INSERT INTO entry_text (entry_text) VALUES ('rebuild')")
    database.execute("DELETE FROM entry_tags")
    database.execute(
        "INSERT INTO entry_tags SELECT DISTINCT value, scope, entries.id "
        "FROM entries, json_each(tags) WHERE dropped_after IS NULL AND text <> ''"
    )
    return sum(bool(text_of(each)) for each in entries)


def _tags_of(database: Database, rows: Iterable[Indexed]) -> list[tuple[str, str, int]]:
    with database.decoding("entries"):
        return [
            (tag, row.scope, row.id)
            for row in rows
            if row.text and row.tags != "[]"
            for tag in decode(row.tags)
        ]


COUNT_TAGS: Final = "SELECT tag, count(*) FROM entry_tags WHERE scope GLOB ? GROUP BY tag"
_LIVE: Final = "WHERE dropped_after IS NULL AND seq IN (SELECT value FROM json_each(?))"
_LAST_CHECKPOINT: Final = "SELECT id, last_entry FROM checkpoints ORDER BY id DESC LIMIT 1"
_MARK: Final = "UPDATE entries SET dropped_after = ? WHERE id = ?"


class Entries:
    """The changes of a blackboard since the last commit.

    An entry that is revised, or written again under its key, is a new row; the old row is marked with the last
    checkpoint that needs it, and deleted with that checkpoint.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._put: dict[int, Entry] = {}
        self._dropped: dict[int, None] = {}  # in order
        self._highest = self._highest_seq()

    def put(self, entry: Entry) -> None:
        """Store `entry` at the next commit; it replaces one with the same seq."""
        require_json(entry.data)
        if entry.tags:
            encode_tags(entry.tags)
        if entry.sources:
            encode(entry.sources)
        # Encoded at the commit: most short-lived entries are dropped before it.
        self._put[entry.seq] = entry
        if entry.seq <= self._highest:
            self._dropped[entry.seq] = None

    def drop(self, seq: int) -> None:
        """Drop one entry at the next commit; one that was never committed leaves no row."""
        self._put.pop(seq, None)
        if seq <= self._highest:
            self._dropped[seq] = None

    def flush(self) -> None:
        """Write the changes, within the transaction of a commit."""
        database = self._database
        if self._dropped:
            gone = self._live(self._dropped)
            checkpoint, seen = database.row(_LAST_CHECKPOINT) or (0, 0)
            remove_from_indexes(database, gone)
            # A row newer than all checkpoints is needed by none.
            database.execute_many(
                "DELETE FROM entries WHERE id = ?", ((row.id,) for row in gone if row.id > seen)
            )
            database.execute_many(_MARK, ((checkpoint, row.id) for row in gone if row.id <= seen))
        rows = [
            row_of(number, each) for number, each in enumerate(self._put.values(), self._next_id())
        ]
        database.execute_many(INSERT, rows)
        add_to_indexes(database, [Indexed(row[0], row[2], row[7], row[-1]) for row in rows])

    def discard_changes(self) -> None:
        """Discard unwritten changes."""
        self._put.clear()
        self._dropped.clear()
        self._highest = self._highest_seq()

    def count_tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return the number of live entries by tag, from the tag index and the unwritten changes."""
        counts = Counter(dict(self._database.rows(COUNT_TAGS, (scope_glob,))))
        for row in self._live(self._dropped):
            if row.text and fnmatchcase(row.scope, scope_glob):
                counts.subtract(decode(row.tags))
        for entry in filter(is_searched, self._put.values()):
            if fnmatchcase(entry.scope, scope_glob):
                counts.update(entry.tags)
        return {tag: number for tag, number in sorted(counts.items()) if number}

    def rewind(self, number: int, last_entry: int) -> None:
        """Restore the rows of checkpoint `number`, within a transaction."""
        database = self._database
        written_later = "WHERE id > ? AND dropped_after IS NULL"
        remove_from_indexes(database, self._indexed(written_later, last_entry))
        database.execute("DELETE FROM entries WHERE id > ?", (last_entry,))
        add_to_indexes(database, self._indexed("WHERE dropped_after >= ?", number))
        database.execute(
            "UPDATE entries SET dropped_after = NULL WHERE dropped_after >= ?", (number,)
        )

    def prune(self, before: int, after: int) -> None:
        """Delete the rows that were written and dropped between two retained checkpoints, within a transaction.

        `before` is 0 when no older one is retained.
        """
        self._database.execute(
            "DELETE FROM entries WHERE dropped_after >= ?1 AND dropped_after < ?2 "
            "AND id > coalesce((SELECT last_entry FROM checkpoints WHERE id = ?1), 0)",
            (before, after),
        )

    def _live(self, seqs: Iterable[int]) -> list[Indexed]:
        return self._indexed(_LIVE, encode(list(seqs)))

    def _indexed(self, where: str, value: object) -> list[Indexed]:
        sql = select_from("entries", Indexed._fields) + where
        return self._database.read("entries", Indexed._make, sql, (value,))

    def _next_id(self) -> int:
        """Return a row number that was never used."""
        row = self._database.row("SELECT seq FROM sqlite_sequence WHERE name = 'entries'")
        return 1 if row is None else int(row[0]) + 1

    def _highest_seq(self) -> int:
        """Return the highest live seq in the file; no row above it is searched."""
        row = self._database.row("SELECT max(seq) FROM entries WHERE dropped_after IS NULL")
        return 0 if row is None or row[0] is None else int(row[0])
