"""`scenario`: run scenarios, make them from runs, and list them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shlex import join
from typing import Annotated, Any, Final

import typer
from rich.table import Table
from rich.text import Text

from agent.app.process import write_whole
from agent.cli.flags import Rom, option, seeds_of
from agent.cli.output import Output
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

Paths = Annotated[
    list[Path], typer.Argument(metavar="PATH...", help="Scenario files, or folders of them.")
]
States = Annotated[
    Path | None,
    option("The folder of saved moments. Default: states/ beside each scenario.", "DIR"),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print it as one JSON object on the last line.")
]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
Played = Annotated[
    Path | None,
    option(
        "The image that the run was played on. Default: the one of its SHA-1 in roms/.", "", "--rom"
    ),
]
Into = Annotated[
    Path,
    typer.Option(metavar="DIR", help="The folder for the scenario; its moment goes to DIR/states."),
]

scenario = typer.Typer(
    help="Run scenarios, make them of moments of a run, and see what there is.",
    no_args_is_help=True,
)


@scenario.command("run")
def run_them(
    paths: Paths,
    rom: Rom = None,
    states: States = None,
    jobs: Annotated[int, typer.Option(min=1, help="Scenarios at a time.")] = 1,
    seeds: Annotated[
        str | None,
        option("Run each in these games instead of the one that its file names.", "A..B"),
    ] = None,
    write: Annotated[
        Path | None,
        option("Write how each went as a page.", "PATH"),
    ] = None,
    as_json: AsJson = False,
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
        out.say(json.dumps(_as_json(reports)))
    else:
        out.print(_reports_table(reports) if seeds is None else _games_table(reports))
        out.say(_counted(reports))
    if any(each.verdict is ScenarioVerdict.FAILED for each in reports):
        raise typer.Exit(1)


@scenario.command("list")
def list_them(paths: Paths, states: States = None, as_json: AsJson = False) -> None:
    """Say of scenarios what they show and where they begin, and whether a saved moment can be used."""
    out = Output()
    rows = [listed(each) for each in read_scenarios(paths, states)]
    if as_json:
        out.say(json.dumps({"scenarios": [asdict(each) for each in rows]}))
    else:
        out.print(_listed_table(rows))


@scenario.command("record")
def record_one(
    run: Run,
    at: Annotated[int, typer.Option(metavar="TICK", min=0, help="Which moment of the run.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="What to call the scenario.")],
    into: Into,
    says: Annotated[
        str | None,
        option("What it shows, in a sentence.", "TEXT"),
    ] = None,
    until: Annotated[
        list[str] | None,
        option(
            "What must come true, as milestone:rival=true. Default: to go on without getting stuck.",
            "NAME=VALUE",
        ),
    ] = None,
    rom: Played = None,
) -> None:
    """Make a scenario that begins at a moment of a run."""
    made = record(run, rom, MomentRequest(at, name, says, tuple(until or ())), into)
    _tell([made], rom, Output())


@scenario.command("from-stuck")
def of_episodes(
    run: Run,
    into: Into,
    episode: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Only the Nth time that it got stuck. Default: each.",
            show_default=False,
        ),
    ] = None,
    rom: Played = None,
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


def _as_json(reports: Sequence[Report]) -> dict[str, Any]:
    rows = [{**asdict(each), "verdict": each.verdict.value} for each in reports]
    counts = {each.value: sum(row.verdict is each for row in reports) for each in ScenarioVerdict}
    return {"scenarios": rows, **counts}


def _counted(reports: Sequence[Report]) -> str:
    if not reports:
        return "there is no scenario to run"
    counts = {each: sum(row.verdict is each for row in reports) for each in ScenarioVerdict}
    told = [f"{number} {each.value}" for each, number in counts.items() if number]
    return f"{len(reports)} scenarios: {', '.join(told)}"


def _reports_table(reports: Iterable[Report]) -> Table:
    """Return one row a scenario."""
    table = Table("scenario", "pitfall", "frames", "")
    for each in reports:
        mark = Text(each.verdict.value, style=STYLES[each.verdict])
        table.add_row(Text(each.name), Text(each.pitfall), f"{each.frames:,}", mark)
    return table


def _games_table(reports: Iterable[Report]) -> Table:
    """Return one row a scenario that was run in several games."""
    table = Table("scenario", "passed", "frames")
    for tally in tallies(reports):
        table.add_row(Text(tally.name), tally.passed, tally.frames)
    return table


def _listed_table(rows: Iterable[Listed]) -> Table:
    """Return one row a scenario; what cannot be used says why."""
    table = Table("scenario", "pitfall", "what it says", "begins at")
    for each in rows:
        start = Text(each.start)
        if each.trouble:
            start.append(f"\nof no use: {each.trouble}", style="red")
        table.add_row(Text(each.name), Text(each.pitfall), Text(each.says), start)
    return table
