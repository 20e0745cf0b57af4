"""`play`: the command, and the heartbeat for a supervisor."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Final

import typer

from agent.cli.flags import option, switch, with_settings
from agent.cli.output import optional_outputs
from agent.errors import UsageError
from agent.settings import Settings

if TYPE_CHECKING:
    from agent.app import Interrupt, TickView, Viewer
    from agent.app.summary import PlayStart
    from agent.tools.overnight.child import Heartbeat

EVERY_S: Final = 0.5
GRACE_S: Final = 60.0  # for a clean end without a supervisor


@contextmanager
def with_heartbeat(fd: int | None, view: Viewer, interrupt: Interrupt) -> Iterator[Viewer]:
    """Yield `view`, which also writes heartbeats to the pipe `fd`, if given.

    When the supervisor has closed the pipe, play is interrupted, and killed if it does not end in time.
    """
    if fd is None:
        yield view
        return
    try:
        os.set_blocking(fd, False)  # a stopped supervisor must not block play
    except OSError as error:
        message = f"--pulse {fd} is no pipe ({error.strerror}); only the supervisor gives it"
        raise UsageError(message) from error
    Thread(target=_end_without_supervisor, args=(fd, interrupt), daemon=True).start()
    yield HeartbeatViewer(fd, view)


@dataclass(slots=True)
class HeartbeatViewer:
    """A viewer that writes a heartbeat every half second, and at each milestone and checkpoint."""

    fd: int
    view: Viewer
    clock: Callable[[], float] = perf_counter
    _next: float = 0.0
    _marked: tuple[int, int] = (-1, -1)
    _repeats_to: int = 0

    def show_start(self, start: PlayStart) -> None:
        """Show the start."""
        self._repeats_to = start.repeats_to
        self.view.show_start(start)

    def show(self, moment: TickView) -> None:
        """Show the tick, and write a heartbeat if it is due."""
        self.view.show(moment)
        marked = len(moment.reached), moment.checkpoint
        now = self.clock()
        if now >= self._next or marked != self._marked:
            self._next, self._marked = now + EVERY_S, marked
            with suppress(BlockingIOError, BrokenPipeError):  # full or closed
                os.write(self.fd, _heartbeat(moment, self._repeats_to).line())


def _heartbeat(moment: TickView, repeats_to: int) -> Heartbeat:
    from agent.tools.overnight.child import Heartbeat

    return Heartbeat(
        tick=moment.tick,
        frame=moment.frame,
        place=moment.where,
        doing=moment.intent.why,
        milestones=moment.milestones,
        gains=moment.gains,
        checkpoint=moment.checkpoint,
        reached=tuple((each.tick, each.frame) for each in moment.reached),
        repeats_to=repeats_to,
    )


def _end_without_supervisor(fd: int, interrupt: Interrupt) -> None:
    """Wait until the pipe has no reader, interrupt play, and kill the process after `GRACE_S`."""
    watcher = select.poll()
    watcher.register(fd, 0)  # without a mask, poll still reports a closed pipe
    watcher.poll()
    interrupt.asked = True
    Event().wait(GRACE_S)  # the process may end earlier
    os.kill(os.getpid(), signal.SIGKILL)


@with_settings()
def play(
    settings: Settings,
    pulse: int | None = option("The pipe for heartbeats to the supervisor.", hidden=True),
    as_json: bool = switch("--json", "Print the summary as one JSON object on the last line."),
) -> None:
    """Play a cartridge from power-on, and write a run and report."""
    from agent.app import interrupts, play_run
    from agent.cli.panel import PacedViewer, view_on

    with interrupts() as interrupt, optional_outputs() as (out, err):
        with (
            view_on(err) as view,
            with_heartbeat(pulse, PacedViewer(view, interrupt), interrupt) as viewer,
        ):
            summary = play_run(settings, viewer, interrupt)
            # Loaded when it is needed: the first tick comes a tenth of a second earlier.
            from agent.cli.summary import end_lines, summary_table
            from agent.tools.report.page import report_ended

            report_ended(Path(summary.run), settings.rom)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary, view.start.labels))
            for line in end_lines(summary, view.start):
                out.say(line)
    raise typer.Exit(summary.stop.exit_code)
