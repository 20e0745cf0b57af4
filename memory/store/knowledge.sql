CREATE TABLE tactician_patterns (
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
) STRICT;

CREATE TABLE successful_strategies (
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
) STRICT;

CREATE TABLE mistake_records (
    mistake_id TEXT PRIMARY KEY,
    description TEXT,
    situation TEXT,
    outcome TEXT,
    severity TEXT,
    prevention_tip TEXT,
    first_occurred REAL,
    last_occurred REAL,
    occurrence_count INTEGER
) STRICT;

CREATE TABLE player_preferences (
    preference_id TEXT PRIMARY KEY,
    category TEXT,
    description TEXT,
    preference_value TEXT,
    learned_from_session TEXT,
    confidence REAL,
    created_at REAL,
    updated_at REAL
) STRICT;

CREATE TABLE tactician_stats (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    total_sessions INTEGER NOT NULL,
    total_battles INTEGER NOT NULL,
    overall_win_rate REAL NOT NULL,
    decayed_at REAL NOT NULL
) STRICT;

-- Provenance of the rows of the four tables, whose columns are fixed by the design. closed: why the row no longer
-- holds, '' while it does; evidence: a list of its sources.
CREATE TABLE provenance (
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('verified', 'inferred', 'claim')),
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    closed TEXT NOT NULL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (table_name, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE archive (
    number INTEGER PRIMARY KEY,
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    archived_at REAL NOT NULL,
    row TEXT NOT NULL,
    provenance TEXT NOT NULL
) STRICT;

-- The last lesson that each run delivered.
CREATE TABLE deliveries (
    run_id TEXT NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- sequence: the run's last lesson about the row; share: its lessons added up; closed: why another run overrules it,
-- '' while it holds; evidence: a list of its sources.
CREATE TABLE shares (
    table_name TEXT NOT NULL,
    id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    share TEXT NOT NULL,
    closed TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (table_name, id, run_id)
) STRICT, WITHOUT ROWID;

-- origin: the run that learnt it first, whose name begins the key; run_id and sequence: its last lesson; count: the
-- number of lessons; merged: the keys merged into this entry.
CREATE TABLE ltm_entries (
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
    UNIQUE (scope, key)
) STRICT;

CREATE INDEX open_entries ON ltm_entries (scope, kind) WHERE closed = '';
