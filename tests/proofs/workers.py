"""Parallel jobs of a proof, with a progress bar; finished ones are cached and not repeated.

A job is a module-level function and a number; it returns a row of plain data with a list `problems`. The processes are
not daemonic, because a job may have child processes.
"""

import ast
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from agent import HOME
from agent.lab.publish import Origin, publish
from agent.lab.sources import OpenedFiles, changed_files, recording, sources_of

Row: TypeAlias = dict[str, Any]
Work: TypeAlias = Callable[[int], Row]

STATE: Final = HOME / ".cache" / "proofs"
IN_MEMORY: Final = Path("/dev/shm")
COLUMNS: Final = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof: its name, its file, what it shows in a line, its size, and the folder of its finished jobs.

    These are kept while what was opened for them is unchanged. `visible` disables pytest's capture, so that the progress
    bar is shown.
    """

    name: str
    file: Path
    what: str
    size: int
    seed: int
    workers: int
    state: Path
    visible: Callable[[], AbstractContextManager[None]]

    def rows(
        self,
        work: Work,
        *,
        jobs: int | None = None,
        part: str = "",
        start: Callable[[], object] | None = None,
    ) -> list[Row]:
        """Return the rows of `jobs` jobs, by default `size`, in order; `start` is called first in each process.

        `part` separates the jobs of a proof with several kinds of work.
        """
        count = self.size if jobs is None else jobs
        finished = FinishedJobs(self.state / self.name)
        folder = finished.folder / part
        folder.mkdir(parents=True, exist_ok=True)
        numbers = [self.seed * 1_000_000 + number for number in range(count)]
        kept = {
            number: json.loads(path.read_text())
            for number in numbers
            if (path := folder / f"{number}.json").exists()
        }
        with (
            self.visible(),
            recording(here=False) as record,
            Progress(*COLUMNS, console=Console(stderr=True)) as progress,
            ProcessPoolExecutor(
                self.workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(start,)
            ) as pool,
        ):
            bar = progress.add_task(self.name, total=count, completed=len(kept))
            running = {pool.submit(work, each): each for each in numbers if each not in kept}
            for done in as_completed(running):
                number, row = running[done], done.result()
                kept[number] = row
                progress.update(bar, advance=1)
                for problem in row["problems"]:
                    progress.console.print(f"{self.name} {number}: {problem}", highlight=False)
                finished.note(record)
                if not row["problems"]:  # failed jobs are run again
                    _save(folder / f"{number}.json", row)
        return [kept[number] for number in numbers]

    def judge(
        self,
        rows: Sequence[Row],
        figures: Mapping[str, Any],
        draw: Callable[[], bytes] | None = None,
    ) -> None:
        """Publish the rows when asked to, and raise AssertionError when any has problems."""
        problems = [f"{row.get('name', '')}: {each}" for row in rows for each in row["problems"]]
        if os.environ.get("PROOF_PUBLISH"):
            finished = FinishedJobs(self.state / self.name)
            opened = {HOME / name for name in finished.sources} | imported_by(self.file)
            origin = Origin(self.command, self.what, seconds=finished.seconds, opened=opened)
            picture = draw() if draw is not None else None
            publish(self.name, rows, {**figures, "problems": len(problems)}, origin, picture)
        assert not problems, "\n".join(problems)

    @property
    def command(self) -> str:
        """What a person types to repeat it."""
        file = self.file.relative_to(HOME).as_posix()
        return f"PROOF_SIZE={self.size} PROOF_SEED={self.seed} .venv/bin/pytest -m proof {file}"


class FinishedJobs:
    """What the finished jobs in a folder rest on, and how long they took; those of older files are removed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources: dict[str, str] = {}
        self.seconds = 0.0
        if self._file.exists():
            self.seconds, self.sources = json.loads(self._file.read_text())
        if changed_files(self.sources):
            shutil.rmtree(folder)
            self.seconds, self.sources = 0.0, {}
        self._before = self.seconds

    @property
    def _file(self) -> Path:
        return self.folder / "rests_on.json"

    def note(self, record: OpenedFiles) -> None:
        """Add what was opened since the start of a series of jobs."""
        self.sources = {**sources_of(self.folder.name, record.files), **self.sources}
        self.seconds = round(self._before + record.seconds, 1)
        _save(self._file, [self.seconds, self.sources])


def imported_by(file: Path) -> set[Path]:
    """Return a file of the tests, the modules that it imports, and what those of the tests import in turn."""
    found, waiting = set[Path](), [file]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.is_relative_to(HOME / "tests"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            names = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
            files = (HOME / f"{name}".replace(".", "/") for name in names)
            every = (
                each / "__init__.py" if each.is_dir() else each.with_suffix(".py") for each in files
            )
            waiting += [each for each in every if each.is_file()]
    return found


def middle(values: Sequence[float]) -> float:
    """Return the rounded median; 0 without values."""
    return round(median(values), 3) if values else 0.0


def summed(rows: Sequence[Row], name: str) -> Counter[str]:
    """Return the sum of the counts that each row has under `name`."""
    return sum((Counter(row[name]) for row in rows), Counter[str]())


def percentile_99(values: Sequence[float]) -> float:
    """Return the 99th percentile; for fewer than a hundred values, the highest."""
    ordered = sorted(values)
    return round(ordered[-1 - len(ordered) // 100], 3) if ordered else 0.0


def _begin(start: Callable[[], object] | None) -> None:
    """Prepare a process: its temporary files are in memory, if there is a folder for that."""
    if os.access(IN_MEMORY, os.W_OK):
        tempfile.tempdir = str(IN_MEMORY)
    if start is not None:
        start()


def _save(path: Path, kept: object) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(kept), encoding="utf-8")
    fresh.replace(path)
