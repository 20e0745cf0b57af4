"""The proof that memories can be merged in any order, as often as one likes: random histories, and an oracle.

Exits 1 when anything was lost, counted twice, or depended on the order.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from unions.laws import Tried, try_apart
from unions.page import document

COLUMNS: Final = ("merging", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())


def main(
    count: Annotated[int, typer.Option(min=1, help="How many random histories.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Which ones.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="How many side by side.")] = 2,
    write: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write the figures.")] = None,
) -> None:
    """Merge the files of random histories in several orders, and examine what comes of it."""
    seeds = [f"{seed}:{number}" for number in range(count)]
    told: list[Tried] = []
    with (
        Progress(*COLUMNS, console=Console(stderr=True)) as progress,
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
    ):
        bar = progress.add_task("merging", total=count)
        for tried in pool.map(try_apart, seeds):
            told.append(tried)
            progress.update(bar, advance=1)
            for problem in tried.problems:
                progress.console.print(f"history {tried.seed}: {problem}", highlight=False)
    text = document(told, seed)
    if write is not None:
        write.write_text(text, encoding="utf-8")
    print(text)
    raise typer.Exit(1 if any(each.problems for each in told) else 0)


if __name__ == "__main__":
    typer.run(main)
