"""`replay`: a run once more, its steps or its decisions."""

from pathlib import Path
from typing import Annotated

import typer

from agent.app import relive_run, replay_run
from agent.cli.flags import Rom
from agent.cli.output import Output


def replay(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    rom: Rom = None,
    episode: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Drive the steps up to the end of the Nth time that it got stuck.",
            show_default=False,
        ),
    ] = None,
    decide: Annotated[
        bool,
        typer.Option(
            "--decide",
            help="Decide every step anew, with the advice that was given then, and compare. Asks no model.",
        ),
    ] = False,
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="With --decide: what the run began with, where that was not nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Drive the recorded steps of a run through a fresh console and compare every tick."""
    out, err = Output(), Output(stderr=True)
    if decide:
        relived = relive_run(run, rom, memory)
        err.say(f"{relived.ticks} ticks decided anew, with {relived.advice} answers of then")
        out.say(f"divergence: {relived.divergence or 'none'}")
        raise typer.Exit(1 if relived.divergence else 0)
    replayed = replay_run(run, rom, episode)
    for note in (*replayed.notes, f"{replayed.ticks} ticks driven"):
        err.say(note)
    divergence = replayed.divergence
    if divergence is None:
        out.say("divergence: none")
        return
    out.say(f"divergence: tick {divergence.tick}: {divergence.kind}: {divergence.detail}")
    raise typer.Exit(1)
