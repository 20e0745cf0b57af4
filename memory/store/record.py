"""The record of a run: its steps, events, trail and vitals, and each time that play went back.

What lies on a dead branch stays, marked as no longer live. Appended rows are written with the next commit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memory.codec import Json, decode, encode
from memory.store.database import Database, Reader, insert_into, select_from

_SAME_TEAM: Final = ""

BranchedBy: TypeAlias = Literal["stuck", "asked", "recovered", "resumed"]
Team: TypeAlias = tuple[tuple[int, int, int, int], ...]  # species, level, HP, most HP of each


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

    The recovery ladder ("stuck"), a person ("asked") or the supervisor of crashes ("recovered") asked for it, or a process
    died before a checkpoint covered what it had played ("resumed").
    """

    tick: int
    left: int
    why: BranchedBy
    session: str


_STEP: Final = select_from("steps", StepRow._fields)


class RecordReader(Reader):
    """What was committed of the record."""

    @property
    def run_id(self) -> str:
        """The name under which this run's lessons are delivered."""
        rows = self._database.rows("SELECT run_id FROM run")
        with self._database.understood("run"):
            ((run_id,),) = rows
        return str(run_id)

    def steps(self, *, live: bool = True) -> Iterator[StepRow]:
        """Yield the live branch's steps by tick; otherwise those of dead branches, as performed."""
        rows = self._database.rows(_STEP + "WHERE live = ? ORDER BY id", (int(live),))
        return (StepRow(*row) for row in rows)

    def last_dead_step(self) -> int | None:
        """Return the number of the last step of the branch that died last, for `branch`."""
        row = self._database.row("SELECT max(id) FROM steps WHERE live = 0")
        return None if row is None else row[0]

    def branch(self, last: int) -> list[StepRow]:
        """Return the steps from power-on to step number `last`, which may be on a dead branch."""
        rows: list[StepRow] = []
        # Where a branch begins, its ticks go back to that of the checkpoint; the step before is then the
        # nearest of that tick, since a restore does away with later checkpoints.
        for row in self._database.rows(_STEP + "WHERE id <= ? ORDER BY id DESC", (last,)):
            if not rows or row[0] == rows[-1].tick - 1:
                rows.append(StepRow(*row))
        return rows[::-1]

    def events(self, kind: str | None = None, *, live: bool = True) -> Iterator[EventRow]:
        """Yield what happened, all or of one kind, in its order."""
        sql = (
            "SELECT tick, kind, payload FROM events WHERE live = ?1 AND (?2 IS NULL OR kind = ?2) "
            "ORDER BY id"
        )
        rows = self._database.rows(sql, (int(live), kind))
        with self._database.understood("events"):
            for tick, name, payload in rows:
                yield EventRow(tick, name, dict(decode(payload)))

    def trail(self, *, live: bool = True) -> list[TrailRow]:
        """Return where the player stood and what they had, on the live branch or on dead ones, as it came."""
        found: list[TrailRow] = []
        team: Team = ()
        sql = select_from("trail", (*TrailRow._fields, "live"))
        rows = self._database.rows(sql + "ORDER BY id")
        with self._database.understood("trail"):
            for *where, encoded, is_live in rows:
                if encoded != _SAME_TEAM:
                    team = tuple(
                        (kind, level, hp, most) for kind, level, hp, most in decode(encoded)
                    )
                if bool(is_live) is live:
                    found.append(TrailRow._make((*where, team)))
        return found

    def vitals(self) -> list[VitalsRow]:
        """Return how the process did at each commit, on whatever branch."""
        sql = select_from("vitals", VitalsRow._fields) + "ORDER BY id"
        return self._database.read("vitals", VitalsRow._make, sql)

    def branchings(self) -> list[Branching]:
        """Return each time that play went back, the first first."""
        sql = "SELECT tick, left_at, why, session FROM branchings ORDER BY id"
        return self._database.read("branchings", Branching._make, sql)


class RecordLog:
    """The record while it is written. A team that is as in the row before is not spelled out again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.steps: list[StepRow] = []
        self.vitals: list[VitalsRow] = []
        self._events: list[tuple[int, str, str]] = []
        self._trail: list[tuple[int | str, ...]] = []
        self._team: Team | None = None  # as it was spelled out last

    def add_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Keep one event at the next commit."""
        self._events.append((tick, kind, encode(payload)))

    def add_trail(self, row: TrailRow) -> None:
        """Keep one row of the trail at the next commit."""
        team = _SAME_TEAM if row.team == self._team else encode(row.team)
        self._team = row.team
        self._trail.append((*row[:-1], team))

    def flush(self) -> None:
        """Write what was appended, within the transaction of a commit."""
        many = self._database.execute_many
        many(insert_into("steps", StepRow._fields), self.steps)
        many(insert_into("events", ("tick", "kind", "payload")), self._events)
        many(insert_into("vitals", VitalsRow._fields), self.vitals)
        many(insert_into("trail", TrailRow._fields), self._trail)

    def discard_changes(self) -> None:
        """Begin anew from what the file holds."""
        for rows in (self.steps, self.vitals, self._events, self._trail):
            rows.clear()

    def rewind(self, tick: int, last_event: int, why: BranchedBy, session: str) -> None:
        """Leave what came after `tick` on a dead branch, and note that `session` did so, within a transaction.

        The trail of `tick` itself goes with it: play that goes on from there writes it first.
        """
        execute = self._database.execute
        execute(
            "INSERT INTO branchings (tick, left_at, why, session) "
            "SELECT ?1, max(tick), ?2, ?3 FROM steps WHERE live = 1 HAVING max(tick) > ?1",
            (tick, why, session),
        )
        execute("UPDATE steps SET live = 0 WHERE live = 1 AND tick > ?", (tick,))
        execute("UPDATE events SET live = 0 WHERE live = 1 AND id > ?", (last_event,))
        execute("UPDATE trail SET live = 0 WHERE live = 1 AND tick >= ?", (tick,))
        self._team = None
