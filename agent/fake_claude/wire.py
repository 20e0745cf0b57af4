"""Replies on a connection: whole, in chunks, or broken off."""

import json
import socket
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Final

BANNER: Final = "fake-claude: this is no model; its answers are made up"
JSON: Final = "application/json"
EVENTS: Final = "text/event-stream; charset=utf-8"
_RESET: Final = struct.pack("ii", 1, 0)  # close with a reset instead of a farewell


class Wire:
    """The way back to whoever asked. `stopping` ends every wait."""

    def __init__(
        self, http: BaseHTTPRequestHandler, request_id: str, stopping: threading.Event
    ) -> None:
        self._http = http
        self._stopping = stopping
        self.request_id = request_id

    def json(self, value: object, status: int = 200, **headers: str) -> None:
        """Reply with `value` as JSON."""
        self.whole(json.dumps(value, ensure_ascii=False).encode(), JSON, status, headers)

    def whole(
        self,
        body: bytes,
        kind: str = JSON,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        *,
        length: int | None = None,
    ) -> None:
        """Reply with `body`; a `length` that is not its own is a lie that breaks the connection off."""
        said = len(body) if length is None else length
        self._head(kind, status, {"content-length": str(said), **(headers or {})})
        self._http.wfile.write(body)
        if said != len(body):
            self._http.close_connection = True

    def begin(self, kind: str = EVENTS) -> None:
        """Begin a reply of unknown length."""
        self._head(kind, 200, {"transfer-encoding": "chunked", "cache-control": "no-cache"})

    def chunk(self, data: bytes) -> None:
        """Send some of it."""
        self._http.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self._http.wfile.flush()

    def end(self) -> None:
        """End such a reply as it should be."""
        self._http.wfile.write(b"0\r\n\r\n")

    def drop(self) -> None:
        """Break the connection off with a reset."""
        self._http.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._http.connection.close()  # here, as socketserver would take leave first
        self._http.close_connection = True

    def hang_up(self) -> None:
        """Close the connection after what was sent, however much is missing."""
        self._http.close_connection = True

    def wait(self, seconds: float) -> bool:
        """Wait, and return whether the server is being stopped."""
        self._http.wfile.flush()
        return self._stopping.wait(seconds)

    def wait_for_leave(self) -> None:
        """Wait until the other side is gone, or the server is being stopped, which hangs up."""
        with suppress(OSError):
            while self._http.connection.recv(64):
                pass

    def _head(self, kind: str, status: int, headers: Mapping[str, str]) -> None:
        http = self._http
        http.send_response_only(status)
        for name, value in {"content-type": kind, **headers}.items():
            http.send_header(name, value)
        http.send_header("request-id", self.request_id)
        http.send_header("x-fake-claude", BANNER)
        http.end_headers()
