"""A message as the events of a stream."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

PIECE: Final = 80  # characters of text, or of the JSON of a call, in one event
MOST_PIECES: Final = 200  # of one block; a huge one comes in larger pieces


def event(kind: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield `message` in the order of the service: start, ping, each block in pieces, delta, stop."""
    usage = message["usage"]
    begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    begun |= {"stop_details": None, "usage": {**usage, "output_tokens": 1}}
    yield event("message_start", message=begun)
    yield event("ping")
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    yield event(
        "message_delta",
        delta={name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")},
        usage={name: usage[name] for name in _TOTALS},
    )
    yield event("message_stop")


_TOTALS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def _block(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    empty, kind, name, whole = _parts(block)
    yield event("content_block_start", index=index, content_block={**block, **empty})
    size = max(PIECE, len(whole) // MOST_PIECES)
    for at in range(0, len(whole), size):
        delta = {"type": kind, name: whole[at : at + size]}
        yield event("content_block_delta", index=index, delta=delta)
    if block["type"] == "thinking":
        delta = {"type": "signature_delta", "signature": block["signature"]}
        yield event("content_block_delta", index=index, delta=delta)
    yield event("content_block_stop", index=index)


class _Parts(NamedTuple):
    """How a block arrives: what it is empty, what its pieces are called, and all of them together."""

    empty: Mapping[str, object]
    kind: str
    name: str
    whole: str


def _parts(block: Mapping[str, Any]) -> _Parts:
    match block["type"]:
        case "text":
            return _Parts({"text": ""}, "text_delta", "text", block["text"])
        case "thinking":
            empty = {"thinking": "", "signature": ""}
            return _Parts(empty, "thinking_delta", "thinking", block["thinking"])
        case _:
            whole = json.dumps(block["input"], ensure_ascii=False)
            return _Parts({"input": {}}, "input_json_delta", "partial_json", whole)
