"""Copies of a file beside it, under names that nothing has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.store.aside import free_name

if TYPE_CHECKING:
    from pathlib import Path

    from memory.store.database import Database


def copy_beside(database: Database, word: str) -> Path:
    """Return the copy of all that was committed to `database`, whole in one file beside it."""
    copy = free_name(database.path, word)
    database.backup(copy)
    return copy
