"""The rows of messages, to and from their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.codec import decode, encode
from memory.thread.message import Message, Origin

if TYPE_CHECKING:
    from memory.store.database import Database

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


def messages(database: Database, owner: str, after: int, upto: int | None) -> tuple[Message, ...]:
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
        Origin(origin),
        created_ms,
        seq,
    )
