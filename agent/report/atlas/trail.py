"""What an atlas is drawn from: where the player stood from which tick on, and what is to be pinned."""

from enum import Enum
from typing import NamedTuple


class Visit(NamedTuple):
    """One row of a run's trail: where the player stood from this tick on."""

    tick: int
    map_id: int
    x: int
    y: int


class MarkKind(Enum):
    """What happened at a mark; the value is its word in CSS classes."""

    MILESTONE = "milestone"
    STUCK = "stuck"
    WHITEOUT = "whiteout"


class Mark(NamedTuple):
    """Something to be pinned to the square where it happened."""

    tick: int
    map_id: int
    x: int
    y: int
    label: str
    kind: MarkKind
