"""Faults of a reply and of its connection: the message would be right, what arrives is not."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Final

from agent.fake_claude.faults import Fault, FaultKind
from agent.fake_claude.refusal import error_json
from agent.fake_claude.stream import event, events
from agent.fake_claude.wire import JSON, Wire

CHUNK: Final = 64_000
FLOOD: Final = 50_000_000  # bytes
PAGE: Final = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


@dataclass(frozen=True, slots=True)
class Reply:
    """What would have been sent. `close_door` ends listening for so many seconds."""

    message: Mapping[str, Any]
    streamed: bool
    close_door: Callable[[float], None]

    @property
    def events(self) -> list[bytes]:
        """The message as events."""
        return list(events(self.message))

    @property
    def body(self) -> bytes:
        """The message as one body."""
        return json.dumps(self.message, ensure_ascii=False).encode()


_STATUSES: Final = {
    FaultKind.RATE_LIMIT: (429, "rate_limit_error", "This request would exceed your rate limit"),
    FaultKind.OVERLOADED: (529, "overloaded_error", "Overloaded"),
    FaultKind.SERVER_ERROR: (500, "api_error", "Internal server error"),
    FaultKind.UNAVAILABLE: (503, "api_error", "Service unavailable"),
    FaultKind.GATEWAY_TIMEOUT: (504, "timeout_error", "Gateway timeout"),
}


def comes_first(kind: FaultKind) -> bool:
    """Return whether the fault comes before the request is even looked at, so that it costs nothing."""
    silent = {FaultKind.BAD_GATEWAY, FaultKind.TIMEOUT, FaultKind.REFUSED, FaultKind.RESET}
    return kind in silent or kind in _STATUSES


def _status(fault: Fault, _: Reply, wire: Wire) -> None:
    status, kind, words = _STATUSES[fault.kind]
    headers = {}
    if fault.kind is FaultKind.RATE_LIMIT:
        ms = fault.retry_after_ms
        headers = {"retry-after": str(math.ceil(ms / 1_000)), "retry-after-ms": str(ms)}
    body = json.dumps(error_json(kind, f"{words} (fake-claude)", wire.request_id)).encode()
    wire.whole(body, JSON, status, headers)


def send(reply: Reply, wire: Wire, fault: Fault | None) -> None:
    """Send `reply`, with what is wrong about it; in order where that was done to the message."""
    broken = None if fault is None else _BREAKS.get(fault.kind)
    if fault is None or broken is None:
        _in_order(reply, wire)
    else:
        broken(fault, reply, wire)


def _in_order(reply: Reply, wire: Wire) -> None:
    if reply.streamed:
        _send(wire, events(reply.message))
    else:
        wire.whole(reply.body)


def _send(wire: Wire, parts: Iterable[bytes]) -> None:
    wire.begin()
    for part in parts:
        wire.chunk(part)
    wire.end()


def _bad_gateway(_: Fault, __: Reply, wire: Wire) -> None:
    wire.whole(PAGE, "text/html", 502)


def _timeout(_: Fault, __: Reply, wire: Wire) -> None:
    wire.wait_for_leave()
    wire.hang_up()


def _late(fault: Fault, reply: Reply, wire: Wire) -> None:
    if not wire.wait(fault.ms / 1_000):
        _in_order(reply, wire)


def _refused(fault: Fault, reply: Reply, wire: Wire) -> None:
    reply.close_door(fault.ms / 1_000)
    wire.drop()


def _reset(_: Fault, __: Reply, wire: Wire) -> None:
    wire.drop()


def _cut(_: Fault, reply: Reply, wire: Wire) -> None:
    """Break off in the middle; without a reset, which could overtake what was sent."""
    if reply.streamed:
        wire.begin()
        wire.chunk(b"".join(reply.events[:-2]))
    else:
        body = reply.body
        wire.whole(body[: len(body) // 2], length=len(body))
    wire.hang_up()


def _half_stream(_: Fault, reply: Reply, wire: Wire) -> None:
    if reply.streamed:
        _send(wire, reply.events[:-2])
    else:
        wire.whole(reply.body[: len(reply.body) // 2])


def _half_json(_: Fault, reply: Reply, wire: Wire) -> None:
    if reply.streamed:
        *before, last = reply.events[:-2]
        _send(wire, [*before, last[: len(last) // 2]])
    else:
        wire.whole(reply.body[:-2])


def _error_event(_: Fault, reply: Reply, wire: Wire) -> None:
    error: dict[str, Any] = {"type": "overloaded_error", "message": "Overloaded (fake-claude)"}
    if reply.streamed:
        _send(wire, [*reply.events[:3], event("error", error=error)])
    else:
        wire.json(
            error_json("api_error", "Internal server error (fake-claude)", wire.request_id), 500
        )


def _drip(fault: Fault, reply: Reply, wire: Wire) -> None:
    """Go on until nobody reads or the server stops."""
    drops: Iterable[bytes] = repeat(b" ")
    if reply.streamed:
        delta = {"type": "text_delta", "text": "."}
        drop = event("content_block_delta", index=0, delta=delta)
        drops = chain((_begun(reply),), repeat(drop))
    wire.begin() if reply.streamed else wire.begin(JSON)
    for drop in drops:
        wire.chunk(drop)
        if wire.wait(fault.ms / 1_000):
            return


def _begun(reply: Reply) -> bytes:
    block = {"type": "text", "text": "", "citations": None}
    return reply.events[0] + event("content_block_start", index=0, content_block=block)


def _flood(_: Fault, reply: Reply, wire: Wire) -> None:
    filler = "." * CHUNK
    if reply.streamed:
        delta = {"type": "text_delta", "text": filler}
        drop = event("content_block_delta", index=0, delta=delta)
        end = [event("content_block_stop", index=0), *reply.events[-2:]]
        _send(wire, chain((_begun(reply),), repeat(drop, FLOOD // CHUNK), end))
        return
    text = {"type": "text", "text": "FLOOD", "citations": None}
    whole = json.dumps({**reply.message, "content": [text]}).encode()
    head, tail = whole.split(b"FLOOD")
    wire.begin(JSON)
    for part in chain((head,), repeat(filler.encode(), FLOOD // CHUNK), (tail,)):
        wire.chunk(part)
    wire.end()


def _instead(
    body: bytes, *, streamed: bytes, kind: str = JSON
) -> Callable[[Fault, Reply, Wire], None]:
    """Send something else: `streamed` as the second event of a stream, or `body`."""

    def send(_: Fault, reply: Reply, wire: Wire) -> None:
        if reply.streamed and streamed:
            _send(wire, [reply.events[0], streamed, *reply.events[1:]])
        else:
            wire.whole(body, kind)

    return send


_BREAKS: Final[Mapping[FaultKind, Callable[[Fault, Reply, Wire], None]]] = {
    **dict.fromkeys(_STATUSES, _status),
    FaultKind.BAD_GATEWAY: _bad_gateway,
    FaultKind.TIMEOUT: _timeout,
    FaultKind.LATE: _late,
    FaultKind.REFUSED: _refused,
    FaultKind.RESET: _reset,
    FaultKind.CUT: _cut,
    FaultKind.HALF_STREAM: _half_stream,
    FaultKind.HALF_JSON: _half_json,
    FaultKind.ERROR_EVENT: _error_event,
    FaultKind.DRIP: _drip,
    FaultKind.FLOOD: _flood,
    FaultKind.INVALID_JSON: _instead(
        b'{"id": "msg_fake", "type": "message", "content": [',
        streamed=b'event: content_block_delta\ndata: {"type": "content_bl\n\n',
    ),
    FaultKind.WRONG_SHAPE: _instead(
        b'{"choices": [{"message": {"role": "robot", "content": 7}}]}',
        streamed=event("content_block_delta", index=9, delta={"type": "odd", "odd": [1]}),
    ),
    FaultKind.WRONG_TYPE: _instead(PAGE, streamed=b"", kind="text/html"),
}
