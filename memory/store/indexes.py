"""What a run's entries are found by: their words and their tags, live rows only.

Kept by hand, row by row in bulk: triggers would cost several times as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from memory.codec import decode
from memory.store.entry_rows import LIVE, entry_of, place_of, subject_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory.store.database import Database

_ADD_TEXT: Final = "INSERT INTO entry_text (rowid, text) VALUES (?, ?)"
_ADD_TAG: Final = "INSERT INTO entry_tags (tag, scope, entry) VALUES (?, ?, ?)"
_CUT_TEXT: Final = "INSERT INTO entry_text (entry_text, rowid, text) VALUES ('delete', ?, ?)"
_CUT_TAG: Final = "DELETE FROM entry_tags WHERE tag = ? AND scope = ? AND entry = ?"
_SET: Final = (
    "UPDATE entries SET place = ?, subject = ?, text = ? WHERE seq = ? AND dropped_after IS NULL"
)


class Indexed(NamedTuple):
    """As much of a row as its indexes know; a row without text is in none of them."""

    id: int
    scope: str
    tags: str
    text: str


def add(database: Database, rows: Sequence[Indexed]) -> None:
    """Make `rows` findable, within a transaction."""
    database.execute_many(_ADD_TEXT, ((row.id, row.text) for row in rows if row.text))
    database.execute_many(_ADD_TAG, _tags_of(database, rows))


def cut(database: Database, rows: Sequence[Indexed]) -> None:
    """Make `rows` unfindable, within a transaction."""
    database.execute_many(_CUT_TEXT, ((row.id, row.text) for row in rows if row.text))
    database.execute_many(_CUT_TAG, _tags_of(database, rows))


def reindex(database: Database) -> int:
    """Return how many entries can be searched, after everything they are found by was made anew."""
    with database.transaction():
        return rebuild(database)


def rebuild(database: Database) -> int:
    """Do as `reindex` does, within a transaction of the caller."""
    database.execute("REINDEX entries")
    rows = database.rows(LIVE)
    with database.understood("entries"):
        entries = [entry_of(row) for row in rows]
    database.execute_many(
        _SET,
        ((place_of(each.data), subject_of(each.data), text_of(each), each.seq) for each in entries),
    )
    database.execute("INSERT INTO entry_text (entry_text) VALUES ('rebuild')")
    database.execute("DELETE FROM entry_tags")
    database.execute(
        "INSERT INTO entry_tags SELECT DISTINCT value, scope, entries.id "
        "FROM entries, json_each(tags) WHERE dropped_after IS NULL AND text <> ''"
    )
    return sum(bool(text_of(each)) for each in entries)


def _tags_of(database: Database, rows: Iterable[Indexed]) -> list[tuple[str, str, int]]:
    with database.understood("entries"):
        return [
            (tag, row.scope, row.id)
            for row in rows
            if row.text and row.tags != "[]"
            for tag in decode(row.tags)
        ]
