"""One run's file: steps, events, entries, checkpoints and the outbox, committed together.

Appending is cheap and in memory; `commit` makes it durable. A checkpoint holds the game and the state of every attached
part at the same moment; `rewind` restores all of it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import Final

from memory.blackboard.entry import CheckpointPart, Entry
from memory.codec import Json, encode
from memory.errors import BusyStore, CorruptStore, Faults, ObservationsRefused, StoreError
from memory.recall.query import MemoryQuery, ScoredEntry
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


class RunReader:
    """Reads the committed content of a run, one attribute for each topic."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.record = RecordReader(database)
        self.checkpoints = CheckpointReader(database)
        self.strategist_checkpoints = StrategistCheckpoints(database)
        self.outbox = OutboxReader(database)
        self.observations = ObservationReader(database)
        self.calls = CallReader(database)
        self._search = EntrySearch(database)

    @property
    def run_id(self) -> str:
        """The run id under which lessons are delivered."""
        rows = self._database.rows("SELECT run_id FROM run")
        with self._database.decoding("run"):
            ((run_id,),) = rows
        return str(run_id)

    def find(self, query: MemoryQuery, *, now_s: float) -> list[ScoredEntry]:
        """Return the entries that match `query` at `now_s`, best first."""
        return self._search.find(query, now_s=now_s)

    def live_entries(self) -> Iterator[Entry]:
        """Yield the live entries of the blackboard by seq."""
        rows = self._database.rows(LIVE)
        with self._database.decoding("entries"):
            for row in rows:
                yield entry_of(row)

    def decoding(self, what: str) -> AbstractContextManager[None]:
        """Return a context in which errors of decoding mean a damaged file."""
        return self._database.decoding(what)

    def backup(self, path: Path, *, replaces: bool = False) -> None:
        """Write a copy of the file to `path`."""
        self._database.backup(path, replaces=replaces)

    def close(self) -> None:
        """Close the file; uncommitted changes are lost."""
        self._database.close()


class RunStore(RunReader):
    """Reads and writes a run. What is appended to a topic is stored at the next commit."""

    record: RecordLog
    outbox: Outbox
    observations: ObservationLog
    calls: CallLedger

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.database = database  # for users with own tables that commit by themselves
        self.faults = Faults()
        self.record = RecordLog(database)
        self.outbox = Outbox(database)
        self.entries = Entries(database)
        self.observations = ObservationLog(database, self.faults, self.commit_if_free)
        self.calls = CallLedger(database)
        self._search = EntrySearch(database, commit_pending=self.commit_if_free)
        self._logs = (
            self.record,
            self.outbox,
            self.entries,
            self.strategist_checkpoints,
            self.observations,
        )
        self._parts: dict[str, CheckpointPart] = {}
        self._records = 0  # commits without a checkpoint
        database.defer_log_checkpoints()

    def put_entry(self, entry: Entry) -> None:
        """Store `entry` at the next commit, replacing an entry with the same seq."""
        self.entries.put(entry)

    def drop_entry(self, seq: int) -> None:
        """Delete the entry `seq` at the next commit."""
        self.entries.drop(seq)

    def tags(self, scope_glob: str = "*") -> dict[str, int]:
        """Return the number of entries with each tag."""
        return self.entries.count_tags(scope_glob)

    def next_session(self) -> str:
        """Return the name of a new session, one lifetime of a process."""
        return self.observations.next_session(self.run_id)

    def reindex(self) -> int:
        """Rebuild all indexes, and return how many entries are searched."""
        with self._database.transaction():
            return reindex_entries(self._database)

    def attach(self, name: str, part: CheckpointPart) -> None:
        """Save `part` with each checkpoint from now on, and restore it if the last one holds its state."""
        self._parts[name] = part
        self.checkpoints.restore(name, part)

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
        extent = self.checkpoints.extent(checkpoint)

        def go_back() -> None:
            self.record.rewind(extent.tick, extent.last_event, why, session)
            self.outbox.rewind(extent.last_sequence)
            self.entries.rewind(number, extent.last_entry)
            self.strategist_checkpoints.rewind(number)
            self.observations.rewind(number, extent.last_observation, kept_to=answered_to)
            rewind_conversations(database, number, kept_to=answered_to)
            database.execute("DELETE FROM checkpoints WHERE id > ?", (number,))
            database.execute_many(
                "INSERT OR REPLACE INTO parts (checkpoint, name, data) VALUES (?, ?, ?)",
                [(number, name, encode(each)) for name, each in (more or {}).items()],
            )

        self._transact(go_back)
        self._clear()
        for name, part in self._parts.items():
            self.checkpoints.restore(name, part)

    def close(self) -> None:
        """Close the file; uncommitted changes are lost, except calls, which are committed at once."""
        self.calls.close()
        super().close()

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
        save_checkpoint(self._database, checkpoint, parts, self.observations.last())
        marks = self.checkpoints.marks()
        numbers, stay = [mark.id for mark in marks], retained(marks)
        dropped = [number for number in numbers if number not in stay]
        self._database.execute_many(
            "DELETE FROM checkpoints WHERE id = ?", ((each,) for each in dropped)
        )
        for before, after in pairwise((0, *(number for number in numbers if number in stay))):
            if any(before < number < after for number in dropped):
                self.entries.prune(before, after)
                self.strategist_checkpoints.prune(before, after)

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
