CREATE TABLE run (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    run_id TEXT NOT NULL
) STRICT;

CREATE TABLE steps (
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
) STRICT;

CREATE UNIQUE INDEX live_steps ON steps (tick) WHERE live = 1;

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    tick INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX live_events ON events (kind) WHERE live = 1;

-- team: '' when it equals that of the row before on the same branch.
CREATE TABLE trail (
    id INTEGER PRIMARY KEY,
    tick INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    map_id INTEGER NOT NULL,
    x INTEGER NOT NULL,
    y INTEGER NOT NULL,
    money INTEGER NOT NULL,
    badges INTEGER NOT NULL,
    team TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 1
) STRICT;

-- Rows of all branches: a rewind restores the game, not the time.
CREATE TABLE vitals (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    tick INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    wall_s REAL NOT NULL,
    resident INTEGER NOT NULL,
    file_bytes INTEGER NOT NULL,
    free_bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE branchings (
    id INTEGER PRIMARY KEY,
    tick INTEGER NOT NULL,
    left_at INTEGER NOT NULL,
    why TEXT NOT NULL CHECK (why IN ('stuck', 'asked', 'recovered', 'resumed')),
    session TEXT NOT NULL
) STRICT;

-- last_*: the highest number of each table at that moment. why: the reason, which decides how long it is retained;
-- size: bytes of game and parts.
CREATE TABLE checkpoints (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tick INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    state BLOB NOT NULL,
    chain BLOB NOT NULL,
    why TEXT NOT NULL,
    size INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    last_entry INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    last_observation INTEGER NOT NULL
) STRICT;

CREATE TABLE parts (
    checkpoint INTEGER NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (checkpoint, name)
) STRICT, WITHOUT ROWID;

-- made_after, dropped_after: the last checkpoint before it was written and before it was replaced.
CREATE TABLE strategist_checkpoints (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    tick INTEGER NOT NULL,
    data TEXT NOT NULL,
    made_after INTEGER NOT NULL,
    dropped_after INTEGER
) STRICT;

CREATE UNIQUE INDEX live_sessions ON strategist_checkpoints (session_id) WHERE dropped_after IS NULL;

-- AUTOINCREMENT: a delivered number must never be reused.
CREATE TABLE outbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tick INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    live INTEGER NOT NULL DEFAULT 1
) STRICT;

-- A revised or rewritten entry is a new row; the old row is marked as dropped, so that a rewind to a checkpoint can
-- restore it. dropped_after: the last checkpoint at that moment, NULL while the entry is live. text: the indexed words;
-- '' for entries too short-lived to be searched.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    seq INTEGER NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,
    version INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    game_s REAL NOT NULL,
    place TEXT NOT NULL,
    subject TEXT NOT NULL,
    data TEXT NOT NULL,
    tags TEXT NOT NULL,
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
    relevance REAL NOT NULL,
    utility REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('verified', 'inferred', 'claim')),
    sources TEXT NOT NULL,
    closed TEXT NOT NULL,
    expires_s REAL,
    dropped_after INTEGER,
    text TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX live_seqs ON entries (seq) WHERE dropped_after IS NULL;

CREATE UNIQUE INDEX live_keys ON entries (key, scope) WHERE dropped_after IS NULL;

CREATE INDEX live_kinds ON entries (scope, kind, seq) WHERE dropped_after IS NULL;

-- They cover the columns of scores and of most filters, so that ranking reads only the rows it returns.
CREATE INDEX live_places ON entries (place, game_s, seq, scope, kind, subject, importance,
    utility, expires_s, closed, dropped_after) WHERE dropped_after IS NULL AND place <> '';

CREATE INDEX live_subjects ON entries (subject, game_s, seq, scope, kind, place, importance,
    utility, expires_s, closed, dropped_after) WHERE dropped_after IS NULL AND subject <> '';

CREATE INDEX dropped_entries ON entries (dropped_after) WHERE dropped_after IS NOT NULL;

CREATE TABLE entry_tags (
    tag TEXT NOT NULL,
    scope TEXT NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (tag, scope, entry)
) STRICT, WITHOUT ROWID;

CREATE VIEW live_text AS SELECT id, text FROM entries WHERE dropped_after IS NULL AND text <> '';

CREATE VIRTUAL TABLE entry_text USING fts5 (text, content = 'live_text', content_rowid = 'id', tokenize = 'porter unicode61');

-- One lifetime of a process; its observations are deleted with it.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    tick INTEGER NOT NULL,
    game_s REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- created: a tick; stale: why it no longer holds, '' while it does;
-- stale_after: the last checkpoint when it was marked.
CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
    source TEXT NOT NULL CHECK (source IN ('programmatic', 'llm')),
    created INTEGER NOT NULL,
    created_s REAL NOT NULL,
    about TEXT NOT NULL DEFAULT '',
    stale TEXT NOT NULL DEFAULT '',
    stale_after INTEGER,
    live INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX observations_session ON observations (session);

CREATE INDEX observations_type ON observations (session, type);

CREATE INDEX observations_importance ON observations (session, importance DESC, id DESC);

CREATE INDEX observations_about ON observations (about, type) WHERE live = 1 AND stale = '' AND about <> '';

CREATE INDEX observations_stale ON observations (stale_after) WHERE stale_after IS NOT NULL;

-- Not part of the lineage: a rewind restores the game, not the money. worst_nanos, worst_tokens: the maximum cost, booked
-- before the call was sent; nanos, tokens: the amounts it counts for now, in billionths of a dollar and in tokens.
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'cancelled', 'lost')),
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    milestone TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    worst_nanos INTEGER NOT NULL CHECK (worst_nanos >= 0),
    worst_tokens INTEGER NOT NULL CHECK (worst_tokens >= 0),
    nanos INTEGER NOT NULL CHECK (nanos >= 0),
    tokens INTEGER NOT NULL CHECK (tokens >= 0),
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    cache_read INTEGER NOT NULL DEFAULT 0,
    cache_write_5m INTEGER NOT NULL DEFAULT 0,
    cache_write_1h INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Conversations: made_after and activated_after are the last checkpoint at that moment, 0 without one. owner: the thread,
-- or the resource whose threads are observed together. AUTOINCREMENT: the cursor is one of these numbers, and a covered
-- number must never be reused.
CREATE TABLE conversation_messages (
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
) STRICT;

CREATE INDEX live_messages ON conversation_messages (owner, seq, tokens) WHERE live = 1;

-- Reflections on `tried_tokens` tokens up to `tried_seq` failed to shrink them, `tries` times in a row.
CREATE TABLE conversation_records (
    owner TEXT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL CHECK (scope IN ('thread', 'resource')),
    origin_type TEXT NOT NULL,
    timezone TEXT NOT NULL,
    config TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    tried_seq INTEGER NOT NULL DEFAULT 0,
    tried_tokens INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Observations of the messages from_seq to to_seq, buffered until activation; the last active one ends at the
-- cursor.
CREATE TABLE conversation_chunks (
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
) STRICT;

CREATE UNIQUE INDEX live_chunks ON conversation_chunks (owner, from_seq) WHERE live = 1;

CREATE UNIQUE INDEX live_chunk_ends ON conversation_chunks (owner, to_seq) WHERE live = 1;

-- Text that replaces all observations up to upto_seq, once activated.
CREATE TABLE conversation_reflections (
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
) STRICT;

CREATE UNIQUE INDEX live_generations ON conversation_reflections (owner, generation) WHERE live = 1;

-- Which process does which work, until when at most. Not part of the lineage: it concerns processes.
CREATE TABLE conversation_leases (
    owner TEXT NOT NULL,
    work TEXT NOT NULL,
    holder TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (owner, work)
) STRICT, WITHOUT ROWID;
