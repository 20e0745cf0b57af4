"""No network: whatever of this process reaches for it fails while it is off, in Python and below."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

_REACHING: Final = frozenset(
    {
        "socket.connect",
        "socket.sendto",
        "socket.sendmsg",
        "socket.bind",
        "socket.getaddrinfo",
        "socket.gethostbyname",
    }
)


class Reached(BaseException):  # so that nothing of the product takes it for a fault of its own
    """Something reached for the network."""


class _Gate:
    """Hears of everything that the interpreter does; a hook cannot be taken out again, so it is put in once."""

    def __init__(self) -> None:
        self.is_off = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_off and event in _REACHING:
            message = f"{event} {arguments[1:]!r}"
            raise Reached(message)


@cache
def _gate() -> _Gate:
    return _Gate()


@contextmanager
def offline() -> Iterator[None]:
    """Let nothing reach for a network as long as the context lasts; raises Reached where it does."""
    gate = _gate()
    gate.is_off = True
    try:
        yield
    finally:
        gate.is_off = False
