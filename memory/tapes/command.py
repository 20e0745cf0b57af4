"""The command `observe`: the search for a tape, and the report. Prints nothing itself."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memory.errors import MissingStore
from memory.tapes.notes import PAGE, observe

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


def run(
    *,
    db: Path | None,
    memory_dir: Path | None,
    dry_run: bool,
    reset: bool,
    session: str | None,
    also: Sequence[Path] = (),
) -> list[str]:
    """Observe a tape, and return the lines to print: observations of a dry run, then a summary.

    `also` are folders whose `.tapes` is searched after that of the current folder. Raises MemoryFault, in one line, when
    there is no tape, it cannot be read, or the notes cannot be written.
    """
    tape = find_tape(db, os.environ, Path.cwd(), also)
    folder = memory_dir or memory_folder(tape)
    found = observe(tape, folder, dry_run=dry_run, reset=reset, session=session)
    where = "not written" if dry_run else f"in {folder / PAGE}"
    total = found.sessions + found.unchanged
    summary = f"{tape}: {found.sessions} of {total} sessions observed, {found.lines} lines {where}"
    incomplete = f"; {found.incomplete} without a beginning" if found.incomplete else ""
    page = found.page.splitlines() if dry_run else []
    return [*page, summary + incomplete]
