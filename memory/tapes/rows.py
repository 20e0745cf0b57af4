"""From a row of the table `nodes`, of any era, to an entry; and whether its name is the hash of what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.tapes.content import read_content
from memory.tapes.entries import TapeEntry, TokenUsage
from memory.tapes.hashing import Bucket
from memory.tapes.times import moment

if TYPE_CHECKING:
    from collections.abc import Collection

WANTED: Final = (
    "hash", "parent_hash", "role", "content", "prompt_tokens", "completion_tokens",
    "cache_creation_input_tokens", "cache_read_input_tokens", "created_at", "model", "agent_name",
    "provider", "project", "type", "stop_reason", "total_duration_ns",
)  # fmt: skip


def selected(there: Collection[str]) -> str:
    """Return what to select for WANTED from a table with the columns `there`; what it lacks is NULL."""
    return ", ".join(f"n.{name}" if name in there else f"NULL AS {name}" for name in WANTED)


def entry_of(row: tuple[Any, ...]) -> TapeEntry:
    """Return the entry of a row of WANTED; whatever is in its columns, nothing raises."""
    name, parent, role, stored, prompt, completion, created, read, at, *more = row
    content = read_content(stored)
    model, agent_name, provider, project, kind, stop_reason, duration = more
    return TapeEntry(
        str(name),
        str(parent) if parent else None,
        _word(role) or content.role,
        content.text,
        content.tool_uses,
        content.tool_results,
        TokenUsage(_count(prompt), _count(completion), _count(created), _count(read)),
        moment(at),
        _word(model),
        _word(agent_name),
        _word(provider),
        _word(project),
        _word(kind),
        _word(stop_reason),
        _count(duration),
        content.blocks,
        content.raw,
        content.is_malformed,
    )


def is_hash_of(entry: TapeEntry) -> bool:
    """Return whether `entry` is called by the hash v1 of what it holds."""
    bucket = Bucket(
        entry.role or "",
        entry.blocks,
        entry.model or "",
        entry.provider or "",
        entry.agent_name or "",
        entry.type or "",
    )
    try:
        return not entry.is_malformed and bucket.hash(entry.parent_hash) == entry.hash
    except (TypeError, ValueError, RecursionError):
        return False


def _word(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
