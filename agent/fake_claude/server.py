"""The HTTP server: listens on loopback with one thread per connection and stops at once on request."""

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

from agent.fake_claude.review import RequestReview
from agent.fake_claude.service import FakeService, served_model
from agent.fake_claude.wire import BANNER, RequestRefused, Wire, error_json, events
from memory.codec import decode

MAX_BYTES: Final = 32_000_000  # of a request
_DIGITS: Final = len(str(MAX_BYTES))
_OTHER_SHAPE: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class Handler(BaseHTTPRequestHandler):
    """The handler of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # a small reply is sent in one piece
    timeout = 60  # seconds for the next bytes of a request

    def __init__(self, service: FakeService, *connection: Any) -> None:  # noqa: ANN401 - socketserver's
        self.service = service
        super().__init__(*connection)

    def log_message(self, *_: object) -> None:
        """Log nothing: requests are counted, and the terminal belongs to the caller."""

    def do_GET(self) -> None:
        """Serve a GET request."""
        self._serve("GET", lambda: None)

    def do_POST(self) -> None:
        """Serve a POST request."""
        self._serve("POST", self._body)

    def wire(self, request_id: str) -> Wire:
        """Return the writer of the reply to one request."""
        return Wire(self, request_id)

    def on_request(self, method: str, headers: Mapping[str, str], body: object) -> None:
        """Do nothing; a subclass may record the request. Header names are in lower case."""

    def _serve(self, method: str, read_body: Callable[[], object]) -> None:
        counts = self.service.counts
        wire = self.wire(f"req_fake{next(self.service.numbers):06}")
        try:
            body, path = read_body(), _path_of(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.on_request(method, headers, body)
            counts.calls[f"{method} {path}"] += 1
            if self.path != "/":
                _check_headers(headers)
            self._route(method, path, body, wire)
        except RequestRefused as refused:
            self._refuse(refused, wire)
        except _OTHER_SHAPE as error:  # a part of the body is of another kind than the API says
            message = f"The request body is not valid: {type(error).__name__}"
            self._refuse(RequestRefused("invalid_request_error", message), wire)

    def _refuse(self, refused: RequestRefused, wire: Wire) -> None:
        self.service.counts.errors[refused.kind] += 1
        wire.json(error_json(refused.kind, refused.message, wire.request_id), refused.status)

    def _body(self) -> object:
        """Return the JSON of the body. Raises RequestRefused; a body of unknown or great length is not read."""
        length = self.headers.get("content-length") or "0"
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise RequestRefused("invalid_request_error", "content-length: Input should be a count")
        if len(length) > _DIGITS or int(length) > MAX_BYTES:
            self.close_connection = True
            raise RequestRefused("request_too_large", "Request exceeds the maximum size")
        return _parsed(self.rfile.read(int(length)))

    def _route(self, method: str, path: str, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        match method, path.strip("/").split("/"):
            case "GET", [""]:
                wire.send_body(f"{BANNER}\n".encode(), "text/plain; charset=utf-8")
            case "GET", ["v1", "models", name]:
                self.send_json("models", lambda: served_model(name).as_json(), wire)
            case "POST", ["v1", "messages", "count_tokens"]:
                self.send_json("count_tokens", partial(self.service.count, body), wire)
            case "POST", ["v1", "messages"]:
                self.send_message(body, wire)
            case _:
                raise RequestRefused("not_found_error", f"{method} {path} is not served here")

    def send_message(self, body: Any, wire: Wire) -> None:  # noqa: ANN401 - JSON
        """Reply with a message, as a stream if requested."""
        message = self.service.message(body, next(self.service.turns))
        send(message, wire, streamed=body.get("stream") is True)

    def send_json(self, _endpoint: str, value: Callable[[], Mapping[str, Any]], wire: Wire) -> None:
        """Reply with the `value` of another endpoint."""
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


def _path_of(target: str) -> str:
    try:
        return urlsplit(target).path
    except ValueError as error:
        raise RequestRefused(
            "invalid_request_error", f"The address is not valid: {error}"
        ) from error


def _parsed(raw: bytes) -> object:
    try:
        value: object = decode(raw.decode()) if raw else None
        json.dumps(value, ensure_ascii=False).encode()  # fails for lone surrogates
    except ValueError as error:
        message = f"The request body is not valid JSON: {error}"
        raise RequestRefused("invalid_request_error", message) from error
    return value


def _check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("x-api-key") and not headers.get("authorization"):
        raise RequestRefused(
            "authentication_error", "x-api-key header is required; any value will do"
        )
    if "anthropic-version" not in headers:
        raise RequestRefused("invalid_request_error", "anthropic-version: header is required")


LOOPBACK: Final = "127.0.0.1"
POLL_S: Final = 0.02  # the longest time that stopping takes


class FakeClaude:
    """A server with the Messages API and made-up answers, or good ones for the demo; use it as a context manager.

    `seed` varies the answers; `port` 0 takes any free port; `show` gets the lines of each request for review. `url` is for ANTHROPIC_BASE_URL; `counts` holds calls,
    errors and tokens. Raises OSError when the port is taken.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        port: int = 0,
        show: Callable[[str], object] | None = None,
        is_good: bool = False,
    ) -> None:
        review = RequestReview()

        def show_message(body: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
            if show is not None:
                show("\n".join(review.lines(body, reply)))

        service = FakeService(time.monotonic, seed, show_message, is_good=is_good)
        self.counts = service.counts
        self._server = LoopbackServer((LOOPBACK, port), partial(Handler, service))

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.end()


class LoopbackServer(ThreadingHTTPServer):
    """A server that listens from construction to `end`, which also closes its open connections."""

    request_queue_size = 128  # clients that connect at once; with few, some wait a second

    def __init__(self, address: tuple[str, int], handler: Callable[..., Handler]) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def begin(self) -> None:
        """Serve in a thread until `end`."""
        threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True).start()

    def end(self) -> None:
        """Stop listening and close all connections; their clients see the end of the stream."""
        self.shutdown()
        self.server_close()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the other side may have closed it
                    connection.shutdown(socket.SHUT_RDWR)

    def server_bind(self) -> None:
        """Bind without looking up the host name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Register a connection and serve it."""
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - socketserver's
        """Remove a connection that has ended."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Report an error, but not when the client closed the connection."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)
