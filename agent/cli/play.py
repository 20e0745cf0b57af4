"""`play`: a cartridge from power-on, as far as it goes."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agent.app import AskSettings, Decider, Settings, interrupts, play_run
from agent.capabilities import Use
from agent.cli.flags import Rom
from agent.cli.output import Output
from agent.cli.view import summary_table, view_on


def play(
    rom: Rom = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Stop at this milestone. Default: the last one of the cartridge's story.",
            show_default=False,
        ),
    ] = None,
    ticks: Annotated[
        int | None,
        typer.Option(help="Stop after this many ticks of the run.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Which of 4,001 different games to play. Default: 0.", show_default=False
        ),
    ] = None,
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
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="What outlives runs, made where it is missing. Default: memory.sqlite.",
            show_default=False,
        ),
    ] = None,
    mind: Annotated[
        Decider | None,
        typer.Option(
            help="Who decides: rules, which need no key and no network, or rules with claude where they run out. Default: rules.",
            show_default=False,
        ),
    ] = None,
    without: Annotated[
        list[Use] | None,
        typer.Option(
            metavar="USE",
            help=f"Make no use of memory for one of: {', '.join(use.value for use in Use)}; may be given several times.",
            show_default=False,
        ),
    ] = None,
    max_usd: Annotated[
        float | None,
        typer.Option(
            metavar="USD",
            help="The most that asking may cost in this run. Default: what the terms say, 2.",
            show_default=False,
        ),
    ] = None,
    ask_every: Annotated[
        int | None,
        typer.Option(
            metavar="TICKS", help="Ask a model every so often without need.", show_default=False
        ),
    ] = None,
    terms: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A file with models, ceilings and steps down to them, like agent/advisor/money/terms.toml.",
            show_default=False,
        ),
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="A file with prices of models. Default: prices.toml beside the memory, where there is one.",
            show_default=False,
        ),
    ] = None,
    tapes: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where each turn of a model is recorded. Default: .tapes.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="How long an answer may take.")
    ] = 60.0,
    distil: Annotated[
        bool,
        typer.Option(
            "--distil", help="Let a small model observe the conversation too, and not rules alone."
        ),
    ] = False,
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
        with view_on(err) as view:
            summary = play_run(settings, view, interrupt)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)
