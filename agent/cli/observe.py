"""`observe`: what recorded sessions of a model come to, for the next run."""

from pathlib import Path
from typing import Annotated

import typer

from agent.app import HOME
from agent.cli.output import Output
from memory.tapes import command
from memory.tapes.command import Flags


def observe(
    db: Annotated[
        Path | None, typer.Option(metavar="PATH", help=command.DB, show_default=False)
    ] = None,
    memory_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help=command.FOLDER, show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help=command.DRY_RUN)] = False,
    reset: Annotated[bool, typer.Option("--reset", help=command.RESET)] = False,
    session: Annotated[
        str | None, typer.Option(metavar="HASH", help=command.SESSION, show_default=False)
    ] = None,
) -> None:
    """Distil recorded model sessions into notes that the next run reads; no model, no network."""
    out = Output()
    for line in command.run(Flags(db, memory_dir, dry_run, reset, session), (HOME,)):
        out.say(line)
