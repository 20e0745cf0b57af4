"""Copies of memory files next to them, each under a name that no other file has."""

import os
import shutil
from glob import escape
from itertools import count
from pathlib import Path

from memory.errors import CorruptStore, StrangeStore
from memory.file_access import new_file, sync
from memory.store.database import COMPANIONS, Database, open_database
from memory.store.schema import Schema


def unused_path(path: Path, word: str) -> Path:
    """Return an unused path next to `path`: its name, a word, and a number."""
    names = (path.with_name(f"{path.name}.{word}-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def backup_copy(database: Database, word: str, *, most: int = 0) -> Path:
    """Back up the committed content of `database` to a new file next to it, and return its path.

    With `most`, older copies with the same word beyond that number are deleted.
    """
    copy = unused_path(database.path, word)
    database.backup(copy)
    others = sorted(
        database.path.parent.glob(f"{escape(database.path.name)}.{word}-*"),
        key=lambda each: each.stat().st_mtime_ns,
    )
    for each in others[:-most] if most else ():
        each.unlink(missing_ok=True)
    return copy


def quarantine(path: Path, word: str) -> Path:
    """Rename the file at `path`, and its companions, to an unused name with `word`, and return the new path."""
    quarantined = unused_path(path, word)
    path.rename(quarantined)
    for suffix in COMPANIONS:
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(quarantined.with_name(quarantined.name + suffix))
    return quarantined


def restore_copy(copy: Path, path: Path, *, aside: str = "") -> Path | None:
    """Write a copy of the complete file `copy` to `path`, synced to disk before the rename; `copy` stays.

    An existing file is renamed with the word `aside`, and its new path returned; without a word it is overwritten. It stays
    unchanged when there is no space for the copy. Its remaining companions are deleted, since they do not fit the copy.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as new:
        shutil.copyfile(copy, new)
        sync(new)
        moved = quarantine(path, aside) if aside and os.path.lexists(path) else None
        for suffix in COMPANIONS:
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    return moved


def open_or_quarantine(path: Path, schema: Schema) -> Database:
    """Open the file at `path` as `open_database` does; a damaged one, but no strange one, is renamed first."""
    try:
        return open_database(path, schema)
    except StrangeStore:
        raise
    except CorruptStore as error:
        kept = quarantine(path, "damaged")
        message = f"{path} is damaged and was renamed to {kept}; start again for a new one."
        raise CorruptStore(message) from error
