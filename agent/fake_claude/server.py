"""The server itself: listens on loopback, one thread a connection, and stops at once when asked."""

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.server import HTTPServer
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Final, Self

from agent.fake_claude.faults import Mishaps
from agent.fake_claude.handler import Desk, Handler
from agent.fake_claude.scenario import Scenario
from agent.fake_claude.service import Service
from agent.fake_claude.tally import Received, Tally

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
        scenario: Scenario | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        seed: int = 0,
        port: int = 0,
    ) -> None:
        self.scenario = scenario or Scenario()
        mishaps = Mishaps(self.scenario.faults, self.scenario.spread, seed)
        service = Service(self.scenario, clock, seed)
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
    def counts(self) -> Tally:
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
