"""All checks of a run's file. Whether its steps are true is checked by replay."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final, NamedTuple

from memory.blackboard.entry import Entry, scope_of
from memory.codec import Json, decode, encode
from memory.errors import CorruptStore, UnknownScope
from memory.store.checkpoints import LAST_CHECKPOINT
from memory.store.checks.finding import (
    READ_ERRORS,
    CheckFinding,
    RawRow,
    damaged_indexes,
    duplicate_keys,
    finding,
    fix,
    rows_by_run,
    rows_of,
)
from memory.store.database import Database
from memory.store.entries import COLUMNS, entry_of, reindex_entries
from memory.tiers.lasting import RUN

# Game seconds that an entry may exceed its lifetime: expiry runs only with later writes.
LATE_S: Final = 60.0
_NAMES: Final = COLUMNS.replace("coalesce(key, '')", "key").split(", ")
_KEY: Final = _NAMES.index("key")
_COUNT_WRONG_TAGS: Final = (
    "SELECT count(*) FROM (SELECT tag, scope, entry FROM entry_tags EXCEPT SELECT value, scope, entries.id "
    "FROM entries, json_each(tags) WHERE dropped_after IS NULL AND text <> '' AND json_valid(tags))"
)
_EVENT: Final = (
    "INSERT INTO events (tick, kind, payload) VALUES "
    "((SELECT coalesce(max(tick), 0) FROM steps WHERE live = 1), 'archived', ?)"
)
_DROP: Final = f"UPDATE entries SET dropped_after = {LAST_CHECKPOINT} WHERE id = ?"  # noqa: S608
_DELETE: Final = "DELETE FROM entries WHERE id = ?"  # for unreadable rows


def drop_entry(
    database: Database, number: int, row: Mapping[str, Json], reason: str, how: str = _DROP
) -> None:
    """Remove one entry from the blackboard, and store it as the same event that play writes for archived entries."""
    database.execute(_EVENT, (encode({**row, "reason": reason}),))
    database.execute(how, (number,))


class _Row(NamedTuple):
    number: int
    entry: Entry
    row: Mapping[str, Json]


def check_run(database: Database) -> Iterator[CheckFinding]:
    """Yield the findings of the run in `database`, which may be written to."""
    yield from damaged_indexes(database, fix(Database.execute, "REINDEX"))
    live, unreadable = _entries(database)
    yield from unreadable
    yield from _words(database)
    yield from _payloads(database)
    rows = {each.number: each.row for each in live}
    yield from duplicate_keys(
        ((each.number, each.entry) for each in live),
        "stored as an event",
        lambda number: fix(drop_entry, number, rows[number], "its key was reassigned"),
    )
    yield from _totals(live)
    yield from _tags(database)
    yield from _evidence(database, live)
    run = {each for (each,) in database.rows("SELECT run_id FROM run")}
    for table, run_id in rows_by_run(database, frozenset({"run"})):
        if run_id not in run:
            yield finding("rows_of_another_run", table=table, run_id=run_id)
    yield from _stale(live)


def _entries(database: Database) -> tuple[list[_Row], list[CheckFinding]]:
    live, unreadable = list[_Row](), list[CheckFinding]()
    for raw in rows_of(database, "entries", [*_NAMES, "dropped_after"]):
        row = raw.as_json()
        if row["dropped_after"] is not None:
            continue
        try:
            values = list(raw.read()[:-1])
            values[_KEY] = values[_KEY] or ""
            live.append(_Row(raw.number, entry_of(tuple(values)), row))
        except READ_ERRORS:
            action = fix(drop_entry, raw.number, row, "unreadable", _DELETE)
            unreadable.append(
                finding("unreadable_entry", action, number=raw.number, key=row["key"])
            )
    return live, unreadable


def _words(database: Database) -> Iterator[CheckFinding]:
    """Yield the disagreements between the full-text index and the texts of live entries.

    The index has one row for each text in a table of its own.
    """
    docs, wanted = "SELECT id FROM entry_text_docsize", "SELECT id FROM live_text"
    is_astray = False
    for first, second, what in (
        (docs, wanted, "it holds the words of {} entries that do not exist"),
        (wanted, docs, "{} entries cannot be found by their words"),
    ):
        ((number,),) = database.rows(f"SELECT count(*) FROM ({first} EXCEPT {second})")  # noqa: S608
        if number:
            is_astray = True
            yield finding("wrong_text_index", reindex_entries, what=what.format(number))
    if is_astray:
        return
    try:
        # With rank 1 the texts themselves are compared too.
        database.execute("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)")
    except CorruptStore:
        yield finding("damaged_text_index", reindex_entries)


def _payloads(database: Database) -> Iterator[CheckFinding]:
    for table, name in (("events", "unreadable_event"), ("outbox", "unreadable_lesson")):
        for raw in rows_of(database, table, ["payload", "live"]):
            if raw.values[1] and not _is_mapping(raw):
                hide = f"UPDATE {table} SET live = 0 WHERE rowid = ?"  # noqa: S608  # the row stays
                yield finding(name, fix(Database.execute, hide, (raw.number,)), number=raw.number)
    for number, name, data in database.rows("SELECT checkpoint, name, data FROM parts"):
        try:
            decode(data)
        except ValueError:
            yield finding("unreadable_part", number=number, part=name)


def _is_mapping(raw: RawRow) -> bool:
    try:
        return isinstance(decode(raw.read()[0]), dict)
    except (TypeError, ValueError):
        return False


def _totals(live: Sequence[_Row]) -> Iterator[CheckFinding]:
    for row in live:
        data: Any = row.entry.data
        if row.entry.kind != "session_totals":
            continue
        figures = [data.get(name) for name in ("total_battles", "victories", "defeats")]
        if all(isinstance(each, int) and each >= 0 for each in figures) and (
            figures[1] + figures[2] <= figures[0]
        ):
            continue
        yield finding("session_totals", key=row.entry.key, figures=figures)


def _tags(database: Database) -> Iterator[CheckFinding]:
    ((number,),) = database.rows(_COUNT_WRONG_TAGS)
    if number:
        yield finding("wrong_tag_index", reindex_entries, number=number)
    orphans = "DELETE FROM parts WHERE checkpoint NOT IN (SELECT id FROM checkpoints)"
    for table, number, _, _ in database.rows("PRAGMA foreign_key_check"):
        where = f"{table} row {number or ''}".strip()
        yield finding("orphan_part", fix(Database.execute, orphans), where=where)


def _evidence(database: Database, live: Sequence[_Row]) -> Iterator[CheckFinding]:
    (run_id, last_tick), *_ = database.rows(
        "SELECT (SELECT run_id FROM run), (SELECT coalesce(max(tick), 0) FROM steps)"
    ) or [("", 0)]
    last_seq = _last_seq(database, live)
    for _, entry, _ in live:
        # Evidence of earlier runs names their ticks, which this file does not hold.
        seen = inf if any(each.startswith(RUN) for each in entry.sources) else last_tick
        if lost := [e for e in entry.sources if not _is_possible(e, run_id, seen, last_seq)]:
            yield finding("future_evidence", key=entry.key, lost=", ".join(map(repr, lost)))


def _last_seq(database: Database, live: Sequence[_Row]) -> int:
    """Return the highest entry number of the run that the file records."""
    highest = max((each.entry.seq for each in live), default=0)
    for (data,) in database.rows("SELECT data FROM parts WHERE name = 'blackboard'"):
        try:
            highest = max(highest, *(v for v in decode(data).values() if isinstance(v, int)))
        except READ_ERRORS:
            continue
    return highest


def _is_possible(source: str, run_id: str, last_tick: float, last_seq: int) -> bool:
    owner, _, number = source.rpartition("/")
    if owner == run_id and number.isdigit():
        return int(number) <= last_seq
    if source.startswith("tick:"):
        return source[5:].isdigit() and int(source[5:]) <= last_tick + 1
    return bool(source.strip())


def _stale(live: Sequence[_Row]) -> Iterator[CheckFinding]:
    now = max((each.entry.game_s for each in live), default=0.0)
    for number, entry, row in live:
        if entry.expires_s is not None and entry.expires_s + LATE_S < now:
            action = fix(drop_entry, number, row, "expired")
            yield finding("expired_entry", action, key=entry.key, late=now - entry.expires_s)
    for scope, count in Counter(each.entry.scope for each in live).items():
        try:
            room = scope_of(scope).capacity
        except UnknownScope:
            yield finding("unknown_scope", scope=scope, count=count)
            continue
        if count > room:
            yield finding("full_scope_of_run", scope=scope, count=count, room=room)
