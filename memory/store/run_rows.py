"""What a run's file holds, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.tiers.lessons import Kind


class StepRow(NamedTuple):
    """One input as it was performed. A plain tuple, since one is made every tick."""

    tick: int
    button: str | None
    hold: int
    settle: int
    frame: int
    digest: bytes
    full_digest: bytes | None
    chain: bytes


@dataclass(frozen=True, slots=True)
class EventRow:
    """One thing that happened."""

    tick: int
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One lesson on its way to the knowledge that outlives the run."""

    sequence: int
    tick: int
    kind: Kind
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One moment to come back to: the game, the chain of digests so far, and the mind's own part.

    `id` is its number in the file, which the store gives.
    """

    tick: int
    frame: int
    state: bytes
    chain: bytes
    mind: Json
    id: int = field(default=0, compare=False)
