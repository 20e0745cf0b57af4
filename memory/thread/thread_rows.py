"""The rows of what is observed of conversations and reflected upon, to and from their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.thread import lease
from memory.thread.chunks import Chunk, Reflection
from memory.thread.config import Scope
from memory.thread.lease import Work
from memory.thread.record import ObservationalMemoryRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.store.database import Database

NO_REFLECTION: Final = Reflection(0, 0, "", 0, "programmatic")
_NOW: Final = "(SELECT coalesce(max(id), 0) FROM checkpoints)"
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


def record(database: Database, owner: str, now_ms: int) -> ObservationalMemoryRecord | None:
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
    works = lease.held(database, owner, now_ms)
    with database.understood("thread_records"):
        return ObservationalMemoryRecord(
            owner,
            Scope(scope),
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


def waiting(database: Database, owner: str, upto: int) -> list[tuple[Chunk, int, float]]:
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


def tries(database: Database, owner: str) -> tuple[int, int, int]:
    """Return how often reflecting came to too little, and at what."""
    row = database.row(
        "SELECT tries, tried_seq, tried_tokens FROM thread_records WHERE owner = ?", (owner,)
    )
    return (0, 0, 0) if row is None else (int(row[0]), int(row[1]), int(row[2]))


def note_tries(database: Database, owner: str, tried: tuple[int, int, int]) -> None:
    """Keep that."""
    database.execute(
        "UPDATE thread_records SET tries = ?, tried_seq = ?, tried_tokens = ? WHERE owner = ?",
        (*tried, owner),
    )
