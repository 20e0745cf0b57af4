"""Conversations in the file of a run: messages, chunks, reflections, and all SQL for them.

A message is stored at once; every other step is one transaction. The statement that inserts a chunk, not its caller,
ensures that no message is covered twice, skipped, or covered by observations of another branch. No row is deleted:
rewound rows are marked as of a dead branch, replaced ones stay.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, fields, replace
from typing import Any, Final

from memory.codec import decode, encode
from memory.errors import ObservationsRefused
from memory.store.conversation_record import (
    Chunk,
    ConversationScope,
    Message,
    MessageOrigin,
    ObservationalMemoryRecord,
    Reflection,
    Work,
)
from memory.store.database import Database

_NOW: Final = "(SELECT coalesce(max(id), 0) FROM checkpoints)"
_MESSAGE: Final = "thread, role, blocks, tick, game_s, tokens, origin, created_ms"
_CHUNK_FIELDS: Final = len(fields(Chunk)) - 2  # without its id and its number of messages
_REFLECTION_FIELDS: Final = len(fields(Reflection)) - 1
_CHUNK: Final = ", ".join(each.name for each in fields(Chunk)[:_CHUNK_FIELDS])
_REFLECTION: Final = ", ".join(each.name for each in fields(Reflection)[:_REFLECTION_FIELDS])
_CHUNKS: Final = "conversation_chunks WHERE owner = ?1 AND live = 1"
_REFLECTIONS: Final = "conversation_reflections WHERE owner = ?1 AND live = 1"
_MESSAGES: Final = "conversation_messages WHERE owner = ?1 AND live = 1"
_PENDING: Final = f"SELECT sum(tokens) FROM {_MESSAGES} AND seq > ?2"  # noqa: S608  # fixed words
_OBSERVED: Final = f"SELECT sum(message_tokens) FROM {_CHUNKS} AND to_seq <= ?2"  # noqa: S608  # fixed words
# It begins where the last chunk ended, with no live message in between, and all its messages still exist.
_ADD_CHUNK: Final = (
    f"INSERT INTO conversation_chunks (owner, {_CHUNK}, made_after) "  # noqa: S608  # fixed words
    f"SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, {_NOW} "
    f"WHERE ?2 = (SELECT min(seq) FROM {_MESSAGES} "
    f"AND seq > (SELECT coalesce(max(to_seq), 0) FROM {_CHUNKS})) "
    f"AND ?11 = (SELECT count(*) FROM {_MESSAGES} AND seq BETWEEN ?2 AND ?3)"
)
# It follows the last generation, and covers active chunks only.
_ADD_REFLECTION: Final = (
    f"INSERT INTO conversation_reflections (owner, {_REFLECTION}, made_after) "  # noqa: S608  # fixed words
    f"SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, {_NOW} "
    f"WHERE ?2 = 1 + (SELECT coalesce(max(generation), 0) FROM {_REFLECTIONS}) "
    f"AND ?3 <= (SELECT coalesce(max(to_seq), 0) FROM {_CHUNKS} AND activated_after IS NOT NULL)"
)


class ConversationStore:
    """All conversations of one file.

    `keep` is called within the transaction with each activated chunk, and the tick and game second of its last message.
    """

    def __init__(
        self, database: Database, keep: Callable[[Chunk, int, float], None] | None = None
    ) -> None:
        self.database = database
        self.close = database.close  # for a file that holds only conversations
        self._keep = keep

    def initialize(self, record: ObservationalMemoryRecord) -> None:
        """Create the memory of a conversation, if it has none yet."""
        begun = (record.origin_type, record.timezone, record.config, record.created_ms)
        self.database.execute(
            "INSERT OR IGNORE INTO conversation_records "
            "(owner, scope, origin_type, timezone, config, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
            (record.owner, record.scope.value, *begun),
        )

    def get(self, owner: str, *, now_ms: int) -> ObservationalMemoryRecord | None:
        """Return the memory of a conversation at `now_ms`, or None when it does not exist.

        The reads go from the last stage to the first: reflection, later chunks, uncovered messages. So a concurrent process
        that moves data to a later stage hides nothing.
        """
        begun = self.database.row(
            "SELECT scope, origin_type, timezone, config, created_ms FROM conversation_records "
            "WHERE owner = ?",
            (owner,),
        )
        if begun is None:
            return None
        with self.database.decoding("conversation_records"):
            record = ObservationalMemoryRecord(owner, ConversationScope(begun[0]), *begun[1:])
        active = self._newest_reflection(owner, active=True) or record.reflection
        chunks = self._chunks(owner, active.upto_seq)
        record = replace(
            record,
            reflection=active,
            active_chunks=tuple(each for each, is_active in chunks if is_active),
            buffered_observation_chunks=tuple(each for each, is_active in chunks if not is_active),
        )
        return replace(
            record,
            buffered_reflection=self._newest_reflection(owner, active=False),
            pending_message_tokens=self._sum(_PENDING, owner, record.cursor),
            total_tokens_observed=self._sum(_OBSERVED, owner, record.cursor),
            works=self._works(owner, now_ms),
        )

    def add(self, owner: str, message: Message) -> Message:
        """Store a message and return it with its number."""
        blocks = encode([dict(each) for each in message.blocks])
        sizes = message.tick, message.game_s, message.tokens
        rest = (*sizes, message.origin.value, message.created_ms)
        ((seq,),) = self.database.rows(
            f"INSERT INTO conversation_messages (owner, {_MESSAGE}, made_after) "  # noqa: S608  # fixed words
            f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {_NOW}) RETURNING seq",
            (owner, message.thread, message.role, blocks, *rest),
        )
        return replace(message, seq=int(seq))

    def messages(
        self, owner: str, *, after: int = 0, upto: int | None = None
    ) -> tuple[Message, ...]:
        """Return the messages of a conversation after number `after`, up to `upto` or the end, in order."""
        sql = (
            f"SELECT {_MESSAGE}, seq FROM {_MESSAGES} AND seq > ?2 "  # noqa: S608  # fixed words
            "AND (?3 IS NULL OR seq <= ?3) ORDER BY seq"
        )
        return tuple(
            self.database.read("conversation_messages", _message, sql, (owner, after, upto))
        )

    def chunks(self, owner: str) -> tuple[Chunk, ...]:
        """Return all chunks of a conversation on the live lineage, oldest first."""
        return tuple(each for each, _ in self._chunks(owner, 0))

    def reflections(self, owner: str) -> tuple[Reflection, ...]:
        """Return every generation of a conversation on the live lineage, oldest first."""
        rows = self.database.rows(
            f"SELECT {_REFLECTION}, id FROM {_REFLECTIONS} ORDER BY generation",  # noqa: S608  # fixed words
            (owner,),
        )
        return tuple(Reflection(*row) for row in rows)

    def update_buffered(self, owner: str, chunk: Chunk) -> bool:
        """Store a buffered chunk; return False when its messages are covered already, or no longer exist."""
        with self.database.transaction():
            return self._add_chunk(owner, chunk)

    def update_active(self, owner: str, chunk: Chunk) -> bool:
        """Store a chunk and activate it at once, after all buffered ones; return as `update_buffered`."""
        return bool(self._move(owner, chunk.to_seq, chunk=chunk))

    def swap_buffered(self, owner: str, *, upto: int, reflection: bool = False) -> int:
        """Activate buffered chunks up to message `upto`, and the buffered reflection of all before if asked.

        Returns how many chunks became active.
        """
        return self._move(owner, upto, reflection=reflection)

    def create_generation(self, owner: str, reflection: Reflection, *, active: bool) -> bool:
        """Store a reflection, active or buffered; return False when another process stored that generation."""
        values = astuple(reflection)[:_REFLECTION_FIELDS]
        with self.database.transaction():
            is_kept = bool(self.database.execute(_ADD_REFLECTION, (owner, *values)))
            if is_kept and active:
                self._activate_reflection(owner)
            return is_kept

    def set_flag(self, owner: str, work: Work, holder: str, *, now_ms: int, until_ms: int) -> bool:
        """Return whether `holder` acquired the lease for `work`, which ends at `until_ms`.

        A lease expires, since its holder may have been killed. Two processes with one name never overlap, so a process
        takes over the lease of its own name at once.
        """
        taken = self.database.execute(
            "INSERT INTO conversation_leases (owner, work, holder, until_ms) "
            "VALUES (?, ?, ?, ?) "
            "ON CONFLICT (owner, work) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms "
            "WHERE holder = excluded.holder OR until_ms <= ?",
            (owner, work.value, holder, until_ms, now_ms),
        )
        return bool(taken)

    def clear_flag(self, owner: str, work: Work, holder: str) -> None:
        """Release the lease for `work`, if `holder` still has it."""
        self.database.execute(
            "DELETE FROM conversation_leases WHERE owner = ? AND work = ? AND holder = ?",
            (owner, work.value, holder),
        )

    def tries(self, owner: str) -> tuple[int, int, int]:
        """Return the number of consecutive failed reflections, and the last message and tokens of the last try."""
        row = self.database.row(
            "SELECT tries, tried_seq, tried_tokens FROM conversation_records WHERE owner = ?",
            (owner,),
        )
        return (0, 0, 0) if row is None else (int(row[0]), int(row[1]), int(row[2]))

    def note_tries(self, owner: str, tries: int, seq: int, tokens: int) -> None:
        """Store the values that `tries` returns."""
        self.database.execute(
            "UPDATE conversation_records SET tries = ?, tried_seq = ?, tried_tokens = ? "
            "WHERE owner = ?",
            (tries, seq, tokens, owner),
        )

    def _sum(self, sql: str, owner: str, cursor: int) -> int:
        ((number,),) = self.database.rows(sql, (owner, cursor))
        return int(number or 0)

    def _works(self, owner: str, now_ms: int) -> frozenset[Work]:
        sql = "SELECT work FROM conversation_leases WHERE owner = ? AND until_ms > ?"
        made = self.database.read(
            "conversation_leases", lambda row: Work(row[0]), sql, (owner, now_ms)
        )
        return frozenset(made)

    def _newest_reflection(self, owner: str, *, active: bool) -> Reflection | None:
        row = self.database.row(
            f"SELECT {_REFLECTION}, id FROM {_REFLECTIONS} "  # noqa: S608  # fixed words
            "AND (activated_after IS NOT NULL) = ?2 ORDER BY generation DESC LIMIT 1",
            (owner, int(active)),
        )
        return None if row is None else Reflection(*row)

    def _chunks(self, owner: str, after: int) -> list[tuple[Chunk, bool]]:
        """Return the chunks that end after message `after`, and whether each is active."""
        rows = self.database.rows(
            f"SELECT {_CHUNK}, id, activated_after IS NOT NULL FROM {_CHUNKS} "  # noqa: S608  # fixed words
            "AND to_seq > ?2 ORDER BY to_seq",
            (owner, after),
        )
        return [(Chunk(*row), bool(is_active)) for *row, is_active in rows]

    def _add_chunk(self, owner: str, chunk: Chunk) -> bool:
        values = astuple(chunk)[:_CHUNK_FIELDS]
        return bool(self.database.execute(_ADD_CHUNK, (owner, *values, chunk.count)))

    def _activate(self, owner: str, upto: int, *, keeps: bool) -> int:
        rows = self.database.rows(
            f"SELECT {', '.join(f'chunk.{name}' for name in _CHUNK.split(', '))}, tick, game_s "  # noqa: S608  # fixed words
            "FROM conversation_chunks chunk JOIN conversation_messages ON seq = to_seq "
            "WHERE chunk.owner = ? AND chunk.live = 1 AND to_seq <= ? AND activated_after IS NULL "
            "ORDER BY to_seq",
            (owner, upto),
        )
        if keeps and self._keep is not None:
            for *row, tick, game_s in rows:
                self._keep(Chunk(*row), int(tick), float(game_s))
        self.database.execute(
            f"UPDATE conversation_chunks SET activated_after = {_NOW} "  # noqa: S608  # fixed words
            "WHERE owner = ?1 AND live = 1 AND to_seq <= ?2 AND activated_after IS NULL",
            (owner, upto),
        )
        return len(rows)

    def _activate_reflection(self, owner: str) -> None:
        self.database.execute(
            f"UPDATE conversation_reflections SET activated_after = {_NOW} "  # noqa: S608  # fixed words
            "WHERE owner = ? AND live = 1 AND activated_after IS NULL",
            (owner,),
        )

    def _move(
        self, owner: str, upto: int, *, chunk: Chunk | None = None, reflection: bool = False
    ) -> int:
        """Store `chunk` and activate buffered chunks in one transaction; return how many became active.

        When the file refuses the observations, it is done without them.
        """
        for keeps in (True, False):
            with suppress(ObservationsRefused), self.database.transaction():
                if chunk is not None and not self._add_chunk(owner, chunk):
                    return 0
                count = self._activate(owner, upto, keeps=keeps)
                if reflection:
                    self._activate_reflection(owner)
                return count
        return 0


def rewind_conversations(database: Database, number: int, *, kept_to: int = -1) -> None:
    """Restore all conversations to checkpoint `number`, within a transaction.

    What was said up to tick `kept_to` stays: its questions are answered again from the record.
    """
    ((last,),) = database.rows(
        "SELECT coalesce(max(seq), 0) FROM conversation_messages WHERE live = 1 AND tick <= ?",
        (kept_to,),
    )
    for table, end in (
        ("conversation_messages", "seq"),
        ("conversation_chunks", "to_seq"),
        ("conversation_reflections", "upto_seq"),
    ):
        database.execute(
            f"UPDATE {table} SET live = 0 WHERE live = 1 AND made_after >= ? AND {end} > ?",  # noqa: S608  # fixed names
            (number, last),
        )
    if kept_to >= 0:
        return
    for table in ("conversation_chunks", "conversation_reflections"):
        database.execute(
            f"UPDATE {table} SET activated_after = NULL WHERE live = 1 AND activated_after >= ?",  # noqa: S608  # fixed names
            (number,),
        )


def _message(row: tuple[Any, ...]) -> Message:
    thread, role, blocks, tick, game_s, tokens, origin, *rest = row
    content = tuple(decode(blocks))
    return Message(thread, role, content, tick, game_s, tokens, MessageOrigin(origin), *rest)
