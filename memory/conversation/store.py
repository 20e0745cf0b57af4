"""A conversation's memory in the file of its run, or in one of its own: messages, chunks, reflections, leases.

A message is kept at once. All else moves in one transaction a step. That no message is covered twice, or skipped, or
covered by what was observed of another branch, is checked by the statement that writes a chunk, not by its caller.

A lease says which process is at which work, so that two do not do it twice. It ends by itself: its holder may have been
killed. Two lives that bear one name never overlap, so a process takes over the lease of its own name at once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memory.codec import decode, encode
from memory.conversation.config import ConversationScope
from memory.conversation.messages import Message, MessageOrigin
from memory.conversation.record import Chunk, ObservationalMemoryRecord, Reflection
from memory.errors import ObservationsRefused
from memory.observations.observation import Observed
from memory.store.database import open_database
from memory.store.schema import RUN_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memory.observations.observation import Source
    from memory.store.database import Database
    from memory.store.run_store import RunStore


KIND: Final = "conversation"
IMPORTANCES: Final = {"🔴": 9, "🟡": 5, "✅": 5, "🟢": 2}
_LINE: Final = re.compile(r"^\s*[*-] +(?P<mark>🔴|🟡|🟢|✅)?\s*(?P<text>\S.*)$")
_PLAIN: Final = 4  # of a line without a mark


def observed_in(text: str, source: str) -> Iterator[Observed]:
    """Yield what the list lines of `text` say; headers and other lines are none."""
    kind: Source = "llm" if source == "llm" else "programmatic"
    for line in text.splitlines():
        if found := _LINE.match(line):
            importance = IMPORTANCES.get(found["mark"], _PLAIN)
            yield Observed(KIND, found["text"].strip(), importance, source=kind)


class Work(Enum):
    """What only one process does at a time."""

    OBSERVING = "observing"
    REFLECTING = "reflecting"
    BUFFERING_OBSERVATION = "buffering observation"
    BUFFERING_REFLECTION = "buffering reflection"


def take_lease(
    database: Database, owner: str, work: Work, holder: str, times: tuple[int, int]
) -> bool:
    """Return whether `holder` has the lease from now on; `times` are now and when it ends, in epoch milliseconds."""
    now_ms, until_ms = times
    return bool(
        database.execute(
            "INSERT INTO thread_leases (owner, work, holder, until_ms) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (owner, work) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms "
            "WHERE holder = excluded.holder OR until_ms <= ?",
            (owner, work.value, holder, until_ms, now_ms),
        )
    )


def give_lease_back(database: Database, owner: str, work: Work, holder: str) -> None:
    """Let go of a lease, if `holder` still has it."""
    database.execute(
        "DELETE FROM thread_leases WHERE owner = ? AND work = ? AND holder = ?",
        (owner, work.value, holder),
    )


def held_work(database: Database, owner: str, now_ms: int) -> frozenset[Work]:
    """Return what is being worked at; a lease that has ended does not count."""
    rows = database.rows(
        "SELECT work FROM thread_leases WHERE owner = ? AND until_ms > ?", (owner, now_ms)
    )
    with database.understood("thread_leases"):
        return frozenset(Work(work) for (work,) in rows)


_NOW: Final = "(SELECT coalesce(max(id), 0) FROM checkpoints)"
_MESSAGE: Final = "blocks, origin, thread, role, tick, game_s, tokens, created_ms, seq"


def add_message(database: Database, owner: str, message: Message) -> int:
    """Return the number a message got."""
    rows = database.rows(
        "INSERT INTO thread_messages (owner, thread, role, blocks, tick, game_s, tokens, origin, "  # noqa: S608  # fixed words
        f"created_ms, made_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {_NOW}) RETURNING seq",
        (
            owner,
            message.thread,
            message.role,
            encode([dict(each) for each in message.blocks]),
            message.tick,
            message.game_s,
            message.tokens,
            message.origin.value,
            message.created_ms,
        ),
    )
    return int(rows[0][0])


def read_messages(
    database: Database, owner: str, after: int, upto: int | None
) -> tuple[Message, ...]:
    """Return the messages behind `after`, to `upto` or to the end."""
    rows = database.rows(
        f"SELECT {_MESSAGE} FROM thread_messages WHERE owner = ?1 AND live = 1 AND seq > ?2 "  # noqa: S608  # fixed words
        "AND (?3 IS NULL OR seq <= ?3) ORDER BY seq",
        (owner, after, upto),
    )
    with database.understood("thread_messages"):
        return tuple(_message(row) for row in rows)


def _message(row: tuple[Any, ...]) -> Message:
    blocks, origin, thread, role, tick, game_s, tokens, created_ms, seq = row
    return Message(
        thread,
        role,
        tuple(decode(blocks)),
        tick,
        game_s,
        tokens,
        MessageOrigin(origin),
        created_ms,
        seq,
    )


NO_REFLECTION: Final = Reflection(0, 0, "", 0, "programmatic")
_CHUNK: Final = (
    "from_seq, to_seq, text, tokens, message_tokens, source, current_task, suggested_response, "
    "created_ms, id"
)
_REFLECTION: Final = (
    "generation, upto_seq, text, tokens, source, current_task, suggested_response, created_ms, id"
)
# It begins where the last chunk ended, with no live message in between, and all of its messages are still there.
_ADD_CHUNK: Final = (
    "INSERT INTO thread_chunks (owner, from_seq, to_seq, text, tokens, message_tokens, source, "  # noqa: S608  # fixed words
    f"current_task, suggested_response, created_ms, made_after) "
    f"SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, {_NOW} "
    "WHERE ?2 = (SELECT min(seq) FROM thread_messages WHERE owner = ?1 AND live = 1 AND seq > "
    "(SELECT coalesce(max(to_seq), 0) FROM thread_chunks WHERE owner = ?1 AND live = 1)) "
    "AND ?11 = (SELECT count(*) FROM thread_messages WHERE owner = ?1 AND live = 1 AND seq BETWEEN ?2 AND ?3)"
)
# It follows the last generation, and tells of nothing that is not active.
_ADD_REFLECTION: Final = (
    "INSERT INTO thread_reflections (owner, generation, upto_seq, text, tokens, source, current_task, "  # noqa: S608  # fixed words
    f"suggested_response, created_ms, made_after) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, {_NOW} "
    "WHERE ?2 = 1 + (SELECT coalesce(max(generation), 0) FROM thread_reflections WHERE owner = ?1 AND live = 1) "
    "AND ?3 <= (SELECT coalesce(max(to_seq), 0) FROM thread_chunks "
    "WHERE owner = ?1 AND live = 1 AND activated_after IS NOT NULL)"
)


def add_record(database: Database, record: ObservationalMemoryRecord) -> None:
    """Begin a memory, if there is none yet."""
    database.execute(
        "INSERT OR IGNORE INTO thread_records (owner, scope, origin_type, timezone, config, created_ms) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            record.owner,
            record.scope.value,
            record.origin_type,
            record.timezone,
            record.config,
            record.created_ms,
        ),
    )


def read_record(database: Database, owner: str, now_ms: int) -> ObservationalMemoryRecord | None:
    """Return all that is known of a memory.

    Read from what changes last to what changes first: the reflection, the chunks behind it, what they leave
    uncovered. So another process that goes on in between takes nothing out of sight.
    """
    begun = database.row(
        "SELECT scope, origin_type, timezone, config, created_ms FROM thread_records WHERE owner = ?",
        (owner,),
    )
    if begun is None:
        return None
    scope, *rest = begun
    reflection = _reflection(database, owner, active=True) or NO_REFLECTION
    active, buffered = _chunks_after(database, owner, reflection.upto_seq)
    cursor = active[-1].to_seq if active else reflection.upto_seq
    works = held_work(database, owner, now_ms)
    with database.understood("thread_records"):
        return ObservationalMemoryRecord(
            owner,
            ConversationScope(scope),
            cursor,
            reflection,
            active,
            buffered,
            _reflection(database, owner, active=False),
            _number(database, _PENDING, owner, cursor),
            _number(database, _OBSERVED, owner, cursor),
            (active[-1] if active else reflection).created_ms,
            buffered[-1].created_ms if buffered else 0,
            Work.OBSERVING in works,
            Work.REFLECTING in works,
            Work.BUFFERING_OBSERVATION in works,
            Work.BUFFERING_REFLECTION in works,
            *rest,
        )


_PENDING: Final = (
    "SELECT coalesce(sum(tokens), 0) FROM thread_messages WHERE owner = ? AND live = 1 AND seq > ?"
)
_OBSERVED: Final = "SELECT coalesce(sum(message_tokens), 0) FROM thread_chunks WHERE owner = ? AND live = 1 AND to_seq <= ?"


def _number(database: Database, sql: str, owner: str, cursor: int) -> int:
    ((number,),) = database.rows(sql, (owner, cursor))
    return int(number)


def _chunks_after(
    database: Database, owner: str, seq: int
) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    rows = database.rows(
        f"SELECT {_CHUNK}, activated_after IS NOT NULL FROM thread_chunks "  # noqa: S608  # fixed words
        "WHERE owner = ? AND live = 1 AND to_seq > ? ORDER BY to_seq",
        (owner, seq),
    )
    return (
        tuple(Chunk(*row) for *row, is_active in rows if is_active),
        tuple(Chunk(*row) for *row, is_active in rows if not is_active),
    )


def _reflection(database: Database, owner: str, *, active: bool) -> Reflection | None:
    row = database.row(
        f"SELECT {_REFLECTION} FROM thread_reflections WHERE owner = ? AND live = 1 "  # noqa: S608  # fixed words
        "AND (activated_after IS NOT NULL) = ? ORDER BY generation DESC LIMIT 1",
        (owner, int(active)),
    )
    return None if row is None else Reflection(*row)


def all_chunks(database: Database, owner: str) -> tuple[Chunk, ...]:
    """Return every chunk of the live lineage, also those that a reflection took the place of."""
    active, buffered = _chunks_after(database, owner, 0)
    return active + buffered


def all_reflections(database: Database, owner: str) -> tuple[Reflection, ...]:
    """Return every generation of the live lineage."""
    rows = database.rows(
        f"SELECT {_REFLECTION} FROM thread_reflections WHERE owner = ? AND live = 1 "  # noqa: S608  # fixed words
        "ORDER BY generation",
        (owner,),
    )
    return tuple(Reflection(*row) for row in rows)


def add_chunk(database: Database, owner: str, chunk: Chunk) -> bool:
    """Return whether a chunk was written, which waits from now on; within a transaction."""
    values = (
        owner,
        chunk.from_seq,
        chunk.to_seq,
        chunk.text,
        chunk.tokens,
        chunk.message_tokens,
        chunk.source,
        chunk.current_task,
        chunk.suggested_response,
        chunk.created_ms,
        chunk.count,
    )
    return bool(database.execute(_ADD_CHUNK, values))


def waiting_chunks(database: Database, owner: str, upto: int) -> list[tuple[Chunk, int, float]]:
    """Return the chunks that wait, up to message `upto`, each with the tick and game second of its last message."""
    rows = database.rows(
        f"SELECT {', '.join(f'thread_chunks.{name}' for name in _CHUNK.split(', '))}, tick, game_s "  # noqa: S608  # fixed words
        "FROM thread_chunks JOIN thread_messages ON seq = to_seq "
        "WHERE thread_chunks.owner = ? AND thread_chunks.live = 1 AND to_seq <= ? AND activated_after IS NULL "
        "ORDER BY to_seq",
        (owner, upto),
    )
    return [(Chunk(*row), int(tick), float(game_s)) for *row, tick, game_s in rows]


def activate_chunks(database: Database, owner: str, upto: int) -> None:
    """Let the chunks that wait up to message `upto` stand in for their messages."""
    database.execute(
        f"UPDATE thread_chunks SET activated_after = {_NOW} "  # noqa: S608  # fixed words
        "WHERE owner = ? AND live = 1 AND to_seq <= ? AND activated_after IS NULL",
        (owner, upto),
    )


def add_reflection(database: Database, owner: str, reflection: Reflection) -> bool:
    """Return whether a reflection was written, which waits from now on; within a transaction."""
    values: Iterable[Any] = (
        owner,
        reflection.generation,
        reflection.upto_seq,
        reflection.text,
        reflection.tokens,
        reflection.source,
        reflection.current_task,
        reflection.suggested_response,
        reflection.created_ms,
    )
    return bool(database.execute(_ADD_REFLECTION, tuple(values)))


def activate_reflection(database: Database, owner: str) -> None:
    """Let the reflection that waits take the place of all observations it is about."""
    database.execute(
        f"UPDATE thread_reflections SET activated_after = {_NOW} "  # noqa: S608  # fixed words
        "WHERE owner = ? AND live = 1 AND activated_after IS NULL",
        (owner,),
    )


def read_tries(database: Database, owner: str) -> tuple[int, int, int]:
    """Return how often reflecting came to too little, and at what."""
    row = database.row(
        "SELECT tries, tried_seq, tried_tokens FROM thread_records WHERE owner = ?", (owner,)
    )
    return (0, 0, 0) if row is None else (int(row[0]), int(row[1]), int(row[2]))


def write_tries(database: Database, owner: str, tried: tuple[int, int, int]) -> None:
    """Keep that."""
    database.execute(
        "UPDATE thread_records SET tries = ?, tried_seq = ?, tried_tokens = ? WHERE owner = ?",
        (*tried, owner),
    )


if TYPE_CHECKING:
    Keep: TypeAlias = Callable[[Iterable[Observed], int, float], None]


class ConversationStore:
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
        add_record(self._database, record)

    def get(self, owner: str, *, now_ms: int) -> ObservationalMemoryRecord | None:
        """Return the memory of a conversation at `now_ms`, or None when it was never begun."""
        return read_record(self._database, owner, now_ms)

    def add(self, owner: str, message: Message) -> Message:
        """Keep a message for good and return it with its number."""
        return replace(message, seq=add_message(self._database, owner, message))

    def messages(
        self, owner: str, *, after: int = 0, upto: int | None = None
    ) -> tuple[Message, ...]:
        """Return the messages of a conversation behind number `after`, to number `upto` or to the end, in their order."""
        return read_messages(self._database, owner, after, upto)

    def chunks(self, owner: str) -> tuple[Chunk, ...]:
        """Return all that was ever observed of a conversation on the live lineage, oldest first."""
        return all_chunks(self._database, owner)

    def reflections(self, owner: str) -> tuple[Reflection, ...]:
        """Return every generation of a conversation on the live lineage, oldest first."""
        return all_reflections(self._database, owner)

    def update_buffered(self, owner: str, chunk: Chunk) -> bool:
        """Keep what was observed ahead of need; False when its messages are covered already, or are not there any more."""
        with self._database.transaction():
            return add_chunk(self._database, owner, chunk)

    def update_active(self, owner: str, chunk: Chunk) -> bool:
        """Keep what was observed and let it stand in for its messages at once, behind all that waited; as `update_buffered`."""

        def write(keep: Keep | None) -> bool:
            if not add_chunk(self._database, owner, chunk):
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
                activate_reflection(self._database, owner)
            return count

        return self._transact(write)

    def create_generation(self, owner: str, reflection: Reflection, *, active: bool) -> bool:
        """Keep a reflection, at once in its place or waiting for it; False when another was faster."""
        with self._database.transaction():
            is_kept = add_reflection(self._database, owner, reflection)
            if is_kept and active:
                activate_reflection(self._database, owner)
            return is_kept

    def set_flag(self, owner: str, work: Work, holder: str, *, now_ms: int, until_ms: int) -> bool:
        """Return whether `holder` may do `work` now; whoever else asks before `until_ms` may not."""
        return take_lease(self._database, owner, work, holder, (now_ms, until_ms))

    def clear_flag(self, owner: str, work: Work, holder: str) -> None:
        """Let others do `work`."""
        give_lease_back(self._database, owner, work, holder)

    def tries(self, owner: str) -> tuple[int, int, int]:
        """Return how often in a row reflecting came to too little, and up to which message and at how many tokens last."""
        return read_tries(self._database, owner)

    def note_tries(self, owner: str, tries: int, seq: int, tokens: int) -> None:
        """Keep that for those to come."""
        write_tries(self._database, owner, (tries, seq, tokens))

    def close(self) -> None:
        """Close the file; for one of its own."""
        self._database.close()

    def _activate(self, owner: str, upto: int, keep: Keep | None) -> int:
        waiting = waiting_chunks(self._database, owner, upto)
        for chunk, tick, game_s in waiting:
            if keep is not None:
                keep(observed_in(chunk.text, chunk.source), tick, game_s)
        activate_chunks(self._database, owner, upto)
        return len(waiting)

    def _transact(self, write: Callable[[Keep | None], int]) -> int:
        """Do `write` in one transaction, without observations beside it where the file does not take them."""
        try:
            with self._database.transaction():
                return write(self._keep)
        except ObservationsRefused:
            with self._database.transaction():
                return write(None)


def open_conversations(path: Path) -> ConversationStore:
    """Return the conversations of a file of their own at `path`, made if there is none."""
    return ConversationStore(open_database(path, RUN_SCHEMA))


def conversations_of(run: RunStore, session: str) -> ConversationStore:
    """Return the conversations of a run; what is observed in them is among its observations of `session` as well."""

    def keep(observed: Iterable[Observed], tick: int, game_s: float) -> None:
        run.observe_now(session, observed, tick=tick, game_s=game_s)

    return ConversationStore(run.database, keep)
