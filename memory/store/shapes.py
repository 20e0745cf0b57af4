"""Whether what was read has the shape that its kind declares; a file may say otherwise where it is damaged."""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.blackboard.entry import Entry
    from memory.store.knowledge_tables import Piece


def sound_record(record: Piece) -> Piece:
    """Return `record`; raise TypeError where a field is empty or not what it is declared to be."""
    for field in fields(record):
        value = getattr(record, field.name)
        kind = str(field.type)
        if (
            (kind.startswith("Mapping") and not isinstance(value, dict))
            or (kind.startswith("tuple") and not all(isinstance(each, str) for each in value))
            or (value is None and kind != "Json")
            or (isinstance(value, float) and not isfinite(value))
        ):
            raise TypeError(field.name)
    return record


def sound_entry(entry: Entry) -> Entry:
    """Return `entry`; raise TypeError where its tags or its evidence are no texts."""
    if not all(isinstance(each, str) for each in (*entry.tags, *entry.sources)):
        raise TypeError(entry.key)
    return entry
