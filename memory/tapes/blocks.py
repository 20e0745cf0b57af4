"""From a message of the Messages API to the content blocks of a tape: pictures by reference, nothing lost but payloads."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

from memory.errors import MalformedRecord
from memory.tapes.sound import Mask, sound, sound_text

Block: TypeAlias = "dict[str, Any]"

THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_DATA_URL: Final = re.compile(r"data:([\w.+/-]*)[^,]*,(.*)", re.DOTALL)


def blocks_of(content: object, mask: Mask) -> list[Block]:
    """Return the blocks of a message's `content`, which is text or a list of blocks of the API.

    Every text is sound and masked. Blocks of a kind that tapes do not know keep their type and their text.

    Raises:
        MalformedRecord: when `content` has another shape.
    """
    if isinstance(content, str | bytes):
        content = [{"type": "text", "text": content}] if content else []
    if content is None:
        return []
    if not isinstance(content, Sequence) or not all(isinstance(each, Mapping) for each in content):
        message = f"the content of a message is no {type(content).__name__}; give text or blocks."
        raise MalformedRecord(message)
    return [_block(each, mask) for each in content]


def spoken(blocks: Sequence[Block]) -> list[Block]:
    """Return `blocks` without thinking, which may be left out where a reply is sent again."""
    return [block for block in blocks if block["type"] not in THINKING]


def _block(block: Mapping[str, Any], mask: Mask) -> Block:
    kind = sound_text(str(block.get("type", "")))
    if kind in {"image", "document"}:
        return {"type": kind, **_reference(block.get("source"), mask)}
    if kind.endswith("tool_use"):
        return {
            "type": kind,
            "tool_use_id": sound(block.get("id", ""), mask),
            "tool_name": sound(block.get("name", ""), mask),
            "tool_input": sound(block.get("input") or {}, mask),
        }
    if kind.endswith("tool_result"):
        return {
            "type": kind,
            "tool_result_id": sound(block.get("tool_use_id", ""), mask),
            "tool_output": _output(block.get("content"), mask),
            "is_error": block.get("is_error") is True,
        }
    text = block.get("thinking" if kind == "thinking" else "text")
    return {"type": kind, **({"text": sound(text, mask)} if isinstance(text, str | bytes) else {})}


def _output(content: object, mask: Mask) -> str:
    """Return the body of a result as one text; a picture in it is named where it stood."""
    if content is None or isinstance(content, str | bytes):
        return mask(sound_text(content or ""))
    if not isinstance(content, Sequence):
        content = [content]
    return "\n".join(_line(each, mask) for each in content)


def _line(part: object, mask: Mask) -> str:
    if not isinstance(part, Mapping):
        return mask(sound_text(str(part)))
    if part.get("type") in {"image", "document"}:
        return f"[{part['type']} {_reference(part.get('source'), mask).get('image_url', '')}]"
    text = part.get("text")
    return mask(sound_text(text)) if isinstance(text, str | bytes) else f"[{part.get('type', '')}]"


def _reference(source: object, mask: Mask) -> dict[str, str]:
    """Return where a picture is, or what it is: its digest, size and kind, never its payload."""
    if not isinstance(source, Mapping):
        return {}
    media_type = sound_text(str(source.get("media_type") or ""))
    data, url = source.get("data"), source.get("url")
    if isinstance(url, str) and (found := _DATA_URL.match(url)):
        media_type, data, url = found[1], found[2], None
    if isinstance(data, str | bytes):
        payload = _payload(data)
        url = f"sha256:{sha256(payload).hexdigest()}?size={len(payload)}&type={media_type}"
        return {"image_url": url, "media_type": media_type}
    name = url if isinstance(url, str) else str(source.get("file_id") or "")
    return {"image_url": mask(sound_text(name)), "media_type": media_type}


def _payload(data: str | bytes) -> bytes:
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    try:
        return base64.b64decode(raw, validate=True)
    except binascii.Error:
        return raw
