"""`bench experience`: the progress while it runs, and the figures as a table for people."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agent.bench.experience import SHORT, Twice, play_twice, teach
from agent.bench.experience_page import HEAD, experience_json, experience_page, experience_rows
from agent.capabilities import Story
from agent.cli.bench_battles import seeds_of
from agent.cli.output import Output
from agent.errors import UsageError
from emulator import Cartridge


def bench_experience(
    cartridge: Cartridge, lessons: str, seeds: str, write: Path | None, *, as_json: bool
) -> None:
    """Teach, play, and print or write what came of it."""
    out = Output()
    taught, tested = seeds_of(lessons), seeds_of(seeds)
    if set(taught) & set(tested):
        message = (
            f"--teach {lessons} and --seeds {seeds} overlap; what is taught must not be tested"
        )
        raise UsageError(message)
    games = _games(cartridge, taught, tested)
    last = Story.of(cartridge.kind).milestones[-1].id
    if write is not None:
        page = experience_page(cartridge.name, lessons, seeds, str(write), games, last)
        write.write_text(page, encoding="utf-8")
    if as_json:
        out.say(json.dumps(experience_json(games, (SHORT, last))))
        return
    title = f"bench experience: {cartridge.name}, {len(games)} games, each played twice"
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(HEAD):
        table.add_column(name, justify="right" if at else "left")
    for row in experience_rows(games, (SHORT, last)):
        table.add_row(*row)
    out.print(table)


def _games(cartridge: Cartridge, taught: range, tested: range) -> list[Twice]:
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        TemporaryDirectory(prefix="bench-") as home,
        Progress(
            "{task.description}", *columns, console=Output(stderr=True), transient=True
        ) as bar,
    ):
        memory = Path(home) / "memory.sqlite"
        lessons = bar.add_task("lessons", total=len(taught))
        teach(cartridge, taught, memory, lambda more: bar.advance(lessons, more))
        games = bar.add_task("games", total=len(tested))
        return play_twice(
            cartridge,
            tested,
            memory,
            processes=min(os.cpu_count() or 1, len(tested)),
            done=lambda more: bar.advance(games, more),
        )
