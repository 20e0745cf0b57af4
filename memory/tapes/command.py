"""What `observe` does on a command line, in words; both of its shells call this. Prints nothing itself."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memory.tapes.finding import find_tape, memory_folder
from memory.tapes.observing import PAGE, Observing, observe

if TYPE_CHECKING:
    from collections.abc import Sequence

SAYS: Final = (
    "Distil recorded model sessions into notes that the next run reads; no model, no network."
)
DB: Final = "The tape. Default: TAPES_SQLITE, TAPES_DB, or the first tapes.sqlite or tapes.db in .tapes here, in the checkout, in XDG folders, at home."
FOLDER: Final = "Where observations.md goes. Default: .tapes/memory beside the tape."
DRY_RUN: Final = "Print what would be noted; write nothing."
RESET: Final = (
    "Forget what was observed already and observe all of it again; nothing is noted twice."
)
SESSION: Final = "Only the session with this hash, or with one that begins so (8 digits or more)."


@dataclass(frozen=True, slots=True)
class Flags:
    """What was asked for; None where nothing was."""

    db: Path | None = None
    memory_dir: Path | None = None
    dry_run: bool = False
    reset: bool = False
    session: str | None = None


def run(flags: Flags, also: Sequence[Path] = ()) -> list[str]:
    """Observe, and return what to print: lines of observations where nothing is written, then a summary.

    `also` are folders whose `.tapes` is looked into after that of the current one.

    Raises:
        MemoryFault: in one line, when there is no tape, or it cannot be read, or nothing can be written.
    """
    tape = find_tape(flags.db, os.environ, Path.cwd(), also)
    folder = flags.memory_dir or memory_folder(tape)
    wanted = Observing(tape, folder, flags.dry_run, flags.reset, flags.session)
    found = observe(wanted)
    where = "not written" if flags.dry_run else f"in {folder / PAGE}"
    total = found.sessions + found.unchanged
    said = f"{tape}: {found.sessions} of {total} sessions observed, {found.lines} lines {where}"
    odd = f"; {found.incomplete} without a beginning" if found.incomplete else ""
    page = found.page.splitlines() if flags.dry_run else []
    return [*page, said + odd]
