"""`scenario`: run scenarios, make them from runs, and list them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import join
from typing import Final

import typer
from rich.text import Text

from agent.app.process import write_whole
from agent.cli import flags
from agent.cli.flags import argument, option, seeds_of
from agent.cli.output import Output, rows_of
from agent.tools.scenario.capture import MomentRequest, from_stuck, record
from agent.tools.scenario.file import Listed, listed, read_scenarios
from agent.tools.scenario.run import (
    Report,
    ScenarioVerdict,
    page,
    require_tally_or_new,
    run_all,
    tallies,
)
from emulator import demo_cartridge_path, load_cartridge

STYLES: Final = {
    ScenarioVerdict.PASSED: "green",
    ScenarioVerdict.FAILED: "red",
    ScenarioVerdict.SKIPPED: "yellow",
}

PATHS: Final = argument("Scenario files, or folders of them.", "PATH...")
STATES: Final = option("The folder of saved moments. Default: states/ beside each scenario.", "DIR")
RUN: Final = argument("The folder of a run.", "RUN")
PLAYED: Final = option(
    "The image that the run was played on. Default: the one of its SHA-1 in roms/.", "", "--rom"
)
INTO: Final = option(
    "The folder for the scenario; its moment goes to DIR/states.", "DIR", default=...
)

scenario = typer.Typer(
    help="Run scenarios, make them of moments of a run, and see what there is.",
    no_args_is_help=True,
)


@scenario.command("run")
def run_them(
    paths: list[Path] = PATHS,
    rom: Path | None = flags.ROM,
    states: Path | None = STATES,
    jobs: int = option("Scenarios at a time.", default=1, min=1),
    seeds: str | None = option(
        "Run each in these games instead of the one that its file names.", "A..B"
    ),
    write: Path | None = option("Write how each went as a page.", "PATH"),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Run scenarios: a moment, what is done there, what must be true then. Exits 1 when one fails."""
    out, err = Output(), Output(stderr=True)
    if write is not None:
        require_tally_or_new(write)
    cartridge = load_cartridge(rom or demo_cartridge_path())
    reports = []
    scenarios = read_scenarios(paths, states)
    if seeds is not None:
        scenarios = [replace(each, seed=seed) for each in scenarios for seed in seeds_of(seeds)]
    for each in run_all(scenarios, cartridge, jobs):
        reports.append(each)
        name = each.name if seeds is None else f"{each.name}, seed {each.seed}"
        for problem in each.problems:
            err.say(f"{name}: {problem}")
        if each.skipped:
            err.say(f"{name}: skipped: {each.skipped}")
    if write is not None:
        command = join(["scenario", "run", *(each.as_posix() for each in paths)])
        write_whole(write, page(scenarios, reports, command, seeds or ""))
    if as_json:
        told = [{**asdict(each), "verdict": each.verdict.value} for each in reports]
        out.say(json.dumps({"scenarios": told, **_counts(reports)}))
    else:
        _print(reports, out, by_game=seeds is not None)
    if any(each.verdict is ScenarioVerdict.FAILED for each in reports):
        raise typer.Exit(1)


@scenario.command("list")
def list_them(
    paths: list[Path] = PATHS, states: Path | None = STATES, as_json: bool = flags.AS_JSON
) -> None:
    """Say of scenarios what they show and where they begin, and whether a saved moment can be used."""
    out = Output()
    rows = [listed(each) for each in read_scenarios(paths, states)]
    if as_json:
        out.say(json.dumps({"scenarios": [asdict(each) for each in rows]}))
    else:
        cells = ((each.name, each.pitfall, each.says, _start(each)) for each in rows)
        out.print(rows_of(("scenario", "pitfall", "what it says", "begins at"), cells, ""))


@scenario.command("record")
def record_one(
    run: Path = RUN,
    at: int = option("Which moment of the run.", "TICK", default=..., min=0),
    name: str = option("What to call the scenario.", "NAME", default=...),
    into: Path = INTO,
    says: str | None = option("What it shows, in a sentence.", "TEXT"),
    until: list[str] | None = option(
        "What must come true, as milestone:rival=true. Default: to go on without getting stuck.",
        "NAME=VALUE",
    ),
    rom: Path | None = PLAYED,
) -> None:
    """Make a scenario that begins at a moment of a run."""
    made = record(run, rom, MomentRequest(at, name, says, tuple(until or ())), into)
    _tell([made], rom, Output())


@scenario.command("from-stuck")
def of_episodes(
    run: Path = RUN,
    into: Path = INTO,
    episode: int | None = option("Only the Nth time that it got stuck. Default: each.", "N", min=1),
    rom: Path | None = PLAYED,
) -> None:
    """Make a scenario of each time that a run got stuck: it fails until play gets on from there."""
    out = Output()
    made = from_stuck(run, rom, episode, into)
    if made:
        _tell(made, rom, out)
    else:
        out.say(f"{run} tells of no time that it got stuck; there is nothing to make")


def _tell(made: Sequence[Path], rom: Path | None, out: Output) -> None:
    for path in made:
        out.say(f"made {path}")
    more = [] if rom is None else ["--rom", str(rom)]
    # By whole paths, none of which begins like a flag.
    words = [*(str(path.resolve()) for path in made), *more]
    out.say(f"run it: python -m agent scenario run {join(words)}")


def _counts(reports: Sequence[Report]) -> dict[str, int]:
    return {each.value: sum(row.verdict is each for row in reports) for each in ScenarioVerdict}


def _print(reports: Sequence[Report], out: Output, *, by_game: bool) -> None:
    """Print one row a scenario, also of those that were run in several games, and how many there are of each verdict."""
    if by_game:
        tallied = ((each.name, each.passed, each.frames) for each in tallies(reports))
        out.print(rows_of(("scenario", "passed", "frames"), tallied, ""))
    else:
        rows = (
            (
                each.name,
                each.pitfall,
                f"{each.frames:,}",
                Text(each.verdict.value, STYLES[each.verdict]),
            )
            for each in reports
        )
        out.print(rows_of(("scenario", "pitfall", "frames", ""), rows, ""))
    told = ", ".join(f"{number} {each}" for each, number in _counts(reports).items() if number)
    out.say(f"{len(reports)} scenarios: {told}" if reports else "there is no scenario to run")


def _start(row: Listed) -> Text:
    """Return where a scenario begins; what cannot be used says why."""
    trouble = (f"\nof no use: {row.trouble}", "red") if row.trouble else ""
    return Text.assemble(row.start, trouble)
