"""The tables of a tape as Tapes v0.4.0 expects them, to the column. Nothing of ours ever goes in here."""

from __future__ import annotations

from typing import Final

COLUMNS: Final = (
    "hash", "bucket", "type", "role", "content", "model", "provider", "agent_name", "stop_reason",
    "prompt_tokens", "completion_tokens", "total_tokens", "cache_creation_input_tokens",
    "cache_read_input_tokens", "total_duration_ns", "prompt_duration_ns", "project", "created_at", "parent_hash",
)  # fmt: skip

_NODES: Final = """CREATE TABLE nodes (
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
)"""
_INDEXES: Final = {
    "node_parent_hash": "parent_hash",
    "node_role": "role",
    "node_model": "model",
    "node_provider": "provider",
    "node_agent_name": "agent_name",
    "node_role_model": "role, model",
    "node_project": "project",
    "node_created_at": "created_at",
}

TABLES: Final = (
    _NODES,
    *(f"CREATE INDEX {name} ON nodes ({columns})" for name, columns in _INDEXES.items()),
    "CREATE TABLE schema_migrations (version INTEGER NOT NULL UNIQUE, "
    "applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    "INSERT INTO schema_migrations (version) VALUES (1)",  # the only one; a gap makes Tapes refuse the file
)
