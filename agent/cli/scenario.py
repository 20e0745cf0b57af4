"""`scenario`: runs, lists and records scenarios."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer
from rich.padding import Padding
from rich.table import Column
from rich.text import Text

from agent.cli import flags
from agent.cli.flags import argument, option, seeds_of
from agent.cli.output import INTERRUPTED, Output, progress, rows_of
from agent.shell import command
from agent.tools.report.words import counted

if TYPE_CHECKING:
    from agent.tools.scenario.file import Scenario
    from agent.tools.scenario.run import Report, ScenarioListing
    from emulator import Cartridge

INDENT: Final = 4  # columns of a description in a list
STYLES: Final = {"passed": "green", "failed": "red", "skipped": "yellow"}

PATHS: Final = argument("Scenario files, or folders of them.", "PATH...")
STATES: Final = option("The folder of saved states. Default: states/ beside each scenario.", "DIR")
RUN: Final = argument(
    "The folder of a run, or `last`, the one played last.", "RUN", callback=flags.run_named
)
PLAYED: Final = option(
    "The image that the run was played on. Default: the one with its SHA-1 in roms/.", "", "--rom"
)
INTO: Final = option(
    "The folder for the scenario; its state goes to DIR/states.", "DIR", default=...
)

scenario = typer.Typer(help="Run, list and record scenarios.", no_args_is_help=True)


@scenario.command("run")
def run_them(
    paths: list[Path] = PATHS,
    rom: Path | None = flags.ROM,
    states: Path | None = STATES,
    jobs: int = option("Scenarios to run at a time.", default=1, min=1),
    seeds: str | None = option("Run each scenario with these seeds instead of its own.", "A..B"),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Run scenarios: play from a saved state and check the result.

    Exits 1 when one fails, 2 when there is none, and 130 on Ctrl-C, with the results of those that were run.
    """
    from agent.tools.scenario.file import read_scenarios
    from agent.tools.scenario.run import ScenarioVerdict
    from emulator import demo_cartridge_path, load_cartridge

    out = Output()
    cartridge = load_cartridge(rom or demo_cartridge_path())
    scenarios = read_scenarios(paths, states)
    if seeds is not None:
        scenarios = [replace(each, seed=seed) for each in scenarios for seed in seeds_of(seeds)]
    reports, is_interrupted = _run(scenarios, cartridge, jobs, by_game=seeds is not None)
    if as_json:
        rows = [{**asdict(each), "verdict": each.verdict.value} for each in reports]
        out.say(json.dumps({"scenarios": rows, **_counts(reports)}))
    else:
        _print(reports, len(scenarios), out, by_game=seeds is not None)
    if is_interrupted:
        raise typer.Exit(INTERRUPTED)
    if any(each.verdict is ScenarioVerdict.FAILED for each in reports):
        raise typer.Exit(1)


def _run(
    scenarios: Sequence[Scenario], cartridge: Cartridge, jobs: int, *, by_game: bool
) -> tuple[list[Report], bool]:
    """Run scenarios, with a line for each; return the reports, and whether Ctrl-C ended it early."""
    from agent.app import Interrupt, interrupts
    from agent.tools.scenario.run import run_all

    err, reports = Output(stderr=True), list["Report"]()
    with interrupts() as interrupt, progress(err, Interrupt()) as bar:
        done = bar("scenario", len(scenarios))
        for each in run_all(scenarios, cartridge, jobs, asked=lambda: interrupt.asked):
            reports.append(each)
            done(1)
            name = f"{each.name}, seed {each.seed}" if by_game else each.name
            for line in _outcome(each):
                err.say(f"{name}: {line}")
        return reports, len(reports) < len(scenarios)


def _outcome(report: Report) -> Sequence[str]:
    """Return the lines on one scenario."""
    if report.skipped:
        return [f"skipped: {report.skipped}"]
    return report.problems or [f"{report.verdict.value}, {counted(report.frames, 'frame')}"]


@scenario.command("list")
def list_them(
    paths: list[Path] = PATHS, states: Path | None = STATES, as_json: bool = flags.AS_JSON
) -> None:
    """List scenarios with their start, and whether it can be used."""
    from agent.tools.scenario.file import read_scenarios
    from agent.tools.scenario.run import list_entry

    out = Output()
    rows = [list_entry(each) for each in read_scenarios(paths, states)]
    if as_json:
        out.say(json.dumps({"scenarios": [asdict(each) for each in rows]}))
    else:
        for each in rows:
            out.say(each.name)
            out.print(Padding(_description(each), (0, 0, 0, INDENT)))


@scenario.command("record")
def record_one(
    run: Path = RUN,
    at: int = option(
        "The tick of the run at which the scenario begins.", "TICK", default=..., min=0
    ),
    name: str = option("The name of the scenario.", "NAME", default=...),
    into: Path = INTO,
    description: str | None = option("A description in one sentence.", "TEXT"),
    until: list[str] | None = option(
        "What must become true, as milestone:rival=true. Default: to go on without getting stuck.",
        "NAME=VALUE",
    ),
    rom: Path | None = PLAYED,
) -> None:
    """Make a scenario that begins at a tick of a run."""
    from agent.tools.scenario.capture import RecordRequest, record

    made = record(run, rom, RecordRequest(at, name, description, tuple(until or ())), into)
    _report_made([made], rom, Output())


@scenario.command("from-stuck")
def record_episodes(
    run: Path = RUN,
    into: Path = INTO,
    episode: int | None = option(
        "Only the Nth time the run got stuck. Default: every time.", "N", min=1
    ),
    rom: Path | None = PLAYED,
) -> None:
    """Make a scenario of each time that a run got stuck. It fails until play gets further."""
    from agent.tools.scenario.capture import from_stuck

    out = Output()
    made = from_stuck(run, rom, episode, into)
    if made:
        _report_made(made, rom, out)
    else:
        out.say(f"{run} never got stuck; there is nothing to make")


def _report_made(made: Sequence[Path], rom: Path | None, out: Output) -> None:
    for path in made:
        out.say(f"made {path}")
    more: list[str | Path] = [] if rom is None else ["--rom", rom]
    out.say(f"run it: {command('scenario', 'run', *made, *more)}")


def _counts(reports: Sequence[Report]) -> dict[str, int]:
    from agent.tools.scenario.run import ScenarioVerdict

    return {each.value: sum(row.verdict is each for row in reports) for each in ScenarioVerdict}


def _print(reports: Sequence[Report], count: int, out: Output, *, by_game: bool) -> None:
    """Print one row per scenario, or per scenario over its games, and the number of each verdict.

    `count` is the number of scenarios to run, which may be more than the reports.
    """
    from agent.tools.scenario.run import tallies

    if by_game and reports:
        out.print(rows_of(_columns("passed", "frames"), tallies(reports), ""))
    elif reports:
        rows = (
            (each.name, f"{each.frames:,}", Text(each.verdict.value, STYLES[each.verdict.value]))
            for each in reports
        )
        out.print(rows_of(_columns("frames", "result"), rows, ""))
    counts = ", ".join(f"{number} {each}" for each, number in _counts(reports).items() if number)
    done = f"{len(reports):,} of " if len(reports) < count else ""
    out.say(f"{done}{counted(count, 'scenario')}: {counts or 'none was finished'}")


def _description(row: ScenarioListing) -> Text:
    """Return what a scenario shows and where it begins, with the reason if its start is unusable."""
    pitfall = f"{row.pitfall}; " if row.pitfall else ""
    trouble = (f"\nunusable: {row.trouble}", "red") if row.trouble else ""
    return Text.assemble(row.description, (f"\n{pitfall}start: {row.start}", "dim"), trouble)


def _columns(*names: str) -> tuple[Column, ...]:
    """Return the columns of a table; only the first one, of names, is folded where it does not fit."""
    return (
        Column("scenario", overflow="fold"),
        *(Column(name, no_wrap=True, overflow="fold") for name in names),
    )
