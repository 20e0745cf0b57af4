"""`observe`: notes of recorded model sessions."""

import json
from pathlib import Path

from agent import HOME
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output
from agent.shell import shown_path


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
    from memory.tapes import command

    out = Output()
    report = command.run(
        db=db, memory_dir=memory_dir, dry_run=dry_run, reset=reset, session=session, also=(HOME,)
    )
    if as_json:
        out.say(json.dumps(report.as_json()))
        return
    page = shown_path(report.page) if report.page is not None else None
    for line in report._replace(tape=shown_path(report.tape), page=page).lines():
        out.say(line)
