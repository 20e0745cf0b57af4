"""The record of a run: steps, events, trail and vitals, and each time that play went back.

Rows of dead branches stay, marked as not live. Appended rows are written at the next commit.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memory.codec import Json, decode, encode
from memory.store.database import Database, Reader, insert_into, select_from

_SAME_TEAM: Final = ""

BranchedBy: TypeAlias = Literal["stuck", "asked", "recovered", "resumed"]
Team: TypeAlias = tuple[tuple[int, int, int, int], ...]  # species, level, HP, max HP of each


class StepRow(NamedTuple):
    """One performed input. A plain tuple, since one is made every tick."""

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
    """One event."""

    tick: int
    kind: str
    payload: Mapping[str, Any]


class TrailRow(NamedTuple):
    """Position, money, badges and team of the player from a tick on; one row for each change."""

    tick: int
    frame: int
    map_id: int
    x: int
    y: int
    money: int
    badges: int
    team: Team


class VitalsRow(NamedTuple):
    """Measurements of the process at a commit: wall time and bytes, which play does not depend on.

    `at_ms` are milliseconds since 1970, `wall_s` seconds since the session began; `resident` is its memory, `file_bytes`
    the run's file with its log, `free_bytes` the free disk space.
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
    """One restore to `tick`; the steps up to `left` became a dead branch.

    It was requested by the recovery ("stuck"), the owner ("asked") or the crash supervisor ("recovered"), or play ended
    between two checkpoints ("resumed").
    """

    tick: int
    left: int
    why: BranchedBy
    session: str


_STEP: Final = select_from("steps", StepRow._fields)


class RecordReader(Reader):
    """Reads the committed record."""

    def steps(self, *, live: bool = True) -> Iterator[StepRow]:
        """Yield the steps of the live branch by tick; otherwise those of dead branches, as performed."""
        rows = self._database.rows(_STEP + "WHERE live = ? ORDER BY id", (int(live),))
        return (StepRow(*row) for row in rows)

    def last_tick(self) -> int:
        """Return the last tick of the live branch, 0 before the first."""
        row = self._database.row("SELECT max(tick) FROM steps WHERE live = 1")
        return 0 if row is None or row[0] is None else int(row[0])

    def last_dead_step(self) -> int | None:
        """Return the number of the last step of the newest dead branch, for `branch`."""
        row = self._database.row("SELECT max(id) FROM steps WHERE live = 0")
        return None if row is None else row[0]

    def branch(self, last: int) -> list[StepRow]:
        """Return the steps from power-on to step number `last`, which may be on a dead branch."""
        rows: list[StepRow] = []
        # A branch begins at the tick of a checkpoint; the step before it is the nearest one of that
        # tick, since a restore deletes later checkpoints.
        for row in self._database.rows(_STEP + "WHERE id <= ? ORDER BY id DESC", (last,)):
            if not rows or row[0] == rows[-1].tick - 1:
                rows.append(StepRow(*row))
        return rows[::-1]

    def events(self, kind: str | None = None, *, live: bool = True) -> Iterator[EventRow]:
        """Yield the events, of one kind or all, in order."""
        sql = (
            "SELECT tick, kind, payload FROM events WHERE live = ?1 AND (?2 IS NULL OR kind = ?2) "
            "ORDER BY id"
        )
        rows = self._database.rows(sql, (int(live), kind))
        with self._database.decoding("events"):
            for tick, name, payload in rows:
                yield EventRow(tick, name, dict(decode(payload)))

    def trail(self, *, live: bool = True) -> list[TrailRow]:
        """Return the trail of the live branch, or of dead ones, in order."""
        found: list[TrailRow] = []
        team: Team = ()
        sql = select_from("trail", (*TrailRow._fields, "live"))
        rows = self._database.rows(sql + "ORDER BY id")
        with self._database.decoding("trail"):
            for *where, encoded, is_live in rows:
                if encoded != _SAME_TEAM:
                    team = tuple(
                        (kind, level, hp, most) for kind, level, hp, most in decode(encoded)
                    )
                if bool(is_live) is live:
                    found.append(TrailRow._make((*where, team)))
        return found

    def vitals(self) -> list[VitalsRow]:
        """Return the vitals of each commit, on all branches."""
        sql = select_from("vitals", VitalsRow._fields) + "ORDER BY id"
        return self._database.read("vitals", VitalsRow._make, sql)

    def branchings(self) -> list[Branching]:
        """Return each time that play went back, oldest first."""
        sql = "SELECT tick, left_at, why, session FROM branchings ORDER BY id"
        return self._database.read("branchings", Branching._make, sql)


class RecordLog(RecordReader):
    """Reads and writes the record. A team equal to that of the row before is stored as ''."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._steps: list[StepRow] = []
        self._vitals: list[VitalsRow] = []
        self._events: list[tuple[int, str, str]] = []
        self._on_event: Callable[[EventRow], object] | None = None
        self._trail: list[tuple[int | str, ...]] = []
        self._team: Team | None = None  # the last one written in full

    def append(self, step: StepRow) -> None:
        """Store one step at the next commit."""
        self._steps.append(step)

    def add_vitals(self, row: VitalsRow) -> None:
        """Store the vitals at the next commit."""
        self._vitals.append(row)

    def add_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Store one event at the next commit."""
        self._events.append((tick, kind, encode(payload)))
        if self._on_event is not None:
            self._on_event(EventRow(tick, kind, payload))

    def watch(self, on_event: Callable[[EventRow], object]) -> None:
        """Call `on_event` with each event from now on."""
        self._on_event = on_event

    def add_trail(self, row: TrailRow) -> None:
        """Store one row of the trail at the next commit."""
        team = _SAME_TEAM if row.team == self._team else encode(row.team)
        self._team = row.team
        self._trail.append((*row[:-1], team))

    def flush(self) -> None:
        """Write the appended rows, within the transaction of a commit."""
        many = self._database.execute_many
        many(insert_into("steps", StepRow._fields), self._steps)
        many(insert_into("events", ("tick", "kind", "payload")), self._events)
        many(insert_into("vitals", VitalsRow._fields), self._vitals)
        many(insert_into("trail", TrailRow._fields), self._trail)

    def discard_changes(self) -> None:
        """Discard unwritten changes."""
        for rows in (self._steps, self._vitals, self._events, self._trail):
            rows.clear()

    def rewind(self, tick: int, last_event: int, why: BranchedBy, session: str) -> None:
        """Mark the rows after `tick` as a dead branch, and record this restore by `session`, within a transaction.

        The trail row of `tick` itself is marked too: play that resumes there writes it first.
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
