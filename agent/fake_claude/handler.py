"""One connection: HTTP requests in, replies out."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from agent.fake_claude.breaks import Reply, comes_first, send
from agent.fake_claude.faults import MESSAGES, Fault, Mishaps
from agent.fake_claude.refusal import Refused, error_json
from agent.fake_claude.service import Service, model_json, models_json
from agent.fake_claude.tally import Received
from agent.fake_claude.wire import BANNER, Wire

CREDENTIALS: Final = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})
MOST_BYTES: Final = 32_000_000  # of a request
LIFECYCLES: Final = ("active", "deprecated")  # that are listed unless others are asked for
KEPT: Final = 1_000  # requests; a night of play has more than memory should hold


@dataclass(frozen=True, slots=True)
class Desk:
    """What all connections share."""

    service: Service
    mishaps: Mishaps
    close_door: Callable[[float], None]
    requests: deque[Received] = field(default_factory=lambda: deque(maxlen=KEPT))
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    stopping: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """Serves one connection from its beginning to its end."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # a small reply leaves in one piece

    def __init__(self, desk: Desk, *connection: Any) -> None:  # noqa: ANN401 - socketserver's
        self._desk = desk
        super().__init__(*connection)

    def log_message(self, *_: object) -> None:
        """Say nothing: what came is kept, and the terminal belongs to others."""

    def do_GET(self) -> None:
        """Serve what is looked up."""
        self._serve("GET", b"")

    def do_POST(self) -> None:
        """Serve what is asked."""
        length = int(self.headers.get("content-length") or 0)
        if length > MOST_BYTES:
            self.close_connection = True  # its body stays unread
        self._serve("POST", self.rfile.read(length) if length <= MOST_BYTES else None)

    def _serve(self, method: str, raw: bytes | None) -> None:
        desk = self._desk
        wire = Wire(self, f"req_fake{next(desk.numbers):06}", desk.stopping)
        try:
            body = _parsed(raw)
            headers = {name.lower(): value for name, value in self.headers.items()}
            kept = {name: "present" if name in CREDENTIALS else headers[name] for name in headers}
            desk.requests.append(Received(method, self.path, kept, body))
            desk.service.tally.calls[f"{method} {urlsplit(self.path).path}"] += 1
            if self.path != "/":
                _check_headers(headers)
            self._route(method, body, wire)
        except Refused as refused:
            desk.service.tally.errors[refused.kind] += 1
            said = error_json(refused.kind, refused.message, wire.request_id)
            wire.json(said, refused.status)

    def _route(self, method: str, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        path = urlsplit(self.path)
        match method, path.path.strip("/").split("/"):
            case "GET", [""]:
                wire.whole(f"{BANNER}\n".encode(), "text/plain; charset=utf-8")
            case "GET", ["v1", "models"]:
                asked = parse_qs(path.query)
                lifecycles = asked.get("lifecycle") or asked.get("lifecycle[]")
                self._tell("models", partial(models_json, lifecycles or LIFECYCLES), wire)
            case "GET", ["v1", "models", name]:
                self._tell("models", partial(model_json, name), wire)
            case "POST", ["v1", "messages", "count_tokens"]:
                self._tell("count_tokens", partial(self._desk.service.count, body), wire)
            case "POST", ["v1", "messages"]:
                self._message(body, wire)
            case _:
                raise Refused("not_found_error", f"{method} {path.path} is not served here")

    def _message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        turn, fault = self._mishap(MESSAGES)
        message: Mapping[str, Any] = {}
        if fault is None or not comes_first(fault.kind):
            message = self._desk.service.message(body, turn, None if fault is None else fault.kind)
        streamed = isinstance(body, dict) and body.get("stream") is True
        send(Reply(message, streamed, self._desk.close_door), wire, fault)

    def _tell(self, at: str, what: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with what is no message."""
        _, fault = self._mishap(at)
        told = {} if fault is not None and comes_first(fault.kind) else what()
        send(Reply(told, streamed=False, close_door=self._desk.close_door), wire, fault)

    def _mishap(self, at: str) -> tuple[int, Fault | None]:
        turn, fault = self._desk.mishaps.next(at)
        if fault is not None:
            self._desk.service.tally.faults[fault.kind.value] += 1
        return turn, fault


def _parsed(raw: bytes | None) -> object:
    if raw is None:
        raise Refused("request_too_large", "Request exceeds the maximum size")
    try:
        return json.loads(raw) if raw else None
    except ValueError as error:
        message = f"The request body is not valid JSON: {error}"
        raise Refused("invalid_request_error", message) from error


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("x-api-key") and not headers.get("authorization"):
        raise Refused("authentication_error", "x-api-key header is required; any value will do")
    if "anthropic-version" not in headers:
        raise Refused("invalid_request_error", "anthropic-version: header is required")
