"""`fake-claude` and `observe`: a server to try a model on, and observations made from recorded turns of a model."""

import threading
from pathlib import Path
from typing import Annotated, Final

import typer

from agent.app import HOME, interrupts
from agent.cli.flags import option
from agent.cli.output import Output
from agent.fake_claude import FakeClaude
from memory.tapes import command
from memory.tapes.command import ObserveFlags

LOOK_EVERY_S: Final = 0.2  # for Ctrl-C


def fake_claude(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Where to listen on 127.0.0.1; 0 takes any free.")
    ] = 8_765,
    seed: Annotated[int, typer.Option(help="Varies what is made up.")] = 0,
) -> None:
    """Serve the Messages API on loopback with made-up answers: no model, no key, no network."""
    out = Output()
    with FakeClaude(seed=seed, port=port) as server:
        out.say("This is no model: every answer is made up, and none of them means anything.")
        out.say("To play with it:")
        address = f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any"
        out.say(f"  {address} python -m agent play --mind claude")
        out.say("Ctrl-C ends it.")
        with interrupts() as interrupt:  # also when Ctrl-C is ignored by the parent process
            while not interrupt.asked:
                threading.Event().wait(LOOK_EVERY_S)
        out.say(f"{server.counts.calls.total()} calls.")


def observe(
    db: Annotated[Path | None, option(command.DB, "PATH")] = None,
    memory_dir: Annotated[Path | None, option(command.FOLDER, "DIR")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help=command.DRY_RUN)] = False,
    reset: Annotated[bool, typer.Option("--reset", help=command.RESET)] = False,
    session: Annotated[str | None, option(command.SESSION, "HASH")] = None,
) -> None:
    """Distil recorded model sessions into notes that the next run reads; no model, no network."""
    out = Output()
    for line in command.run(ObserveFlags(db, memory_dir, dry_run, reset, session), (HOME,)):
        out.say(line)
