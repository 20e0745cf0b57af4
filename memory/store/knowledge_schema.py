"""The tables of `memory.sqlite`, one migration after the other."""

from typing import Final

from memory.store.database import Schema

KNOWLEDGE_SCHEMA: Final = Schema(
    name="knowledge store",
    application_id=0x52454402,
    migrations=(
        (
            """CREATE TABLE tactician_patterns (
                pattern_id TEXT PRIMARY KEY,
                pattern_type TEXT,
                description TEXT,
                trigger_conditions TEXT,
                learned_from_session TEXT,
                learned_from_tick INTEGER,
                success_count INTEGER DEFAULT 0,
                failure_count INTEGER DEFAULT 0,
                confidence REAL,
                last_validated REAL,
                relevance_score REAL
            ) STRICT""",
            """CREATE TABLE successful_strategies (
                strategy_id TEXT PRIMARY KEY,
                context TEXT,
                enemy_type TEXT,
                player_pokemon TEXT,
                strategy_description TEXT,
                moves_sequence TEXT,
                success_rate REAL,
                total_uses INTEGER,
                first_used REAL,
                last_used REAL
            ) STRICT""",
            """CREATE TABLE mistake_records (
                mistake_id TEXT PRIMARY KEY,
                description TEXT,
                situation TEXT,
                outcome TEXT,
                severity TEXT,
                prevention_tip TEXT,
                first_occurred REAL,
                last_occurred REAL,
                occurrence_count INTEGER
            ) STRICT""",
            """CREATE TABLE player_preferences (
                preference_id TEXT PRIMARY KEY,
                category TEXT,
                description TEXT,
                preference_value TEXT,
                learned_from_session TEXT,
                confidence REAL,
                created_at REAL,
                updated_at REAL
            ) STRICT""",
            """CREATE TABLE tactician_stats (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                total_sessions INTEGER NOT NULL,
                total_battles INTEGER NOT NULL,
                overall_win_rate REAL NOT NULL,
                decayed_at REAL NOT NULL
            ) STRICT""",
            # Where the rows of the four tables come from; their columns are fixed by the design.
            """CREATE TABLE provenance (
                table_name TEXT NOT NULL,
                id TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('verified', 'claim', 'retracted')),
                run_id TEXT NOT NULL,
                sequence INTEGER NOT NULL,
                tick INTEGER NOT NULL,
                PRIMARY KEY (table_name, id)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE ltm_entries (
                id INTEGER PRIMARY KEY,
                run_id TEXT NOT NULL,
                sequence INTEGER NOT NULL,
                scope TEXT NOT NULL,
                kind TEXT NOT NULL,
                data TEXT NOT NULL,
                tags TEXT NOT NULL,
                importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
                UNIQUE (run_id, sequence)
            ) STRICT""",
            """CREATE TABLE archive (
                number INTEGER PRIMARY KEY,
                table_name TEXT NOT NULL,
                id TEXT NOT NULL,
                archived_at REAL NOT NULL,
                row TEXT NOT NULL
            ) STRICT""",
            """CREATE TABLE deliveries (
                run_id TEXT NOT NULL,
                sequence INTEGER NOT NULL,
                PRIMARY KEY (run_id, sequence)
            ) STRICT, WITHOUT ROWID""",
        ),
    ),
)
