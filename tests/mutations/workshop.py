"""A copy of the checkout in which tests can be run, whatever is done to its files."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

from tests.mutations.rows import HERE, ROOT, RowTest

PARTS: Final = (
    "agent",
    "docs",
    "emulator",
    "memory",
    "roms",
    "scripts",
    "tests",
    ".gitignore",
    "README.md",
    "pyproject.toml",
)
LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "build")
PROBE: Final = "mutation_probe"
NOTES: Final = "MUTATION_PROBE_NOTES"
LONGEST_TEST: Final = 60  # seconds
LONGEST_RUN: Final = 600
# What a change that was badly written raises, too: none of these is a test that noticed a bug.
BROKEN: Final = {
    "ImportError",
    "ModuleNotFoundError",
    "SyntaxError",
    "IndentationError",
    "NameError",
}


class Ending(Enum):
    """How a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    HUNG = "hung"
    BROKEN = "broken"  # it did not get as far as to judge


class Workshop:
    """A folder with the parts of a checkout that tests may look at."""

    def __init__(self, folder: Path, source: Path = ROOT) -> None:
        self.tree = folder / "tree"
        self.log = folder / "log"  # what pytest said last
        self._scratch = folder / "scratch"
        self._scratch.mkdir(parents=True)
        self.tree.mkdir()
        for path in filter(Path.exists, (source / part for part in PARTS)):
            if path.is_dir():
                shutil.copytree(path, self.tree / path.name, ignore=LEFT_OUT)
            else:
                shutil.copyfile(path, self.tree / path.name)
        shutil.copyfile(HERE / "probe.py", self.tree / f"{PROBE}.py")

    def run(self, tests: Sequence[RowTest], *, processes: int = 0) -> dict[RowTest, Ending]:
        """Return how each of `tests` ended, of all its parameters the worst."""
        notes = self._scratch / "notes"
        notes.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", PROBE, "-p", "no:randomly"]
        command += [
            "--continue-on-collection-errors",
            f"--timeout={LONGEST_TEST}",
            f"-n{processes}",
        ]
        finished = self._call([*command, *(test.node for test in tests)], notes)
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        said = [json.loads(line) for line in lines]
        otherwise = Ending.BROKEN if finished else Ending.HUNG
        return {test: _ending(test, said, otherwise) for test in tests}

    def _call(self, command: Sequence[str], notes: Path) -> bool:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree),  # and not the checkout, which the caller may have there
            "TMPDIR": str(self._scratch),
            NOTES: str(notes),
        }
        with (
            self.log.open("wb") as log,
            subprocess.Popen(
                command,
                cwd=self.tree,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as running,
        ):
            try:
                running.wait(LONGEST_RUN)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return False
            except BaseException:
                os.killpg(running.pid, signal.SIGKILL)
                raise
        return True


def _ending(test: RowTest, said: Iterable[dict[str, Any]], otherwise: Ending) -> Ending:
    endings = {_meaning(line) for line in said if line["node"] == test.node}
    order = (Ending.FAILED, Ending.HUNG, Ending.BROKEN, Ending.PASSED, Ending.SKIPPED)
    return next((each for each in order if each in endings), otherwise)


def _meaning(line: dict[str, Any]) -> Ending:
    if line["outcome"] != "failed":
        return Ending(line["outcome"])
    if line["says"].startswith("Timeout (>"):
        return Ending.HUNG
    is_verdict = line["when"] == "call" and line["error"] not in BROKEN
    return Ending.FAILED if is_verdict else Ending.BROKEN
