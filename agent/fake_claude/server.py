"""The HTTP server: listens on loopback with one thread per connection and stops at once on request."""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

from agent.fake_claude.review import RequestReview
from agent.fake_claude.service import MadeUpService, RequestRefused
from memory.codec import decode

BANNER: Final = "fake-claude: this is no model; its answers are made up"
JSON: Final = "application/json"
EVENTS: Final = "text/event-stream; charset=utf-8"
MAX_BYTES: Final = 32_000_000  # of a request
_DIGITS: Final = len(str(MAX_BYTES))
_OTHER_SHAPE: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def error_json(kind: str, message: str, request_id: str | None = None) -> dict[str, object]:
    """Return the body of an error; an error within a stream has no request id."""
    body: dict[str, object] = {"type": "error", "error": {"type": kind, "message": message}}
    return body if request_id is None else {**body, "request_id": request_id}


def event(kind: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()


# By type of block: the type of its delta, the field of the delta, and the field of the block.
_DELTAS: Final = {
    "text": ("text_delta", "text", "text"),
    "thinking": ("signature_delta", "signature", "signature"),
    "tool_use": ("input_json_delta", "partial_json", "input"),
}
_ENDED: Final = ("stop_reason", "stop_sequence", "stop_details")


def events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the events of `message` in the service's order: start, ping, each block, delta, stop."""
    begun = {**message, "content": [], **dict.fromkeys(_ENDED)}
    yield event("message_start", message=begun | {"usage": message["usage"] | {"output_tokens": 1}})
    yield event("ping")
    for index, block in enumerate(message["content"]):
        kind, name, key = _DELTAS[block["type"]]
        whole = block[key]
        empty, piece = ("", whole) if isinstance(whole, str) else ({}, json.dumps(whole))
        yield event("content_block_start", index=index, content_block=block | {key: empty})
        yield event("content_block_delta", index=index, delta={"type": kind, name: piece})
        yield event("content_block_stop", index=index)
    ended = {name: message[name] for name in _ENDED}
    yield event("message_delta", delta=ended, usage=message["usage"])
    yield event("message_stop")


class Handler(BaseHTTPRequestHandler):
    """The handler of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # a small reply is sent in one piece
    timeout = 60  # seconds for the next bytes of a request

    def __init__(self, service: MadeUpService, *connection: Any) -> None:  # noqa: ANN401 - socketserver's
        self.service = service
        self.request_id = ""
        super().__init__(*connection)

    def log_message(self, *_: object) -> None:
        """Log nothing: requests are counted, and the terminal belongs to the caller."""

    def do_GET(self) -> None:
        """Serve a GET request."""
        self._serve(lambda: None)

    def do_POST(self) -> None:
        """Serve a POST request."""
        self._serve(self._body)

    def on_request(self, headers: Mapping[str, str], body: object) -> None:
        """Do nothing; a subclass may record or refuse the request. Header names are in lower case."""

    def _serve(self, read_body: Callable[[], object]) -> None:
        self.request_id = f"req_fake{next(self.service.numbers):06}"
        try:
            body, path = read_body(), self.path.partition("?")[0]
            self.on_request({name.lower(): each for name, each in self.headers.items()}, body)
            self.service.counts.calls[f"{self.command} {path}"] += 1
            self._route(path, body)
        except RequestRefused as refused:
            self._refuse(refused)
        except _OTHER_SHAPE as error:  # a part of the body is of another kind than the API says
            message = f"The request body is not valid: {type(error).__name__}"
            self._refuse(RequestRefused("invalid_request_error", message))

    def _refuse(self, refused: RequestRefused) -> None:
        self.service.counts.errors[refused.kind] += 1
        body = error_json(refused.kind, refused.message, self.request_id)
        self.reply(body, status=refused.status)

    def _body(self) -> object:
        """Return the JSON of the body. Raises RequestRefused; a body of unknown or great length is not read."""
        length = self.headers.get("content-length") or "0"
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            raise RequestRefused("invalid_request_error", "content-length: Input should be a count")
        if len(length) > _DIGITS or int(length) > MAX_BYTES:
            self.close_connection = True
            raise RequestRefused("request_too_large", "Request exceeds the maximum size")
        value: object = decode(self.rfile.read(int(length)).decode() or "null")
        json.dumps(value, ensure_ascii=False).encode()  # fails for lone surrogates
        return value

    def _route(self, path: str, body: Any) -> None:  # noqa: ANN401 - JSON
        match self.command, path.strip("/").split("/"):
            case "GET", [""]:
                self.send_body(f"{BANNER}\n".encode(), "text/plain; charset=utf-8")
            case "GET", ["v1", "models", name]:
                self.answer("models", lambda: self.service.model(name))
            case "POST", ["v1", "messages", "count_tokens"]:
                self.answer("count_tokens", partial(self.service.count, body))
            case "POST", ["v1", "messages"]:
                self.answer_message(body)
            case _:
                raise RequestRefused("not_found_error", f"{self.command} {path} is not served here")

    def answer_message(self, body: Any) -> None:  # noqa: ANN401 - JSON
        """Reply with a message, as a stream if requested."""
        message = self.service.message(body, next(self.service.turns))
        if body.get("stream") is not True:
            self.reply(message)
            return
        self.begin()
        for part in events(message):
            self.chunk(part)
        self.end()

    def answer(self, _endpoint: str, value: Callable[[], Mapping[str, Any]]) -> None:
        """Reply with the `value` of another endpoint."""
        self.reply(value())

    def reply(self, value: object, status: int = 200, **headers: str) -> None:
        """Reply with `value` as JSON."""
        self.send_body(json.dumps(value, ensure_ascii=False).encode(), JSON, status, **headers)

    def send_body(self, body: bytes, kind: str = JSON, status: int = 200, **headers: str) -> None:
        """Reply with `body`."""
        self._head(status, {"content-type": kind, "content-length": str(len(body)), **headers})
        self.wfile.write(body)

    def begin(self) -> None:
        """Start a stream of events."""
        unknown = {"transfer-encoding": "chunked", "cache-control": "no-cache"}
        self._head(200, {"content-type": EVENTS, **unknown})

    def chunk(self, data: bytes) -> None:
        """Send one chunk of the stream."""
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def end(self) -> None:
        """End the stream."""
        self.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response_only(status)
        always = {"request-id": self.request_id, "x-fake-claude": BANNER}
        for name, value in {**headers, **always}.items():
            self.send_header(name, value)
        self.end_headers()


LOOPBACK: Final = "127.0.0.1"
POLL_S: Final = 0.02  # the longest time that stopping takes


class LoopbackServer(ThreadingHTTPServer):
    """A server that listens from construction to `end`."""

    request_queue_size = 128  # clients that connect at once; with few, some wait a second

    def begin(self) -> None:
        """Serve in a thread until `end`."""
        threading.Thread(target=self.serve_forever, args=(POLL_S,), daemon=True).start()

    def end(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()

    def server_bind(self) -> None:
        """Bind without looking up the host name, which can take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        """Report an error, but not when the client closed the connection."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class FakeClaude:
    """A server with the Messages API and made-up answers, or good ones for the demo; use it as a context manager.

    `seed` varies the answers; `port` 0 takes any free port; `show` gets the lines of each request for review. `url` is
    for ANTHROPIC_BASE_URL; `counts` holds calls, errors and tokens. Raises OSError when the port is taken.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        port: int = 0,
        show: Callable[[str], object] | None = None,
        is_good: bool = False,
    ) -> None:
        service = MadeUpService(seed, RequestReview(show) if show else None, is_good=is_good)
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
