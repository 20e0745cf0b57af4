"""Calls of a service that end: at a deadline, or when play is to end, whatever the service sends or fails to send.

A call runs in a thread with an HTTP client of its own. At its end the client is closed; a call that does not end is
abandoned, and its connection is shut down. Knows HTTP. Knows nothing of models.
"""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any, Final, Generic, TypeAlias, TypeVar

import httpx2

from agent.advisor.model import FaultKind, ModelFault

MAX_BYTES: Final = 1_000_000  # of an answer's body; the client itself limits its headers
MAX_ARRIVED: Final = 65_536  # bytes of an answer that wait to be read
CALL: Final = "call of a model"  # the name of its thread
POLL_S: Final = 0.05  # the longest time until a request to end is noticed
_NOT_COMPRESSED: Final = {"", "identity"}

Answer = TypeVar("Answer")
Hooks: TypeAlias = Mapping[str, list[Callable[..., Any]]]  # of an HTTP client, by event


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits of limited length. `clock` returns seconds since any fixed moment; `is_ending` whether play is to end."""

    clock: Callable[[], float]
    is_ending: Callable[[], bool] = lambda: False

    def pause(self, seconds: float) -> None:
        """Wait for that long, or until play is to end."""
        self.wait_for(Event(), seconds)

    def wait_for(self, event: Event, seconds: float) -> bool:
        """Wait for an event, for that long, or until play is to end; return whether it happened."""
        until = self.clock() + seconds
        while not self.is_ending() and (left := until - self.clock()) > 0:
            if event.wait(min(left, POLL_S)):
                return True
        return event.is_set()


@dataclass(slots=True)
class TimedCall(Generic[Answer]):
    """One call that may take `timeout_s`; `work` makes it with the given event hooks of an HTTP client."""

    work: Callable[[Hooks], Answer]
    patience: Patience
    timeout_s: float
    _answers: list[Answer] = field(default_factory=list)
    _errors: list[BaseException] = field(default_factory=list)
    _done: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)
    _sockets: list[socket.socket] = field(default_factory=list)
    _is_abandoned: bool = False

    def answer(self) -> Answer:
        """Return what `work` returns, or raise what it raises; raises ModelFault when it takes too long or play is to end."""
        if self.patience.is_ending():
            raise ModelFault(FaultKind.INTERRUPTED, "play is to end", is_free=True)
        Thread(target=self._run, name=CALL, daemon=True).start()
        try:
            is_done = self.patience.wait_for(self._done, self.timeout_s)
        finally:  # also after a second Ctrl-C
            is_free = self._abandon()
        if not is_done:
            raise self._fault(is_free=is_free)
        if self._errors:
            raise self._errors[0]
        return self._answers[0]

    def _run(self) -> None:
        try:
            self._answers.append(self.work({"request": [self._trace], "response": [_limit]}))
        except BaseException as error:  # noqa: BLE001  # raised again by `answer`
            self._errors.append(error)
        finally:
            self._done.set()

    def _fault(self, *, is_free: bool) -> ModelFault:
        if self.patience.is_ending():
            return ModelFault(FaultKind.INTERRUPTED, "play is to end", is_free=is_free)
        detail = f"the reply is not complete after {self.timeout_s:g} seconds"
        return ModelFault(FaultKind.TIMEOUT, detail, is_free=is_free)

    def _trace(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._note}

    def _note(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the sockets of new connections; the names of events are those of the HTTP client."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            connection: socket.socket = info["return_value"].get_extra_info("socket")
            # What has arrived is still read after a shutdown.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, MAX_ARRIVED)
            with self._lock:
                self._sockets.append(connection)
                if self._is_abandoned:
                    _shut_down(self._sockets)

    def _abandon(self) -> bool:
        """Shut down the connection, if any, now and when it is made later; return whether there was none."""
        with self._lock:
            self._is_abandoned = True
            _shut_down(self._sockets)
            return not self._sockets


def _shut_down(sockets: list[socket.socket]) -> None:
    for each in sockets:
        with suppress(OSError):  # it is closed already
            # The method of the base class wakes a thread that reads from a TLS socket, and leaves the rest to that thread.
            socket.socket.shutdown(each, socket.SHUT_RDWR)


def _limit(response: httpx2.Response) -> None:
    coding = str(response.headers.get("content-encoding", "")).strip().lower()
    if coding not in _NOT_COMPRESSED:  # a compressed answer could exceed the limit after unpacking
        raise ModelFault(FaultKind.MALFORMED, "the reply is compressed, which was not asked for")
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _LimitedStream(response.stream)


@dataclass(frozen=True, slots=True)
class _LimitedStream(httpx2.SyncByteStream):
    """A byte stream that raises ModelFault when it is too long."""

    stream: httpx2.SyncByteStream

    def __iter__(self) -> Iterator[bytes]:
        arrived = 0
        for piece in self.stream:
            arrived += len(piece)
            if arrived > MAX_BYTES:
                raise ModelFault(FaultKind.TOO_LONG, f"the reply has more than {MAX_BYTES} bytes")
            yield piece

    def close(self) -> None:
        self.stream.close()
