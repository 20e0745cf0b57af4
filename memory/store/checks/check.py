"""All checks of a file of knowledge, and of a run's file; whether a run's steps are true is for replay to say."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memory.blackboard.entry import scope_of
from memory.codec import Json, decode
from memory.errors import CorruptStore, UnknownScope
from memory.store.checks.consistency import contradictions, orphans
from memory.store.checks.figures import counts, staleness
from memory.store.checks.finding import (
    UNREADABLE,
    CheckFinding,
    columns_of,
    held_in,
    rows_of,
)
from memory.store.checks.repair import Mending, RunMending
from memory.store.entries import entry_of
from memory.tiers.lessons import RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.store.database import Database


MOST_REPORTS: Final = 20  # of one file's damaged indexes


def check_knowledge(database: Database, *, now: float) -> Iterator[CheckFinding]:
    """Yield what is wrong with the knowledge in `database`, which may be written to, at the date `now`."""
    yield from damaged_indexes(database)
    held = held_in(database)
    for broken in held.broken:
        yield CheckFinding(
            "damage",
            f"{broken.table} row {broken.number}",
            f"nobody can read {broken.id!r}: its fields are not what they should be",
            "no game can be played with this memory while the row is in it",
            "what is left of it is archived",
            partial(Mending.let_go_of_broken, broken=broken),
        )
    yield from contradictions(held)
    yield from counts(held)
    yield from orphans(held)
    yield from staleness(held, now=now)


def damaged_indexes(database: Database) -> Iterator[CheckFinding]:
    """Yield where indexes say something else than the rows."""
    for (report,) in database.rows(f"PRAGMA integrity_check({MOST_REPORTS})"):
        if report != "ok":
            yield CheckFinding(
                "damage",
                "the file's indexes",
                str(report),
                "what is looked up by them may not be found, or be found twice",
                "all indexes are made anew",
                lambda mending: mending.database.execute("REINDEX"),
            )


def _damaged_words(database: Database) -> Iterator[CheckFinding]:
    """Yield where the index of words is not of the texts of the live entries.

    It keeps a row for each text in a table of its own.
    """
    docs, wanted = "SELECT id FROM entry_text_docsize", "SELECT id FROM live_text"
    is_astray = False
    for first, second, what in (
        (docs, wanted, "words are kept of {} entries that are not there"),
        (wanted, docs, "{} entries cannot be found by their words"),
    ):
        ((number,),) = database.rows(f"SELECT count(*) FROM ({first} EXCEPT {second})")  # noqa: S608
        if number:
            is_astray = True
            yield CheckFinding(
                "orphan",
                "the index entry_text",
                what.format(number),
                "searches find what is gone, or miss what is there",
                "the index is made anew",
                RunMending.reindex,
            )
    if is_astray:
        return
    try:
        # With 1 as its rank the texts themselves are compared, too.
        database.execute("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)")
    except CorruptStore:
        yield CheckFinding(
            "damage",
            "the index entry_text",
            "it does not fit the texts that it was made of",
            "searches fail, or find something else",
            "the index is made anew",
            RunMending.reindex,
        )


LATE_S: Final = (
    60.0  # game seconds that something may outstay its time, as what nothing came after does
)
_NAMES: Final = [
    "seq",
    "scope",
    "kind",
    "tick",
    "game_s",
    "data",
    "tags",
    "importance",
    "expires_s",
    "key",
    "version",
    "relevance",
    "utility",
    "status",
    "sources",
    "closed",
]
_ASTRAY: Final = (
    "SELECT count(*) FROM (SELECT tag, scope, entry FROM entry_tags EXCEPT SELECT value, scope, entries.id "
    "FROM entries, json_each(tags) WHERE dropped_after IS NULL AND text <> '' AND json_valid(tags))"
)


class _Row(NamedTuple):
    number: int
    entry: Entry
    row: Mapping[str, Json]


def check_run(database: Database) -> Iterator[CheckFinding]:
    """Yield what is wrong with the run in `database`, which may be written to."""
    yield from damaged_indexes(database)
    live, broken = _entries(database)
    yield from broken
    yield from _damaged_words(database)
    yield from _payloads(database)
    yield from _named_twice(live)
    yield from _totals(live)
    yield from _tags(database)
    yield from _evidence(database, live)
    yield from _strangers(database)
    yield from _stale(live)


def _entries(database: Database) -> tuple[list[_Row], list[CheckFinding]]:
    live, broken = list[_Row](), list[CheckFinding]()
    columns = [*_NAMES, "dropped_after"]
    for number, values, row in rows_of(database, "entries", columns):
        if row["dropped_after"] is not None:
            continue
        try:
            if values is None:
                raise ValueError(number)
            filled = [*values[:9], values[9] or "", *values[10:16]]
            live.append(_Row(number, entry_of(tuple(filled)), row))
        except UNREADABLE:
            what = (
                f"nobody can read the entry {row['key']!r}: its fields are not what they should be"
            )
            broken.append(
                CheckFinding(
                    "damage",
                    f"entries row {number}",
                    what,
                    "the run cannot be resumed while the row is in it",
                    "what is left of it is kept as an event",
                    partial(RunMending.lose_entry, number=number, row=row),
                )
            )
    return live, broken


def _payloads(database: Database) -> Iterator[CheckFinding]:
    for table, why in (
        ("events", "whoever reads what happened gets an error there"),
        ("outbox", "no lesson after it can be delivered"),
    ):
        for number, values, _ in rows_of(database, table, ["payload", "live"]):
            if not _is_mapping(values) and (values is None or values[1]):
                yield CheckFinding(
                    "damage",
                    f"{table} row {number}",
                    "nobody can read it",
                    why,
                    "it no longer counts as live; it stays in the file",
                    partial(RunMending.bury, table=table, number=number),
                )
    for number, values, _ in rows_of(database, "checkpoints", ["mind"]):
        if not _is_mapping(values):
            yield CheckFinding(
                "damage",
                f"checkpoint {number}",
                "nobody can read what it keeps of the mind",
                "the run cannot be resumed from it; --resume says what to do",
            )


def _is_mapping(values: Sequence[Any] | None) -> bool:
    try:
        return values is not None and isinstance(decode(values[0]), dict)
    except (TypeError, ValueError):
        return False


def _named_twice(live: Sequence[_Row]) -> Iterator[CheckFinding]:
    by_key: defaultdict[tuple[str, str], list[_Row]] = defaultdict(list)
    for row in live:
        by_key[row.entry.scope, row.entry.key].append(row)
    for (scope, key), (*older, newest) in by_key.items():
        for each in older:
            differs = ", with different data" if each.entry.data != newest.entry.data else ""
            yield CheckFinding(
                "contradiction",
                f"entries {each.number} and {newest.number} of {scope}",
                f"both are called {key}{differs}",
                "a name must mean one thing",
                "the newer one stays, the other is kept as an event",
                partial(
                    RunMending.drop_entry,
                    number=each.number,
                    row=each.row,
                    reason="its name was given to another",
                ),
            )


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
        yield CheckFinding(
            "count",
            f"entry {row.entry.key}",
            f"{figures[0]} battles, {figures[1]} won and {figures[2]} lost do not add up",
            "what the session teaches is counted from these",
        )


def _tags(database: Database) -> Iterator[CheckFinding]:
    ((number,),) = database.rows(_ASTRAY)
    if number:
        yield CheckFinding(
            "orphan",
            "entry_tags",
            f"{number} tags are noted of entries that are not there or do not carry them",
            "who looks for a tag finds too much",
            "the index of tags is made anew",
            lambda mending: mending.reindex(),
        )
    for table, number, _, _ in database.rows("PRAGMA foreign_key_check"):
        yield CheckFinding(
            "orphan",
            f"{table} row {number or ''}".strip(),
            "it belongs to a checkpoint that is not there",
            "it takes room and nobody can reach it",
            "it is deleted: it was kept for that checkpoint only",
            lambda mending: mending.database.execute(
                "DELETE FROM parts WHERE checkpoint NOT IN (SELECT id FROM checkpoints)"
            ),
        )


def _evidence(database: Database, live: Sequence[_Row]) -> Iterator[CheckFinding]:
    (run_id, last_tick), *_ = database.rows(
        "SELECT (SELECT run_id FROM run), (SELECT coalesce(max(tick), 0) FROM steps)"
    ) or [("", 0)]
    last_seq = _last_seq(database, live)
    for row in live:
        # What earlier runs taught names their ticks, of which this file knows nothing.
        is_theirs = any(each.startswith(RUN) for each in row.entry.sources)
        seen = inf if is_theirs else last_tick
        lost = [
            each for each in row.entry.sources if not _is_possible(each, run_id, seen, last_seq)
        ]
        if lost:
            yield CheckFinding(
                "orphan",
                f"entry {row.entry.key}",
                f"its evidence {', '.join(map(repr, lost))} leads nowhere: the run never got so far",
                "nobody can look up why it is believed",
            )


def _last_seq(database: Database, live: Sequence[_Row]) -> int:
    """Return the highest number that any entry of the run ever had, as far as the file knows."""
    highest = max((each.entry.seq for each in live), default=0)
    for (data,) in database.rows("SELECT data FROM parts WHERE name = 'blackboard'"):
        try:
            highest = max(highest, *(v for v in decode(data).values() if isinstance(v, int)))
        except UNREADABLE:
            continue
    return highest


def _is_possible(source: str, run_id: str, last_tick: float, last_seq: int) -> bool:
    owner, _, number = source.rpartition("/")
    if owner == run_id and number.isdigit():
        return int(number) <= last_seq
    if source.startswith("tick:"):
        return source[5:].isdigit() and int(source[5:]) <= last_tick + 1
    return bool(source.strip())


def _strangers(database: Database) -> Iterator[CheckFinding]:
    """Yield rows of tables that name a run, where it is not this one."""
    for (table,) in database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        if table != "run" and "run_id" in columns_of(database, table):
            sql = f'SELECT DISTINCT run_id FROM "{table}" WHERE run_id NOT IN (SELECT run_id FROM run)'  # noqa: S608
            for (run_id,) in database.rows(sql):
                yield CheckFinding(
                    "orphan",
                    table,
                    f"it has rows of run {run_id}, which is not the run of this file",
                    "what another run saw would pass for this one's",
                )


def _stale(live: Sequence[_Row]) -> Iterator[CheckFinding]:
    now = max((each.entry.game_s for each in live), default=0.0)
    for row in live:
        expires = row.entry.expires_s
        if expires is not None and expires + LATE_S < now:
            yield CheckFinding(
                "stale",
                f"entry {row.entry.key}",
                f"its time was over {now - expires:,.0f} game seconds ago",
                "it would still be recalled",
                "it is taken off the blackboard, and kept as an event",
                partial(RunMending.drop_entry, number=row.number, row=row.row, reason="expired"),
            )
    for scope, count in Counter(each.entry.scope for each in live).items():
        try:
            room = scope_of(scope).capacity
        except UnknownScope:
            yield CheckFinding(
                "orphan", scope, f"{count} entries lie in no scope", "nobody looks there"
            )
            continue
        if count > room:
            what = f"it holds {count} entries, and has room for {room}"
            yield CheckFinding(
                "stale", scope, what, "the next write there loses what is worth least"
            )
