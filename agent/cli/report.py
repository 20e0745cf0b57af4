"""`report`: what happened in a run, as a page or as figures; several runs beside one another."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agent.app import gathered_runs, report_run
from agent.cli.flags import Rom
from agent.cli.output import Output
from agent.errors import UsageError
from agent.report import as_csv, as_json, write_comparison
from agent.report.comparison import PAGE


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    rom: Rom = None,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the page here. Default: report.html in the run's folder; of several runs, comparison.html.",
            show_default=False,
        ),
    ] = None,
    as_object: Annotated[
        bool,
        typer.Option("--json", help="Print the figures as one object, of several runs as a list."),
    ] = False,
    as_table: Annotated[
        bool, typer.Option("--csv", help="Print the figures as a table, one row a run.")
    ] = False,
) -> None:
    """Show what happened in a run, also while it is played or after it died; several are compared."""
    if as_object and as_table:
        raise UsageError("--json and --csv are two ways to print the same; give one")
    out = Output()
    if not (as_object or as_table):
        out.say(str(_written(runs, rom, write)))
        return
    told = gathered_runs(runs, rom)
    if write is not None:
        _written(runs, rom, write)
    if as_table:
        out.file.write(as_csv(told))
        return
    objects = [as_json(each) for each in told]
    out.say(json.dumps(objects[0] if len(objects) == 1 else objects))


def _written(runs: list[Path], rom: Path | None, to: Path | None) -> Path:
    if len(runs) == 1:
        return report_run(runs[0], rom, to)
    return write_comparison(gathered_runs(runs, rom), to or Path(PAGE))
