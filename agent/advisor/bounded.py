"""Replies that are cut before they grow without end: in bytes, and in time from the first byte sent."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2

from agent.advisor.model import FaultKind, ModelFault

_STARTED: Final = "agent.started"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a reply may bring and how long it may take; `clock` gives seconds from any moment.

    Time is looked at whenever something arrives, so that a reply that stops arriving takes at most as long again as the
    client waits for one piece.
    """

    most_bytes: int
    timeout_s: float
    clock: Callable[[], float]

    @property
    def hooks(self) -> dict[str, list[Callable[..., Any]]]:
        """What an httpx2 client takes as its event hooks."""
        return {"request": [self._begin], "response": [self._bound]}

    def _begin(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, _STARTED: self.clock()}

    def _bound(self, response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            until = response.request.extensions[_STARTED] + self.timeout_s
            response.stream = _Bounded(response.stream, self, until)


class _Bounded(httpx2.SyncByteStream):
    """A stream of bytes that ends with a fault where the bounds are passed."""

    def __init__(self, stream: httpx2.SyncByteStream, bounds: Bounds, until: float) -> None:
        self._stream = stream
        self._bounds = bounds
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        arrived = 0
        for piece in self._stream:
            arrived += len(piece)
            if arrived > self._bounds.most_bytes:
                detail = f"the reply has more than {self._bounds.most_bytes} bytes"
                raise ModelFault(FaultKind.TOO_LONG, detail)
            if self._bounds.clock() > self._until:
                detail = f"the reply is not whole after {self._bounds.timeout_s:g} seconds"
                raise ModelFault(FaultKind.TIMEOUT, detail)
            yield piece

    def close(self) -> None:
        self._stream.close()
