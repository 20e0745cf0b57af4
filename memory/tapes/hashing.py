"""What a node of a tape is called: hash v1 of every release that kept SQLite files; and how it stores JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from memory.tapes.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS: Final = (
    "type", "text", "image_url", "image_base64", "media_type", "tool_use_id", "tool_name", "tool_input",
    "tool_result_id", "tool_output", "is_error",
)  # fmt: skip
# Go's encoder escapes what a browser might take for markup or for the end of a line.
_ESCAPES: Final = (
    ("<", "\\u003c"),
    (">", "\\u003e"),
    ("&", "\\u0026"),
    ("\u2028", "\\u2028"),
    ("\u2029", "\\u2029"),
)


@dataclass(frozen=True, slots=True)
class Bucket:
    """What of a node is hashed; stop reason, usage, project and time are not."""

    role: str
    blocks: Sequence[Mapping[str, Any]]
    model: str
    provider: str = "anthropic"
    agent_name: str = ""
    type: str = "message"

    def hash(self, parent: str | None) -> str:
        """Return 64 hex digits for this bucket after `parent`, which is None for a root.

        Raises:
            TypeError, ValueError: when a block holds what is not JSON.
        """
        content = [
            {**bare(block), "is_error": bool(block.get("is_error"))} for block in self.blocks
        ]
        node = {"parent": parent or "", "content": self._members(content)}
        return sha256(canonical(node).encode()).hexdigest()

    def stored(self) -> bytes:
        """Return the JSON that goes into the column `bucket`."""
        return stored_json(self._members([bare(block) for block in self.blocks] or None))

    def stored_content(self) -> bytes:
        """Return the JSON that goes into the column `content`: null where there is none."""
        return stored_json([bare(block) for block in self.blocks] or None)

    def _members(self, content: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
        members = {
            "type": self.type,
            "role": self.role,
            "content": content,
            "model": self.model,
            "provider": self.provider,
        }
        return {**members, "agent_name": self.agent_name} if self.agent_name else members


def bare(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a block: its known keys, without empty values and without an error that is none."""
    return {key: block[key] for key in KEYS if key in block and not _is_empty(block[key])}


def stored_json(value: object) -> bytes:
    """Return the JSON of `value` as tapes keep it: keys sorted, no spaces, escaped as Go does."""
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    for character, escape in _ESCAPES:
        text = text.replace(character, escape)
    return text.encode()


def _is_empty(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str | dict | list) and not value)
