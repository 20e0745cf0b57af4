"""Conditions on merged memories, tested on one random history."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any, Final

from memory import open_knowledge_store
from memory.team_memory import MemoryManagementAgent
from memory.tiers.lasting import OutboxRow
from tests.proofs.histories import History, history
from tests.proofs.memory_oracle import TABLES, content_problems
from tests.proofs.workers import Row

LATE: Final = 4e9  # later than all dates of a history
SHARED: Final = (
    *(table.name for table in TABLES),
    "tactician_stats",
    "deliveries",
    "contributions",
)
ENTRIES: Final = "scope, key, kind, data, tags, importance, relevance, utility, status, sources, closed, count, merged"


def merge_job(number: int) -> Row:
    """Merge the files of one history in several orders, and return the result."""
    with tempfile.TemporaryDirectory(prefix="history") as folder:
        made = history(Random(number), Path(folder))
        merges = Merges(made, Random(~number))
        problems = list(merges.problems())
    lessons = sum(map(len, made.lessons.values()))
    return {
        "name": f"history {number}",
        "runs": len(made.lessons),
        "lessons": lessons,
        "files": len(made.files),
        "merges": merges.count,
        "problems": problems,
    }


class Merges:
    """Merges of the files of one history into new ones."""

    def __init__(self, made: History, chance: Random) -> None:
        self._made, self._chance = made, chance
        self.count = 0

    def problems(self) -> Iterator[str]:
        """Yield the violated conditions."""
        files = self._made.files[:]
        before = {file: _digest(file) for file in files}
        a, b, c = self._chance.sample(files, 3)
        ab = self._merged(a, b)
        yield from self._again(a, b, ab)
        yield from self._orders(a, b, c, ab)
        yield from content_problems(ab, self._delivered(a, b), self._made.config)
        merged_all = self._merged(*files)
        yield from content_problems(merged_all, self._delivered(*files), self._made.config)
        yield from self._after_delivery(merged_all, files)
        yield from (f"{file.name} was changed" for file in files if _digest(file) != before[file])

    def _again(self, a: Path, b: Path, ab: Path) -> Iterator[str]:
        """Yield an error when merging a second time changes anything."""
        was = _digest(ab)
        copy = Path(shutil.copyfile(ab, self._made.folder / "copy.sqlite"))
        for name, sources in (("A", [a]), ("B", [b]), ("A and B", [a, b]), ("itself", [copy])):
            self.count += 1
            merged = MemoryManagementAgent.merge(sources, ab, now=LATE, config=self._made.config)
            if merged.changed or merged.copy or _digest(ab) != was:
                yield f"merging {name} again changes something"
        if _content(self._merged(a, a)) != _content(self._merged(a)):
            yield "A with A is not A"

    def _orders(self, a: Path, b: Path, c: Path, ab: Path) -> Iterator[str]:
        """Yield an error when the order of merging matters, or data is lost."""
        turned = self._merged(b, a)
        if _content(ab) != _content(turned) or _archive(ab) != _archive(turned):
            yield "A with B is not B with A"
        left, right = self._merged(ab, c), self._merged(a, self._merged(b, c))
        into_c = Path(shutil.copyfile(c, self._made.folder / "grown.sqlite"))
        self.count += 1
        MemoryManagementAgent.merge([a, b], into_c, now=LATE, config=self._made.config)
        if (
            not _content(left)
            == _content(right)
            == _content(self._merged(c, a, b))
            == _content(into_c)
        ):
            yield "(A with B) with C is not A with (B with C)"
        known = {name for file in (a, b, c) for name in _names(file)}
        for side, file in (("left", left), ("right", right)):
            archived = {(table, name) for table, name, _ in _archive(file)}
            archived |= {
                (table, name)
                for table, _, row in _archive(file)
                for name in json.loads(row).get("merged", ())
            }
            if lost := known - _names(file) - archived:
                yield f"{side}: {sorted(lost)} are neither stored nor in the archive"

    def _after_delivery(self, file: Path, sources: Sequence[Path]) -> Iterator[str]:
        """Yield the problems after the runs delivered the rest to the merged file."""
        with closing(sqlite3.connect(file)) as opened:
            ((date,),) = opened.execute("SELECT decayed_at FROM dates").fetchall()
        with closing(open_knowledge_store(file, now=date, config=self._made.config)) as store:
            for run, lessons in self._made.lessons.items():
                store.deliver(run, lessons)
                if store.deliver(run, lessons):
                    yield f"{run} delivered something twice"
            store.maintain()
        again = self._merged(file, *sources)
        for each in content_problems(again, self._made.lessons, self._made.config):
            yield f"continued: {each}"

    def _delivered(self, *sources: Path) -> dict[str, list[OutboxRow]]:
        last: dict[str, int] = {}
        for each in sources:
            with closing(sqlite3.connect(each)) as opened:
                for run, sequence in opened.execute("SELECT run_id, sequence FROM deliveries"):
                    last[run] = max(last.get(run, 0), sequence)
        return {run: self._made.lessons[run][:sequence] for run, sequence in last.items()}

    def _merged(self, *sources: Path) -> Path:
        self.count += 1
        target = self._made.folder / f"merged-{self.count}.sqlite"
        MemoryManagementAgent.merge(list(sources), target, now=LATE, config=self._made.config)
        return target


def _content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of a file, independent of row positions."""
    with closing(sqlite3.connect(path)) as file:
        found = {name: sorted(file.execute(f"SELECT * FROM {name}"), key=repr) for name in SHARED}
        entries = file.execute(f"SELECT {ENTRIES} FROM ltm_entries ORDER BY id").fetchall()
    return {**found, "entries": entries}


def _archive(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as file:
        return set(file.execute("SELECT scope, key, row FROM archive"))


def _names(path: Path) -> set[tuple[str, str]]:
    """Return scope and key of every row."""
    found: set[tuple[str, str]] = set()
    with closing(sqlite3.connect(path)) as file:
        sql = "SELECT scope, key, merged FROM ltm_entries WHERE scope <> 'collective'"
        for scope, key, merged in file.execute(sql):
            found |= {(scope, each) for each in (key, *json.loads(merged))}
    return found


def _digest(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()
