"""The command `observe`: the search for a tape, and the report. Prints nothing itself."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

from memory.conversation.format import with_unit
from memory.errors import MissingStore
from memory.tapes.notes import PAGE, ObserveResult, observe

TAPES_FOLDER: Final = ".tapes"
NAMES: Final = ("tapes.sqlite", "tapes.db")
VARIABLES: Final = ("TAPES_SQLITE", "TAPES_DB")
XDG: Final = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")


def find_tape(
    named: Path | None, environment: Mapping[str, str], here: Path, also: Sequence[Path] = ()
) -> Path:
    """Return the tape `named` by the caller or the environment; else the first one in the default folders.

    These are `.tapes` in the folder `here`, in those of `also`, in the XDG folders and at home, then `here` itself. A named
    path is returned even without a file. Raises MissingStore, with the searched folders, when there is no tape.
    """
    if named is not None:
        return named
    for variable in VARIABLES:
        if environment.get(variable):
            return Path(environment[variable]).expanduser()
    folders = list(dict.fromkeys(_folders(environment, here, also)))
    for folder in folders:
        for name in NAMES:
            if (folder / name).is_file():
                return folder / name
    message = (
        f"no tape found: looked for {' or '.join(NAMES)} in {', '.join(map(str, folders))}; "
        f"name one with --db or {VARIABLES[0]}."
    )
    raise MissingStore(message)


def memory_folder(tape: Path) -> Path:
    """Return the folder of observations of `tape`: `.tapes/memory` next to it."""
    folder = tape.parent
    return (folder if folder.name == TAPES_FOLDER else folder / TAPES_FOLDER) / "memory"


def _folders(environment: Mapping[str, str], here: Path, also: Sequence[Path]) -> Iterator[Path]:
    yield here / TAPES_FOLDER
    for each in also:
        yield each / TAPES_FOLDER
    for variable in XDG:
        if environment.get(variable):
            yield Path(environment[variable]) / TAPES_FOLDER
            yield Path(environment[variable]) / "tapes"
    if environment.get("HOME"):
        yield Path(environment["HOME"]) / TAPES_FOLDER
    yield here


class ObserveReport(NamedTuple):
    """What `observe` found on a tape, and the page it wrote; None for a dry run."""

    tape: Path
    page: Path | None
    found: ObserveResult

    def lines(self) -> list[str]:
        """Return the lines to print: the observations of a dry run, then a summary."""
        found = self.found
        sessions = with_unit(found.sessions + found.unchanged, "session")
        if found.sessions:
            where = "not written" if self.page is None else f"in {self.page}"
            lines = with_unit(found.lines, "line")
            summary = f"{found.sessions} of {sessions} observed, {lines} {where}"
        elif not found.unchanged:
            summary = "no session is recorded in it"
        else:
            lines = with_unit(found.all_lines, "line")
            them = "it" if found.unchanged == 1 else "them"
            summary = f"{sessions}, already noted ({lines}); --reset reads {them} again"
        remarks = (
            (found.incomplete, "without a beginning"),
            (found.loops, "with ten turns or more within 30 seconds"),
            (found.spikes, "with twice the tokens of the turns before"),
            (found.changed, "with a content that is not that of its hash"),
        )
        added = "".join(f"; {count} {words}" for count, words in remarks if count)
        page = found.page.splitlines() if self.page is None else []
        return [*page, f"{self.tape}: {summary}{added}"]

    def as_json(self) -> dict[str, str | int | None]:
        """Return the figures and the new observations in plain JSON types."""
        written = None if self.page is None else str(self.page)
        return {"tape": str(self.tape), "written": written, **asdict(self.found)}


def run(
    *,
    db: Path | None,
    memory_dir: Path | None,
    dry_run: bool,
    reset: bool,
    session: str | None,
    also: Sequence[Path] = (),
) -> ObserveReport:
    """Observe a tape, and return what was found.

    `also` are folders whose `.tapes` is searched after that of the current folder. Raises MemoryFault, in one line, when
    there is no tape, it cannot be read, or the notes cannot be written.
    """
    tape = find_tape(db, os.environ, Path.cwd(), also)
    folder = memory_dir or memory_folder(tape)
    found = observe(tape, folder, dry_run=dry_run, reset=reset, session=session)
    return ObserveReport(tape, None if dry_run else folder / PAGE, found)
