"""What a run's file holds, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

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


Why: TypeAlias = Literal[
    "start", "milestone", "consolidation", "battle", "signal", "end", "back"
]  # what a checkpoint was made for; "battle": one that matters is about to begin, "back": play went back to it
BranchedBy: TypeAlias = Literal["stuck", "asked", "recovered", "resumed"]
Team: TypeAlias = tuple[
    tuple[int, int, int, int], ...
]  # species, level, HP and most HP of each member


class TrailRow(NamedTuple):
    """Where the player stood from a tick on, and what they had; one for each change of any of it."""

    tick: int
    frame: int
    map_id: int
    x: int
    y: int
    money: int
    badges: int
    team: Team


class VitalsRow(NamedTuple):
    """How the process did at a commit: wall time and bytes, which nothing in play depends on.

    `at_ms` are milliseconds since 1970, `wall_s` seconds since its session began; `resident` is its memory, `file_bytes`
    the run's file with its log, `free_bytes` what the disk has left.
    """

    session: str
    tick: int
    frame: int
    at_ms: int
    wall_s: float
    resident: int
    file_bytes: int
    free_bytes: int


class Branching(NamedTuple):
    """One time that play went back to `tick`; what was played up to `left` became a dead branch.

    The ladder that gets nowhere ("stuck"), a person ("asked") or whoever watches over crashes ("recovered") wanted it so,
    or a process died before a checkpoint covered what it had played ("resumed").
    """

    tick: int
    left: int
    why: BranchedBy
    session: str


class CheckpointMark(NamedTuple):
    """What is known of a checkpoint without reading it; `size` in bytes."""

    id: int
    tick: int
    frame: int
    why: Why
    size: int


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
    why: Why = field(default="consolidation", compare=False)
