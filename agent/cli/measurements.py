"""Measurements of `bench` with progress bars, and the output of their figures as tables or JSON.

Only `bench` imports it, so that other commands start fast.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Column, Table

from agent.app import interrupts
from agent.cli.flags import seeds_of
from agent.cli.output import Output, progress, rows_of
from agent.errors import UsageError
from agent.lab.publish import Findings, Row, as_json, cell
from agent.story.story import Story
from agent.tools.progress import Asked, Bar
from emulator import Cartridge, Dex
from memory import read_knowledge_store

WIDEST: Final = 1_000  # columns


def show(findings: Findings, *, json: bool) -> None:
    """Print the figures as one JSON object, or the tables."""
    out = Output()
    if json:
        out.say(as_json(findings.figures))
        return
    title = findings.title
    for rows in filter(None, findings.tables):
        table = _findings_table(title, rows)
        widest = Measurement.get(out, out.options.update(max_width=WIDEST), table).maximum
        if widest > out.width and len(rows) < len(rows[0]):
            table = _findings_table(title, _turned(rows))
        out.print(table)
        title = ""


def _findings_table(title: str, rows: Sequence[Row]) -> Table:
    first, *names = (Column(name, overflow="fold") for name in rows[0])
    head = [first, *(replace(each, justify="right") for each in names)]
    cells = ([cell(value) for value in row.values()] for row in rows)
    return rows_of(head, cells, title, box=SIMPLE_HEAD, pad_edge=False)


def _turned(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a table that is too wide with its columns as rows; the first column becomes the head."""
    first, *names = rows[0]
    return [{first: name, **{cell(row[first]): row[name] for row in rows}} for name in names]


def battles(cartridge: Cartridge, seeds: str, met: str | None, until: str | None) -> Findings:
    """Fight the battles of some seeds, or those that the games of `met` come to, twice, and compare the outcomes."""
    from agent.lab.bench.battle_setup import battle_setup, met_battle
    from agent.lab.bench.battles import battle_findings, fight_pairs, meet_trainers
    from agent.lab.runner import play_all

    numbers, games = seeds_of(seeds), seeds_of(met) if met is not None else ()
    last = Story.of(cartridge.kind).up_to(until)[-1]
    processes = min(os.cpu_count() or 1, len(numbers))
    with interrupts() as interrupt, progress(Output(stderr=True), interrupt) as bar:
        # One at a time: their decisions are timed.
        meet = partial(meet_trainers, cartridge.path, last)
        played = play_all(meet, games, processes=1, done=bar("game", len(games)))
        trainers = [trainer for game in played for trainer in game.met]
        if games and not trainers:
            raise UsageError(
                f"the games of --met {met} meet no trainer before {last}; play on with --until"
            )
        dex = Dex.of(cartridge)
        drawn = [
            met_battle(trainers, each) if games else battle_setup(dex, each) for each in numbers
        ]
        done = bar("battle", len(numbers))
        pairs = fight_pairs(cartridge, drawn, processes=processes, done=done)
    return battle_findings(cartridge.name, pairs, played)


@dataclass(frozen=True, slots=True)
class ExperienceOptions:
    """The flags of `bench experience`, checked against each other.

    `taught` is a memory file to start from instead of playing `teach`; `keep` is where to save the filled memory.
    """

    teach: str
    seeds: str
    until: str | None = None
    limit: int = 12_000
    processes: int | None = None
    each_use: bool = True
    taught: Path | None = None
    keep: Path | None = None

    def __post_init__(self) -> None:
        _require_disjoint(self.teach, seeds_of(self.teach), self.seeds)
        if self.taught is not None and not self.taught.is_file():
            message = f"--taught {self.taught} does not exist; leave it out to play --teach first"
            raise UsageError(message)
        if self.keep is None:
            return
        if self.taught is not None:
            raise UsageError("--taught is a saved memory already; leave out --keep-memory")
        if self.keep.exists() or not self.keep.parent.is_dir():
            raise UsageError(f"--keep-memory {self.keep} must be a new file in an existing folder")


def experience(cartridge: Cartridge, options: ExperienceOptions) -> Findings:
    """Fill a memory with some games, then play the same seeds with and without it."""
    from agent.lab.bench.experience import experience_findings
    from agent.lab.bench.trials import TrialOrder, arms, lessons_of, play_trials

    until = Story.of(cartridge.kind).up_to(options.until)[-1]
    kept = ("teach", "seeds", "limit", "each_use")
    plan = {"until": until, **{name: getattr(options, name) for name in kept}}
    with (
        interrupts() as interrupt,
        TemporaryDirectory(prefix="bench-") as home,
        progress(Output(stderr=True), interrupt) as bar,
    ):

        def asked() -> bool:
            return interrupt.asked

        memory = Path(home) / "memory.sqlite"
        _fill_memory(memory, cartridge.path, until, options, bar, asked)
        lessons = lessons_of(memory)
        _require_disjoint(f"{options.taught or options.teach}", lessons.seeds, options.seeds)
        orders = [
            TrialOrder(cartridge.path, until, seed, options.limit, memory=memory)
            for seed in seeds_of(options.seeds)
        ]
        every = arms(each_use=options.each_use)
        count = len(orders) * len(every)
        processes = min(options.processes or os.cpu_count() or 1, count)
        done = bar("game", count)
        trials = play_trials(orders, every, processes=processes, asked=asked, done=done)
    return experience_findings(plan, cartridge.name, trials, lessons)


def _fill_memory(
    memory: Path, rom: Path, until: str, options: ExperienceOptions, bar: Bar, asked: Asked
) -> None:
    """Fill `memory` by playing `teach`, or from the file `taught`."""
    from agent.lab.bench.trials import TrialOrder, teach

    if options.taught is not None:
        _copy(options.taught, memory)
        return
    orders = [TrialOrder(rom, until, seed, options.limit) for seed in seeds_of(options.teach)]
    teach(orders, memory, asked=asked, done=bar("teaching game", len(orders)))
    if options.keep is not None:
        _copy(memory, options.keep)


def _copy(memory: Path, to: Path) -> None:
    with closing(read_knowledge_store(memory)) as store:
        store.backup(to)


def _require_disjoint(lessons: str, taught: Iterable[int], seeds: str) -> None:
    if set(taught) & set(seeds_of(seeds)):
        raise UsageError(
            f"--seeds {seeds} overlap with the games that fill memory ({lessons}); give others"
        )
