"""Letting go of what people no longer want remembered: a copy first, then one transaction, and all of it archived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.errors import StoreError
from memory.inspection import writing
from memory.store.checks.mending import Mending
from memory.store.copies import copy_beside
from memory.store.items import Item, knowledge_items

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

COPY = "before-forget"


def let_go_of(path: Path, wanted: Collection[tuple[str, str, str]], *, now: float) -> Path:
    """Return the copy of the file at `path` as it was, after the items of these tables, scopes and ids were archived.

    What is gone by then is passed over: a game that is being played may have been faster.
    """
    with writing(path) as (database, schema):
        if not schema.name.startswith("knowledge"):
            message = f"{path} is the record of a run, which stays whole; remove its folder to forget the run"
            raise StoreError(message)
        copy = copy_beside(database, COPY)
        with database.transaction():
            mending = Mending(database, now=now)
            for item in list(knowledge_items(database, now=now)):
                if name_of(item) in wanted:
                    mending.let_go_of_item(item)
    return copy


def name_of(item: Item) -> tuple[str, str, str]:
    """Return what names one item in its file: table, scope and id."""
    return item.table, item.scope, item.id
