"""A server of raw bytes, for answers that no HTTP library would send."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Final, Self, TypeAlias

from agent.fake_claude.server import LOOPBACK, POLL_S

Piece: TypeAlias = bytes | float  # bytes to send, or seconds to wait
Answers: TypeAlias = Callable[[str], Iterator[Piece]]  # by path

_LENGTH: Final = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


def head(
    *,
    status: bytes = b"200 OK",
    kind: bytes = b"text/event-stream",
    length: int | None = None,
    chunked: bool = False,
    more: bytes = b"",
) -> bytes:
    """Return the head of an answer; without a length or chunks the body ends with the connection."""
    lines = [b"HTTP/1.1 " + status, b"content-type: " + kind]
    if length is not None:
        lines.append(b"content-length: %d" % length)
    if chunked:
        lines.append(b"transfer-encoding: chunked")
    return b"\r\n".join(lines) + b"\r\n" + more + b"\r\n"


def chunked(data: bytes) -> bytes:
    """Return one chunk of a body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


class RawServer:
    """A server that sends the pieces of `answers` for the path of each request, then closes the connection.

    `requests` counts requests, `messages` those for messages.
    """

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.requests = 0
        self.messages = 0
        self.stopping = threading.Event()
        owner = self

        class Handler(BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    owner.serve(self.request)

        self._server = _Server((LOOPBACK, 0), Handler)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(POLL_S,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def serve(self, connection: socket.socket) -> None:
        """Answer the one request of a connection."""
        path = _path_of_request(connection)
        if path is None:
            return
        self.requests += 1
        self.messages += path == "/v1/messages"
        for piece in self.answers(path):
            if isinstance(piece, bytes):
                connection.sendall(piece)
            elif self._wait(connection, piece):
                return
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)

    def _wait(self, connection: socket.socket, seconds: float) -> bool:
        """Wait; return True when the client closed the connection or the server stops."""
        connection.settimeout(POLL_S)
        while seconds > 0:
            seconds -= POLL_S
            try:
                if not connection.recv(64):
                    return True
            except TimeoutError:
                pass
            if self.stopping.is_set():
                return True
        connection.settimeout(None)
        return self.stopping.is_set()


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64


def _path_of_request(connection: socket.socket) -> str | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return None
        data += piece
    first, _, body = data.partition(b"\r\n\r\n")
    found = _LENGTH.search(first)
    missing = (int(found[1]) if found else 0) - len(body)
    while missing > 0:
        piece = connection.recv(65_536)
        if not piece:
            return None
        missing -= len(piece)
    return first.split(b" ", 2)[1].decode().partition("?")[0]
