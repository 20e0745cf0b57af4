"""Files of memory made one: copies are read, the sum is made aside, and put in place when it says anything new."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from memory.store.database import copy_database, open_database
from memory.store.joining import JoinedStore, Memories, content, memories_in, put_in_place
from memory.store.knowledge_schema import KNOWLEDGE_SCHEMA
from memory.store.knowledge_tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.store.joining import Agree
    from memory.tiers.settings import ConsolidationConfig

    Rows = dict[str, list[tuple[Any, ...]]]

NEXT_TO: Final = "before-merge"  # in the name of the copy of what was there


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
    sources: Sequence[Path], into: Path, agree: Agree, config: ConsolidationConfig
) -> Merged:
    """Return what came of making one memory at `into` of those of `sources` and what is there already."""
    target = into.resolve()
    others = [each for each in sources if each.resolve() != target]
    with TemporaryDirectory(prefix="merge-") as folder:
        scratch = Path(folder)
        read = [_read(each, scratch / f"{n}.sqlite")[0] for n, each in enumerate(others)]
        made = scratch / "made.sqlite"
        if not into.exists():
            rows = _make(reduce(Memories.with_, read, Memories()), made, agree, config)
            with closing(open_database(made, KNOWLEDGE_SCHEMA)) as database:
                database.backup(into)
            return _merged(rows, changed=True, copy=None)
        before = scratch / "before.sqlite"
        held, there = _read(into, before)
        rows = _make(reduce(Memories.with_, read, held), made, agree, config)
        if rows == there:
            return _merged(rows, changed=False, copy=None)
        kept = _free_name(into)
        shutil.copyfile(before, kept)
        with closing(open_database(into, KNOWLEDGE_SCHEMA)) as database, database.transaction():
            if content(database) != there:  # a run has delivered to it meanwhile
                held = memories_in(database)
                rows = _make(
                    reduce(Memories.with_, read, held), scratch / "anew.sqlite", agree, config
                )
            put_in_place(database, rows)
        return _merged(rows, changed=True, copy=kept)


def _read(path: Path, copy: Path) -> tuple[Memories, Rows]:
    """Return what a file of any version holds, and its rows, by way of a copy."""
    copy_database(path, KNOWLEDGE_SCHEMA, copy)
    with closing(open_database(copy, KNOWLEDGE_SCHEMA)) as database:
        return memories_in(database), content(database)


def _make(memories: Memories, path: Path, agree: Agree, config: ConsolidationConfig) -> Rows:
    """Return all rows of a new file that holds what `memories` come to."""
    with closing(open_database(path, KNOWLEDGE_SCHEMA)) as database:
        store = JoinedStore(database, now=memories.date, config=config)
        store.age()
        store.hold(memories, agree)
        return content(database)


def _merged(rows: Rows, *, changed: bool, copy: Path | None) -> Merged:
    entries = rows["ltm_entries"]
    counts = {table.name: len(rows[table.name]) for table in TABLES}
    return Merged(
        counts | {"ltm_entries": len(entries)},
        tuple(row[0] for row in rows["deliveries"]),
        sum(row[4] == "collective" for row in entries),
        sum(row[5] != "" for row in rows["shares"]),
        sum(row[6] != "" for row in rows["provenance"]),
        len(rows["archive"]),
        changed,
        copy,
    )


def _free_name(path: Path) -> Path:
    number = 1
    while (copy := path.with_name(f"{path.name}.{NEXT_TO}-{number}")).exists():
        number += 1
    return copy
