"""The command line: parses, calls, prints, exits. Knows nothing of how play works."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.app import Decider, Settings, play_run, replay_run
from agent.cli.doctor import examine, report
from agent.cli.view import summary_table, view_on
from agent.errors import AgentError, UsageError
from emulator import EmulatorError
from memory import MemoryFault

cli = typer.Typer(
    help="Plays Pokemon Red by itself, headless, from power-on. Without a ROM it plays its own demo.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Rom = Annotated[
    Path | None,
    typer.Option(
        help="Your own cartridge image of Pokemon Red (US). Without it, the demo is played.",
        show_default=False,
    ),
]


@cli.command()
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
    seed: Annotated[int, typer.Option(help="Which game to play: each is different.")] = 0,
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
    memory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="What outlives runs, made where it is missing. Default: memory.sqlite.",
            show_default=False,
        ),
    ] = None,
    mind: Annotated[
        Decider, typer.Option(help="Who decides: rules need no key and no network.")
    ] = (Decider.RULES),
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the summary as one JSON object on the last line."),
    ] = False,
) -> None:
    """Play a cartridge from power-on and report."""
    settings = Settings(rom, until, ticks, seed, run, resume, memory, mind)
    if rom is None and resume is None:
        print("No --rom given: playing the demo cartridge that comes with this.", file=sys.stderr)
    with view_on(Console(stderr=True)) as view:
        summary = play_run(settings, view)
    if as_json:
        print(json.dumps(summary.as_json()))
    else:
        Console().print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)


@cli.command()
def replay(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")], rom: Rom = None
) -> None:
    """Drive the recorded steps of a run through a fresh console and compare every tick."""
    replayed = replay_run(run, rom)
    for note in (*replayed.notes, f"{replayed.ticks} ticks driven"):
        print(note, file=sys.stderr)
    divergence = replayed.divergence
    if divergence is None:
        print("divergence: none")
        return
    print(f"divergence: tick {divergence.tick}: {divergence.kind}: {divergence.detail}")
    raise typer.Exit(1)


@cli.command()
def doctor(rom: Rom = None) -> None:
    """Check this machine and the cartridge, and say what to do."""
    if not report(examine(rom, Path("runs")), Console()):
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; every expected error is one line on stderr."""
    try:
        cli()
    except UsageError as error:
        _fail(error, 2)
    except (AgentError, EmulatorError, MemoryFault) as error:
        _fail(error, 1)
    except KeyboardInterrupt:
        _fail("interrupted", 130)


def _fail(error: object, code: int) -> None:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(code)
