"""`fake-claude` and `observe`: a server of made-up answers, and notes of recorded model sessions."""

import json
import threading
from pathlib import Path
from typing import Final

from agent import HOME
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output
from agent.errors import UsageError
from agent.shell import command, shown_path
from agent.tools.report.words import counted

POLL_S: Final = 0.2  # between two checks for Ctrl-C


def fake_claude(
    port: int = option(
        "The port on 127.0.0.1; 0 takes any free port.", default=8_765, min=0, max=65_535
    ),
    seed: int = option("Seed of the made-up answers.", default=0),
    good: bool = switch(
        "--good", "Give good advice for the demo from a table, and none elsewhere."
    ),
    show: bool = switch(
        "--show", "Print each request and its answer, to review what a model is told."
    ),
) -> None:
    """Serve made-up answers of the Messages API on loopback. Needs no model, key or network."""
    from agent.app import interrupts
    from agent.fake_claude.server import FakeClaude

    out = Output()
    try:
        server = FakeClaude(seed=seed, port=port, show=out.say if show else None, is_good=good)
    except OSError as error:
        message = f"--port {port} cannot be used ({error.strerror}); --port 0 takes any free port"
        raise UsageError(message) from error
    # Handle Ctrl-C before its line is printed, even if the parent process ignores it.
    with server, interrupts() as interrupt:
        out.say("This is no model: every answer is made up and means nothing.")
        out.say("To play with it:")
        address = f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any"
        out.say(f"  {address} {command('play', '--mind', 'claude')}")
        out.say("Ctrl-C ends it.")
        while not interrupt.asked:
            threading.Event().wait(POLL_S)
        out.say(f"{counted(server.counts.calls.total(), 'call')}.")


def observe(
    db: Path | None = option(
        "The tape. Default: TAPES_SQLITE, TAPES_DB, or the first tapes.sqlite or tapes.db in .tapes here, in the checkout, in XDG folders, at home.",
        "PATH",
    ),
    memory_dir: Path | None = option(
        "Where observations.md goes. Default: .tapes/memory next to the tape.", "DIR"
    ),
    dry_run: bool = switch("--dry-run", "Print the notes; write nothing."),
    reset: bool = switch(
        "--reset", "Discard the watermark and observe all sessions again; no note is written twice."
    ),
    session: str | None = option(
        "Only the session with this hash or hash prefix (8 digits or more).", "HASH"
    ),
    as_json: bool = flags.AS_JSON,
) -> None:
    """Summarise recorded model sessions as notes for the next run. Needs no model or network."""
    from memory.tapes.command import run

    out = Output()
    report = run(
        db=db, memory_dir=memory_dir, dry_run=dry_run, reset=reset, session=session, also=(HOME,)
    )
    if as_json:
        out.say(json.dumps(report.as_json()))
        return
    page = shown_path(report.page) if report.page is not None else None
    for line in report._replace(tape=shown_path(report.tape), page=page).lines():
        out.say(line)
