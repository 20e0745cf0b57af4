"""Copies of a file beside it, under names that nothing has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from memory.store.database import Database


def free_name(path: Path, word: str) -> Path:
    """Return a name beside `path` that nothing bears: its own, a word, and a number."""
    number = 1
    while (name := path.with_name(f"{path.name}.{word}-{number}")).exists():
        number += 1
    return name


def copy_beside(database: Database, word: str) -> Path:
    """Return the copy of all that was committed to `database`, whole in one file beside it."""
    copy = free_name(database.path, word)
    database.backup(copy)
    return copy
