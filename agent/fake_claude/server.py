"""The server itself: listens on loopback, one thread a connection, and stops at once when asked."""

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from http.server import HTTPServer
from socketserver import ThreadingMixIn
from types import TracebackType
from typing import Any, Final, Self

from agent.fake_claude.handler import Desk, Handler
from agent.fake_claude.scenario import Scenario
from agent.fake_claude.service import Service
from agent.fake_claude.tally import Received, Tally

LOOPBACK: Final = "127.0.0.1"
POLL_S: Final = 0.02  # how long stopping takes at most


class FakeClaude:
    """A server that speaks the Messages API and is no model; use it as a context.

    `clock` is in seconds and tells the age of what is cached; `seed` varies what is made up; `port` 0 takes
    any that is free. `url` is for ANTHROPIC_BASE_URL.
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
        self._desk = Desk(Service(self.scenario, clock, seed))
        self._server = _Server((LOOPBACK, port), partial(Handler, self._desk))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_S,), daemon=True
        )

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    @property
    def counts(self) -> Tally:
        """What was asked, which faults were made, and the tokens."""
        return self._desk.service.tally

    @property
    def requests(self) -> Sequence[Received]:
        """What came, in its order."""
        return self._desk.requests

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._desk.stopping.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()


class _Server(ThreadingMixIn, HTTPServer):
    """Knows its open connections, to end them with itself."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: Callable[..., Handler]) -> None:
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Bind without asking for the name of this machine, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - socketserver's
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - socketserver's
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection; whoever reads from one sees its end."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):  # it may have been closed by the other side
                    connection.shutdown(socket.SHUT_RDWR)
