-- The tables of Tapes v0.4.0. Version 1 is the only one; Tapes refuses a file with gaps.
CREATE TABLE nodes (
    hash TEXT NOT NULL PRIMARY KEY,
    bucket TEXT,
    type TEXT,
    role TEXT,
    content TEXT,
    model TEXT,
    provider TEXT,
    agent_name TEXT,
    stop_reason TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    total_tokens INTEGER,
    cache_creation_input_tokens INTEGER,
    cache_read_input_tokens INTEGER,
    total_duration_ns INTEGER,
    prompt_duration_ns INTEGER,
    project TEXT,
    created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    parent_hash TEXT REFERENCES nodes (hash) ON DELETE SET NULL
);

CREATE INDEX node_parent_hash ON nodes (parent_hash);

CREATE INDEX node_role ON nodes (role);

CREATE INDEX node_model ON nodes (model);

CREATE INDEX node_provider ON nodes (provider);

CREATE INDEX node_agent_name ON nodes (agent_name);

CREATE INDEX node_role_model ON nodes (role, model);

CREATE INDEX node_project ON nodes (project);

CREATE INDEX node_created_at ON nodes (created_at);

CREATE TABLE schema_migrations (version INTEGER NOT NULL UNIQUE, applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);

INSERT INTO schema_migrations (version) VALUES (1);
