"""Results of measurements as data: a JSON file each under docs/results, a picture beside it, and an index.

What is stale is measured again by the command that measured it before. Each is a separate command, so that a failure
stops no other, and an interrupted series is resumed by starting it again.

A file has the cartridge, the commit, the date, the command, how long that took, and what the result rests on.
`.venv/bin/python -m agent.lab.publish` prints which results are stale, and why.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from agent import HOME
from agent.errors import UsageError
from agent.lab.sources import (
    CHAINS,
    OpenedFiles,
    Sources,
    changed_files,
    digest,
    packed,
    recording,
    unpacked,
)
from agent.lab.stats import Distribution, Interval, Rounds
from emulator import Cartridge, demo_cartridge_path, load_cartridge
from memory.file_access import real_path, write_file

FOLDER: Final = HOME / "docs" / "results"
CODE: Final = ("agent", "memory", "emulator")  # whose changes a commit may lack
INDEX_HEAD: Final = """\
# Results

Measured on the cartridge of the project: each file names its SHA-1, commit, date and command.
Each also names the files that it rests on: once one of them has changed, the result is stale.
`scripts/test` prints which results are, and `scripts/red-agent bench all` measures those again.

| result | what was measured | date |
|---|---|---|
"""


Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One published measurement; `rests_on` is packed, and `sha1` that of the cartridge.

    `seconds` is how long it took. Results that were measured before these were written have neither.
    """

    name: str
    what: str
    command: str
    date: str
    commit: str
    cartridge: str
    sha1: str
    figures: Mapping[str, Any]
    rows: Sequence[Row]
    seconds: float = 0.0
    rests_on: Mapping[str, str] = field(default_factory=dict)

    @property
    def stale(self) -> str:
        """Why the result may not be true of the project as it is, in a few words; '' when it is."""
        if self.sha1 != demo().sha1:
            return "measured on another cartridge"
        if not self.rests_on:
            return "measured before results said what they rest on"
        if self.figures.get("problems"):
            return "problems were found"
        first, *others = changed_files(unpacked(self.rests_on)) or [""]
        name = "the recorded games" if first == CHAINS else first
        more = f" and {len(others)} more" if others else ""
        return f"{name}{more} changed" if name else ""


class Findings(NamedTuple):
    """The findings of a measurement: an object of figures, tables for display, and rows to publish.

    `draw` returns a PNG; it is only called when one is needed, because matplotlib loads slowly.
    """

    title: str
    figures: Mapping[str, Any]
    tables: Sequence[Sequence[Row]]
    rows: Sequence[Row] = ()
    draw: Callable[[], bytes] | None = None


class Origin(NamedTuple):
    """The origin of a result; `what` is one line for the index. Without a cartridge it is the demo."""

    command: str
    what: str
    cartridge: Cartridge | None = None
    seconds: float = 0.0
    sources: Sources | None = None  # that it rests on


def write_result(
    path: Path,
    rows: Sequence[Row],
    figures: Mapping[str, Any],
    origin: Origin,
    picture: bytes | None = None,
) -> None:
    """Write a result to `path` and its picture beside it, and rewrite the index if that is in docs/results."""
    cartridge = origin.cartridge or demo()
    head = {
        "what": origin.what,
        "command": origin.command,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "commit": _commit(),
        "cartridge": cartridge.name,
        "sha1": cartridge.sha1,
        "seconds": origin.seconds,
        "rests_on": packed(origin.sources or {}),
        "figures": figures,
    }
    # One row a line, so that a later measurement changes separate lines.
    lines = ",\n".join(f"  {as_json(row)}" for row in rows)
    text = as_json(head, indent=1).removesuffix("\n}") + f',\n "rows": [\n{lines}\n ]\n}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    if picture is not None:
        write_file(path.with_suffix(".png"), picture)
    write_file(path, text)
    if real_path(path.parent) == FOLDER:
        write_file(FOLDER.with_suffix(".md"), index())


def as_json(found: object, *, indent: int | None = None) -> str:
    """Return figures as JSON; dataclasses and named tuples among them are objects."""
    return json.dumps(_plain(found), indent=indent)


def _plain(value: Any) -> object:  # noqa: ANN401  # any figure
    if is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def flattened(figures: Mapping[str, Any], before: str = "") -> list[Row]:
    """Return a row for each figure, named by its path."""
    rows: list[Row] = []
    for name, value in figures.items():
        words = f"{before}{name}".replace("_", " ")
        if is_dataclass(value) and not isinstance(value, Distribution | Rounds):
            parts = {each.name: getattr(value, each.name) for each in fields(value)}
            rows += flattened(parts, f"{words}: ")
        elif isinstance(value, Mapping):
            rows += flattened(value, f"{words}: ")
        elif isinstance(value, list):
            numbered = {str(at): each for at, each in enumerate(value, start=1)}
            rows += flattened(numbered, f"{words} ")
        else:
            rows.append({"figure": words, "value": cell(value)})
    return rows


def cell(value: object) -> str:
    """Return a cell of a table as text."""
    match value:
        case None:
            return ""
        case Distribution(mean, p50, p99):
            return ", ".join(map(cell, (mean, p50, p99)))
        case Rounds(middle, low, high) | Interval(middle, low, high):
            return f"{cell(middle)} ({cell(low)} to {cell(high)})"
        case bool():
            return "yes" if value else "no"
        case float():
            digits = 3 - sum(abs(value) >= each for each in (10, 100, 1_000))
            return f"{value:,.{digits}f}"
        case int():
            return f"{value:,}"
        case Mapping():
            return ", ".join(f"{name} {cell(each)}" for name, each in value.items())
        case _:
            return str(value)


def read_result(path: Path) -> PublishedResult:
    """Return the result published at `path`."""
    return PublishedResult(name=path.stem, **json.loads(path.read_text(encoding="utf-8")))


def results() -> Iterator[PublishedResult]:
    """Yield every published result, by name."""
    yield from map(read_result, sorted(FOLDER.glob("*.json")))


@cache
def demo() -> Cartridge:
    """Return the cartridge that ships with the project."""
    return load_cartridge(demo_cartridge_path())


def _commit() -> str:
    """Return the commit in the tree, and whether the code differs from it."""

    def git(*words: str) -> str:
        done = subprocess.run(("git", *words), cwd=HOME, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", *CODE)
        return git("rev-parse", "--short=12", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"  # not a git checkout


def index() -> str:
    """Return the page that lists all results."""
    rows = []
    for each in results():
        picture = FOLDER / f"{each.name}.png"
        link = f"[{each.name}](results/{each.name}.json)"
        link += f" ([picture](results/{picture.name}))" if picture.exists() else ""
        rows.append(f"| {link} | {each.what} | {each.date} |\n")
    return INDEX_HEAD + "".join(rows)


def stale_results() -> dict[str, str]:
    """Return why each stale result is stale, by name."""
    return {each.name: why for each in results() if (why := each.stale)}


PROGRAMS = {"scripts/red-agent": "agent", ".venv/bin/pytest": "pytest"}
SCENARIOS = "scripts/red-agent scenario run"  # which prints its result
EVAL = HOME / ".cache" / "eval"  # what an earlier evaluation has left there is in the way


def measure_all(say: Callable[[str], object], names: Collection[str]) -> bool:
    """Measure what is stale among the results of these names, by default all; return whether all succeeded."""
    found = {each.name: each for each in results()}
    if unknown := sorted(set(names) - found.keys()):
        raise UsageError(f"there is no result {', '.join(unknown)}; docs/results.md lists them")
    stale = [each for name, each in found.items() if (not names or name in names) and each.stale]
    # Those of one command are measured together; the long ones and those of unknown length come last.
    stale.sort(key=lambda each: (each.seconds or float("inf"), each.command))
    waiting = {each.command: each for each in stale}
    _say_plan(say, stale, waiting)
    failed = []
    for number, (command, result) in enumerate(waiting.items(), start=1):
        made = [each.name for each in stale if each.command == command]
        title = ", ".join(made)
        say(f"{number} of {len(waiting)}, {title}: {command}")
        shutil.rmtree(EVAL, ignore_errors=True)
        with recording(here=False) as record:
            succeeded = _measure(result, record)
        digest.cache_clear()  # of files as they were when the series began
        left = stale_results() if succeeded else dict.fromkeys(made, "its command failed")
        why = next((f"FAILED, {left[name]}" for name in made if name in left), "done")
        say(f"{title}: {why} after {record.seconds:,.0f} s")
        failed += [name for name in made if name in left]
    if failed:
        say(f"not measured: {', '.join(failed)}")
    return not failed


def _say_plan(
    say: Callable[[str], object], stale: Sequence[PublishedResult], waiting: Collection[str]
) -> None:
    """Say what will be measured, why, and how long that takes as far as that is known."""
    for each in stale:
        took = f"{each.seconds:,.0f} s" if each.seconds else "time unknown"
        say(f"{each.name}: {each.stale}; {took}")
    known = {each.command: each.seconds for each in stale if each.seconds}
    unknown = len(waiting) - len(known)
    more = f", and {unknown} of unknown length" if unknown else ""
    say(f"{len(waiting)} to measure, about {sum(known.values()) / 60:,.0f} minutes{more}")


def _measure(result: PublishedResult, record: OpenedFiles) -> bool:
    """Run the command of a result, which publishes it; return whether it succeeded."""
    words = shlex.split(result.command)
    variables = list(takewhile(lambda word: "=" in word, words))
    program, *arguments = words[len(variables) :]
    process = subprocess.Popen(
        (sys.executable, "-m", PROGRAMS[program], *arguments),
        cwd=HOME,
        env={**os.environ, "PROOF_PUBLISH": "1", **dict(each.split("=", 1) for each in variables)},
        stdout=subprocess.PIPE,
    )
    try:
        printed, _ = process.communicate()
    except KeyboardInterrupt:
        process.wait()  # it has got the signal as well, and ends its own processes
        raise
    if process.returncode == 0 and result.command.startswith(SCENARIOS):
        rows = json.loads(printed.splitlines()[-1])["scenarios"]
        verdicts = Counter(row["verdict"] for row in rows)
        origin = Origin(
            result.command, result.what, seconds=record.seconds, sources=record.sources(result.name)
        )
        write_result(FOLDER / f"{result.name}.json", rows, verdicts, origin)
    return process.returncode == 0


if __name__ == "__main__":
    sys.stdout.writelines(f"{name}: {why}\n" for name, why in stale_results().items())
