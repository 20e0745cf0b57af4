"""Builders of tapes of every era, and of model calls to record, for the tests of part A."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from memory.errors import Faults, OnFault
from memory.tapes.entries import TapeSession
from memory.tapes.hashing import Mask, mask_secrets
from memory.tapes.reader import TapeReader
from memory.tapes.recorder import TapeRecorder
from memory.tapes.tape import open_tape

BASIC = ("hash", "parent_hash", "content", "created_at")
FIRST = (
    *BASIC, "bucket", "type", "role", "model", "provider", "stop_reason",
    "prompt_tokens", "completion_tokens", "total_tokens", "total_duration_ns", "prompt_duration_ns",
)  # fmt: skip
FULL = (
    *FIRST, "agent_name", "project", "cache_creation_input_tokens", "cache_read_input_tokens",
)  # fmt: skip


MIGRATIONS = (
    "CREATE TABLE schema_migrations (version INTEGER NOT NULL UNIQUE, applied_at TIMESTAMP)"
)


ERAS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "alpha.2": (BASIC, ()),
    "rc.1": (FIRST, ()),
    "rc.4": (FULL, ()),
    "v0.3": (
        FULL,
        (
            MIGRATIONS,
            "CREATE TABLE facets (id INTEGER, session_id TEXT UNIQUE, facets TEXT, created_at TEXT)",
            "INSERT INTO facets VALUES (1, 'x', '{}', '2026-03-06')",
        ),
    ),
    "v0.4.0": (FULL, (MIGRATIONS,)),
}
AT = "2026-03-09 10:00:{:02}.5+00:00"


def text(said: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": said}]


def use(name: str, given: Mapping[str, Any] | None = None, call: str = "") -> list[dict[str, Any]]:
    block = {"type": "tool_use", "tool_use_id": call, "tool_name": name, "tool_input": given or {}}
    return [{key: value for key, value in block.items() if value}]


def result(output: str = "", call: str = "", *, error: bool = False) -> list[dict[str, Any]]:
    block = {"tool_result_id": call, "tool_output": output, "is_error": error}
    return [{"type": "tool_result", **{key: value for key, value in block.items() if value}}]


def node(
    name: str, parent: str | None, role: str, content: object, **more: object
) -> dict[str, Any]:
    """Return a row of `nodes`, every column of every era."""
    stored = content if isinstance(content, str | bytes) else json.dumps(content)
    names = {"hash": name, "parent_hash": parent, "role": role, "content": stored}
    usual = {"type": "message", "model": "m", "provider": "anthropic", "stop_reason": ""}
    return {**names, "created_at": AT.format(0), **usual, **more}


def spent(prompt: int, completion: int = 0, read: int = 0, created: int = 0) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": created,
    }


def chain(*turns: tuple[str, object], start: str = "a", **more: object) -> list[dict[str, Any]]:
    """Return a chain of nodes with the hashes `a0…`, `a1…`, of 64 digits."""
    parent, nodes = None, list[dict[str, Any]]()
    for number, (role, content) in enumerate(turns):
        at = {"created_at": AT.format(number % 60)}
        nodes.append(node(name_of(start, number), parent, role, content, **at | more))
        parent = name_of(start, number)
    return nodes


def name_of(start: str, number: int) -> str:
    """Return the hash that `chain` uses; its first 8 digits are unique."""
    return f"{start}{number:0{8 - len(start)}x}".ljust(64, "0")


def tape_file(
    path: Path, rows: Iterable[Mapping[str, Any]], era: str = "v0.4.0", *, key: bool = True
) -> Path:
    """Write a tape of an era with `rows`, or add them to an existing tape."""
    columns, more = ERAS[era]
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with closing(sqlite3.connect(path)) as connection, connection:
        if is_new:
            primary = "PRIMARY KEY" if key else ""
            names = ", ".join(f"{name} {primary if name == 'hash' else ''}" for name in columns)
            connection.execute(f"CREATE TABLE nodes ({names})")
            for statement in more:
                connection.execute(statement)
        put = f"INSERT INTO nodes ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        connection.executemany(put, ([row.get(name) for name in columns] for row in rows))
    return path


def ticking(start: float = 1_773_050_400.0) -> Callable[[], float]:
    """Return a clock that advances by a second at each reading, from 2026-03-09 10:00 UTC."""
    seconds = count()
    return lambda: start + next(seconds)


def question(*messages: Mapping[str, Any], model: str = "claude-x") -> dict[str, Any]:
    """Return a request as sent, which shares no object with an earlier one."""
    wire = {"model": model, "max_tokens": 100, "system": "play", "messages": list(messages)}
    fresh: dict[str, Any] = json.loads(json.dumps(wire))
    return fresh


def answer(
    *blocks: Mapping[str, Any], stop_reason: str = "end_turn", **more: object
) -> dict[str, Any]:
    cached = {"cache_creation_input_tokens": 11, "cache_read_input_tokens": 13}
    wire = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": list(blocks),
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 5, "output_tokens": 7, **cached},
    }
    fresh: dict[str, Any] = json.loads(json.dumps(wire | more))
    return fresh


def said(role: str, *blocks: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def recorder(
    path: Path, on_fault: Faults | OnFault | None = None, mask: Mask = mask_secrets
) -> TapeRecorder:
    tape = open_tape(path)
    return TapeRecorder(tape, agent_name="red", clock=ticking(), on_fault=on_fault, mask=mask)


def recorded(path: Path) -> TapeSession:
    """Return the one session on a tape."""
    with TapeReader(path) as reader:
        (root,) = reader.list_sessions()
        return reader.read_session(root)


def raw(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query by plain SQLite."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()
