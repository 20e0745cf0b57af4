"""Taking a file out of the way with all that belongs to it, and putting another in its place."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

COMPANIONS: Final = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a file


def free_name(path: Path, word: str) -> Path:
    """Return a name beside `path` that nothing bears: its own, a word, and a number."""
    number = 1
    while (name := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    return name


def move_aside(path: Path, word: str) -> Path:
    """Return the name that the file at `path` has now, after `word`; what belongs to it has moved along."""
    aside = free_name(path, word)
    path.rename(aside)
    for suffix in COMPANIONS:
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + suffix))
    return aside


def put_back(copy: Path, path: Path, *, aside: str = "") -> Path | None:
    """Make a file at `path` of one that is whole by itself, on disk before it bears the name; `copy` stays.

    What was there moves `aside`, to a name with that word, which is returned; without a word it is overwritten. Nothing
    has happened to it when there is no room for the new file. Companions of it that are left are none of the copy's, and go.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".put-back")
    try:
        shutil.copyfile(copy, new)
        sync(new)
        moved = move_aside(path, aside) if aside and path.exists() else None
        for suffix in COMPANIONS:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        new.replace(path)
        return moved
    finally:
        new.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """See to it that what was written to a file outlasts a loss of power."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
