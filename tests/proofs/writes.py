"""Every command that writes, run with a fault at one of its writes, and again without.

The commands run in forks of a process that has `write_faults.c` loaded, which fails one write below the folder of the
case: for ever as on a full disk, once with EIO, by writing only half, or by SIGKILL in the middle of it.
"""

import ctypes
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from typing import Final, NamedTuple

from agent.cli import main as command_line
from tests.memory.tapes.tapes_files import chain, tape_file, text
from tests.proofs.patches import fork
from tests.proofs.workers import Row
from tests.proofs.written_files import (
    COMPANIONS,
    LEFT_BY_A_KILL,
    contents,
    flaw_of,
    is_output,
    memory_rows,
)

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCE: Final = Path(__file__).with_name("write_faults.c")
LIBRARY: Final = "WRITE_FAULTS"  # the variable with the path of the loaded library
PARTS: Final = 16  # jobs of each command, each with every sixteenth of its faults
TRIED_AGAIN: Final = 4  # of so many faults of a job, one is followed by a second try
ASKED_AFTER_S: Final = 5.0  # a night waits for a full disk; then it is asked to end
ATTEMPTS: Final = 4  # at a call that a run does not make or make in time; each waits twice as long
KILLED_AFTER_S: Final = 300.0
NOT_REACHED: Final = "not reached"
PREPARING: Final = (
    "play --until rival --seed 3 --run {}/run --memory {}/memory.sqlite",
    "play --until starter --seed 4 --run {}/other --memory {}/other.sqlite",
)
MODULES: Final = (
    *("agent.app.play", "agent.tools.report.comparison", "agent.tools.replay.images"),
    *("agent.tools.overnight.supervisor", "agent.tools.scenario.run", "agent.lab.plots"),
    *("memory.inspect", "memory.team_memory"),
)


class WriteFault(IntEnum):
    """What happens at the chosen write, as `write_faults.c` numbers it."""

    NONE = 0
    ENOSPC = 1
    EIO = 2
    SHORT = 3
    SIGKILL = 4


class CallSort(IntEnum):
    """The sorts of calls that write, as `write_faults.c` numbers them."""

    OPEN = 0
    WRITE = 1
    SYNC = 2
    RENAME = 3
    TRUNCATE = 4
    REMOVE = 5


DISTINCT: Final = {
    WriteFault.ENOSPC: {CallSort.OPEN, CallSort.WRITE, CallSort.TRUNCATE},
    WriteFault.EIO: set(CallSort),
    WriteFault.SHORT: {CallSort.WRITE},
    WriteFault.SIGKILL: set(CallSort),
}
"""The calls at which a fault differs from the same fault at the next call."""


@dataclass(frozen=True)
class WritingCommand:
    """A command, in which {} is the folder of its case; it is repeated as `again` once the file `begun` exists."""

    name: str
    words: str
    begun: str = ""
    again: str = ""
    codes: Sequence[int] = (0,)
    is_atomic: bool = False  # all rows of its memory are the old or the new ones

    @property
    def reads_a_tape(self) -> bool:
        """Whether it needs a tape alone, and no game."""
        return "tapes.sqlite" in self.words


COMMANDS: Final = tuple(
    WritingCommand(**row)
    for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[
        "commands"
    ]
)


class CommandEnd(NamedTuple):
    """The end of a command: its exit code, or minus its signal, its output, and the sorts of its writing calls in order."""

    code: int
    said: str
    calls: tuple[int, ...]

    def counts(self) -> dict[str, int]:
        """Return how many calls of each sort there were."""
        return {sort.name.lower(): self.calls.count(sort) for sort in CallSort}


@dataclass
class WriteCases:
    """The cases of one command, below the folder `home`; `base` has the files before it."""

    command: WritingCommand
    home: Path
    base: Path

    def row(self, part: int) -> Row:
        """Run the command undisturbed, then with each fault of one of `PARTS` parts, and return what became of its files."""
        if not self.base.exists():
            self.base.mkdir()
            self.prepare()
        if self.command.name.startswith("play"):
            self._warm_up()
        undisturbed = self._case("undisturbed")
        ended = self.run(self.command.words, undisturbed)
        problems = self._problems_of_end(ended, undisturbed)
        if contents(undisturbed) == contents(self.base):
            problems.append("it writes nothing")
        faults = [
            (kind, number)
            for kind, sorts in DISTINCT.items()
            for number, sort in enumerate(ended.calls, start=1)
            if sort in sorts
        ]
        results: Counter[str] = Counter()
        for at, (kind, number) in enumerate(faults[part::PARTS]):
            again = at % TRIED_AGAIN == 0
            result, found = self._tried(undisturbed, kind, number, again=again)
            results[f"{kind.name} {result}"] += 1
            problems += [f"{kind.name} at {number} of {len(ended.calls)}: {each}" for each in found]
        return {
            "name": self.command.name,
            "calls": ended.counts(),
            "faults": results.total(),
            "results": dict(sorted(results.items())),
            "problems": problems,
        }

    def prepare(self) -> None:
        """Make what commands read: a tape, or two runs, their memories and a damaged one."""
        base = self.base
        if self.command.reads_a_tape:
            turns = [("user", text("goal: the badge")), ("assistant", text("go north"))]
            tape_file(base / "tapes.sqlite", chain(*turns))
            return
        for words in PREPARING:
            ended = self.run(words, base)
            if ended.code:
                message = f"{words} ended with {ended.code}: {ended.said}"
                raise RuntimeError(message)
        shutil.copyfile(base / "memory.sqlite", base / "damaged.sqlite")
        with closing(sqlite3.connect(base / "damaged.sqlite")) as database, database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            database.execute("UPDATE ltm_entries SET count = 0")

    def _warm_up(self) -> None:
        """Run the command in this process, so that what it reads of the cartridge is known in each fork."""
        folder = self._case("warm")
        sys.argv = ["agent", *[each.format(folder) for each in self.command.words.split()]]
        with (
            Path(os.devnull).open("w", encoding="utf-8") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
            suppress(SystemExit),
        ):
            command_line()
        shutil.rmtree(folder)

    def _case(self, name: str) -> Path:
        folder = self.home / name
        shutil.copytree(self.base, folder, symlinks=True)
        return folder

    def _tried(
        self, undisturbed: Path, kind: WriteFault, number: int, *, again: bool
    ) -> tuple[str, list[str]]:
        """Return what became of the outputs after a fault, and what is wrong, `again` with a second try as well.

        Runs differ a little in their calls; where one does not come to the chosen call, there is another with more time.
        """
        result, problems = NOT_REACHED, list[str]()
        for attempt in range(ATTEMPTS):
            folder = self._case("case")
            result, found = self._judged(folder, undisturbed, kind, number, 2**attempt)
            problems += found
            is_reached = result != NOT_REACHED
            if is_reached and again:
                problems += self._second_try(folder)
            shutil.rmtree(folder)
            if is_reached:
                break
        return result, problems

    def _judged(
        self, folder: Path, undisturbed: Path, kind: WriteFault, number: int, patience: int
    ) -> tuple[str, list[str]]:
        """Return whether the outputs are absent, old or new after a fault, and what is wrong with them."""
        ended = self.run(self.command.words, folder, kind, number, patience)
        problems = [] if kind is WriteFault.SIGKILL else list(_unclean(ended, folder))
        problems += list(self._flaws(folder, undisturbed))
        is_reached = ended.code == -signal.SIGKILL or len(ended.calls) >= number
        result = self._result(folder, undisturbed) if is_reached else NOT_REACHED
        return result, problems

    def _result(self, folder: Path, undisturbed: Path) -> str:
        before, after, wanted = (contents(each) for each in (self.base, folder, undisturbed))
        outputs = [name for name in wanted if wanted[name] != before.get(name)]
        states = {
            "new"
            if name in after and after[name] != before.get(name)
            else "old"
            if name in before
            else "absent"
            for name in outputs
        }
        return states.pop() if len(states) == 1 else "some new"

    def _flaws(self, folder: Path, undisturbed: Path) -> Iterator[str]:
        """Yield each file that is lost, half written or damaged, and each memory that is neither old nor new."""
        before = contents(self.base)
        for name, content in contents(folder).items():
            if content != before.get(name) and (flaw := flaw_of(folder / name)):
                yield f"{name} {flaw}"
        yield from (
            f"{name} is lost" for name in before if not (folder / name).exists() and is_output(name)
        )
        if self.command.is_atomic:
            name = "damaged.sqlite" if "repair" in self.command.name else "memory.sqlite"
            rows = [memory_rows(each / name) for each in (folder, self.base, undisturbed)]
            if rows[0] not in rows[1:]:
                yield f"{name} has neither the old nor the new rows"

    def _second_try(self, folder: Path) -> Iterator[str]:
        words = self.command.words
        if self.command.begun and (folder / self.command.begun).exists():
            words = self.command.again
        ended = self.run(words, folder)
        if "holds no checkpoint to resume from" in ended.said:  # nothing was played yet
            shutil.rmtree(folder / "new")
            ended = self.run(self.command.words, folder)
        allowed = "exists already", "exists; name a file that does not", "No item matches"
        if any(each in ended.said for each in allowed):  # the first try was complete
            return
        yield from (f"second try: {each}" for each in self._problems_of_end(ended, folder))

    def _problems_of_end(self, ended: CommandEnd, folder: Path) -> list[str]:
        found = [f"{name} {flaw}" for name in contents(folder) if (flaw := flaw_of(folder / name))]
        if ended.code not in self.command.codes:
            found.append(f"it ended with {ended.code}: {ended.said[-300:]!r}")
        return found

    def run(
        self,
        words: str,
        folder: Path,
        kind: WriteFault = WriteFault.NONE,
        number: int = 0,
        patience: int = 1,
    ) -> CommandEnd:
        """Run a command in a fork of this process, and return its end; `patience` prolongs the wait for a full disk."""
        arguments = [each.format(folder) if "{}" in each else each for each in words.split()]
        said, counts = self.home / "said", self.home / "counts"
        counts.unlink(missing_ok=True)

        def work() -> int:
            os.setpgrp()
            os.chdir(ROOT)
            sys.argv = ["agent", *arguments]
            descriptor = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            library = ctypes.CDLL(os.environ[LIBRARY])
            library.begin_faults(str(folder).encode(), int(kind), ctypes.c_long(number))
            try:
                command_line()
            except SystemExit as end:
                return int(end.code or 0)
            finally:
                sorts = map(library.sort_of, count(1))
                counts.write_text(json.dumps(list(takewhile(lambda sort: sort >= 0, sorts))))
            return 0

        waits = kind is WriteFault.ENOSPC and self.command.name == "overnight"
        code = _wait(fork(work), ASKED_AFTER_S * patience if waits else KILLED_AFTER_S)
        calls = tuple(json.loads(counts.read_text())) if counts.exists() else ()
        return CommandEnd(code, said.read_text(errors="replace"), calls)


def _unclean(ended: CommandEnd, folder: Path) -> Iterator[str]:
    """Yield what an error may not leave: a traceback, another exit code than those promised, an unfinished file."""
    if "Traceback" in ended.said:
        yield f"a traceback: {ended.said[-600:]!r}"
    if ended.code not in {0, 1, 2, 3, 130}:
        yield f"it ended with {ended.code}"
    for path in folder.rglob(LEFT_BY_A_KILL):
        if not path.name.endswith(COMPANIONS):
            yield f"{path.relative_to(folder)} is left"


def _wait(child: int, asked_after_s: float) -> int:
    """Return the exit code of a process or minus its signal; after some seconds it is asked to end."""
    began, asked = time.monotonic(), False
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        waited = time.monotonic() - began
        if waited > asked_after_s and not asked:
            os.kill(child, signal.SIGTERM)
            asked = True
        if waited > KILLED_AFTER_S:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(status)


def build_library(folder: Path) -> None:
    """Compile the faults."""
    library = folder / "write_faults.so"
    words = ("-shared", "-fPIC", "-O1", "-w", "-o", str(library), str(SOURCE), "-ldl")
    subprocess.run(("cc", *words), check=True)


@cache
def _shared() -> "tempfile.TemporaryDirectory[str]":
    """Return the folder of this process with the library, and the files that the cases start from once they are made."""
    folder = tempfile.TemporaryDirectory(prefix="writes-")
    build_library(Path(folder.name))
    return folder


def write_job(number: int) -> Row:
    """Return the row of one part of one command, all of whose cases run in a process of their own."""
    part, at = divmod(number % 1_000_000, len(COMMANDS))
    shared = Path(_shared().name)
    library = str(shared / "write_faults.so")
    environment = {**os.environ, "LD_PRELOAD": library, LIBRARY: library}
    with tempfile.TemporaryDirectory(prefix="writes-") as home:
        base = shared / ("tape" if COMMANDS[at].reads_a_tape else "games")
        words = map(str, (at, part, home, base))
        done = subprocess.run(
            (sys.executable, "-m", __name__, *words),
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        row: Row = json.loads(done.stdout.splitlines()[-1])
        return row


def main(words: Sequence[str]) -> None:
    """Print the row of the command with a number, as JSON."""
    at, part = map(int, words[:2])
    command = COMMANDS[at]
    for module in () if command.reads_a_tape else MODULES:  # once, and not in each fork
        __import__(module)
    row = WriteCases(command, Path(words[2]), Path(words[3])).row(part)
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
