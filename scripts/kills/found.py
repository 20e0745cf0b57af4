"""What the file of a run holds, read without the program that wrote it as far as that is possible."""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kills.image import Row
from kills.watch import name_of
from kills.words import Lesson, digest, spelled
from memory import StepRow, read_run_store

COMPANIONS = ("", "-wal", "-journal")


@dataclass(frozen=True, slots=True)
class FoundMark:
    """One checkpoint as it stands in the file."""

    id: int
    tick: int
    frame: int
    chain: bytes
    content: str
    parts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundRun:
    """One run as its file holds it; `mended` says what SQLite itself thinks of the file."""

    run_id: str
    steps: tuple[Row, ...]
    events: tuple[Row, ...]
    lessons: tuple[Row, ...]
    entries: Mapping[int, str]
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
        complaints = tuple(complaints_of(file))
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
        marks = tuple(_marks(file))
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
        entries=_entries(copy),
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


def rows_of(file: sqlite3.Connection) -> dict[str, list[str]]:
    """Return all rows of all tables, each as text, in an order that does not depend on their making."""
    names = [
        name
        for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("sqlite_")
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
        found.append(FoundMark(number, tick, frame, chain, content, parts))
    return found


def _entries(copy: Path) -> dict[int, str]:
    with closing(read_run_store(copy)) as store:
        return {entry.seq: name_of(entry) for entry in store.live_entries()}
