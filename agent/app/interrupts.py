"""Ctrl-C and SIGTERM as a request to end cleanly."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupts(ask: Callable[[], None]) -> Iterator[None]:
    """Call `ask` at the first Ctrl-C or SIGTERM; the second one ends the process as usual."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def first(number: int, _frame: FrameType | None) -> None:
        ask()
        signal.signal(number, before[signal.Signals(number)])

    try:
        for each in before:
            signal.signal(each, first)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
