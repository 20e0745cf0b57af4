"""`bench exam`: the progress while it runs, and the marks as a table for people."""

import json
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agent.cli.bench_battles import seeds_of
from agent.cli.output import Output
from agent.exam.page import ABOUT, HEAD, exam_json, exam_page, exam_rows
from agent.exam.sitting import Results, examine
from agent.exam.truth import PATIENCE
from emulator import Cartridge


def bench_exam(cartridge: Cartridge, seeds: str, write: Path | None, *, as_json: bool) -> None:
    """Play, ask, and print or write what came of it."""
    out = Output()
    results = _results(cartridge, seeds_of(seeds))
    if write is not None:
        _write(results, cartridge.name, seeds, write)
    if as_json:
        out.say(json.dumps(exam_json(results)))
        return
    title = f"bench exam: {cartridge.name}, {len(results.papers)} papers"
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(HEAD):
        table.add_column(name, justify="right" if at else "left")
    for row in exam_rows(results):
        table.add_row(*row)
    out.print(table)


def _write(results: Results, cartridge: str, seeds: str, write: Path) -> None:
    from agent.exam.plot import draw_exam  # it loads slowly

    picture = write.with_suffix(".png")
    draw_exam(results, picture)
    command = f"python -m agent bench exam --seeds {seeds} --write {write}"
    heading = ABOUT.format(command=command, cartridge=cartridge, seeds=seeds, patience=PATIENCE)
    write.write_text(exam_page(results, heading, picture.name), encoding="utf-8")


def _results(cartridge: Cartridge, seeds: range) -> Results:
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        "{task.description}", *columns, console=Output(stderr=True), transient=True
    ) as bar:
        games = bar.add_task("games", total=len(seeds))
        return examine(cartridge, seeds, done=lambda more: bar.advance(games, more))
