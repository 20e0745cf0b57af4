"""One run's file: steps, events, entries, checkpoints and the outbox, committed together.

Appending is cheap and in memory; `commit` makes it durable. A checkpoint holds the game and the state of every attached
part at the same moment; `rewind` restores all of it.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final

from memory.blackboard.entry import CheckpointPart, Entry
from memory.codec import Json, encode
from memory.errors import BusyStore, CorruptStore, Faults, ObservationsRefused, StoreError
from memory.store.calls import CallLedger, CallReader
from memory.store.checkpoints import (
    Checkpoint,
    CheckpointReader,
    StrategistCheckpoints,
    retained,
    save_checkpoint,
)
from memory.store.conversations import rewind_conversations
from memory.store.database import Database, open_database, open_readonly
from memory.store.entries import LIVE, Entries, entry_of, reindex_entries
from memory.store.entry_search import EntrySearch
from memory.store.observations import ObservationLog, ObservationReader
from memory.store.outbox import Outbox, OutboxReader
from memory.store.record import BranchedBy, RecordLog, RecordReader
from memory.store.schema import RUN_SCHEMA

LOG_CHECKPOINT_EVERY: Final = 4  # commits without a checkpoint: a thousand ticks, some 4 MB


class RunReader(RecordReader, CheckpointReader, OutboxReader, ObservationReader, CallReader):
    """Reads the committed content of a run."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._sessions = StrategistCheckpoints(database)
        self.load_strategist_checkpoint = self._sessions.load
        self.find = EntrySearch(database).find
        self.decoding = database.decoding
        self.backup = database.backup

    def live_entries(self) -> Iterator[Entry]:
        """Yield the live entries of the blackboard by seq."""
        rows = self._database.rows(LIVE)
        with self._database.decoding("entries"):
            for row in rows:
                yield entry_of(row)

    def close(self) -> None:
        """Close the file; uncommitted changes are lost."""
        self._database.close()


class RunStore(RunReader, CallLedger):
    """Reads and writes a run."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.database = database  # for users with own tables that commit by themselves
        self.faults = Faults()
        self._record = RecordLog(database)
        self._outbox = Outbox(database)
        self._entries = Entries(database)
        self._observations = ObservationLog(database, self.faults, self._commit_pending)
        self.find = EntrySearch(database, commit_pending=self.commit_if_free).find
        self._logs = self._record, self._outbox, self._entries, self._sessions, self._observations
        self._parts: dict[str, CheckpointPart] = {}
        self._records = 0  # commits without a checkpoint
        # Each stores its argument at the next commit.
        self.append_step = self._record.steps.append
        self.append_event = self._record.add_event
        self.append_trail = self._record.add_trail
        self.watch_events = self._record.watch
        self.append_vitals = self._record.vitals.append
        self.add_observations = self._observations.add
        self.put_entry = self._entries.put
        self.drop_entry = self._entries.drop
        self.enqueue = self._outbox.add  # delivered once a checkpoint covers it
        self.number_lessons_after = self._outbox.number_after
        self.save_strategist_checkpoint = self._sessions.save
        self.tags = self._entries.count_tags
        self.observe_now = self._observations.add_now
        self.clear_observations = self._observations.clear
        self.mark_stale = self._observations.mark_stale
        database.defer_log_checkpoints()

    def next_session(self) -> str:
        """Return the name of a new session, one lifetime of a process."""
        return self._observations.next_session(self.run_id)

    def reindex(self) -> int:
        """Rebuild all indexes, and return how many entries are searched."""
        with self._database.transaction():
            return reindex_entries(self._database)

    def attach(self, name: str, part: CheckpointPart) -> None:
        """Save `part` with each checkpoint from now on, and restore it if the last one holds its state."""
        self._parts[name] = part
        self.restore_part(name, part)

    def commit(
        self, *, checkpoint: Checkpoint | None = None, more: Mapping[str, Json] | None = None
    ) -> None:
        """Write all appended rows in one transaction, with `checkpoint` if given, and `more` as further parts of it."""
        saved = self._parts if checkpoint is not None else {}
        parts = {name: encode(part.to_json()) for name, part in saved.items()}
        parts |= {name: encode(each) for name, each in (more or {}).items()}

        def write() -> None:
            for log in self._logs:
                log.flush()
            if checkpoint is not None:
                self._save(checkpoint, parts)

        self._transact(write)
        self._clear()
        if checkpoint is None:
            self._checkpoint_log()

    def commit_if_free(self) -> bool:
        """Commit; when another process holds the file, keep the changes and count a fault."""
        try:
            self.commit()
        except BusyStore as fault:
            self.faults.note("commit", fault)
            return False
        return True

    def rewind(
        self,
        checkpoint: Checkpoint,
        why: BranchedBy = "resumed",
        session: str = "",
        *,
        answered_to: int = -1,
        more: Mapping[str, Json] | None = None,
    ) -> None:
        """Restore `checkpoint`, one of `checkpoints()`, with every attached part; `more` become further parts of it.

        Later rows become a dead branch, recorded as left by `session`; uncommitted changes are lost. Conversations keep what
        was said up to tick `answered_to`, where the questions of the branch are answered again from the record.
        """
        database, number = self._database, checkpoint.id
        extent = self._extent(checkpoint)

        def go_back() -> None:
            self._record.rewind(extent.tick, extent.last_event, why, session)
            self._outbox.rewind(extent.last_sequence)
            self._entries.rewind(number, extent.last_entry)
            self._sessions.rewind(number)
            self._observations.rewind(number, extent.last_observation, kept_to=answered_to)
            rewind_conversations(database, number, kept_to=answered_to)
            database.execute("DELETE FROM checkpoints WHERE id > ?", (number,))
            database.execute_many(
                "INSERT OR REPLACE INTO parts (checkpoint, name, data) VALUES (?, ?, ?)",
                [(number, name, encode(each)) for name, each in (more or {}).items()],
            )

        self._transact(go_back)
        self._clear()
        for name, part in self._parts.items():
            self.restore_part(name, part)

    def close(self) -> None:
        """Close the file; uncommitted changes are lost, except calls, which are committed at once."""
        self.close_calls()
        super().close()

    def _commit_pending(self) -> None:
        self.commit_if_free()

    def _checkpoint_log(self) -> None:
        """Write the log into the file at intervals, not with a checkpoint, which is slow enough already."""
        self._records += 1
        if self._records % LOG_CHECKPOINT_EVERY == 0:
            try:
                self._database.checkpoint_log()
            except StoreError as fault:
                self.faults.note("fold the log", fault)

    def _transact(self, write: Callable[[], None]) -> None:
        """Run `write` in one transaction; after CorruptStore rebuild the indexes and try once more."""
        try:
            self._attempt(write)
        except CorruptStore:
            self.reindex()
            self._attempt(write)

    def _attempt(self, write: Callable[[], None]) -> None:
        """Run `write` in one transaction, without observations when the file refuses them."""
        try:
            with self._database.transaction():
                write()
        except ObservationsRefused:
            with self._database.transaction():
                write()

    def _save(self, checkpoint: Checkpoint, parts: Mapping[str, str]) -> None:
        """Write a checkpoint, and delete those not retained, with the rows only they needed."""
        save_checkpoint(self._database, checkpoint, parts, self._observations.last())
        marks = self.marks()
        numbers, stay = [mark.id for mark in marks], retained(marks)
        dropped = [number for number in numbers if number not in stay]
        self._database.execute_many(
            "DELETE FROM checkpoints WHERE id = ?", ((each,) for each in dropped)
        )
        for before, after in pairwise((0, *(number for number in numbers if number in stay))):
            if any(before < number < after for number in dropped):
                self._entries.prune(before, after)
                self._sessions.prune(before, after)

    def _clear(self) -> None:
        """Clear the buffers, after the transaction, so that a failed one can be tried again."""
        for log in self._logs:
            log.discard_changes()


def open_run_store(path: Path, *, run_id: str) -> RunStore:
    """Open the run at `path`, after creating it if missing.

    A new file takes `run_id`, which must be unique; an existing file keeps its own.
    """
    database = open_database(path, RUN_SCHEMA)
    try:
        database.execute("INSERT OR IGNORE INTO run (id, run_id) VALUES (1, ?)", (run_id,))
    except BaseException:
        database.close()
        raise
    return RunStore(database)


def read_run_store(path: Path) -> RunReader:
    """Open the run at `path` for reading, while another process may write it."""
    return RunReader(open_readonly(path, RUN_SCHEMA))
