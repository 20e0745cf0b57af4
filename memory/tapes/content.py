"""From the column `content` to blocks and what they mean, whatever wrote it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from memory.tapes.entries import ToolResult, ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping


class Content(NamedTuple):
    """What a node says. `raw` is set, and `is_malformed`, where that could not be read."""

    blocks: tuple[Mapping[str, Any], ...] = ()
    role: str | None = None  # where it is in the content, as in the first prototype
    raw: str | None = None
    is_malformed: bool = False

    @property
    def text(self) -> str:
        """The text blocks, a line between them; what is malformed as it is."""
        if self.raw is not None:
            return self.raw
        said = (block.get("text") for block in self.blocks if block.get("type") == "text")
        return "\n".join(text for text in said if isinstance(text, str))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The calls that are asked for."""
        return tuple(_use(block) for block in self.blocks if _kind(block).endswith("tool_use"))

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """What calls came to."""
        return tuple(
            _result(block) for block in self.blocks if _kind(block).endswith("tool_result")
        )


def read_content(stored: object) -> Content:
    """Return what a node's content says: a BLOB or TEXT of JSON, or plain text; nothing raises."""
    if stored is None:
        return Content()
    if isinstance(stored, bytes):
        try:
            text = stored.decode()
        except UnicodeDecodeError:
            return Content(raw=stored.decode("utf-8", "replace"), is_malformed=True)
    else:
        text = str(stored)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        if text.lstrip()[:1] in {"[", "{", '"'}:
            return Content(raw=text, is_malformed=True)
        return Content((_text(text),) if text.strip() else ())
    return _of_json(value, text)


def _of_json(value: object, text: str) -> Content:
    if value is None:
        return Content()
    if isinstance(value, str):
        return Content((_text(value),))
    if isinstance(value, dict) and "role" in value:
        inner = _of_json(value.get("content"), text)
        role = value.get("role")
        return inner._replace(role=role if isinstance(role, str) else None)
    blocks = value if isinstance(value, list) else [value]
    parts = [_text(each) if isinstance(each, str) else each for each in blocks]
    known = tuple(part for part in parts if isinstance(part, dict))
    return Content(known) if len(known) == len(parts) else Content(raw=text, is_malformed=True)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _kind(block: Mapping[str, Any]) -> str:
    return str(block.get("type", ""))


def _use(block: Mapping[str, Any]) -> ToolUse:
    given = block.get("tool_input", block.get("input"))
    name = block.get("tool_name") or block.get("name") or ""
    return ToolUse(
        str(name),
        given if isinstance(given, dict) else {},
        str(block.get("tool_use_id") or block.get("id") or ""),
    )


def _result(block: Mapping[str, Any]) -> ToolResult:
    said = block.get("tool_output", block.get("content"))
    name = block.get("tool_result_id") or block.get("tool_use_id") or ""
    return ToolResult(str(name), _flat(said), block.get("is_error") is True)


def _flat(said: object) -> str:
    if said is None or isinstance(said, str):
        return said or ""
    if isinstance(said, list):
        return "\n".join(filter(None, map(_flat, said)))
    if isinstance(said, dict) and isinstance(said.get("text"), str):
        return str(said["text"])
    return json.dumps(said, sort_keys=True, ensure_ascii=False)
