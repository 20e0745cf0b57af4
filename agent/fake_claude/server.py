"""The server: listens on loopback, one thread a connection, HTTP requests in and replies out; stops at once when asked."""

import json
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from agent.fake_claude.cache import Received, ServiceCounts
from agent.fake_claude.faults import (
    MESSAGES,
    Mishaps,
    OutgoingReply,
    ServiceFault,
    comes_first,
    send,
)
from agent.fake_claude.scenario import ServiceScenario
from agent.fake_claude.service import FakeService, model_json, models_json
from agent.fake_claude.wire import BANNER, RequestRefused, Wire, error_json

CREDENTIALS: Final = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})
MOST_BYTES: Final = 32_000_000  # of a request
LIFECYCLES: Final = ("active", "deprecated")  # that are listed unless others are asked for
KEPT: Final = 1_000  # requests; a night of play has more than memory should hold


@dataclass(frozen=True, slots=True)
class Desk:
    """What all connections share."""

    service: FakeService
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
        except RequestRefused as refused:
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
                raise RequestRefused("not_found_error", f"{method} {path.path} is not served here")

    def _message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        turn, fault = self._mishap(MESSAGES)
        message: Mapping[str, Any] = {}
        if fault is None or not comes_first(fault.kind):
            message = self._desk.service.message(body, turn, None if fault is None else fault.kind)
        streamed = isinstance(body, dict) and body.get("stream") is True
        send(OutgoingReply(message, streamed, self._desk.close_door), wire, fault)

    def _tell(self, at: str, what: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with what is no message."""
        _, fault = self._mishap(at)
        told = {} if fault is not None and comes_first(fault.kind) else what()
        send(OutgoingReply(told, streamed=False, close_door=self._desk.close_door), wire, fault)

    def _mishap(self, at: str) -> tuple[int, ServiceFault | None]:
        turn, fault = self._desk.mishaps.next(at)
        if fault is not None:
            self._desk.service.tally.faults[fault.kind.value] += 1
        return turn, fault


def _parsed(raw: bytes | None) -> object:
    if raw is None:
        raise RequestRefused("request_too_large", "Request exceeds the maximum size")
    try:
        return json.loads(raw) if raw else None
    except ValueError as error:
        message = f"The request body is not valid JSON: {error}"
        raise RequestRefused("invalid_request_error", message) from error


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("x-api-key") and not headers.get("authorization"):
        raise RequestRefused(
            "authentication_error", "x-api-key header is required; any value will do"
        )
    if "anthropic-version" not in headers:
        raise RequestRefused("invalid_request_error", "anthropic-version: header is required")


LOOPBACK: Final = "127.0.0.1"
POLL_S: Final = 0.02  # how long stopping takes at most


class FakeClaude:
    """A server that speaks the Messages API and is no model; use it as a context.

    `clock` is in seconds and tells the age of what is cached; `seed` varies what is made up and what goes
    wrong; `port` 0 takes any that is free. `url` is for ANTHROPIC_BASE_URL. Raises OSError where the port
    is taken.
    """

    def __init__(
        self,
        scenario: ServiceScenario | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        seed: int = 0,
        port: int = 0,
    ) -> None:
        self.scenario = scenario or ServiceScenario()
        mishaps = Mishaps(self.scenario.faults, self.scenario.spread, seed)
        service = FakeService(self.scenario, clock, seed)
        self._desk = Desk(service, mishaps, self._close_for)
        # Bound for as long as this lives, and never listening: it keeps the port while the door is closed.
        self._place = _bound(port)
        self._door: _Server | None = None
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self._place.getsockname()[1]}"

    @property
    def counts(self) -> ServiceCounts:
        """What was asked, which faults were made, and the tokens."""
        return self._desk.service.tally

    @property
    def requests(self) -> Sequence[Received]:
        """The last thousand requests that came, in their order."""
        return tuple(self._desk.requests)

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._desk.stopping.set()
        self._close()
        self._place.close()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Let nobody connect for as long as the context lasts; open connections end."""
        self._close()
        try:
            yield
        finally:
            self._open()

    def _open(self) -> None:
        with self._lock:
            if self._door is None and not self._desk.stopping.is_set():
                self._door = _Server(self._place.getsockname(), partial(Handler, self._desk))

    def _close(self) -> None:
        with self._lock:
            door, self._door = self._door, None
        if door is not None:
            door.end()

    def _close_for(self, seconds: float) -> None:
        """Close, and open again after a while; returns at once after closing."""
        self._close()

        def reopen() -> None:
            self._desk.stopping.wait(seconds)
            self._open()

        threading.Thread(target=reopen, daemon=True).start()


def _bound(port: int) -> socket.socket:
    place = socket.socket()
    try:
        place.bind((LOOPBACK, port))
    except OSError:
        place.close()
        raise
    # Only now: before, it would let two servers have one port.
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return place


class _Server(ThreadingMixIn, HTTPServer):
    """Listens from its making to its end, and ends its open connections with itself."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: Callable[..., Handler]) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, handler)
        threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True).start()

    def end(self) -> None:
        """Stop listening, and hang up: whoever reads from a connection sees its end."""
        self.shutdown()
        self.server_close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the other side may have closed it
                    connection.shutdown(socket.SHUT_RDWR)

    def server_bind(self) -> None:
        """Bind without asking for the name of this machine, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.socket.bind(self.server_address)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Remember a connection and serve it."""
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - socketserver's
        """Forget a connection that is over."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Say nothing of clients that went away, which is their right."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
