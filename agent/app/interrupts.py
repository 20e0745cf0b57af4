"""Ctrl-C and SIGTERM as a request to end cleanly."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Interrupt:
    """Whether somebody asked for an end."""

    asked: bool = False


@contextmanager
def interrupts() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C or SIGTERM into a request; the second one ends the process as usual."""
    interrupt = Interrupt()
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def first(number: int, _frame: FrameType | None) -> None:
        interrupt.asked = True
        signal.signal(number, before[signal.Signals(number)])

    try:
        for each in before:
            signal.signal(each, first)
        yield interrupt
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
