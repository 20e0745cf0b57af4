"""How scenarios went in several games each: a row for each, and a page of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from agent.errors import UsageError
from agent.scenario.file import Scenario
from agent.scenario.run import Report

TITLE: Final = "# Scenarios in many games"


class Tally(NamedTuple):
    """How often a scenario passed, and how many frames it took, the fewest to the most."""

    name: str
    passed: str
    frames: str


def tallies(reports: Iterable[Report]) -> Iterator[Tally]:
    """Yield one for each scenario; the reports of one follow one another."""
    for name, group in groupby(reports, key=lambda each: each.name):
        games = list(group)
        passed = sum(each.passed for each in games)
        took = [each.frames for each in games]
        yield Tally(name, f"{passed} of {len(games)}", f"{min(took):,} to {max(took):,}")


def require_tally_or_new(path: Path) -> None:
    """Raise UsageError where a page would replace anything but an older page of scenarios, or cannot be written."""
    if path.is_dir() or not path.parent.is_dir():
        message = f"--write {path} names no file in a folder that exists; name one"
        raise UsageError(message)
    if path.exists() and not path.read_bytes().startswith(TITLE.encode()):
        message = (
            f"{path} exists already and is no page of scenarios, so it stays; name another file"
        )
        raise UsageError(message)


def page(scenarios: Sequence[Scenario], reports: Sequence[Report], command: str, seeds: str) -> str:
    """Return how they went as a page; `command` is what was called, without the seeds."""
    says = {each.name: each.says for each in scenarios}
    games = f" --seeds {seeds}" if seeds else ""
    rows = [
        f"| {each.name} | {says[each.name]} | {each.passed} | {each.frames} |"
        for each in tallies(reports)
    ]
    failed = [
        f"* {each.name}, seed {each.seed}: {'; '.join(each.problems)}"
        for each in reports
        if each.problems
    ]
    lines = [
        TITLE,
        "",
        f"Written by `python -m agent {command}{games} --write PAGE`; every figure is from one call of it.",
        "",
        "| scenario | what it shows | passed | frames |",
        "|---|---|--:|--:|",
        *rows,
        *(["", "## What failed", "", *failed] if failed else []),
    ]
    return "\n".join(lines) + "\n"
