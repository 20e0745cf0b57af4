"""What the file of a run holds, read without the program that wrote it as far as that is possible."""

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kills.image import Row
from kills.watch import name_of, session_name
from kills.words import Lesson, digest, spelled
from memory import Entry, StepRow

SHADOWS = ("_data", "_idx", "_docsize", "_config")
COMPANIONS = ("", "-wal", "-journal")


@dataclass(frozen=True, slots=True)
class FoundMark:
    """One checkpoint as it stands in the file, with the entries that going back to it would bring back."""

    id: int
    tick: int
    frame: int
    chain: bytes
    content: str
    parts: Mapping[str, Any]
    entries: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FoundRun:
    """One run as its file holds it; `held` are the entries of the newest checkpoint.

    `complaints` are what SQLite itself thinks of the file.
    """

    run_id: str
    steps: tuple[Row, ...]
    events: tuple[Row, ...]
    lessons: tuple[Row, ...]
    observations: tuple[Row, ...]
    entries: Mapping[str, str]
    held: tuple[Entry, ...]
    marks: tuple[FoundMark, ...]
    live_steps: tuple[StepRow, ...]
    live_events: tuple[tuple[int, str, Mapping[str, Any]], ...]
    outbox: tuple[Lesson, ...]
    complaints: tuple[str, ...]


def copied(file: Path, to: Path) -> Path:
    """Return a copy of a database as a kill left it, with its log, so that looking changes nothing."""
    copy = to / file.name
    for suffix in COMPANIONS:
        source, target = (each.with_name(each.name + suffix) for each in (file, copy))
        target.unlink(missing_ok=True)
        if source.exists():
            shutil.copyfile(source, target)
    copy.with_name(copy.name + "-shm").unlink(missing_ok=True)
    return copy


def found_run(copy: Path) -> FoundRun | None:
    """Return what a copy of a run's file holds; None while there is no run in it."""
    with closing(sqlite3.connect(copy)) as file:
        if not _has_run(file):
            return None
        complaints = (*complaints_of(file), *_of_indexes(file))
        ((run_id,),) = file.execute("SELECT run_id FROM run")
        steps = file.execute(
            "SELECT live, tick, button, hold, settle, frame, digest, full_digest, chain"
            " FROM steps ORDER BY id"
        ).fetchall()
        events = [
            (live, tick, kind, json.loads(payload))
            for live, tick, kind, payload in file.execute(
                "SELECT live, tick, kind, payload FROM events ORDER BY id"
            )
        ]
        outbox = [
            (live, Lesson(sequence, tick, kind, json.loads(payload)))
            for live, sequence, tick, kind, payload in file.execute(
                "SELECT live, sequence, tick, kind, payload FROM outbox ORDER BY sequence"
            )
        ]
        observations = tuple(_observations(file))
        marks = tuple(_marks(file))
        entries = named(entries_where(file, "dropped_after IS NULL")) | _sessions(
            file, "dropped_after IS NULL"
        )
        held = entries_where(file, *_as_of(marks[-1].id))
    return FoundRun(
        run_id=run_id,
        steps=tuple(Row(digest(*row), bool(live)) for live, *row in steps),
        events=tuple(
            Row(digest(tick, kind, spelled(payload)), bool(live))
            for live, tick, kind, payload in events
        ),
        lessons=tuple(
            Row(digest(each.tick, each.kind, spelled(each.payload)), bool(live))
            for live, each in outbox
        ),
        observations=observations,
        entries=entries,
        held=tuple(held),
        marks=marks,
        live_steps=tuple(StepRow(*row) for live, *row in steps if live),
        live_events=tuple((tick, kind, payload) for live, tick, kind, payload in events if live),
        outbox=tuple(lesson for _, lesson in outbox),
        complaints=complaints,
    )


def complaints_of(file: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with a file: its pages, its indexes, its references."""
    found = [str(row[0]) for row in file.execute("PRAGMA integrity_check") if row[0] != "ok"]
    return found + [f"dangling reference {row}" for row in file.execute("PRAGMA foreign_key_check")]


def _of_indexes(file: sqlite3.Connection) -> Iterator[str]:
    """Yield where words and tags would find other entries than there are."""
    try:
        file.execute("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        yield f"index of words: {error}"
    tagged = set(
        file.execute(
            "SELECT value, scope, entries.id FROM entries, json_each(tags)"
            " WHERE dropped_after IS NULL AND text <> ''"
        )
    )
    if wrong := tagged ^ set(file.execute("SELECT tag, scope, entry FROM entry_tags")):
        yield f"index of tags: {len(wrong)} rows are lost or too many, one of them is {min(wrong)}"


def rows_of(file: sqlite3.Connection) -> dict[str, list[str]]:
    """Return all rows of all tables, each as text, in an order that does not depend on their making.

    How an index of words lies in its own tables depends on it; what it finds does not.
    """
    names = [
        name
        for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("sqlite_") and not name.endswith(SHADOWS)
    ]
    return {name: sorted(map(repr, file.execute(f'SELECT * FROM "{name}"'))) for name in names}  # noqa: S608


def _has_run(file: sqlite3.Connection) -> bool:
    try:
        (count,) = file.execute("SELECT count(*) FROM checkpoints").fetchone()
    except sqlite3.OperationalError:  # killed before its tables were made
        return False
    return bool(count)


def _marks(file: sqlite3.Connection) -> list[FoundMark]:
    found = []
    sql = "SELECT id, tick, frame, state, chain, mind FROM checkpoints ORDER BY id"
    for number, tick, frame, state, chain, mind in file.execute(sql).fetchall():
        content = digest(tick, frame, state, chain, spelled(json.loads(mind)))
        parts = {
            name: json.loads(data)
            for name, data in file.execute(
                "SELECT name, data FROM parts WHERE checkpoint = ?", (number,)
            )
        }
        entries = named(entries_where(file, *_as_of(number))) | _sessions(
            file, "made_after < ? AND (dropped_after IS NULL OR dropped_after >= ?)", number, number
        )
        found.append(FoundMark(number, tick, frame, chain, content, parts, entries))
    return found


def entries_where(file: sqlite3.Connection, where: str, *values: int) -> list[Entry]:
    """Return the entries of the rows that `where` names."""
    columns = ", ".join(
        f"coalesce({name}, '')" if name == "key" else name for name in Entry._fields
    )
    found = []
    for row in file.execute(f"SELECT {columns} FROM entries WHERE {where}", values):  # noqa: S608
        entry = Entry._make(row)
        found.append(
            entry._replace(
                data=json.loads(row[5]),
                tags=frozenset(json.loads(row[6])),
                sources=tuple(json.loads(row[14])),
            )
        )
    return found


def named(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the short names of entries by their seq."""
    return {str(entry.seq): name_of(entry) for entry in entries}


def _as_of(number: int) -> tuple[str, int, int]:
    """Return which rows of entries belong to a checkpoint."""
    return (
        "id <= (SELECT last_entry FROM checkpoints WHERE id = ?)"
        " AND (dropped_after IS NULL OR dropped_after >= ?)",
        number,
        number,
    )


def _observations(file: sqlite3.Connection) -> Iterator[Row]:
    sql = (
        "SELECT live, session, created, created_s, type, content, importance, source, about, metadata"
        " FROM observations ORDER BY id"
    )
    for live, *row, metadata in file.execute(sql):
        yield Row(digest(*row, spelled(json.loads(metadata))), bool(live))


def _sessions(file: sqlite3.Connection, where: str, *values: int) -> dict[str, str]:
    sql = f"SELECT session_id, tick, data FROM strategist_checkpoints WHERE {where}"  # noqa: S608
    return {
        session_name(session_id): digest(tick, spelled(json.loads(data)))
        for session_id, tick, data in file.execute(sql, values)
    }
