"""What was committed of a run, for whoever wants to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.codec import Json, decode
from memory.errors import MissingCheckpoint
from memory.observations.observation import Observation, ObservationQuery
from memory.store.calls import CallRows
from memory.store.checkpoints import StrategistCheckpoints
from memory.store.entries import COUNT_TAGS, LIVE, entry_of
from memory.store.entry_search import EntrySearch
from memory.store.observations import ObservationRows
from memory.store.run_rows import (
    Branching,
    Checkpoint,
    CheckpointMark,
    EventRow,
    OutboxRow,
    StepRow,
    VitalsRow,
    read_trail,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memory.blackboard.entry import CheckpointPart, Entry
    from memory.recall.query import Found, MemoryQuery
    from memory.store.calls import ModelCall
    from memory.store.database import Database
    from memory.store.run_rows import TrailRow


EVERYTHING: Final = ObservationQuery()


class RunReader:
    """What was committed of a run."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sessions = StrategistCheckpoints(database)
        self._search = EntrySearch(database)
        self._observations = ObservationRows(database)

    @property
    def run_id(self) -> str:
        """The name under which this run's lessons are delivered."""
        rows = self._database.rows("SELECT run_id FROM run")
        with self._database.understood("run"):
            ((run_id,),) = rows
        return str(run_id)

    def steps(self, *, live: bool = True) -> Iterator[StepRow]:
        """Yield the live lineage's steps by tick; otherwise those of dead branches, as performed."""
        sql = (
            "SELECT tick, button, hold, settle, frame, digest, full_digest, chain FROM steps "
            "WHERE live = ? ORDER BY id"
        )
        return (StepRow(*row) for row in self._database.rows(sql, (int(live),)))

    def last_dead_step(self) -> int | None:
        """Return the number of the last step of the branch that died last, for `branch`."""
        row = self._database.row("SELECT max(id) FROM steps WHERE live = 0")
        return None if row is None else row[0]

    def branch(self, last: int) -> list[StepRow]:
        """Return the steps from power-on to step number `last`, which may be on a dead branch."""
        sql = (
            "SELECT tick, button, hold, settle, frame, digest, full_digest, chain FROM steps "
            "WHERE id <= ? ORDER BY id DESC"
        )
        rows: list[StepRow] = []
        # Where a branch begins, its ticks go back to that of the checkpoint; the step before is then the
        # nearest of that tick, since a restore does away with later checkpoints.
        for row in self._database.rows(sql, (last,)):
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

    def live_entries(self) -> Iterator[Entry]:
        """Yield the blackboard's entries by seq."""
        rows = self._database.rows(LIVE)
        with self._database.understood("entries"):
            for row in rows:
                yield entry_of(row)

    def find(self, query: MemoryQuery, *, now_s: float) -> list[Found]:
        """Return what answers `query` at `now_s`, the best first; of equals the newest first."""
        return self._search.find(query, now_s=now_s)

    def tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return how many entries carry each tag, without reading any of them."""
        return dict(self._database.rows(COUNT_TAGS, (scope_glob,)))

    def observations(self, query: ObservationQuery = EVERYTHING) -> list[Observation]:
        """Return what was observed that answers `query`, the newest first, or the most important."""
        return self._observations.found(query)

    def latest_observation(self, session: str) -> int | None:
        """Return the tick of the last observation of a session, or None when there is none."""
        return self._observations.latest(session)

    def sessions(self) -> list[str]:
        """Return the names of the sessions in which something could be observed, in their order."""
        return self._observations.sessions()

    def calls(self) -> list[ModelCall]:
        """Return the calls of a model, the first first, whatever became of the branch they were made on."""
        return CallRows(self._database).calls()

    def outbox(self, *, after: int = 0) -> list[OutboxRow]:
        """Return the lessons after sequence `after` that a checkpoint of the live lineage covers, oldest first."""
        sql = (
            "SELECT sequence, tick, kind, payload FROM outbox WHERE live = 1 AND sequence > ? "
            "AND sequence <= (SELECT coalesce(max(last_sequence), 0) FROM checkpoints) "
            "ORDER BY sequence"
        )
        rows = self._database.rows(sql, (after,))
        with self._database.understood("outbox"):
            return [
                OutboxRow(sequence, tick, kind, dict(decode(payload)))
                for sequence, tick, kind, payload in rows
            ]

    def latest_checkpoint(self) -> Checkpoint | None:
        """Return the last moment to come back to, or None when there is none yet."""
        return next(self.checkpoints(), None)

    def checkpoints(self) -> Iterator[Checkpoint]:
        """Yield the moments to come back to, newest first, each read when it is asked for."""
        for mark in reversed(self.marks()):
            try:
                yield self.checkpoint(mark.id)
            except MissingCheckpoint:
                continue  # let go of meanwhile, by who plays

    def checkpoint(self, number: int) -> Checkpoint:
        """Return a moment to come back to by its number.

        Raises:
            MissingCheckpoint: when the file does not hold it any more.
        """
        row = self._database.row(
            "SELECT tick, frame, state, chain, mind, why FROM checkpoints WHERE id = ?",
            (number,),
        )
        if row is None:
            message = (
                f"{self._database.path} does not hold checkpoint {number}; take one that it holds."
            )
            raise MissingCheckpoint(message)
        with self._database.understood(f"checkpoints, tick {row[0]}"):
            tick, frame, state, chain, mind, why = row
            return Checkpoint(tick, frame, state, chain, decode(mind), number, why)

    def marks(self) -> list[CheckpointMark]:
        """Return what is known of the moments to come back to without reading them, in their order."""
        rows = self._database.rows("SELECT id, tick, frame, why, size FROM checkpoints ORDER BY id")
        return [CheckpointMark(*row) for row in rows]

    def trail(self, *, live: bool = True) -> list[TrailRow]:
        """Return where the player stood and what they had, on the live lineage or on dead branches, as it came."""
        return read_trail(self._database, live=live)

    def vitals(self) -> list[VitalsRow]:
        """Return how the process did at each commit, whatever became of the branch."""
        rows = self._database.rows(
            "SELECT session, tick, frame, at_ms, wall_s, resident, file_bytes, free_bytes "
            "FROM vitals ORDER BY id"
        )
        return [VitalsRow(*row) for row in rows]

    def branchings(self) -> list[Branching]:
        """Return each time that play went back, the first first."""
        rows = self._database.rows("SELECT tick, left_at, why, session FROM branchings ORDER BY id")
        return [Branching(*row) for row in rows]

    def checkpoint_ticks(self) -> list[int]:
        """Return the ticks of the moments to come back to, newest first."""
        rows = self._database.rows("SELECT tick FROM checkpoints ORDER BY id DESC")
        return [int(tick) for (tick,) in rows]

    def restore_part(self, name: str, part: CheckpointPart) -> None:
        """Give `part` the state it had at the last checkpoint, if that holds one."""
        rows = self._database.rows(
            "SELECT data FROM parts WHERE name = ? "
            "AND checkpoint = (SELECT max(id) FROM checkpoints)",
            (name,),
        )
        with self._database.understood(f"part {name}"):
            for (data,) in rows:
                part.restore(decode(data))

    def load_strategist_checkpoint(self, session_id: str) -> Json:
        """Return what was saved last of a session on the live lineage, or None."""
        saved: Json = self._sessions.load(session_id)
        return saved

    def understood(self, what: str) -> AbstractContextManager[None]:
        """Turn the errors of code that takes `what` out of this file into CorruptStore."""
        return self._database.understood(what)

    def backup(self, path: Path) -> None:
        """Copy what was committed to a new file at `path`, also while the run is being played."""
        self._database.backup(path)

    def close(self) -> None:
        """Close the file; what was not committed is lost."""
        self._database.close()
