"""The measurements of `bench`: progress while one runs, then its figures as a table, as JSON or as a page.

Loaded by `bench` alone: no other command should wait for it.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agent import VERSION
from agent.app import HOME, interrupts
from agent.cli.eval import INTERRUPTED, milestones_to
from agent.cli.output import Output
from agent.errors import UsageError
from agent.lab import SpeedFigures, committed
from agent.lab.bench import (
    BATTLE_HEAD,
    HEAD,
    PAIRED_HEAD,
    BattlePair,
    Experiment,
    ExperimentPlan,
    MemoryFigures,
    TrialOrder,
    Trials,
    arms,
    battle_json,
    battle_page,
    battle_rows,
    experiment_json,
    experiment_page,
    fight_pairs,
    lessons_of,
    measure_memory,
    memory_page,
    memory_rows,
    paired_rows,
    play_trials,
    speed_rows,
    teach,
    use_rows,
)
from agent.lab.bench.checkpoints import measure_moments, moments_page
from agent.lab.bench.trials import Asked
from agent.lab.exam.exam import ExamResults, examine
from agent.lab.exam.page import ABOUT, EXAM_HEAD, exam_json, exam_page, exam_rows
from agent.lab.exam.truth import PATIENCE
from emulator import Cartridge
from memory import read_knowledge_store

if TYPE_CHECKING:
    from agent.lab.bench.model import ModelEffort


def figures_table(figures: SpeedFigures) -> Table:
    """Return all figures, a section under each other."""
    title = f"bench: {figures.cartridge}, {figures.rounds} rounds of {figures.ticks:,} ticks"
    table = Table(title=Text(title), title_justify="left", show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    section = ""
    for row in speed_rows(figures):
        if row.section != section:
            section = row.section
            table.add_section()
            table.add_row(Text(section, style="bold"), "")
        table.add_row(Text(f"  {row.what}"), Text(row.figure))
    return table


def seeds_of(words: str) -> range:
    """Return the seeds from A to B, both included, that `A..B` names."""
    found = re.fullmatch(r"(\d+)\.\.(\d+)", words)
    if found is None or int(found[1]) > int(found[2]):
        message = f"--seeds {words} is no range; write A..B with A not above B, such as 0..299"
        raise UsageError(message)
    return range(int(found[1]), int(found[2]) + 1)


def bench_battles(cartridge: Cartridge, seeds: str, write: Path | None, *, as_json: bool) -> None:
    """Fight, and print or write what came of it."""
    out, err = Output(), Output(stderr=True)
    numbers = seeds_of(seeds)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress("battles", *columns, console=err, transient=True) as progress:
        task = progress.add_task("battles", total=len(numbers))
        pairs = fight_pairs(
            cartridge,
            numbers,
            processes=min(os.cpu_count() or 1, len(numbers)),
            done=lambda more: progress.advance(task, more),
        )
    if write is not None:
        # Loaded here: matplotlib takes longer than many a command.
        from agent.lab.plots import battle_plot

        picture = write.with_suffix(".png")
        picture.write_bytes(battle_plot(pairs))
        page = battle_page(cartridge.name, seeds, pairs, picture.name)
        write.write_text(page, encoding="utf-8")
    if as_json:
        out.say(json.dumps(battle_json(pairs)))
    else:
        out.print(_battles_table(cartridge, pairs))


def _battles_table(cartridge: Cartridge, pairs: Sequence[BattlePair]) -> Table:
    title = f"bench battles: {cartridge.name}, {len(pairs)} battles, each fought twice"
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(BATTLE_HEAD):
        table.add_column(name, justify="right" if at else "left")
    for row in battle_rows(pairs):
        table.add_row(*row)
    return table


def bench_exam(cartridge: Cartridge, seeds: str, write: Path | None, *, as_json: bool) -> None:
    """Play, ask, and print or write what came of it."""
    out = Output()
    results = _results(cartridge, seeds_of(seeds))
    if write is not None:
        _write_exam(results, cartridge.name, seeds, write)
    if as_json:
        out.say(json.dumps(exam_json(results)))
        return
    title = f"bench exam: {cartridge.name}, {len(results.papers)} papers"
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(EXAM_HEAD):
        table.add_column(name, justify="right" if at else "left")
    for row in exam_rows(results):
        table.add_row(*row)
    out.print(table)


def _write_exam(results: ExamResults, cartridge: str, seeds: str, write: Path) -> None:
    from agent.lab.plots import draw_exam  # it loads slowly

    picture = write.with_suffix(".png")
    draw_exam(results, picture)
    command = f"python -m agent bench exam --seeds {seeds} --write {write}"
    heading = ABOUT.format(command=command, cartridge=cartridge, seeds=seeds, patience=PATIENCE)
    write.write_text(exam_page(results, heading, picture.name), encoding="utf-8")


def _results(cartridge: Cartridge, seeds: range) -> ExamResults:
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        "{task.description}", *columns, console=Output(stderr=True), transient=True
    ) as bar:
        games = bar.add_task("games", total=len(seeds))
        return examine(cartridge, seeds, done=lambda more: bar.advance(games, more))


def bench_memory(
    cartridge: Cartridge, write: Path | None, say: Callable[[str], object], *, as_json: bool
) -> None:
    """Measure memory, and print or write what came of it."""
    figures = measure_memory(cartridge, say)
    _show("memory", figures, memory_page(figures), write, as_json=as_json)


def bench_moments(
    cartridge: Cartridge, write: Path | None, say: Callable[[str], object], *, as_json: bool
) -> None:
    """Measure checkpoints and going on from them, and print or write what came of it."""
    figures = measure_moments(cartridge, say)
    _show("moments", figures, moments_page(figures), write, as_json=as_json)


def _show(
    what: str, figures: MemoryFigures, page: str, write: Path | None, *, as_json: bool
) -> None:
    if write is not None:
        write.write_text(page, encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
    else:
        out.print(_memory_table(what, figures))


def _memory_table(what: str, figures: MemoryFigures) -> Table:
    title = Text(f"bench {what}: {figures.cartridge}, {figures.what_was_held}")
    table = Table(title=title, title_justify="left")
    for name in ("what", "p50, p99", "limit, aim", "verdict"):
        table.add_column(name, justify="left" if name in {"what", "verdict"} else "right")
    for row in memory_rows(figures):
        taken, allowed = f"{row.p50}, {row.p99}", f"{row.limit}, {row.aim}"
        table.add_row(row.what, taken.strip(", "), allowed.strip(", "), row.verdict)
    return table


def bench_model(
    cartridge: Cartridge,
    write: Path | None,
    say: Callable[[str], object],
    *,
    as_json: bool,
    effort: "ModelEffort | None" = None,
) -> None:
    """Measure, and print or write what came of it; the picture goes beside the page."""
    # The SDK and matplotlib take a second each to load.
    from agent.lab.bench.model import TALK_HEAD, measure_model, model_page, model_rows, talk_rows
    from agent.lab.plots import model_plot

    figures = measure_model(cartridge, say, effort)
    if write is not None:
        picture = write.with_suffix(".png")
        picture.write_bytes(model_plot(figures))
        write.write_text(model_page(figures, picture.name), encoding="utf-8")
    out = Output()
    if as_json:
        out.say(json.dumps(figures.as_json()))
        return
    held = ", ".join(f"{count:,} {what}" for what, count in figures.held.items())
    out.print(_model_table(f"bench model: {figures.cartridge}, {held}", HEAD, model_rows(figures)))
    out.print(_model_table("tokens", TALK_HEAD, talk_rows(figures.talks)))


def _model_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for name in head:
        is_words = name in {"what", "verdict", "talk", "misses"}
        table.add_column(name, justify="left" if is_words else "right")
    for row in rows:
        table.add_row(*row)
    return table


COMMITTED: Final = HOME / "docs" / "first_badge.md"  # games with an empty memory, played long ago
LEFT_OUT: Final = frozenset({"less", "same", "more", "memory", "use of it", "battles lost (95%)"})
LIMIT: Final = 4_000  # ticks: thrice what a game of the demo takes


@dataclass(frozen=True, slots=True)
class ExperienceOptions:
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


def bench_experience(cartridge: Cartridge, wanted: ExperienceOptions, *, as_json: bool) -> None:
    """Teach, play, and print or write what came of it."""
    out, until = Output(), milestones_to(cartridge, wanted.until)[-1]
    plan = ExperimentPlan(wanted.teach, wanted.seeds, until, wanted.limit, wanted.each_use)
    try:
        experiment = _experiment(cartridge, wanted, plan)
    except KeyboardInterrupt:
        Output(stderr=True).say("stopped before all games were played; nothing is told of them")
        raise typer.Exit(INTERRUPTED) from None
    if wanted.page is not None:
        _write_experiment(experiment, wanted, wanted.page)
    if as_json:
        out.say(json.dumps(experiment_json(experiment)))
        return
    title = f"bench experience: {cartridge.name}, {experiment.games} seeds to {until}, in pairs"
    out.print(_experience_table(title, [PAIRED_HEAD, *paired_rows(experiment)]))
    uses = list(use_rows(experiment))
    if uses:
        out.print(_experience_table("taught, less taught without one use", uses))


def _experiment(
    cartridge: Cartridge, wanted: ExperienceOptions, plan: ExperimentPlan
) -> Experiment:
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


def _fill(
    memory: Path, cartridge: Cartridge, wanted: ExperienceOptions, bar: Progress, asked: Asked
) -> None:
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
    memory: Path,
    cartridge: Cartridge,
    wanted: ExperienceOptions,
    plan: ExperimentPlan,
    bar: Progress,
    asked: Asked,
) -> Trials:
    orders = [
        TrialOrder(cartridge.path, plan.until, seed, plan.limit, memory=memory)
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


def _write_experiment(experiment: Experiment, wanted: ExperienceOptions, path: Path) -> None:
    # Drawing takes a second to load, which no other command should wait for.
    from agent.lab.plots import draw_experiment

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


def _experience_table(title: str, rows: Sequence[Sequence[str]]) -> Table:
    """Return the columns that a narrow terminal has room for; the page has them all."""
    shown = [at for at, name in enumerate(rows[0]) if name not in LEFT_OUT]
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for at in shown:
        table.add_column(rows[0][at], justify="right" if at else "left")
    for row in rows[1:]:
        table.add_row(*[row[at] for at in shown])
    return table
