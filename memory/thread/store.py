"""A conversation's memory in the file of its run, or in one of its own: messages, chunks, reflections, leases.

A message is kept at once. All else moves in one transaction a step. That no message is covered twice, or skipped, or
covered by what was observed of another branch, is asked by the statement that writes a chunk, not by who calls it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from memory.errors import ObservationsRefused
from memory.store.database import open_database
from memory.store.run_schema import RUN_SCHEMA
from memory.thread import lease, message_rows, thread_rows
from memory.thread.lines import observed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from memory.observations.observation import Observed
    from memory.store.database import Database
    from memory.store.run_store import RunStore
    from memory.thread.chunks import Chunk, Reflection
    from memory.thread.lease import Work
    from memory.thread.message import Message
    from memory.thread.record import ObservationalMemoryRecord

    Keep: TypeAlias = Callable[[Iterable[Observed], int, float], None]


class ThreadStore:
    """All conversations of one file. `keep` is told within the transaction what becomes active, at what tick and game second."""

    def __init__(self, database: Database, keep: Keep | None = None) -> None:
        self._database = database
        self._keep = keep

    @property
    def database(self) -> Database:
        """The file."""
        return self._database

    def initialize(self, record: ObservationalMemoryRecord) -> None:
        """Begin the memory of a conversation, if it has none yet."""
        thread_rows.add_record(self._database, record)

    def get(self, owner: str, *, now_ms: int) -> ObservationalMemoryRecord | None:
        """Return the memory of a conversation at `now_ms`, or None when it was never begun."""
        return thread_rows.record(self._database, owner, now_ms)

    def add(self, owner: str, message: Message) -> Message:
        """Keep a message for good and return it with its number."""
        return replace(message, seq=message_rows.add_message(self._database, owner, message))

    def messages(
        self, owner: str, *, after: int = 0, upto: int | None = None
    ) -> tuple[Message, ...]:
        """Return the messages of a conversation behind number `after`, to number `upto` or to the end, in their order."""
        return message_rows.messages(self._database, owner, after, upto)

    def chunks(self, owner: str) -> tuple[Chunk, ...]:
        """Return all that was ever observed of a conversation on the live lineage, oldest first."""
        return thread_rows.all_chunks(self._database, owner)

    def reflections(self, owner: str) -> tuple[Reflection, ...]:
        """Return every generation of a conversation on the live lineage, oldest first."""
        return thread_rows.all_reflections(self._database, owner)

    def update_buffered(self, owner: str, chunk: Chunk) -> bool:
        """Keep what was observed ahead of need; False when its messages are covered already, or are not there any more."""
        with self._database.transaction():
            return thread_rows.add_chunk(self._database, owner, chunk)

    def update_active(self, owner: str, chunk: Chunk) -> bool:
        """Keep what was observed and let it stand in for its messages at once, behind all that waited; as `update_buffered`."""

        def write(keep: Keep | None) -> bool:
            if not thread_rows.add_chunk(self._database, owner, chunk):
                return False
            self._activate(owner, chunk.to_seq, keep)
            return True

        return bool(self._transact(write))

    def swap_buffered(self, owner: str, *, upto: int, reflection: bool = False) -> int:
        """Let what waits up to message `upto` stand in for its messages, and the reflection that waits for all before it.

        Returns how many chunks became active.
        """

        def write(keep: Keep | None) -> int:
            count = self._activate(owner, upto, keep)
            if reflection:
                thread_rows.activate_reflection(self._database, owner)
            return count

        return self._transact(write)

    def create_generation(self, owner: str, reflection: Reflection, *, active: bool) -> bool:
        """Keep a reflection, at once in its place or waiting for it; False when another was faster."""
        with self._database.transaction():
            is_kept = thread_rows.add_reflection(self._database, owner, reflection)
            if is_kept and active:
                thread_rows.activate_reflection(self._database, owner)
            return is_kept

    def set_flag(self, owner: str, work: Work, holder: str, *, now_ms: int, until_ms: int) -> bool:
        """Return whether `holder` may do `work` now; whoever else asks before `until_ms` may not."""
        return lease.take(self._database, owner, work, holder, (now_ms, until_ms))

    def clear_flag(self, owner: str, work: Work, holder: str) -> None:
        """Let others do `work`."""
        lease.give_back(self._database, owner, work, holder)

    def tries(self, owner: str) -> tuple[int, int, int]:
        """Return how often in a row reflecting came to too little, and up to which message and at how many tokens last."""
        return thread_rows.tries(self._database, owner)

    def note_tries(self, owner: str, tries: int, seq: int, tokens: int) -> None:
        """Keep that for those to come."""
        thread_rows.note_tries(self._database, owner, (tries, seq, tokens))

    def close(self) -> None:
        """Close the file; for one of its own."""
        self._database.close()

    def _activate(self, owner: str, upto: int, keep: Keep | None) -> int:
        waiting = thread_rows.waiting(self._database, owner, upto)
        for chunk, tick, game_s in waiting:
            if keep is not None:
                keep(observed_in(chunk.text, chunk.source), tick, game_s)
        thread_rows.activate_chunks(self._database, owner, upto)
        return len(waiting)

    def _transact(self, write: Callable[[Keep | None], int]) -> int:
        """Do `write` in one transaction, without observations beside it where the file does not take them."""
        try:
            with self._database.transaction():
                return write(self._keep)
        except ObservationsRefused:
            with self._database.transaction():
                return write(None)


def open_threads(path: Path) -> ThreadStore:
    """Return the conversations of a file of their own at `path`, made if there is none."""
    return ThreadStore(open_database(path, RUN_SCHEMA))


def threads_of(run: RunStore, session: str) -> ThreadStore:
    """Return the conversations of a run; what is observed in them is among its observations of `session` as well."""

    def keep(observed: Iterable[Observed], tick: int, game_s: float) -> None:
        run.observe_now(session, observed, tick=tick, game_s=game_s)

    return ThreadStore(run.database, keep)
