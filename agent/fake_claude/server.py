"""The server: listens on loopback, one thread a connection, HTTP requests in and replies out; stops at once when asked."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self
from urllib.parse import urlsplit

from agent.fake_claude.service import FakeService, served
from agent.fake_claude.wire import BANNER, RequestRefused, Wire, error_json, events

MOST_BYTES: Final = 32_000_000  # of a request


class Handler(BaseHTTPRequestHandler):
    """Serves one connection from its beginning to its end."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # a small reply leaves in one piece

    def __init__(self, service: FakeService, *connection: Any) -> None:  # noqa: ANN401 - socketserver's
        self.service = service
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

    def wire(self, request_id: str) -> Wire:
        """Return the way back for one request."""
        return Wire(self, request_id)

    def received(self, method: str, headers: Mapping[str, str], body: object) -> None:
        """Take note of a request, whose headers are in small letters."""

    def _serve(self, method: str, raw: bytes | None) -> None:
        tally = self.service.tally
        wire = self.wire(f"req_fake{next(self.service.numbers):06}")
        try:
            body = _parsed(raw)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.received(method, headers, body)
            tally.calls[f"{method} {urlsplit(self.path).path}"] += 1
            if self.path != "/":
                _check_headers(headers)
            self._route(method, body, wire)
        except RequestRefused as refused:
            tally.errors[refused.kind] += 1
            said = error_json(refused.kind, refused.message, wire.request_id)
            wire.json(said, refused.status)

    def _route(self, method: str, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        path = urlsplit(self.path).path
        match method, path.strip("/").split("/"):
            case "GET", [""]:
                wire.whole(f"{BANNER}\n".encode(), "text/plain; charset=utf-8")
            case "GET", ["v1", "models", name]:
                self.send_json("models", lambda: served(name).as_json(), wire)
            case "POST", ["v1", "messages", "count_tokens"]:
                self.send_json("count_tokens", partial(self.service.count, body), wire)
            case "POST", ["v1", "messages"]:
                self.send_message(body, wire)
            case _:
                raise RequestRefused("not_found_error", f"{method} {path} is not served here")

    def send_message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        """Reply with a message, as a stream where one is asked for."""
        message = self.service.message(body, next(self.service.turns))
        send(message, wire, streamed=body.get("stream") is True)

    def send_json(self, _endpoint: str, value: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with what is no message: `value` of that endpoint."""
        wire.json(value())


def send(message: Mapping[str, Any], wire: Wire, *, streamed: bool) -> None:
    """Send a message as one body, or as the events of a stream."""
    if not streamed:
        wire.json(message)
        return
    wire.begin()
    for part in events(message):
        wire.chunk(part)
    wire.end()


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

    `seed` varies what is made up; `port` 0 takes any that is free. `url` is for ANTHROPIC_BASE_URL; `counts` are
    of what was asked, and the tokens. Raises OSError where the port is taken.
    """

    def __init__(self, *, seed: int = 0, port: int = 0) -> None:
        service = FakeService(time.monotonic, seed)
        self.counts = service.tally
        self._server = LoopbackServer((LOOPBACK, port), partial(Handler, service))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.end()


class LoopbackServer(ThreadingHTTPServer):
    """Listens from its making to its end, and ends its open connections with itself."""

    def __init__(self, address: tuple[str, int], handler: Callable[..., Handler]) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def begin(self) -> None:
        """Serve until the end, in a thread."""
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
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

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
