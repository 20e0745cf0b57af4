"""The tables of conversations, and how they go back with the run they belong to.

Nothing is deleted: what goes back is marked as of a dead branch, what was replaced stays behind what replaced it. So they
are their own archive. `made_after` and `activated_after` name the last checkpoint at the time, 0 where there was none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory.store.database import Database

CONVERSATION_TABLES: Final = (
    # owner: the thread, or the resource whose threads are observed as one. AUTOINCREMENT: the cursor is a number of
    # these, and one that was covered must never come again.
    """CREATE TABLE thread_messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        thread TEXT NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
        origin TEXT NOT NULL CHECK (origin IN ('play', 'model', 'injected')),
        blocks TEXT NOT NULL,
        tick INTEGER NOT NULL,
        game_s REAL NOT NULL,
        tokens INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        made_after INTEGER NOT NULL,
        live INTEGER NOT NULL DEFAULT 1
    ) STRICT""",
    "CREATE INDEX live_messages ON thread_messages (owner, seq, tokens) WHERE live = 1",
    # Reflecting on `tried_tokens` tokens up to `tried_seq` came to too little, `tries` times in a row.
    """CREATE TABLE thread_records (
        owner TEXT NOT NULL PRIMARY KEY,
        scope TEXT NOT NULL CHECK (scope IN ('thread', 'resource')),
        origin_type TEXT NOT NULL,
        timezone TEXT NOT NULL,
        config TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        tried_seq INTEGER NOT NULL DEFAULT 0,
        tried_tokens INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID""",
    # What was observed of the messages from_seq to to_seq. It waits until it is activated; the last one that is
    # ends at the cursor.
    """CREATE TABLE thread_chunks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        from_seq INTEGER NOT NULL,
        to_seq INTEGER NOT NULL CHECK (to_seq >= from_seq),
        text TEXT NOT NULL,
        current_task TEXT NOT NULL,
        suggested_response TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        message_tokens INTEGER NOT NULL,
        source TEXT NOT NULL CHECK (source IN ('programmatic', 'llm')),
        created_ms INTEGER NOT NULL,
        made_after INTEGER NOT NULL,
        activated_after INTEGER,
        live INTEGER NOT NULL DEFAULT 1
    ) STRICT""",
    "CREATE UNIQUE INDEX live_chunks ON thread_chunks (owner, from_seq) WHERE live = 1",
    "CREATE UNIQUE INDEX live_chunk_ends ON thread_chunks (owner, to_seq) WHERE live = 1",
    # What takes the place of all observations up to upto_seq, once it is activated.
    """CREATE TABLE thread_reflections (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        generation INTEGER NOT NULL,
        upto_seq INTEGER NOT NULL,
        text TEXT NOT NULL,
        current_task TEXT NOT NULL,
        suggested_response TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        source TEXT NOT NULL CHECK (source IN ('programmatic', 'llm')),
        created_ms INTEGER NOT NULL,
        made_after INTEGER NOT NULL,
        activated_after INTEGER,
        live INTEGER NOT NULL DEFAULT 1
    ) STRICT""",
    "CREATE UNIQUE INDEX live_generations ON thread_reflections (owner, generation) WHERE live = 1",
    # Who is at which work, until when at most. No part of any lineage: it is about processes.
    """CREATE TABLE thread_leases (
        owner TEXT NOT NULL,
        work TEXT NOT NULL,
        holder TEXT NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (owner, work)
    ) STRICT, WITHOUT ROWID""",
)
_DYING: Final = ("thread_messages", "thread_chunks", "thread_reflections")
_WAITING: Final = ("thread_chunks", "thread_reflections")


def rewind_conversations(database: Database, number: int) -> None:
    """Bring back all conversations as they were at checkpoint `number`, within a transaction."""
    for table in _DYING:
        database.execute(
            f"UPDATE {table} SET live = 0 WHERE live = 1 AND made_after >= ?",  # noqa: S608  # fixed names
            (number,),
        )
    for table in _WAITING:
        database.execute(
            f"UPDATE {table} SET activated_after = NULL WHERE live = 1 AND activated_after >= ?",  # noqa: S608  # fixed names
            (number,),
        )
