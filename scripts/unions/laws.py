"""What must hold of merging, tried on one history."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Final

from memory import Entry, Knowledge, OutboxRow, as_json, open_knowledge_store, read_knowledge_store
from memory.codec import decode, encode
from memory.store.contributions import Shares, fold
from memory.store.knowledge_tables import TABLES, knowledge
from memory.store.long_term import fold_entries
from memory.team_memory import MemoryManagementAgent
from unions.histories import History, history
from unions.oracle import complaints

MEMORY: Final = Path("/dev/shm")  # for files that are looked at once; any folder will do
TABLES_HELD: Final = (
    "tactician_patterns",
    "successful_strategies",
    "mistake_records",
    "player_preferences",
    "tactician_stats",
    "provenance",
    "deliveries",
    "shares",
)


@dataclass(frozen=True)
class Tried:
    """One history: its seed, how much was in it, how many merges were made, and what was wrong."""

    seed: str
    runs: int
    lessons: int
    files: int
    merges: int
    problems: tuple[str, ...]


def try_apart(seed: str) -> Tried:
    """Return the same as `try_one`, from a folder of its own that is gone afterwards, in memory if there is such a place."""
    usual = tempfile.tempdir
    tempfile.tempdir = str(MEMORY) if os.access(MEMORY, os.W_OK) else usual
    try:
        with tempfile.TemporaryDirectory(prefix="history-") as folder:
            return try_one(seed, Path(folder))
    finally:
        tempfile.tempdir = usual


def try_one(seed: str, folder: Path) -> Tried:
    """Return what came of merging the files of one random history in several orders."""
    random = Random(seed)
    made = history(random, folder)
    bench = Bench(made, folder, random)
    problems = tuple(bench.problems())
    lessons = sum(map(len, made.lessons.values()))
    return Tried(seed, len(made.lessons), lessons, len(made.files), bench.merges, problems)


class Bench:
    """The files of one history, and merges of them into new ones."""

    def __init__(self, made: History, folder: Path, random: Random) -> None:
        self._made = made
        self._folder = folder
        self._random = random
        self.merges = 0

    def problems(self) -> Iterator[str]:
        """Yield what does not hold."""
        files = self._made.files
        before = {file: _digest(file) for file in files}
        for file in files:
            yield from (f"{file.name}: {each}" for each in unfolded(file, self._made))
        a, b, c = self._random.sample(files, 3)
        ab = self._merge(a, b)
        yield from self._twice(a, b, ab)
        yield from self._orders(a, b, c, ab)
        yield from self._counted(ab, (a, b))
        everything = self._merge(*files)
        yield from self._counted(everything, files)
        yield from (f"merged: {each}" for each in unfolded(everything, self._made))
        yield from self._goes_on(everything, files)
        yield from (f"{file.name} was changed" for file in files if _digest(file) != before[file])

    def _twice(self, a: Path, b: Path, ab: Path) -> Iterator[str]:
        """Yield where merging again what was merged before changes anything."""
        was = _digest(ab)
        copy = Path(shutil.copyfile(ab, self._folder / "copy.sqlite"))
        for name, sources in (("A", [a]), ("B", [b]), ("A and B", [a, b]), ("itself", [copy])):
            self.merges += 1
            merged = MemoryManagementAgent.merge(sources, ab, config=self._made.config)
            if merged.changed or merged.copy or _digest(ab) != was:
                yield f"merging {name} again changes something"
        if _rows(self._merge(a, a)) != _rows(self._merge(a)):
            yield "A with A is not A"

    def _orders(self, a: Path, b: Path, c: Path, ab: Path) -> Iterator[str]:
        """Yield where the order of merging shows."""
        turned = self._merge(b, a)
        if _rows(ab) != _rows(turned) or _archive(ab) != _archive(turned):
            yield "A with B is not B with A"
        left, right = self._merge(ab, c), self._merge(a, self._merge(b, c))
        into_c = Path(shutil.copyfile(c, self._folder / "grown.sqlite"))
        self.merges += 1
        MemoryManagementAgent.merge([a, b], into_c, config=self._made.config)
        if not _rows(left) == _rows(right) == _rows(self._merge(c, a, b)) == _rows(into_c):
            yield "(A with B) with C is not A with (B with C)"
        known = {name for file in (a, b, c) for name in _names(file)}
        for name, file in (("left", left), ("right", right)):
            if lost := known - _names(file) - _archived(file):
                yield f"{name}: {sorted(lost)} are neither known nor in the archive"

    def _counted(self, file: Path, sources: "list[Path] | tuple[Path, ...]") -> Iterator[str]:
        yield from complaints(file, self._delivered(sources), self._made.config)

    def _goes_on(self, file: Path, sources: list[Path]) -> Iterator[str]:
        """Yield what is wrong after the runs delivered the rest of what they teach to the merged file."""
        with closing(sqlite3.connect(file)) as opened:
            ((date,),) = opened.execute("SELECT decayed_at FROM tactician_stats").fetchall()
        store = open_knowledge_store(file, now=date, config=self._made.config)
        with closing(store):
            for run, lessons in self._made.lessons.items():
                store.deliver(run, lessons)
                if store.deliver(run, lessons):
                    yield f"{run} delivered something twice"
            store.maintain()
        yield from (f"going on: {each}" for each in unfolded(file, self._made))
        again = self._merge(file, *sources)
        for each in complaints(again, self._made.lessons, self._made.config):
            yield f"going on: {each}"

    def _delivered(self, sources: "list[Path] | tuple[Path, ...]") -> dict[str, list[OutboxRow]]:
        last: dict[str, int] = {}
        for each in sources:
            with closing(sqlite3.connect(each)) as opened:
                for run, sequence in opened.execute("SELECT run_id, sequence FROM deliveries"):
                    last[run] = max(last.get(run, 0), sequence)
        return {run: self._made.lessons[run][:sequence] for run, sequence in last.items()}

    def _merge(self, *sources: Path) -> Path:
        self.merges += 1
        into = self._folder / f"merged-{self.merges}.sqlite"
        MemoryManagementAgent.merge(sources, into, config=self._made.config)
        return into


def unfolded(path: Path, made: History) -> Iterator[str]:
    """Yield the rows of a file that are not what the shares of the runs come to."""
    with closing(read_knowledge_store(path)) as reader:
        database = reader._database  # noqa: SLF001  # what is judged is how it lies there
        ((date,),) = database.rows("SELECT decayed_at FROM tactician_stats")
        shares = Shares(database).all()
        rate = made.config.forgetting_decay_rate
        known: Knowledge = reader._knowledge({})  # noqa: SLF001  # those that are closed as well
        for table in TABLES:
            for name, record in knowledge(known, table).items():
                told = fold(table.name, shares[table.name, name].values(), at=date, rate=rate)
                if told is None or as_json(told.record) != as_json(record):
                    yield f"{table.name} {name} is not what its shares come to"
        for entry in reader.entries():
            ((merged,),) = database.rows(
                "SELECT merged FROM ltm_entries WHERE id = ?", (entry.seq,)
            )
            if entry.scope == "collective":
                continue
            runs = {
                key: shares["ltm_entries", encode([entry.scope, key])]
                for key in (entry.key, *decode(merged))
            }
            told_of = fold_entries(entry.scope, runs, at=date, rate=rate)
            if [_said(each.entry) for each in told_of] != [_said(entry)]:
                yield f"entry {entry.key} is not what its shares come to"


def _said(entry: Entry) -> tuple[object, ...]:
    """Return all that an entry says, without its number in the file and the run that a reader adds to its sources."""
    return (*entry[1:14], entry.closed)


def _rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all that is known, apart from where it lies in the file."""
    with closing(sqlite3.connect(path)) as file:
        found = {
            name: sorted(file.execute(f"SELECT * FROM {name}"), key=repr) for name in TABLES_HELD
        }
        columns = "scope, key, kind, data, tags, importance, relevance, utility, status, sources, closed, count, merged"
        found["entries"] = file.execute(f"SELECT {columns} FROM ltm_entries ORDER BY id").fetchall()
    return found


def _archive(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as file:
        return set(file.execute("SELECT table_name, id, row FROM archive"))


def _archived(path: Path) -> set[tuple[str, str]]:
    """Return table and id of all that was let go of, what had become one with it included."""
    archive = _archive(path)
    merged = {(table, key) for table, _, row in archive for key in decode(row).get("merged", ())}
    return {(table, name) for table, name, _ in archive} | merged


def _names(path: Path) -> set[tuple[str, str]]:
    """Return table and id of all that is known."""
    with closing(sqlite3.connect(path)) as file:
        found = {
            (table.name, name)
            for table in TABLES
            for (name,) in file.execute(f"SELECT {table.id_column} FROM {table.name}")
        }
        for key, merged in file.execute(
            "SELECT key, merged FROM ltm_entries WHERE scope <> 'collective'"
        ):
            found |= {("ltm_entries", each) for each in (key, *decode(merged))}
    return found


def _digest(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()
