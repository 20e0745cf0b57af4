"""The tables of `memory.sqlite`, one migration after the other."""

from typing import Final

from memory.store.database import Schema

_DATED: Final = "(SELECT * FROM dated)"  # the date up to which what is there has faded


def _real(value: str) -> str:
    """Return the expression that writes a number as JSON with all its digits; SQLite itself keeps fifteen."""
    return f"json(printf('%!.17g', {value}))"


def _parsed(column: str) -> str:
    return f"CASE WHEN json_valid({column}) THEN json({column}) END"


def _closing(closed: str) -> str:
    return f"""CASE WHEN {closed} <> '' THEN json_object('sequence', sequence, 'tick', tick,
        'at', {_real(_DATED)}, 'reason', {closed}, 'evidence', json('[]'), 'status', 'inferred') END"""


def _rows(table: str, key: str, date: str, *columns: str) -> str:
    """Return the statement that makes a share of each row of one of the four tables; `columns` are all, in order."""
    at = f"coalesce({date}, 0.0)"
    status = "coalesce(status, 'verified')"
    return f"""INSERT INTO shares SELECT
        '{table}', {key}, coalesce(run_id, 'before/' || {key}), coalesce(sequence, 0),
        json_object('record', json_array({", ".join((key, *columns))}), 'times', 1, 'status', {status},
            'tick', coalesce(tick, 0), 'taught', coalesce(sequence, 0),
            'since', {_real(at)}, 'at', {_real(at)}, 'fresh', {_real(f"max({at}, {_DATED})")},
            'evidence', coalesce({_parsed("evidence")}, json('[]')),
            'said', json_object({status}, {_real(at)}), 'closing', {_closing("closed")}),
        '', '[]'
        FROM {table} LEFT JOIN provenance ON table_name = '{table}' AND id = {key}"""  # noqa: S608


_ENTRIES: Final = f"""INSERT INTO shares SELECT 'ltm_entries', json_array(scope, key), run_id, sequence,
    json_object('record', json_object('origin', origin, 'kind', kind, 'tick', tick, 'game_s', {_real("game_s")},
            'data', json(data), 'tags', json(tags), 'importance', importance, 'relevance', {_real("relevance")},
            'utility', {_real("utility")}, 'closed', '', 'merged', json(merged)),
        'times', count, 'status', status, 'tick', tick, 'taught', sequence,
        'since', {_real(_DATED)}, 'at', {_real(_DATED)}, 'fresh', {_real(_DATED)}, 'evidence', json(sources),
        'said', json_object(status, {_real(_DATED)}), 'closing', {_closing("closed")}),
    '', '[]'
    FROM ltm_entries WHERE json_valid(data) AND json_valid(tags) AND json_valid(sources)"""  # noqa: S608

SHARES_MIGRATION: Final = (
    # sequence: the run's last lesson about it; share: what it taught, added up; closed: why its word does not stand
    # against another run's, '' while it does; evidence: a list of what shows it.
    """CREATE TABLE shares (
        table_name TEXT NOT NULL,
        id TEXT NOT NULL,
        run_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        share TEXT NOT NULL,
        closed TEXT NOT NULL DEFAULT '',
        evidence TEXT NOT NULL DEFAULT '[]',
        PRIMARY KEY (table_name, id, run_id)
    ) STRICT, WITHOUT ROWID""",
    "CREATE VIEW dated AS SELECT coalesce((SELECT decayed_at FROM tactician_stats), 0.0)",
    _rows(
        "tactician_patterns",
        "pattern_id",
        "last_validated",
        "pattern_type",
        "description",
        _parsed("trigger_conditions"),
        "learned_from_session",
        "learned_from_tick",
        "success_count",
        "failure_count",
        _real("confidence"),
        _real("last_validated"),
        _real("relevance_score"),
    ),
    _rows(
        "successful_strategies",
        "strategy_id",
        "last_used",
        _parsed("context"),
        "enemy_type",
        "player_pokemon",
        "strategy_description",
        _parsed("moves_sequence"),
        _real("success_rate"),
        "total_uses",
        _real("first_used"),
        _real("last_used"),
    ),
    _rows(
        "mistake_records",
        "mistake_id",
        "last_occurred",
        "description",
        _parsed("situation"),
        "outcome",
        "severity",
        "prevention_tip",
        _real("first_occurred"),
        _real("last_occurred"),
        "occurrence_count",
    ),
    _rows(
        "player_preferences",
        "preference_id",
        "updated_at",
        "category",
        "description",
        _parsed("preference_value"),
        "learned_from_session",
        _real("confidence"),
        _real("created_at"),
        _real("updated_at"),
    ),
    """INSERT INTO shares SELECT 'tactician_stats', 'totals',
        'before/' || total_sessions || '-' || total_battles || '-' || overall_win_rate, 0,
        json_object('record', json_object('sessions', total_sessions, 'battles', total_battles, 'victories',
            CAST(round(overall_win_rate * total_battles) AS INTEGER)), 'times', 1,
            'status', 'verified', 'tick', 0, 'at', json('0.0')),
        '', '[]'
        FROM tactician_stats WHERE total_sessions + total_battles > 0""",
    _ENTRIES,
    "DROP VIEW dated",
    # Two runs of one name may have taught different things by a lesson of one number: no reason to refuse them.
    "DROP TRIGGER ltm_made",
    "DROP TRIGGER ltm_gone",
    "DROP INDEX open_entries",
    "ALTER TABLE ltm_entries RENAME TO ltm_entries_before",
    """CREATE TABLE ltm_entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        origin TEXT NOT NULL,
        run_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        scope TEXT NOT NULL CHECK (
            scope GLOB 'agent:?*:ltm:?*' OR scope GLOB 'team:?*' OR scope = 'collective'
        ),
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        version INTEGER NOT NULL,
        tick INTEGER NOT NULL,
        game_s REAL NOT NULL,
        data TEXT NOT NULL,
        tags TEXT NOT NULL,
        importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
        relevance REAL NOT NULL,
        utility REAL NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('verified', 'inferred', 'claim')),
        sources TEXT NOT NULL,
        closed TEXT NOT NULL,
        count INTEGER NOT NULL,
        merged TEXT NOT NULL,
        text TEXT NOT NULL,
        UNIQUE (scope, key)
    ) STRICT""",
    "INSERT INTO ltm_entries SELECT * FROM ltm_entries_before",
    "DROP TABLE ltm_entries_before",
    "CREATE INDEX open_entries ON ltm_entries (scope, kind) WHERE closed = ''",
    """CREATE TRIGGER ltm_made AFTER INSERT ON ltm_entries BEGIN
        INSERT INTO ltm_text (rowid, text) VALUES (new.id, new.text);
    END""",
    """CREATE TRIGGER ltm_gone AFTER DELETE ON ltm_entries BEGIN
        INSERT INTO ltm_text (ltm_text, rowid, text) VALUES ('delete', old.id, old.text);
    END""",
)


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
        (
            "ALTER TABLE ltm_entries RENAME TO ltm_entries_before",
            # origin: the run that learnt it first, with whose name the key begins; run_id and sequence: the lesson
            # that taught it last; count: how often it was taught; merged: the keys that became one with this one.
            """CREATE TABLE ltm_entries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                origin TEXT NOT NULL,
                run_id TEXT NOT NULL,
                sequence INTEGER NOT NULL,
                scope TEXT NOT NULL CHECK (
                    scope GLOB 'agent:?*:ltm:?*' OR scope GLOB 'team:?*' OR scope = 'collective'
                ),
                kind TEXT NOT NULL,
                key TEXT NOT NULL,
                version INTEGER NOT NULL,
                tick INTEGER NOT NULL,
                game_s REAL NOT NULL,
                data TEXT NOT NULL,
                tags TEXT NOT NULL,
                importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
                relevance REAL NOT NULL,
                utility REAL NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('verified', 'inferred', 'claim')),
                sources TEXT NOT NULL,
                closed TEXT NOT NULL,
                count INTEGER NOT NULL,
                merged TEXT NOT NULL,
                text TEXT NOT NULL,
                UNIQUE (run_id, sequence),
                UNIQUE (scope, key)
            ) STRICT""",
            "CREATE INDEX open_entries ON ltm_entries (scope, kind) WHERE closed = ''",
            "CREATE VIRTUAL TABLE ltm_text USING fts5 "
            "(text, content = 'ltm_entries', content_rowid = 'id', tokenize = 'porter unicode61')",
            """CREATE TRIGGER ltm_made AFTER INSERT ON ltm_entries BEGIN
                INSERT INTO ltm_text (rowid, text) VALUES (new.id, new.text);
            END""",
            """CREATE TRIGGER ltm_gone AFTER DELETE ON ltm_entries BEGIN
                INSERT INTO ltm_text (ltm_text, rowid, text) VALUES ('delete', old.id, old.text);
            END""",
            """INSERT INTO ltm_entries SELECT
                id, run_id, run_id, sequence, scope, kind, run_id || '/lesson-' || sequence, 1, 0, 0.0,
                data, tags, importance, 1.0, 0.5, 'verified', '[]', '', 1, '[]',
                CASE WHEN NOT json_valid(data) OR NOT json_valid(tags) THEN '' ELSE kind
                    || coalesce((SELECT ' ' || group_concat(value, ' ') FROM json_each(tags)), '')
                    || coalesce((SELECT ' ' || group_concat(atom, ' ') FROM json_tree(data)
                        WHERE type = 'text' AND atom <> ''), '')
                END FROM ltm_entries_before WHERE scope GLOB 'agent:?*:ltm:?*'""",
            # Nothing but these scopes outlives a run.
            """INSERT INTO archive (table_name, id, archived_at, row)
                SELECT 'ltm_entries', id, 0.0, json_object('run_id', run_id, 'sequence', sequence,
                    'scope', scope, 'kind', kind, 'data', data, 'tags', tags, 'importance', importance)
                FROM ltm_entries_before WHERE NOT scope GLOB 'agent:?*:ltm:?*'""",
            "DROP TABLE ltm_entries_before",
            "ALTER TABLE provenance RENAME TO provenance_before",
            # closed: why the row no longer holds, '' while it does; evidence: a list of what shows it.
            """CREATE TABLE provenance (
                table_name TEXT NOT NULL,
                id TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('verified', 'inferred', 'claim', 'retracted')),
                run_id TEXT NOT NULL,
                sequence INTEGER NOT NULL,
                tick INTEGER NOT NULL,
                closed TEXT NOT NULL,
                evidence TEXT NOT NULL,
                PRIMARY KEY (table_name, id)
            ) STRICT, WITHOUT ROWID""",
            "INSERT INTO provenance SELECT *, '', '[]' FROM provenance_before",
            "DROP TABLE provenance_before",
            "ALTER TABLE archive ADD COLUMN provenance TEXT NOT NULL DEFAULT 'null'",
        ),
        SHARES_MIGRATION,
    ),
)
