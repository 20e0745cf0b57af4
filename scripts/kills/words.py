"""What a life and its observer say to each other, and the short names of contents."""

import json
from collections.abc import Mapping
from enum import Enum
from hashlib import blake2b
from typing import Any, NamedTuple


class Phase(Enum):
    """Where a life is; the innermost counts."""

    STARTING = "starting"
    AGEING = "ageing memory"
    REWINDING = "rewinding"
    PLAYING = "playing"
    CONSOLIDATING = "consolidation"
    COMMITTING = "commit of the record"
    CHECKPOINTING = "commit of a checkpoint"
    KEPT = "kept and not yet acknowledged"
    DELIVERING = "delivery"
    REPEATING = "delivery of nothing new"
    CLOSING = "consolidation at the end"
    TIDYING = "tidying memory"
    ENDING = "ending"


class Lesson(NamedTuple):
    """One row of an outbox, as it stands in the file."""

    sequence: int
    tick: int
    kind: str
    payload: Mapping[str, Any]


def digest(*parts: object) -> str:
    """Return 16 hex digits that name a content."""
    return blake2b(repr(parts).encode(), digest_size=8).hexdigest()


def spelled(value: object) -> str:
    """Return `value` as JSON in one spelling, whoever wrote it and in which order."""
    return json.dumps(value, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    """Return what JSON has no word for as something that it has."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping):
        return dict(value)
    message = f"{value!r} is not JSON"
    raise TypeError(message)
