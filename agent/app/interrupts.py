"""Ctrl-C, SIGTERM and a closed terminal as a request to end cleanly."""

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
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a request; the second one ends the process as usual.

    A closed terminal that is ignored stays so, as under nohup.
    """
    interrupt = Interrupt()
    before = {each: signal.getsignal(each) for each in _ends()}

    def first(number: int, _frame: FrameType | None) -> None:
        interrupt.asked = True
        signal.signal(number, before[signal.Signals(number)])

    try:
        for each, handler in before.items():
            if each.name != "SIGHUP" or handler is not signal.SIG_IGN:
                signal.signal(each, first)
        yield interrupt
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _ends() -> list[signal.Signals]:
    """Return the signals by which somebody asks for an end; not every system has them all."""
    return [each for each in signal.Signals if each.name in {"SIGINT", "SIGTERM", "SIGHUP"}]
