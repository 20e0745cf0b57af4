"""One run's file: steps, events, entries, checkpoints and the outbox, written together or not at all.

Appending costs next to nothing and is lost with the process; `commit` makes it last. A checkpoint holds the game,
the mind and the state of every attached part from the same moment; `rewind` brings all of it back.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from memory.codec import Json, encode
from memory.errors import (
    BusyStore,
    CorruptStore,
    Faults,
    MissingCheckpoint,
    ObservationsRefused,
    StoreError,
)
from memory.store.calls import CallLedger
from memory.store.checkpoints import kept
from memory.store.database import Database, open_database, open_readonly
from memory.store.entries import Entries, reindex_entries
from memory.store.entry_search import EntrySearch
from memory.store.observations import ObservationLog
from memory.store.outbox import require_deliverable
from memory.store.run_reader import RunReader
from memory.store.run_rows import TrailLog
from memory.store.run_schema import RUN_SCHEMA, rewind_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from memory.blackboard.entry import CheckpointPart, Entry
    from memory.observations.observation import Observed
    from memory.store.calls import Booking, CallOutcome, CallSums, LastCall
    from memory.store.run_rows import BranchedBy, Checkpoint, StepRow, TrailRow, VitalsRow
    from memory.tiers.lessons import LessonKind


FOLD_EVERY: Final = 4  # commits of the record: a thousand ticks, some 4 MB


class RunStore(RunReader):
    """A run being written."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._steps: list[StepRow] = []
        self._events: list[tuple[int, str, str]] = []
        self._lessons: list[tuple[int, str, str]] = []
        self._vitals: list[VitalsRow] = []
        self._trail = TrailLog(database)
        self._entries = Entries(database)
        self._search = EntrySearch(database, settle=self.commit_if_free)
        self.faults = Faults()
        self._observations: ObservationLog = ObservationLog(
            database, self.faults, settle=self.commit_if_free
        )
        self._parts: dict[str, CheckpointPart] = {}
        self._calls = CallLedger(database)
        self._records = 0  # commits without a checkpoint
        database.defer_folding()

    @property
    def database(self) -> Database:
        """The file, for what keeps tables of its own in it and commits by itself."""
        return self._database

    def append_step(self, row: StepRow) -> None:
        """Keep one step at the next commit."""
        self._steps.append(row)

    def append_event(self, tick: int, kind: str, payload: Mapping[str, Json]) -> None:
        """Keep one event at the next commit."""
        self._events.append((tick, kind, encode(payload)))

    def append_trail(self, row: TrailRow) -> None:
        """Keep where the player stands and what they have at the next commit."""
        self._trail.append(row)

    def append_vitals(self, row: VitalsRow) -> None:
        """Keep how the process does at the next commit."""
        self._vitals.append(row)

    def number_lessons_after(self, sequence: int) -> None:
        """Give no lesson to come a number up to `sequence`, which were given by a newer copy of this file."""
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', 0 "
                "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')"
            )
            self._database.execute(
                "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'outbox' AND seq < ?1",
                (sequence,),
            )

    def enqueue(self, tick: int, kind: LessonKind, payload: Mapping[str, Json]) -> None:
        """Keep one lesson at the next commit; it goes up once a checkpoint covers it."""
        require_deliverable(kind, payload)
        self._lessons.append((tick, kind, encode(payload)))

    def put_entry(self, entry: Entry) -> None:
        """Keep one blackboard entry at the next commit, in the place of one of its seq if there is one."""
        self._entries.put(entry)

    def drop_entry(self, seq: int) -> None:
        """Let go of one entry at the next commit; one that was never committed leaves no trace."""
        self._entries.drop(seq)

    def tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return how many entries carry each tag, with those of the next commit."""
        return self._entries.count_tags(scope_glob)

    def save_strategist_checkpoint(self, session_id: str, tick: int, data: Json) -> None:
        """Keep the state of a session at the next commit, in the place of what was saved before."""
        self._sessions.save(session_id, tick, data)

    def next_session(self) -> str:
        """Return the name of the session that begins, one lifetime of a process."""
        return self._observations.next_session(self.run_id)

    def add_observations(
        self, session: str, observed: Iterable[Observed], *, tick: int, game_s: float
    ) -> None:
        """Keep what was observed in a session at the next commit."""
        self._observations.add(session, observed, tick, game_s)

    def observe_now(
        self, session: str, observed: Iterable[Observed], *, tick: int, game_s: float
    ) -> None:
        """Write what was observed within a transaction of the caller.

        Raises:
            ObservationsRefused: when the file does not take it; what goes with it can be written without.
        """
        self._observations.add_now(session, observed, tick, game_s)

    def clear_observations(self, session: str) -> int:
        """Return how many observations of a session are gone for good."""
        return self._observations.clear(session)

    def mark_stale(self, ids: Iterable[int], reason: str) -> None:
        """Say of observations why they no longer hold; what is said already stays."""
        self._observations.mark_stale(ids, reason)

    def book_call(self, booking: Booking) -> int:
        """Return the number of a call that is about to be made, booked at its worst and for good."""
        return self._calls.book(booking)

    def settle_call(self, number: int, outcome: CallOutcome) -> bool:
        """Return whether a booked call was still open, and is now settled at what came of it."""
        return self._calls.settle(number, outcome)

    def last_call(self) -> LastCall:
        """Return the latest time of any call, and the milestone of the newest."""
        return self._calls.last()

    def call_sums(self, *, now_ms: int, milestone: str) -> CallSums:
        """Return what calls count for in all, in the hour before `now_ms` and since `milestone`."""
        return self._calls.sums(now_ms=now_ms, milestone=milestone)

    def reindex(self) -> int:
        """Return how many entries can be searched, after all indexes were made anew."""
        return reindex_entries(self._database)

    def attach(self, name: str, part: CheckpointPart) -> None:
        """Save `part` with each checkpoint from now on, and restore it if the last one holds it."""
        self._parts[name] = part
        self.restore_part(name, part)

    def commit(self, *, checkpoint: Checkpoint | None = None) -> None:
        """Write all that was appended in one transaction, with `checkpoint` if there is one."""
        parts = {} if checkpoint is None else self._encoded_parts()

        def write() -> None:
            self._flush()
            if checkpoint is not None:
                self._save(checkpoint, parts)

        self._transact(write)
        self._clear()
        if checkpoint is None:
            self._fold_log()

    def commit_if_free(self) -> bool:
        """Commit, unless somebody else holds the file: then all of it waits, and that is counted."""
        try:
            self.commit()
        except BusyStore as fault:
            self.faults.note("commit", fault)
            return False
        return True

    def rewind(
        self, checkpoint: Checkpoint, why: BranchedBy = "resumed", session: str = ""
    ) -> None:
        """Go back to `checkpoint`, one of `checkpoints()`, with every attached part.

        What came after it becomes a dead branch, and that is told as done by `session`; what was not committed is lost.
        """
        database, number = self._database, checkpoint.id
        row = database.row(
            "SELECT tick, last_event, last_entry, last_sequence, last_observation "
            "FROM checkpoints WHERE id = ?",
            (number,),
        )
        if row is None:
            message = (
                f"{database.path} does not hold this checkpoint of tick {checkpoint.tick}; "
                "take one of those it holds."
            )
            raise MissingCheckpoint(message)
        tick, last_event, last_entry, last_sequence, last_observation = row

        def go_back() -> None:
            database.execute(
                "INSERT INTO branchings (tick, left_at, why, session) "
                "SELECT ?1, max(tick), ?2, ?3 FROM steps WHERE live = 1 HAVING max(tick) > ?1",
                (tick, why, session),
            )
            database.execute("UPDATE steps SET live = 0 WHERE live = 1 AND tick > ?", (tick,))
            database.execute("UPDATE events SET live = 0 WHERE live = 1 AND id > ?", (last_event,))
            database.execute("UPDATE outbox SET live = 0 WHERE sequence > ?", (last_sequence,))
            self._trail.rewind(tick)
            self._entries.rewind(number, last_entry)
            self._sessions.rewind(number)
            self._observations.rewind(number, last_observation)
            rewind_threads(database, number)
            database.execute("DELETE FROM checkpoints WHERE id > ?", (number,))

        self._transact(go_back)
        self._clear()
        for name, part in self._parts.items():
            self.restore_part(name, part)

    def close(self) -> None:
        """Close the file; what was not committed is lost, but for calls, which are always kept at once."""
        self._calls.close()
        super().close()

    def _fold_log(self) -> None:
        """Empty the log now and then, when no checkpoint is waited for: that takes long enough without."""
        self._records += 1
        if self._records % FOLD_EVERY == 0:
            try:
                self._database.fold_log()
            except StoreError as fault:
                self.faults.note("fold the log", fault)

    def _transact(self, write: Callable[[], None]) -> None:
        """Do `write` or nothing of it; a broken index is no reason to stop, since it can be made anew."""
        try:
            self._attempt(write)
        except CorruptStore:
            self.reindex()
            self._attempt(write)

    def _attempt(self, write: Callable[[], None]) -> None:
        """Do `write` in one transaction, without observations where the file does not take them."""
        try:
            with self._database.transaction():
                write()
        except ObservationsRefused:
            with self._database.transaction():
                write()

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
            "INSERT INTO vitals "
            "(session, tick, frame, at_ms, wall_s, resident, file_bytes, free_bytes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            self._vitals,
        )
        self._trail.flush()
        self._entries.flush()
        self._sessions.flush()
        self._observations.flush()

    def _save(self, checkpoint: Checkpoint, parts: Mapping[str, str]) -> None:
        database, mind = self._database, encode(checkpoint.mind)
        size = len(checkpoint.state) + len(mind) + sum(map(len, parts.values()))
        database.execute(
            "INSERT INTO checkpoints (tick, frame, state, chain, mind, why, size, "
            "last_observation, last_event, last_entry, last_sequence) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM events), "
            "(SELECT coalesce(max(id), 0) FROM entries), "
            "(SELECT coalesce(max(sequence), 0) FROM outbox))",
            (
                checkpoint.tick,
                checkpoint.frame,
                checkpoint.state,
                checkpoint.chain,
                mind,
                checkpoint.why,
                size,
                self._observations.last(),
            ),
        )
        database.execute_many(
            "INSERT INTO parts (checkpoint, name, data) "
            "VALUES ((SELECT max(id) FROM checkpoints), ?, ?)",
            parts.items(),
        )
        self._let_go()

    def _let_go(self) -> None:
        """Delete the checkpoints that are not kept, and what nothing but they needed."""
        marks = self.marks()
        numbers, stay = [mark.id for mark in marks], kept(marks)
        gone = [number for number in numbers if number not in stay]
        self._database.execute_many(
            "DELETE FROM checkpoints WHERE id = ?", ((number,) for number in gone)
        )
        for before, after in pairwise((0, *(number for number in numbers if number in stay))):
            if any(before < number < after for number in gone):
                self._entries.prune(before, after)
                self._sessions.prune(before, after)

    def _encoded_parts(self) -> dict[str, str]:
        return {name: encode(part.to_json()) for name, part in self._parts.items()}

    def _clear(self) -> None:
        """Empty the buffers; only after the transaction, so that a failed one can be tried again."""
        self._steps.clear()
        self._events.clear()
        self._lessons.clear()
        self._vitals.clear()
        self._trail.forget_changes()
        self._entries.forget_changes()
        self._sessions.forget_changes()
        self._observations.forget_changes()


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
