"""The tables of `run.sqlite`, one migration after the other."""

from typing import Final

from memory.store.database import Schema

RUN_SCHEMA: Final = Schema(
    name="run store",
    application_id=0x52454401,
    migrations=(
        (
            """CREATE TABLE run (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                run_id TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE steps (
                id INTEGER PRIMARY KEY,
                tick INTEGER NOT NULL,
                button TEXT,
                hold INTEGER NOT NULL,
                settle INTEGER NOT NULL,
                frame INTEGER NOT NULL,
                digest BLOB NOT NULL,
                full_digest BLOB,
                chain BLOB NOT NULL,
                live INTEGER NOT NULL DEFAULT 1
            ) STRICT""",
            "CREATE UNIQUE INDEX live_steps ON steps (tick) WHERE live = 1",
            """CREATE TABLE events (
                id INTEGER PRIMARY KEY,
                tick INTEGER NOT NULL,
                kind TEXT NOT NULL,
                payload TEXT NOT NULL,
                live INTEGER NOT NULL DEFAULT 1
            ) STRICT""",
            "CREATE INDEX live_events ON events (kind) WHERE live = 1",
            # dropped_after: the last checkpoint at the time the entry was let go; NULL while it is live.
            # A dropped entry stays as long as a checkpoint needs it.
            """CREATE TABLE entries (
                seq INTEGER PRIMARY KEY,
                scope TEXT NOT NULL,
                kind TEXT NOT NULL,
                tick INTEGER NOT NULL,
                game_s REAL NOT NULL,
                data TEXT NOT NULL,
                tags TEXT NOT NULL,
                importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
                expires_s REAL,
                dropped_after INTEGER
            ) STRICT""",
            "CREATE INDEX dropped_entries ON entries (dropped_after) WHERE dropped_after IS NOT NULL",
            # AUTOINCREMENT: a number that was delivered must never come again.
            """CREATE TABLE outbox (
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                tick INTEGER NOT NULL,
                kind TEXT NOT NULL,
                payload TEXT NOT NULL,
                live INTEGER NOT NULL DEFAULT 1
            ) STRICT""",
            """CREATE TABLE checkpoints (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                tick INTEGER NOT NULL,
                frame INTEGER NOT NULL,
                state BLOB NOT NULL,
                chain BLOB NOT NULL,
                mind TEXT NOT NULL,
                last_seq INTEGER NOT NULL,
                last_sequence INTEGER NOT NULL
            ) STRICT""",
            """CREATE TABLE parts (
                checkpoint INTEGER NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                data TEXT NOT NULL,
                PRIMARY KEY (checkpoint, name)
            ) STRICT, WITHOUT ROWID""",
        ),
        (
            "ALTER TABLE checkpoints ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0",
            "UPDATE checkpoints SET last_event = (SELECT coalesce(max(id), 0) FROM events "
            "WHERE events.tick <= checkpoints.tick)",
        ),
    ),
)
