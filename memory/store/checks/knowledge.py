"""Everything that can be wrong with a file of knowledge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.errors import CorruptStore
from memory.store.checks.contradictions import contradictions
from memory.store.checks.counts import counts
from memory.store.checks.finding import Finding
from memory.store.checks.held import Broken, held_in
from memory.store.checks.orphans import orphans, words_astray
from memory.store.checks.staleness import staleness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.store.checks.finding import Mend
    from memory.store.database import Database

MOST_REPORTS: Final = 20  # of one file's damaged indexes


def check_knowledge(database: Database, *, now: float) -> Iterator[Finding]:
    """Yield what is wrong with the knowledge in `database`, which may be written to, at the date `now`."""
    yield from damaged_indexes(database)
    held = held_in(database)
    for broken in held.broken:
        yield Finding(
            "damage",
            f"{broken.table} row {broken.number}",
            f"nobody can read {broken.id!r}: its fields are not what they should be",
            "no game can be played with this memory while the row is in it",
            "what is left of it is archived",
            _letting_go(broken),
        )
    yield from damaged_words(database, "ltm_entries", "ltm_text", "1")
    yield from contradictions(held)
    yield from counts(held)
    yield from orphans(held)
    yield from staleness(held, now=now)


def damaged_indexes(database: Database) -> Iterator[Finding]:
    """Yield where indexes say something else than the rows."""
    for (report,) in database.rows(f"PRAGMA integrity_check({MOST_REPORTS})"):
        if report != "ok":
            yield Finding(
                "damage",
                "the file's indexes",
                str(report),
                "what is looked up by them may not be found, or be found twice",
                "all indexes are made anew",
                lambda mending: mending.database.execute("REINDEX"),
            )


def damaged_words(database: Database, table: str, words: str, indexed: str) -> Iterator[Finding]:
    """Yield where the index `words` is not of the texts of those rows of `table` that are `indexed`."""
    astray = list(words_astray(database, table, words, indexed))
    yield from astray
    if astray:
        return
    try:
        # With 1 as its rank the texts themselves are compared, too.
        database.execute(f"INSERT INTO {words} ({words}, rank) VALUES ('integrity-check', 1)")  # noqa: S608
    except CorruptStore:
        yield Finding(
            "damage",
            f"the index {words}",
            "it does not fit the texts that it was made of",
            "searches fail, or find something else",
            "the index is made anew",
            lambda mending: mending.reindex(),
        )


def _letting_go(broken: Broken) -> Mend:
    return lambda mending: mending.let_go_of_broken(broken)
