"""`play`: a cartridge from power-on, as far as it goes."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agent.app import AskSettings, Settings, interrupts, play_run
from agent.cli.flags import (
    AskEvery,
    Distil,
    MaxUsd,
    MemoryPath,
    Mind,
    PricesPath,
    Rom,
    Seed,
    TapesPath,
    TermsPath,
    Ticks,
    Timeout,
    Until,
    Without,
)
from agent.cli.output import Output
from agent.cli.pulse import beating
from agent.cli.view import summary_table, view_on


def play(
    rom: Rom = None,
    until: Until = None,
    ticks: Ticks = None,
    seed: Seed = None,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder this run writes to. Default: a new one in runs/.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the run in this folder, from its last checkpoint.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            metavar="TICK",
            help="With --resume: go back to the checkpoint of this tick, or the last one before it. What was played after it stays in the file as a dead branch, and the run is not a clean one any more.",
            show_default=False,
        ),
    ] = None,
    recover: Annotated[
        bool,
        typer.Option(
            "--recover", hidden=True, help="With --at: it is the supervisor that goes back."
        ),
    ] = False,
    pulse: Annotated[
        int | None,
        typer.Option(
            hidden=True, help="The pipe on which the supervisor is told that play goes on."
        ),
    ] = None,
    memory: MemoryPath = None,
    mind: Mind = None,
    without: Without = None,
    max_usd: MaxUsd = None,
    ask_every: AskEvery = None,
    terms: TermsPath = None,
    prices: PricesPath = None,
    tapes: TapesPath = None,
    timeout: Timeout = 60.0,
    distil: Distil = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the summary as one JSON object on the last line."),
    ] = False,
) -> None:
    """Play a cartridge from power-on and report."""
    out, err = Output(), Output(stderr=True)
    asking = AskSettings(ask_every, max_usd, terms, prices, tapes, timeout, distil)
    settings = Settings(
        rom=rom,
        until=until,
        ticks=ticks,
        seed=seed,
        run=run,
        resume=resume,
        at=at,
        recovers=recover,
        memory=memory,
        mind=mind,
        without=tuple(without or ()),
        asking=asking,
    )
    with interrupts() as interrupt:
        if rom is None and resume is None:
            err.say("No --rom given: playing the demo cartridge that comes with this.")
        with view_on(err) as view, beating(pulse, view, interrupt) as viewer:
            summary = play_run(settings, viewer, interrupt)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)
