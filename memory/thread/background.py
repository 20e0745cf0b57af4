"""Where observing and reflecting goes on: at once, or in a thread beside play. Knows nothing of what is done."""

from __future__ import annotations

from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from threading import Thread
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Result = TypeVar("Result")


class Background(Protocol):
    """Does work that touches no file, and hands over what came of it."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return what will hold the result of `work`, or the error it ended with."""
        ...


class Immediate:
    """Does it at once: for what is quick and always comes to the same."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return the result of `work`, or its error, which is there already."""
        future: Future[Result] = Future()
        _settle(future, work)
        return future


class Threads:
    """Does each work in a thread of its own, which never holds up the end of the program: for models."""

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return what will hold the result of `work`, or its error."""
        future: Future[Result] = Future()
        Thread(target=_settle, args=(future, work), name="observing", daemon=True).start()
        return future


def is_done(future: Future[Result], *, within: float) -> bool:
    """Return whether `future` has come to something, waiting `within` seconds for it at most."""
    return future.done() or bool(wait_for([future], timeout=max(0.0, within)).done)


def _settle(future: Future[Result], work: Callable[[], Result]) -> None:
    try:
        result = work()
    except Exception as error:  # noqa: BLE001  # handed over to whoever asks for the result
        future.set_exception(error)
    else:
        future.set_result(result)
