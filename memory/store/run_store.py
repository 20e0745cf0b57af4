"""One run's file: steps, events, entries, checkpoints and the outbox, written together or not at all.

Appending costs next to nothing and is lost with the process; `commit` makes it last. A checkpoint holds the game,
the mind and the state of every attached part from the same moment; `rewind` brings all of it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.blackboard.entry import Entry, Part
from memory.codec import Json, decode, encode, require_json
from memory.errors import MissingCheckpoint
from memory.store.database import Database, open_database, open_readonly
from memory.store.run_rows import Checkpoint, EventRow, OutboxRow, StepRow
from memory.store.run_schema import RUN_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memory.tiers.lessons import Kind

CHECKPOINTS_KEPT: Final = 8


class RunReader:
    """What was committed of a run."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
        """Yield the blackboard's entries, oldest first."""
        sql = (
            "SELECT seq, scope, kind, tick, game_s, data, tags, importance, expires_s FROM entries "
            "WHERE dropped_after IS NULL ORDER BY seq"
        )
        rows = self._database.rows(sql)
        with self._database.understood("entries"):
            for seq, scope, kind, tick, game_s, data, tags, *rest in rows:
                content, words = dict(decode(data)), frozenset(decode(tags))
                yield Entry(seq, scope, kind, tick, game_s, content, words, *rest)

    def outbox(self) -> list[OutboxRow]:
        """Return the lessons that a checkpoint of the live lineage covers, oldest first."""
        sql = (
            "SELECT sequence, tick, kind, payload FROM outbox WHERE live = 1 AND sequence <= "
            "(SELECT coalesce(max(last_sequence), 0) FROM checkpoints) ORDER BY sequence"
        )
        rows = self._database.rows(sql)
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
        sql = "SELECT tick, frame, state, chain, mind FROM checkpoints WHERE id = ?"
        for (number,) in self._database.rows("SELECT id FROM checkpoints ORDER BY id DESC"):
            for tick, frame, state, chain, mind in self._database.rows(sql, (number,)):
                with self._database.understood(f"checkpoints, tick {tick}"):
                    mind_then = decode(mind)
                yield Checkpoint(tick, frame, state, chain, mind_then, number)

    def checkpoint_ticks(self) -> list[int]:
        """Return the ticks of the moments to come back to, newest first."""
        rows = self._database.rows("SELECT tick FROM checkpoints ORDER BY id DESC")
        return [int(tick) for (tick,) in rows]

    def restore_part(self, name: str, part: Part) -> None:
        """Give `part` the state it had at the last checkpoint, if that holds one."""
        rows = self._database.rows(
            "SELECT data FROM parts WHERE name = ? "
            "AND checkpoint = (SELECT max(id) FROM checkpoints)",
            (name,),
        )
        with self._database.understood(f"part {name}"):
            for (data,) in rows:
                part.restore(decode(data))

    def close(self) -> None:
        """Close the file; what was not committed is lost."""
        self._database.close()


class RunStore(RunReader):
    """A run being written."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._steps: list[StepRow] = []
        self._events: list[tuple[int, str, str]] = []
        self._lessons: list[tuple[int, str, str]] = []
        self._put: dict[int, Entry] = {}
        self._drop: list[int] = []
        self._parts: dict[str, Part] = {}

    def append_step(self, row: StepRow) -> None:
        """Keep one step at the next commit."""
        self._steps.append(row)

    def append_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Keep one event at the next commit."""
        self._events.append((tick, kind, encode(payload)))

    def enqueue(self, tick: int, kind: Kind, payload: Mapping[str, Json]) -> None:
        """Keep one lesson at the next commit; it goes up once a checkpoint covers it."""
        self._lessons.append((tick, kind, encode(payload)))

    def put_entry(self, entry: Entry) -> None:
        """Keep one blackboard entry at the next commit."""
        require_json(entry.data)
        if entry.tags:
            encode(sorted(entry.tags))
        # Encoded when it is committed: most entries of a moment are let go of before.
        self._put[entry.seq] = entry

    def drop_entry(self, seq: int) -> None:
        """Let go of one entry at the next commit; one that was never committed leaves no trace."""
        if self._put.pop(seq, None) is None:
            self._drop.append(seq)

    def attach(self, name: str, part: Part) -> None:
        """Save `part` with each checkpoint from now on, and restore it if the last one holds it."""
        self._parts[name] = part
        self.restore_part(name, part)

    def commit(self, *, checkpoint: Checkpoint | None = None) -> None:
        """Write all that was appended in one transaction, with `checkpoint` if there is one."""
        parts = {} if checkpoint is None else self._encoded_parts()
        with self._database.transaction():
            self._flush()
            if checkpoint is not None:
                self._save(checkpoint, parts)
        self._clear()

    def rewind(self, checkpoint: Checkpoint) -> None:
        """Go back to `checkpoint`, one of `checkpoints()`, with every attached part.

        What came after it becomes a dead branch; what was not committed is lost.
        """
        database, number = self._database, checkpoint.id
        row = database.row(
            "SELECT tick, last_event, last_seq, last_sequence FROM checkpoints WHERE id = ?",
            (number,),
        )
        if row is None:
            message = (
                f"{database.path} does not hold this checkpoint of tick {checkpoint.tick}; "
                "take one of those it holds."
            )
            raise MissingCheckpoint(message)
        tick, last_event, last_seq, last_sequence = row
        with database.transaction():
            database.execute("UPDATE steps SET live = 0 WHERE live = 1 AND tick > ?", (tick,))
            database.execute("UPDATE events SET live = 0 WHERE live = 1 AND id > ?", (last_event,))
            database.execute("UPDATE outbox SET live = 0 WHERE sequence > ?", (last_sequence,))
            database.execute("DELETE FROM entries WHERE seq > ?", (last_seq,))
            database.execute(
                "UPDATE entries SET dropped_after = NULL WHERE dropped_after >= ?", (number,)
            )
            database.execute("DELETE FROM checkpoints WHERE id > ?", (number,))
        self._clear()
        for name, part in self._parts.items():
            self.restore_part(name, part)

    def _flush(self) -> None:
        database = self._database
        database.execute_many(
            "INSERT INTO steps (tick, button, hold, settle, frame, digest, full_digest, chain) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            self._steps,
        )
        database.execute_many(
            "INSERT INTO events (tick, kind, payload) VALUES (?, ?, ?)", self._events
        )
        database.execute_many(
            "INSERT INTO outbox (tick, kind, payload) VALUES (?, ?, ?)", self._lessons
        )
        database.execute_many(
            "INSERT INTO entries (seq, scope, kind, tick, game_s, data, tags, importance, expires_s) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            map(_entry_row, self._put.values()),
        )
        database.execute_many(
            "UPDATE entries SET dropped_after = (SELECT coalesce(max(id), 0) FROM checkpoints) "
            "WHERE seq = ?",
            ((seq,) for seq in self._drop),
        )

    def _save(self, checkpoint: Checkpoint, parts: Mapping[str, str]) -> None:
        database = self._database
        database.execute(
            "INSERT INTO checkpoints "
            "(tick, frame, state, chain, mind, last_event, last_seq, last_sequence) "
            "VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM events), "
            "(SELECT coalesce(max(seq), 0) FROM entries), "
            "(SELECT coalesce(max(sequence), 0) FROM outbox))",
            (
                checkpoint.tick,
                checkpoint.frame,
                checkpoint.state,
                checkpoint.chain,
                encode(checkpoint.mind),
            ),
        )
        database.execute_many(
            "INSERT INTO parts (checkpoint, name, data) "
            "VALUES ((SELECT max(id) FROM checkpoints), ?, ?)",
            parts.items(),
        )
        database.execute(
            "DELETE FROM checkpoints WHERE id NOT IN "
            "(SELECT id FROM checkpoints ORDER BY id DESC LIMIT ?)",
            (CHECKPOINTS_KEPT,),
        )
        database.execute(
            "DELETE FROM entries WHERE dropped_after < (SELECT min(id) FROM checkpoints)"
        )

    def _encoded_parts(self) -> dict[str, str]:
        return {name: encode(part.to_json()) for name, part in self._parts.items()}

    def _clear(self) -> None:
        """Empty the buffers; only after the transaction, so that a failed one can be tried again."""
        self._steps.clear()
        self._events.clear()
        self._lessons.clear()
        self._put.clear()
        self._drop.clear()


def open_run_store(path: Path, *, run_id: str) -> RunStore:
    """Return the run at `path`, made if there is none.

    A new file takes `run_id`, which must never be given to another run; an old one keeps its own.
    """
    database = open_database(path, RUN_SCHEMA)
    try:
        database.execute("INSERT OR IGNORE INTO run (id, run_id) VALUES (1, ?)", (run_id,))
    except BaseException:
        database.close()
        raise
    return RunStore(database)


def read_run_store(path: Path) -> RunReader:
    """Return the run at `path` for reading, while it may still be written by another process."""
    return RunReader(open_readonly(path, RUN_SCHEMA))


def _entry_row(entry: Entry) -> tuple[object, ...]:
    return (
        entry.seq,
        entry.scope,
        entry.kind,
        entry.tick,
        entry.game_s,
        encode(entry.data),
        encode(sorted(entry.tags)) if entry.tags else "[]",
        entry.importance,
        entry.expires_s,
    )
