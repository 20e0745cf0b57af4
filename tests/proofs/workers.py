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
from agent.lab.sources import OpenedFiles, Sources, changed_files, recording, sources_of

Row: TypeAlias = dict[str, Any]
Work: TypeAlias = Callable[[int], Row]

STATE: Final = HOME / ".cache" / "proofs"
IN_MEMORY: Final = Path("/dev/shm")
COLUMNS: Final = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


class FinishedJobs:
    """The folder of the finished jobs of a proof, what these rest on, and how long they took.

    Those of other files than there are now are removed at the start.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources: Sources = {}
        self.seconds = 0.0
        if self._file.exists():
            self.seconds, self.sources = json.loads(self._file.read_text())
        if changed_files(self.sources):
            shutil.rmtree(folder)
            self.seconds, self.sources = 0.0, {}

    @property
    def _file(self) -> Path:
        return self.folder / "rests_on.json"

    def note(self, record: OpenedFiles, before: float) -> None:
        """Keep what was opened since the start of a series of jobs; those before it took `before` seconds."""
        self.sources = {**record.sources(self.folder.name), **self.sources}
        self.seconds = round(before + record.seconds, 1)
        _save(self._file, [self.seconds, self.sources])


@dataclass(frozen=True, slots=True)
class Proof:
    """One proof: its name, its file, what it shows in a line, its size, and its finished jobs.

    `visible` disables pytest's capture, so that the progress bar is shown.
    """

    name: str
    file: Path
    what: str
    size: int
    seed: int
    workers: int
    finished: FinishedJobs
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
        folder, before = self.finished.folder / part, self.finished.seconds
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
                self.finished.note(record, before)
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
            # Here, so that the processes of jobs load, and rest on, only what they need.
            from agent.lab.publish import FOLDER, Origin, write_result

            sources = {**sources_of(self.name, imported_by(self.file)), **self.finished.sources}
            origin = Origin(self.command, self.what, None, self.finished.seconds, sources)
            picture = draw() if draw is not None else None
            path = FOLDER / f"{self.name}.json"
            write_result(path, rows, {**figures, "problems": len(problems)}, origin, picture)
        assert not problems, "\n".join(problems)

    @property
    def command(self) -> str:
        """What a person types to repeat it."""
        file = self.file.relative_to(HOME).as_posix()
        return f"PROOF_SIZE={self.size} PROOF_SEED={self.seed} .venv/bin/pytest -m proof {file}"


def imported_by(file: Path) -> set[Path]:
    """Return a file of the tests, and the modules that it imports from."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {f"{each.module}" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    return {file} | {HOME / f"{name.replace('.', '/')}.py" for name in names}


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
