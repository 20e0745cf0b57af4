"""Several files of memory merged into one: copies are read, the sum is made elsewhere, and put in place if it differs.

What a memory is at bottom are its shares, how far each run was delivered, its archive and its date. Of these two
memories become one whichever comes first, and merging again changes nothing. All that is known is made anew from them
at the later date of both; only then are rows dropped that are worth too little or over the caps.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import reduce
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from memory.blackboard.entry import Entry
from memory.codec import as_json, decode, encode
from memory.store.contributions import ByRow, ContributionTable, joined
from memory.store.database import Database, copy_database, open_database, unused_path
from memory.store.knowledge_store import KnowledgeStore
from memory.store.knowledge_tables import TABLES, ProvenanceTable, save_delivery
from memory.store.long_term import COLUMNS, KEY, SCOPE, SELECT, archived, row_key
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers.knowledge import ConsolidationConfig, Knowledge
from memory.tiers.lessons import ENTRIES

StoredRow = tuple[str, str, str, str]  # table, id, row, provenance
AgreementRule = Callable[[Knowledge, ByRow], Iterable[tuple[Entry, str, int]]]
Rows = dict[str, list[tuple[Any, ...]]]

Key = TypeVar("Key")
Value = TypeVar("Value")
COPIED: Final = (  # all that a memory holds, in an order in which it can be put in place
    ("tactician_stats", "*", "1"),
    *((table.name, "*", table.id_column) for table in TABLES),
    ("provenance", "*", "table_name, id"),
    ("deliveries", "*", "run_id"),
    ("shares", "*", "table_name, id, run_id"),
    (ENTRIES, COLUMNS.removeprefix("id, "), "id"),
    ("archive", "archived_at, table_name, id, row, provenance", "1, 2, 3, 4, 5"),
)


@dataclass(frozen=True, slots=True)
class MemoryContent:
    """What one or several memories come to; `held` is what is known in any of them, as it is known there."""

    date: float = 0.0
    shares: ByRow = field(default_factory=dict)
    delivered: Mapping[str, int] = field(default_factory=dict)
    archive: Mapping[StoredRow, float] = field(default_factory=dict)
    held: frozenset[StoredRow] = frozenset()

    def merged_with(self, other: MemoryContent) -> MemoryContent:
        """Return both as one."""
        return MemoryContent(
            max(self.date, other.date),
            _merge_mappings(
                self.shares,
                other.shares,
                lambda mine, theirs: _merge_mappings(mine, theirs, joined),
            ),
            _merge_mappings(self.delivered, other.delivered, max),
            _merge_mappings(self.archive, other.archive, min),
            self.held | other.held,
        )


class MergedStore(KnowledgeStore):
    """A new file that is filled with what several memories come to."""

    def fill(self, content: MemoryContent, agree: AgreementRule) -> None:
        """Make all that is known from `content`, with the collective entries that `agree` makes of it."""
        with self._database.transaction():
            self._contributions.save_all(
                {each: content.shares[each] for each in sorted(content.shares)}
            )
            for run_id, sequence in sorted(content.delivered.items()):
                save_delivery(self._database, run_id, sequence)
            with self._editing(prunes=True) as known:
                self._apply(known, content.shares)
            self._long_term.rebuild_all(self._now)
            self._long_term.add(agree(self.load_knowledge(), content.shares))
            self._long_term.prune("*", self._config.importance_threshold)
            self._archive_all(content)

    def _archive_all(self, content: MemoryContent) -> None:
        """Keep what any of them had let go of, and what any of them knew and this one does not."""
        known = {
            place
            for archived_rows in _stored_rows(self._database)
            for place in _locations(archived_rows)
        }
        archived_rows = dict(content.archive)
        for each in content.held - archived_rows.keys():
            if not known.issuperset(_locations(each)):
                archived_rows[each] = self._now
        self._database.execute("DELETE FROM archive")
        self._database.execute_many(
            "INSERT INTO archive (table_name, id, row, provenance, archived_at) "
            "VALUES (?, ?, ?, ?, ?)",
            sorted((*each, date) for each, date in archived_rows.items()),
        )


def content_of(database: Database) -> MemoryContent:
    """Return what one memory holds."""
    date = database.row("SELECT decayed_at FROM tactician_stats")
    archive = database.rows("SELECT table_name, id, row, provenance, archived_at FROM archive")
    return MemoryContent(
        0.0 if date is None else date[0],
        ContributionTable(database).all(),
        dict(database.rows("SELECT run_id, max(sequence) FROM deliveries GROUP BY run_id")),
        {(table, name, row, where): at for table, name, row, where, at in archive},
        frozenset(_stored_rows(database)),
    )


def all_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows, in an order that says nothing of how they came there."""
    # The names are our own, not a caller's.
    return {
        name: database.rows(f"SELECT {columns} FROM {name} ORDER BY {order}")  # noqa: S608
        for name, columns, order in COPIED
    }


def replace_rows(database: Database, rows: Mapping[str, list[tuple[Any, ...]]]) -> None:
    """Let a file hold `rows` and nothing else, in the transaction that is open."""
    for name, columns, _ in COPIED:
        database.execute(f"DELETE FROM {name}")  # noqa: S608
        if each := rows[name]:
            into = name if columns == "*" else f"{name} ({columns})"
            marks = ", ".join("?" * len(each[0]))
            database.execute_many(f"INSERT INTO {into} VALUES ({marks})", each)  # noqa: S608


def _merge_mappings(
    one: Mapping[Key, Value], other: Mapping[Key, Value], choose: Callable[[Value, Value], Value]
) -> dict[Key, Value]:
    """Return two mappings as one; where both have a key, `choose` makes one of their values."""
    both = {key: choose(one[key], other[key]) for key in one.keys() & other.keys()}
    return dict(sorted({**one, **other, **both}.items(), key=itemgetter(0)))


def _stored_rows(database: Database) -> Iterator[StoredRow]:
    """Yield what is known, as the archive would keep it."""
    provenance_table = ProvenanceTable(database)
    for table in TABLES:
        for row in database.rows(table.select):
            with database.understood(table.name):
                record = as_json(table.record_of(row))
            where = provenance_table.of(table.name, row[0])
            yield table.name, row[0], encode(record), encode(where and where._asdict())
    taught = {name for table, name in ContributionTable(database).teachers() if table == ENTRIES}
    for row in database.rows(SELECT):
        with database.understood(ENTRIES):
            if row_key(row[SCOPE], row[KEY]) in taught:
                yield ENTRIES, row[KEY], encode(archived(row)), "null"


def _locations(archived_rows: StoredRow) -> list[tuple[str, str, str]]:
    """Return where what a row holds would be found: an entry under its key, and those that became one with it."""
    table, name, row, _ = archived_rows
    if table != ENTRIES:
        return [(table, "", name)]
    whole = decode(row)
    return [(table, whole["scope"], key) for key in (name, *whole["merged"])]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge: how many rows each table holds now, whose they are, and what did not go together.

    `copy` is where what was there before is kept, None when nothing was there or nothing changed.
    """

    rows: Mapping[str, int]
    runs: tuple[str, ...]
    agreed: int
    contradicted: int
    closed: int
    archived: int
    changed: bool
    copy: Path | None


def merge_files(
    sources: Sequence[Path], into: Path, agree: AgreementRule, config: ConsolidationConfig
) -> Merged:
    """Return what came of making one memory at `into` of those of `sources` and what is there already."""
    target = into.resolve()
    others = [each for each in sources if each.resolve() != target]
    with TemporaryDirectory(prefix="merge-") as folder:
        scratch = Path(folder)
        read = [_read(each, scratch / f"{n}.sqlite")[0] for n, each in enumerate(others)]
        made = scratch / "made.sqlite"
        if not into.exists():
            rows = _build(
                reduce(MemoryContent.merged_with, read, MemoryContent()), made, agree, config
            )
            with closing(open_database(made, KNOWLEDGE_SCHEMA)) as database:
                database.backup(into)
            return _merge_result(rows, changed=True, copy=None)
        before = scratch / "before.sqlite"
        held, there = _read(into, before)
        rows = _build(reduce(MemoryContent.merged_with, read, held), made, agree, config)
        if rows == there:
            return _merge_result(rows, changed=False, copy=None)
        kept = unused_path(into, "before-merge")
        shutil.copyfile(before, kept)
        with closing(open_database(into, KNOWLEDGE_SCHEMA)) as database, database.transaction():
            if all_rows(database) != there:  # a run has delivered to it meanwhile
                held = content_of(database)
                rows = _build(
                    reduce(MemoryContent.merged_with, read, held),
                    scratch / "anew.sqlite",
                    agree,
                    config,
                )
            replace_rows(database, rows)
        return _merge_result(rows, changed=True, copy=kept)


def _read(path: Path, copy: Path) -> tuple[MemoryContent, Rows]:
    """Return what a file of any version holds, and its rows, by way of a copy."""
    copy_database(path, KNOWLEDGE_SCHEMA, copy)
    with closing(open_database(copy, KNOWLEDGE_SCHEMA)) as database:
        return content_of(database), all_rows(database)


def _build(
    content: MemoryContent, path: Path, agree: AgreementRule, config: ConsolidationConfig
) -> Rows:
    """Return all rows of a new file that holds what `content` come to."""
    with closing(open_database(path, KNOWLEDGE_SCHEMA)) as database:
        store = MergedStore(database, now=content.date, config=config)
        store.age()
        store.fill(content, agree)
        return all_rows(database)


def _merge_result(rows: Rows, *, changed: bool, copy: Path | None) -> Merged:
    entries = rows["ltm_entries"]
    counts = {table.name: len(rows[table.name]) for table in TABLES}
    return Merged(
        counts | {"ltm_entries": len(entries)},
        tuple(row[0] for row in rows["deliveries"]),
        sum(row[0] == "collective" for row in entries),
        sum(row[5] != "" for row in rows["shares"]),
        sum(row[6] != "" for row in rows["provenance"]),
        len(rows["archive"]),
        changed,
        copy,
    )
