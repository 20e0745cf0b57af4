-- Everything that outlives runs, one row for each entry. kind: pattern, strategy, mistake and preference in the scopes
-- ltm:*, which all agents share, and any other in the scopes of agents and teams. origin: the run that learnt it first;
-- run_id and sequence: its last lesson; count: the number of lessons; merged: the keys merged into this entry;
-- relevance: what time has left of it at the date decayed_at; closed: why it no longer holds, '' while it does.
CREATE TABLE ltm_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    origin TEXT NOT NULL,
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    scope TEXT NOT NULL CHECK (
        scope GLOB 'ltm:?*' OR scope GLOB 'agent:?*:ltm:?*' OR scope GLOB 'team:?*' OR scope = 'collective'
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

-- What each run added to an entry. sequence: its last lesson about it; contribution: its lessons added up; overruled:
-- why another run's contribution holds instead, '' while this one does; evidence: a list of the sources of that.
CREATE TABLE contributions (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    run_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    contribution TEXT NOT NULL,
    overruled TEXT NOT NULL DEFAULT '',
    evidence TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (scope, key, run_id)
) STRICT, WITHOUT ROWID;

-- The last lesson that each run delivered.
CREATE TABLE deliveries (
    run_id TEXT NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Removed entries; row: all columns but the id.
CREATE TABLE archive (
    number INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    archived_at REAL NOT NULL,
    row TEXT NOT NULL
) STRICT;

-- The date to which all has decayed, and that of the last opening.
CREATE TABLE dates (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    decayed_at REAL NOT NULL,
    opened_at REAL NOT NULL
) STRICT;

-- The tables of the design, with exactly its columns, for other readers of the file: this program trusts no view.
CREATE VIEW tactician_patterns AS SELECT
    data ->> 'pattern_id' AS pattern_id,
    data ->> 'pattern_type' AS pattern_type,
    data ->> 'description' AS description,
    data -> 'trigger_conditions' AS trigger_conditions,
    data ->> 'learned_from_session' AS learned_from_session,
    data ->> 'learned_from_tick' AS learned_from_tick,
    data ->> 'success_count' AS success_count,
    data ->> 'failure_count' AS failure_count,
    data ->> 'confidence' AS confidence,
    data ->> 'last_validated' AS last_validated,
    (data ->> 'relevance_score') * relevance AS relevance_score
FROM ltm_entries WHERE scope = 'ltm:procedural' AND kind = 'pattern';

CREATE VIEW successful_strategies AS SELECT
    data ->> 'strategy_id' AS strategy_id,
    data -> 'context' AS context,
    data ->> 'enemy_type' AS enemy_type,
    data ->> 'player_pokemon' AS player_pokemon,
    data ->> 'strategy_description' AS strategy_description,
    data -> 'moves_sequence' AS moves_sequence,
    data ->> 'success_rate' AS success_rate,
    data ->> 'total_uses' AS total_uses,
    data ->> 'first_used' AS first_used,
    data ->> 'last_used' AS last_used
FROM ltm_entries WHERE scope = 'ltm:procedural' AND kind = 'strategy';

CREATE VIEW mistake_records AS SELECT
    data ->> 'mistake_id' AS mistake_id,
    data ->> 'description' AS description,
    data -> 'situation' AS situation,
    data ->> 'outcome' AS outcome,
    data ->> 'severity' AS severity,
    data ->> 'prevention_tip' AS prevention_tip,
    data ->> 'first_occurred' AS first_occurred,
    data ->> 'last_occurred' AS last_occurred,
    data ->> 'occurrence_count' AS occurrence_count
FROM ltm_entries WHERE scope = 'ltm:semantic' AND kind = 'mistake';

CREATE VIEW player_preferences AS SELECT
    data ->> 'preference_id' AS preference_id,
    data ->> 'category' AS category,
    data ->> 'description' AS description,
    data -> 'preference_value' AS preference_value,
    data ->> 'learned_from_session' AS learned_from_session,
    (data ->> 'confidence') * relevance AS confidence,
    data ->> 'created_at' AS created_at,
    data ->> 'updated_at' AS updated_at
FROM ltm_entries WHERE scope = 'ltm:semantic' AND kind = 'preference';

-- The sums of all runs.
CREATE VIEW tactician_stats AS SELECT
    id,
    sessions AS total_sessions,
    battles AS total_battles,
    CASE WHEN battles > 0 THEN 1.0 * victories / battles ELSE 0.0 END AS overall_win_rate,
    decayed_at,
    opened_at
FROM dates, (
    SELECT
        coalesce(sum(contribution ->> '$.record.data.sessions'), 0) AS sessions,
        coalesce(sum(contribution ->> '$.record.data.battles'), 0) AS battles,
        coalesce(sum(contribution ->> '$.record.data.victories'), 0) AS victories
    FROM contributions WHERE scope = 'ltm:semantic' AND key = 'totals:all'
);
