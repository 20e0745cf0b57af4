"""The merge of several memory files into one: copies are read, the result is built elsewhere and written when it differs.

The base of a memory is its contributions, the delivery state of each run, its archive and its date. The merge of these is
commutative, and merging again changes nothing. All knowledge is rebuilt from them at the earlier date, so that a merge
ages none of them; only then are rows pruned that are worth too little or over the caps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import reduce
from math import inf
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from memory.blackboard.entry import COLLECTIVE, Entry
from memory.codec import decode, encode
from memory.errors import MissingStore
from memory.file_access import copy_file, real_path
from memory.store.copies import unused_path
from memory.store.database import Database, copy_database, open_database
from memory.store.dates import EARLIEST, STORED, save_dates
from memory.store.knowledge_store import KnowledgeStore
from memory.store.lasting import (
    COLUMNS,
    INSERT,
    KEY,
    KNOWN,
    SCOPE,
    SELECT,
    ContributionTable,
    archived,
    row_of,
    save_delivery,
)
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers.contributions import ByEntry, ByRun, EntryHistory, latest_of
from memory.tiers.knowledge import KINDS, KNOWLEDGE_SCOPES, ConsolidationConfig
from memory.tiers.lasting import ENTRIES
from memory.tiers.lasting import Key as EntryKey

StoredRow = tuple[str, str, str]  # scope, key, row
Agreement = Callable[[Iterable[Entry], ByEntry], Iterable[tuple[Entry, str, int]]]
Rows = dict[str, list[tuple[Any, ...]]]

Key = TypeVar("Key")
Value = TypeVar("Value")
_CLOSED: Final = COLUMNS.split(", ").index("closed") - 1  # in a row of COPIED
COPIED: Final = (  # all tables of a memory, in an order in which they can be written
    ("dates", "*", "1"),
    ("deliveries", "*", "run_id"),
    ("contributions", "*", "scope, key, run_id"),
    (ENTRIES, COLUMNS.removeprefix("id, "), "id"),
    ("archive", "archived_at, scope, key, row", "1, 2, 3, 4"),
)


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one or several memories; `held` are all their rows as stored.

    It is rebuilt at `date`: under an unset clock at 0, when nothing has faded. It has decayed to `decayed`.
    """

    date: float = inf
    decayed: float = inf
    opened: float = 0.0
    corrected: int = 0  # rows whose date was not believed
    contributions: ByEntry = field(default_factory=dict)
    delivered: Mapping[str, int] = field(default_factory=dict)
    archive: Mapping[StoredRow, float] = field(default_factory=dict)
    held: frozenset[StoredRow] = frozenset()

    def merged(self, other: Content) -> Content:
        """Return the merged content of both."""
        return Content(
            min(self.date, other.date),
            _earlier(self.decayed, other.decayed),
            max(self.opened, other.opened),
            self.corrected + other.corrected,
            _union(
                self.contributions,
                other.contributions,
                lambda mine, theirs: _union(mine, theirs, latest_of),
            ),
            _union(self.delivered, other.delivered, max),
            _union(self.archive, other.archive, min),
            self.held | other.held,
        )


class MergedStore(KnowledgeStore):
    """A new file for the merged content of several memories."""

    def fill(self, content: Content, agree: Agreement) -> None:
        """Build all rows from `content`, and the collective entries that `agree` returns for them."""
        with self._database.transaction():
            self._contributions.save_all(
                {each: content.contributions[each] for each in sorted(content.contributions)}
            )
            for run_id, sequence in sorted(content.delivered.items()):
                save_delivery(self._database, run_id, sequence)
            self._rebuild_all(content.contributions)
            agreed = agree(self._entries.found(f"WHERE {KNOWN}"), content.contributions)
            for entry, by, number in agreed:
                # A restored one may be there.
                statement = INSERT.replace("INSERT", "INSERT OR IGNORE", 1)
                row = row_of(entry, EntryHistory(by, by, number))
                self._database.execute(statement, (None, *row))
            self.prune()
            self._archive_all_of(content)
            save_dates(self._database, content.decayed, content.opened)

    def _rebuild_all(self, contributions: ByEntry) -> None:
        """Build all entries from all contributions, merging equal ones; those of knowledge, which others agree on, are pruned."""
        scopes: dict[str, dict[str, ByRun]] = {}
        for (scope, key), runs in contributions.items():
            scopes.setdefault(scope, {})[key] = runs
        for scope in sorted(scopes):
            self._rebuild(scope, [], scopes[scope])
        self._prune_knowledge()

    def _archive_all_of(self, content: Content) -> None:
        """Archive the archived rows of all sources, and their rows that the result does not hold."""
        known = {place for row in _stored_rows(self._database) for place in _locations(row)}
        archived_at = dict(content.archive)
        for each in content.held - archived_at.keys():
            if not known.issuperset(_locations(each)):
                archived_at[each] = self._now
        self._database.execute("DELETE FROM archive")
        self._database.execute_many(
            "INSERT INTO archive (scope, key, row, archived_at) VALUES (?, ?, ?, ?)",
            sorted((*each, date) for each, date in archived_at.items()),
        )


def content_of(database: Database, now: float, corrected: int = 0) -> Content:
    """Return the content of one memory when the clock shows `now`."""
    decayed, opened = database.row(STORED) or (0.0, 0.0)
    archive = database.rows("SELECT scope, key, row, archived_at FROM archive")
    return Content(
        decayed if now >= EARLIEST else 0.0,
        decayed,
        opened,
        corrected,
        ContributionTable(database).all(),
        dict(database.rows("SELECT run_id, max(sequence) FROM deliveries GROUP BY run_id")),
        {(scope, key, row): at for scope, key, row, at in archive},
        frozenset(_stored_rows(database)),
    )


def all_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows by table, in an order independent of their insertion."""
    # The names are our own, not a caller's.
    return {
        name: database.rows(f"SELECT {columns} FROM {name} ORDER BY {order}")  # noqa: S608
        for name, columns, order in COPIED
    }


def replace_rows(database: Database, rows: Mapping[str, list[tuple[Any, ...]]]) -> None:
    """Replace all rows of a file by `rows`, in the open transaction."""
    for name, columns, _ in COPIED:
        database.execute(f"DELETE FROM {name}")  # noqa: S608
        if each := rows[name]:
            into = name if columns == "*" else f"{name} ({columns})"
            marks = ", ".join("?" * len(each[0]))
            database.execute_many(f"INSERT INTO {into} VALUES ({marks})", each)  # noqa: S608


def _earlier(one: float, other: float) -> float:
    """Return the earlier of two dates; one of an unset clock does not count beside another."""
    return min((each for each in (one, other) if EARLIEST <= each < inf), default=min(one, other))


def _union(
    one: Mapping[Key, Value], other: Mapping[Key, Value], choose: Callable[[Value, Value], Value]
) -> dict[Key, Value]:
    """Return the union of two mappings; `choose` merges the values of a common key."""
    both = {key: choose(one[key], other[key]) for key in one.keys() & other.keys()}
    return dict(sorted({**one, **other, **both}.items(), key=itemgetter(0)))


def _stored_rows(database: Database) -> Iterator[StoredRow]:
    """Yield all rows that runs contributed to, and all of knowledge, as the archive would store them."""
    from_runs = ContributionTable(database).run_ids()
    for row in database.rows(SELECT):
        with database.decoding(ENTRIES):
            if row[SCOPE] in KNOWLEDGE_SCOPES or (row[SCOPE], row[KEY]) in from_runs:
                yield row[SCOPE], row[KEY], encode(archived(row))


def _locations(stored: StoredRow) -> list[EntryKey]:
    """Return scope and key of a row and of the entries merged into it."""
    scope, key, row = stored
    return [(scope, each) for each in (key, *decode(row)["merged"])]


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The result of a merge: rows by table, the runs, and the numbers of agreed, contradicted and closed rows.

    `corrected` is the number of rows whose date was not believed, `copy` the backup of the target, None when there was no
    target or it did not change.
    """

    rows: Mapping[str, int]
    runs: tuple[str, ...]
    agreed: int
    contradicted: int
    closed: int
    archived: int
    corrected: int
    changed: bool
    copy: Path | None


def merge_files(
    sources: Sequence[Path],
    into: Path,
    agree: Agreement,
    config: ConsolidationConfig,
    *,
    now: float,
) -> MergeResult:
    """Merge the memories of `sources` and the one at `into`, if any, into one file at `into`, and return the result.

    Dates that cannot be right when the clock shows `now` are not believed.
    """
    target = real_path(into)
    others = [each for each in sources if real_path(each) != target]
    if not others and not into.exists():
        raise MissingStore(f"{into} does not exist; name a memory file to merge into it")
    with TemporaryDirectory(prefix="merge-") as folder:
        scratch = Path(folder)
        read = [_read(each, scratch / f"{n}.sqlite", now)[0] for n, each in enumerate(others)]
        made = scratch / "made.sqlite"
        if not into.exists():
            content = reduce(Content.merged, read, Content())
            rows = _build(content, made, agree, config)
            with closing(open_database(made, KNOWLEDGE_SCHEMA)) as database:
                database.backup(into)
            return _merge_result(rows, content.corrected, changed=True, copy=None)
        before = scratch / "before.sqlite"
        held, there = _read(into, before, now)
        content = reduce(Content.merged, read, held)
        rows = _build(content, made, agree, config)
        if rows == there:
            return _merge_result(rows, content.corrected, changed=False, copy=None)
        kept = unused_path(into, "before-merge")
        copy_file(before, kept)
        with closing(open_database(into, KNOWLEDGE_SCHEMA)) as database, database.transaction():
            if all_rows(database) != there:  # a run delivered to it meanwhile
                content = reduce(
                    Content.merged, read, _read(into, scratch / "meanwhile.sqlite", now)[0]
                )
                rows = _build(content, scratch / "anew.sqlite", agree, config)
            replace_rows(database, rows)
        return _merge_result(rows, content.corrected, changed=True, copy=kept)


def _read(path: Path, copy: Path, now: float) -> tuple[Content, Rows]:
    """Return the content, with believed dates, and the rows of a file of any version, read from a copy."""
    copy_database(path, KNOWLEDGE_SCHEMA, copy)
    with closing(open_database(copy, KNOWLEDGE_SCHEMA)) as database:
        database.path = path  # errors name the file of the user
        with closing(database.scratch_copy()) as scratch:
            corrected = KnowledgeStore(scratch, now=now).correct_dates()
            return content_of(scratch, now, corrected), all_rows(database)


def _build(content: Content, path: Path, agree: Agreement, config: ConsolidationConfig) -> Rows:
    """Return all rows of a new file with this content."""
    with closing(open_database(path, KNOWLEDGE_SCHEMA)) as database:
        store = MergedStore(database, now=content.date, config=config)
        store.age()
        store.fill(content, agree)
        return all_rows(database)


def _merge_result(rows: Rows, corrected: int, *, changed: bool, copy: Path | None) -> MergeResult:
    entries = rows[ENTRIES]
    kinds = Counter(kind for scope, kind, *_ in entries if scope in KNOWLEDGE_SCOPES)
    counts = {kind.table: kinds[kind.name] for kind in KINDS}
    return MergeResult(
        counts | {ENTRIES: len(entries) - kinds.total()},
        tuple(row[0] for row in rows["deliveries"]),
        sum(row[0] == COLLECTIVE for row in entries),
        sum(row[5] != "" for row in rows["contributions"]),
        sum(row[_CLOSED] != "" for row in entries if row[0] in KNOWLEDGE_SCOPES),
        len(rows["archive"]),
        corrected,
        changed,
        copy,
    )
