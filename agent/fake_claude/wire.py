"""Replies on a connection: one body, a stream of events, or an error."""

import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

STATUSES: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "overloaded_error": 529,
}


class RequestRefused(Exception):  # an expected result, which becomes the reply
    """A refused request: the kind of error and the service's message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = STATUSES[kind]


def error_json(kind: str, message: str, request_id: str | None = None) -> dict[str, object]:
    """Return the body of an error; an error within a stream has no request id."""
    body: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    return body if request_id is None else {**body, "request_id": request_id}


PIECE: Final = 80  # characters of text, or of the JSON of a call, in one event
MAX_PIECES: Final = 200  # of one block; a very long block is sent in larger pieces


def event(kind: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


def events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the events of `message` in the service's order: start, ping, each block in pieces, delta, stop."""
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


# By type of block: the name of its delta events, and the field of the piece in them.
_PIECES: Final = {"text": ("text_delta", "text"), "tool_use": ("input_json_delta", "partial_json")}


def _block(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    if block["type"] == "thinking":
        begun, signed = {**block, "signature": ""}, block["signature"]
        yield event("content_block_start", index=index, content_block=begun)
        delta = {"type": "signature_delta", "signature": signed}
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
        return
    kind, name = _PIECES[block["type"]]
    is_call = "input" in block
    payload = json.dumps(block["input"], ensure_ascii=False) if is_call else block["text"]
    empty: Mapping[str, object] = {"input": {}} if is_call else {"text": ""}
    yield event("content_block_start", index=index, content_block={**block, **empty})
    size = max(PIECE, len(payload) // MAX_PIECES)
    for at in range(0, len(payload), size):
        delta = {"type": kind, name: payload[at : at + size]}
        yield event("content_block_delta", index=index, delta=delta)
    yield event("content_block_stop", index=index)


BANNER: Final = "fake-claude: this is no model; its answers are made up"
JSON: Final = "application/json"
EVENTS: Final = "text/event-stream; charset=utf-8"


class Wire:
    """The writer of one reply."""

    def __init__(self, http: BaseHTTPRequestHandler, request_id: str) -> None:
        self.http = http
        self.request_id = request_id

    def json(self, value: object, status: int = 200, **headers: str) -> None:
        """Reply with `value` as JSON."""
        self.send_body(json.dumps(value, ensure_ascii=False).encode(), JSON, status, **headers)

    def send_body(self, body: bytes, kind: str = JSON, status: int = 200, **headers: str) -> None:
        """Reply with `body`."""
        self._head(status, {"content-type": kind, "content-length": str(len(body)), **headers})
        self.http.wfile.write(body)

    def begin(self) -> None:
        """Start a stream of events."""
        unknown = {"transfer-encoding": "chunked", "cache-control": "no-cache"}
        self._head(200, {"content-type": EVENTS, **unknown})

    def chunk(self, data: bytes) -> None:
        """Send one chunk of the stream."""
        self.http.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.http.wfile.flush()

    def end(self) -> None:
        """End the stream."""
        self.http.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.http.send_response_only(status)
        always = {"request-id": self.request_id, "x-fake-claude": BANNER}
        for name, value in {**headers, **always}.items():
            self.http.send_header(name, value)
        self.http.end_headers()
