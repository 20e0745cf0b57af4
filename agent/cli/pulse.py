"""The pulse of a child that plays under a supervisor: where it is, twice a second, on a pipe."""

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread
from time import perf_counter
from typing import Final

from agent.app import Interrupt, Moment, Viewer
from agent.errors import UsageError
from agent.overnight import Beat

EVERY_S: Final = 0.5
GRACE_S: Final = 60.0  # for a clean end when nobody watches any more


@contextmanager
def beating(fd: int | None, view: Viewer, interrupt: Interrupt) -> Iterator[Viewer]:
    """Lend a view that also beats on the pipe `fd`, where there is one.

    When the reader of the pipe is gone, play is asked for an end, and ended if it does not: nobody plays on unwatched.
    """
    if fd is None:
        yield view
        return
    try:
        os.set_blocking(fd, False)  # a supervisor that was stopped stops nobody else
    except OSError as error:
        message = f"--pulse {fd} is no pipe ({error.strerror}); it is for the supervisor only"
        raise UsageError(message) from error
    Thread(target=_end_unwatched, args=(fd, interrupt), daemon=True).start()
    yield Pulse(fd, view)


@dataclass(slots=True)
class Pulse:
    """A viewer that writes a beat every half second, and at once when a milestone or a checkpoint was reached."""

    fd: int
    view: Viewer
    clock: Callable[[], float] = perf_counter
    _next: float = 0.0
    _marked: tuple[int, int] = (-1, -1)

    def show(self, moment: Moment) -> None:
        """Show it, and beat if it is time."""
        self.view.show(moment)
        marked = len(moment.reached), moment.checkpoint
        now = self.clock()
        if now >= self._next or marked != self._marked:
            self._next, self._marked = now + EVERY_S, marked
            with suppress(BlockingIOError, BrokenPipeError):  # full for now, or for ever
                os.write(self.fd, _beat(moment).line())


def _beat(moment: Moment) -> Beat:
    return Beat(
        tick=moment.tick,
        frame=moment.frame,
        place=moment.where,
        doing=f"{moment.intent.name}: {moment.intent.why}",
        milestones=moment.milestones,
        gains=moment.gains,
        checkpoint=moment.checkpoint,
    )


def _end_unwatched(fd: int, interrupt: Interrupt) -> None:
    """Wait until the pipe has no reader, ask for an end, and see to it that there is one."""
    watcher = select.poll()
    watcher.register(fd, 0)  # what is asked for is nothing; that nobody reads is told anyway
    watcher.poll()
    interrupt.asked = True
    Event().wait(GRACE_S)  # which the process need not live through
    os.kill(os.getpid(), signal.SIGKILL)
