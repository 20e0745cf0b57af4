"""Where a tape is when nobody says so, and where what was observed of it goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from memory.errors import MissingStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FOLDER: Final = ".tapes"
NAMES: Final = ("tapes.sqlite", "tapes.db")
VARIABLES: Final = ("TAPES_SQLITE", "TAPES_DB")
XDG: Final = ("XDG_DATA_HOME", "XDG_CONFIG_HOME")


def find_tape(
    named: Path | None, environment: Mapping[str, str], here: Path, also: Sequence[Path] = ()
) -> Path:
    """Return the tape that is `named`, or in the environment; else the first of the usual places that has one.

    These are `.tapes` in the folder `here`, in those `also` given, in the XDG folders and at home, then `here` itself.
    A place that is named is taken at its word, whether there is a tape or not.

    Raises:
        MissingStore: when none of the usual places has a tape; it says which were asked.
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
    """Return where what was observed of `tape` goes: `.tapes/memory` beside it."""
    folder = tape.parent
    return (folder if folder.name == FOLDER else folder / FOLDER) / "memory"


def _folders(environment: Mapping[str, str], here: Path, also: Sequence[Path]) -> Iterator[Path]:
    yield here / FOLDER
    for each in also:
        yield each / FOLDER
    for variable in XDG:
        if environment.get(variable):
            yield Path(environment[variable]) / FOLDER
            yield Path(environment[variable]) / "tapes"
    if environment.get("HOME"):
        yield Path(environment["HOME"]) / FOLDER
    yield here
