"""The page that shows which rows hold: written from findings, and read back for its tests' names."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.mutations.rows import ROOT, Row, RowTest
from tests.mutations.trial import Findings, Trial, Verdict

PAGE: Final = ROOT / "docs" / "memory_rows.md"
PARTS: Final = {
    "A": "Tapes and the heuristic observer",
    "B": "Memory as observer and observable",
    "C": "Programmatic observations",
    "D": "Observer and reflector",
    "E": "Three tiers",
}
BUGS: Final = "## The bugs that were put back"
ROW: Final = re.compile(r"^\| ([A-Z]\d\d) \|(.*)\|$", re.MULTILINE)
FILE: Final = re.compile(r"\[\w+\]\(\.\./([^)]+)\): ((?:`\w+`(?:, )?)+)")
TEMPLATE: Final = Path(__file__).with_name("page.md")


def document(findings: Findings) -> str:
    """Return the page."""
    return "\n".join([*about_all(findings), *about_parts(findings), *about_bugs(findings)]) + "\n"


def listed(page: str) -> dict[str, list[RowTest]]:
    """Return the tests that a page lists, by row."""
    found: dict[str, list[RowTest]] = {}
    for row, cells in ROW.findall(page.partition(BUGS)[0]):
        found[row] = [
            RowTest(path, name)
            for path, names in FILE.findall(cells)
            for name in re.findall(r"`(\w+)`", names)
        ]
    return found


def about_all(findings: Findings) -> Iterator[str]:
    """Yield what the page is, its sums, and how to add to it."""
    rows, trials = findings.rows, findings.trials
    results = [findings.result(row) for row in rows]
    noticed = {each.mutation.row for each in trials if each.verdict is Verdict.CAUGHT}
    text = TEMPLATE.read_text(encoding="utf-8").format(
        rows=len(rows),
        holding=results.count("holds"),
        failing=results.count("fails"),
        untested=results.count("no test"),
        tests=len(findings.endings),
        mutations=len(trials),
        caught=len(trials) - len(findings.failures),
        holes=sum(row.is_a_closed_hole for row in rows),
        opened=sum(row.is_a_closed_hole and row.id in noticed for row in rows),
    )
    yield text.rstrip("\n")


def about_parts(findings: Findings) -> Iterator[str]:
    """Yield a table for each part."""
    for part, rows in groupby(findings.rows, key=lambda row: row.id[0]):
        yield from (
            "",
            f"## {part}. {PARTS[part]}",
            "",
            "| row | what it says | marks | shown by | result | bugs noticed |",
            "|---|---|---|---|---|---|",
        )
        for row in rows:
            yield _row(row, findings)


def about_bugs(findings: Findings) -> Iterator[str]:
    """Yield a table of the bugs that were put back."""
    yield from (
        "",
        BUGS,
        "",
        "| row | bug | in | result | noticed by |",
        "|---|---|---|---|---|",
    )
    for trial in findings.trials:
        yield _bug(trial)


def _row(row: Row, findings: Findings) -> str:
    trials = [trial for trial in findings.trials if trial.mutation.row == row.id]
    caught = sum(trial.verdict is Verdict.CAUGHT for trial in trials)
    noticed = f"{caught} of {len(trials)}" if trials else ""
    shown = _links(findings.tests_of(row))
    return f"| {row.id} | {row.says} | {row.marks} | {shown} | {findings.result(row)} | {noticed} |"


def _links(tests: Sequence[RowTest]) -> str:
    cells = []
    for path, group in groupby(tests, key=lambda test: test.path):
        names = ", ".join(f"`{test.name}`" for test in group)
        cells.append(f"[{Path(path).stem}](../{path}): {names}")
    return "; ".join(cells)


def _bug(trial: Trial) -> str:
    mutation = trial.mutation
    noticed = ", ".join(f"`{test.name}`" for test in trial.noticed_by)
    return (
        f"| {mutation.row} | {mutation.stands_for} | `{mutation.file}` | {trial.verdict.value}"
        f" | {noticed} |"
    )
