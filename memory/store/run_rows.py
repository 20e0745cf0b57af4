"""What a run's file holds, row by row, and the trail of the player: one row for each change of place or possessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from memory.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json
    from memory.store.database import Database
    from memory.tiers.lessons import LessonKind


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
    kind: LessonKind
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


_INSERT: Final = "INSERT INTO trail (tick, frame, map_id, x, y, money, badges, team) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_READ: Final = "SELECT tick, frame, map_id, x, y, money, badges, team, live FROM trail ORDER BY id"
_SAME: Final = ""


class TrailLog:
    """Written with the next commit. A team that is as in the row before is not spelled out again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows: list[tuple[int | str, ...]] = []
        self._team: Team | None = None  # as it was spelled out last

    def append(self, row: TrailRow) -> None:
        """Keep one row at the next commit."""
        team = _SAME if row.team == self._team else encode(row.team)
        self._team = row.team
        self._rows.append((*row[:-1], team))

    def flush(self) -> None:
        """Write what was appended, within the transaction of a commit."""
        self._database.execute_many(_INSERT, self._rows)

    def forget_changes(self) -> None:
        """Begin anew from what the file holds."""
        self._rows.clear()

    def rewind(self, tick: int) -> None:
        """Leave what came after `tick` on a dead branch, within a transaction.

        What was told of `tick` itself goes with it: whoever goes on from there tells it first.
        """
        self._team = None
        self._database.execute("UPDATE trail SET live = 0 WHERE live = 1 AND tick >= ?", (tick,))


def read_trail(database: Database, *, live: bool) -> list[TrailRow]:
    """Return the rows of the live lineage, or of dead branches, in the order of their making."""
    found: list[TrailRow] = []
    team: Team = ()
    with database.understood("trail"):
        for row in database.rows(_READ):
            if row[-2] != _SAME:
                team = tuple(
                    (species, level, hp, most) for species, level, hp, most in decode(row[-2])
                )
            if bool(row[-1]) is live:
                found.append(TrailRow._make((*row[:-2], team)))
    return found
