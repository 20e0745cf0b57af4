"""Which rows of memory hold, and whether their tests notice the bugs they are against.

Runs the tests of the rows as they are, then puts each known bug back in a copy of the checkout and runs those of
its row. Exits 1 when a test fails, or a bug goes unnoticed or cannot be put back, and 2 when no test could be run.
"""

import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.mutations.mutation import Mutation, read_mutations
from tests.mutations.page import PAGE, document
from tests.mutations.rows import Row, read_rows, row_tests
from tests.mutations.trial import Findings, Trial, try_out
from tests.mutations.workshop import Ending, Workshop


def main(
    row: Annotated[
        list[str] | None, typer.Option(help="Only this row, such as B27; may be repeated.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many copies to work in.")] = 2,
    *,
    write: Annotated[bool, typer.Option(help="Write docs/memory_rows.md; wants all rows.")] = False,
) -> None:
    """Run the tests of the rows, put the bugs back, and see who notices."""
    rows = chosen(row or [])
    if write and row:
        print("--write wants all rows; leave out --row", file=sys.stderr)
        raise typer.Exit(2)
    with tempfile.TemporaryDirectory() as folder:
        shops = [Workshop(Path(folder) / str(number)) for number in range(jobs)]
        findings = find(rows, shops)
    show(findings)
    if write:
        PAGE.write_text(document(findings), encoding="utf-8")
    is_sound = all(findings.result(each) != "fails" for each in rows) and not findings.failures
    raise typer.Exit(0 if is_sound else 1)


def chosen(ids: Sequence[str]) -> Sequence[Row]:
    """Return the rows with these ids, or all; an id that is none ends the program."""
    rows = read_rows()
    if unknown := {each.upper() for each in ids} - {row.id for row in rows}:
        print(f"no row {', '.join(sorted(unknown))}; see docs/memory_rows.md", file=sys.stderr)
        raise typer.Exit(2)
    return [row for row in rows if not ids or row.id in {each.upper() for each in ids}]


def find(rows: Sequence[Row], shops: Sequence[Workshop]) -> Findings:
    """Return how the tests of `rows` end, and what becomes of their mutations."""
    console = Console(stderr=True)
    ids = {row.id for row in rows}
    tests = [test for test in row_tests() if ids & set(test.rows)]
    with console.status(f"running the {len(tests)} tests of {len(rows)} rows"):
        endings = shops[0].run(tests, processes=len(shops)) if tests else {}
    if Ending.BROKEN in endings.values():
        print(shops[0].log.read_text(encoding="utf-8", errors="replace"), file=sys.stderr)
    if set(endings.values()) == {Ending.BROKEN}:
        raise typer.Exit(2)  # nothing can be said where no test came to a verdict
    mutations = [each for each in read_mutations() if each.row in ids]

    free: SimpleQueue[Workshop] = SimpleQueue()
    for shop in shops:
        free.put(shop)

    def attempt(mutation: Mutation) -> Trial:
        shop = free.get()
        try:
            return try_out(mutation, shop, endings)
        finally:
            free.put(shop)

    with ThreadPoolExecutor(len(shops)) as pool:
        trying = pool.map(attempt, mutations)
        trials = list(track(trying, "putting back", total=len(mutations), console=console))
    return Findings(rows, endings, trials)


def show(findings: Findings) -> None:
    """Print what became of each mutation, which rows fail, and the sums."""
    table = Table("row", "bug", "result", "noticed by")
    for trial in findings.trials:
        noticed = "\n".join(test.name for test in trial.noticed_by)
        table.add_row(trial.mutation.row, trial.mutation.stands_for, trial.verdict.value, noticed)
    Console().print(table)
    for test, ending in findings.endings.items():
        if ending not in {Ending.PASSED, Ending.SKIPPED}:
            print(f"{test.node} {ending.value} as it is")
    without = [row.id for row in findings.rows if findings.result(row) == "no test"]
    if without:
        print(f"no test: {', '.join(without)}")
    caught = len(findings.trials) - len(findings.failures)
    print(f"{caught} of {len(findings.trials)} bugs noticed, {len(findings.endings)} tests")


if __name__ == "__main__":
    typer.run(main)
