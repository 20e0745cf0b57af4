"""Measurement of every published result that is stale, by the command that measured it before.

Each is a separate command, so that a failure stops no other, and an interrupted series is resumed by starting it again.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import takewhile

from agent import HOME
from agent.errors import UsageError
from agent.lab.publish import Origin, PublishedResult, publish, results, stale_results
from agent.lab.sources import OpenedFiles, digest, recording

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
        publish(result.name, rows, verdicts, origin)
    return process.returncode == 0
