"""`bench experience`: what was asked for, checked; the progress while it runs; the figures for people."""

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from tempfile import TemporaryDirectory
from typing import Final

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agent import VERSION
from agent.app import HOME, interrupts
from agent.bench.experience import (
    PAIRED_HEAD,
    Experiment,
    Order,
    Plan,
    Trials,
    arms,
    experiment_json,
    experiment_page,
    lessons_of,
    paired_rows,
    play_trials,
    teach,
    use_rows,
)
from agent.bench.experience.games import Asked
from agent.cli.bench_battles import seeds_of
from agent.cli.eval import INTERRUPTED, milestones_to
from agent.cli.output import Output
from agent.errors import UsageError
from agent.eval import committed
from emulator import Cartridge
from memory import read_knowledge_store

COMMITTED: Final = HOME / "docs" / "first_badge.md"  # games with an empty memory, played long ago
LEFT_OUT: Final = frozenset({"less", "same", "more", "memory", "use of it", "battles lost (95%)"})
LIMIT: Final = 4_000  # ticks: thrice what a game of the demo takes


@dataclass(frozen=True, slots=True)
class Wanted:
    """The flags of `bench experience`, checked against each other.

    `taught` is a memory file to begin with instead of playing `teach`; `keep` is where to leave the one that was.
    """

    teach: str
    seeds: str
    until: str | None = None
    limit: int = LIMIT
    processes: int | None = None
    each_use: bool = True
    taught: Path | None = None
    keep: Path | None = None
    page: Path | None = None

    def __post_init__(self) -> None:
        _apart(self.teach, seeds_of(self.teach), self.seeds)
        if self.taught is not None and not self.taught.is_file():
            message = f"--taught {self.taught} does not exist; leave it away to play --teach first"
            raise UsageError(message)
        if self.keep is None:
            return
        if self.taught is not None:
            raise UsageError(
                "--taught begins with a memory that is kept already; leave --keep-memory away"
            )
        if self.keep.exists() or not self.keep.parent.is_dir():
            message = f"--keep-memory {self.keep} must be a new file in a folder that exists"
            raise UsageError(message)


def bench_experience(cartridge: Cartridge, wanted: Wanted, *, as_json: bool) -> None:
    """Teach, play, and print or write what came of it."""
    out, until = Output(), milestones_to(cartridge, wanted.until)[-1]
    plan = Plan(wanted.teach, wanted.seeds, until, wanted.limit, wanted.each_use)
    try:
        experiment = _experiment(cartridge, wanted, plan)
    except KeyboardInterrupt:
        Output(stderr=True).say("stopped before all games were played; nothing is told of them")
        raise typer.Exit(INTERRUPTED) from None
    if wanted.page is not None:
        _write(experiment, wanted, wanted.page)
    if as_json:
        out.say(json.dumps(experiment_json(experiment)))
        return
    title = f"bench experience: {cartridge.name}, {experiment.games} seeds to {until}, in pairs"
    out.print(_table(title, [PAIRED_HEAD, *paired_rows(experiment)]))
    uses = list(use_rows(experiment))
    if uses:
        out.print(_table("taught, less taught without one use", uses))


def _experiment(cartridge: Cartridge, wanted: Wanted, plan: Plan) -> Experiment:
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    err = Output(stderr=True)
    with (
        interrupts() as interrupt,
        TemporaryDirectory(prefix="bench-") as home,
        Progress("{task.description}", *columns, console=err, transient=True) as bar,
    ):

        def asked() -> bool:
            return interrupt.asked

        memory = Path(home) / "memory.sqlite"
        _fill(memory, cartridge, wanted, bar, asked)
        lessons = lessons_of(memory)
        _apart(f"{wanted.taught or wanted.teach}", lessons.seeds, wanted.seeds)
        trials = _trials(memory, cartridge, wanted, plan, bar, asked)
    found = committed(COMMITTED)
    return Experiment(plan, cartridge.name, cartridge.sha1, trials, lessons, found)


def _fill(memory: Path, cartridge: Cartridge, wanted: Wanted, bar: Progress, asked: Asked) -> None:
    """Put what is taught into `memory`."""
    if wanted.taught is not None:
        _copy(wanted.taught, memory)
        return
    seeds = seeds_of(wanted.teach)
    task = bar.add_task("lessons", total=len(seeds))
    teach(
        cartridge,
        seeds,
        memory,
        limit=wanted.limit,
        asked=asked,
        done=lambda more: bar.advance(task, more),
    )
    if wanted.keep is not None:
        _copy(memory, wanted.keep)


def _trials(
    memory: Path, cartridge: Cartridge, wanted: Wanted, plan: Plan, bar: Progress, asked: Asked
) -> Trials:
    orders = [
        Order(cartridge.path, plan.until, seed, plan.limit, memory=memory)
        for seed in seeds_of(plan.seeds)
    ]
    every = arms(each_use=plan.each_use)
    count = len(orders) * len(every)
    task = bar.add_task("games", total=count)
    return play_trials(
        orders,
        every,
        processes=min(wanted.processes or os.cpu_count() or 1, count),
        asked=asked,
        done=lambda more: bar.advance(task, more),
    )


def _copy(memory: Path, to: Path) -> None:
    with closing(read_knowledge_store(memory)) as store:
        store.backup(to)


def _apart(lessons: str, taught: Iterable[int], seeds: str) -> None:
    if set(taught) & set(seeds_of(seeds)):
        message = (
            f"--seeds {seeds} overlap with what {lessons} taught; what is taught must not be tested"
        )
        raise UsageError(message)


def _write(experiment: Experiment, wanted: Wanted, path: Path) -> None:
    # Drawing takes a second to load, which no other command should wait for.
    from agent.bench.experience.plot import draw_experiment

    draw_experiment(experiment, path.with_suffix(".png"))
    plan = experiment.plan
    flags = f"--teach {plan.teach} --seeds {plan.seeds} --until {plan.until}"
    if wanted.limit != LIMIT:
        flags += f" --ticks {wanted.limit}"
    if not plan.each_use:
        flags += " --no-each-use"
    if wanted.taught is not None:
        flags += f" --taught {wanted.taught.name}"
    command = f"python -m agent bench experience {flags} --write {path}"
    versions = f"agent {VERSION}, pyboy {version('pyboy')}, python {python_version()}"
    page = experiment_page(experiment, path, command, versions, COMMITTED.name)
    path.write_text(page, encoding="utf-8")


def _table(title: str, rows: Sequence[Sequence[str]]) -> Table:
    """Return the columns that a narrow terminal has room for; the page has them all."""
    shown = [at for at, name in enumerate(rows[0]) if name not in LEFT_OUT]
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for at in shown:
        table.add_column(rows[0][at], justify="right" if at else "left")
    for row in rows[1:]:
        table.add_row(*[row[at] for at in shown])
    return table
