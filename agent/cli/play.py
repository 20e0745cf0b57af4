"""`play`: the command, its panel or plain lines, and the heartbeat for a supervisor."""

import json
import os
import select
import shlex
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final

import typer
from rich.table import Table

from agent.app import (
    AskSettings,
    Decider,
    Interrupt,
    Settings,
    Stop,
    Summary,
    TickView,
    Viewer,
    interrupts,
    play_run,
)
from agent.app.summary import PlayStart
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output, facts
from agent.cli.panel import PacedViewer, view_on
from agent.errors import UsageError
from agent.experience.uses import MemoryUse
from agent.tools.overnight.child import Heartbeat
from agent.tools.report.page import PAGE, report_ended
from agent.tools.report.words import game_time
from emulator.console import FRAMES_PER_SECOND


def summary_table(summary: Summary, labels: Mapping[str, str]) -> Table:
    """Return the summary of a run as a table, with milestones by their labels."""
    rows = [
        ("not a clean run", f"went back by hand from tick {each.left} to tick {each.tick}")
        for each in summary.returns
        if each.why == "asked"
    ]
    for each in summary.milestones:
        clock = game_time(each.frame / FRAMES_PER_SECOND)
        rows.append((labels.get(each.id, each.id), f"{clock}, tick {each.tick:,}"))
    rows += [
        ("badges", str(summary.badges)),
        ("battles", str(summary.battles)),
        ("times stuck", str(summary.episodes)),
        ("times rewound", str(len(summary.returns))),
        ("errors", str(summary.errors)),
        ("speed", f"{summary.frames_per_s:,.0f} frames a second"),
    ]
    if summary.advice is not None:
        rows += _advice_rows(summary.advice)
    return facts("milestones and figures", rows)


ENDS: Final = {
    Stop.GOAL: "reached its goal",
    Stop.TICKS: "stopped at --ticks",
    Stop.INTERRUPTED: "interrupted",
    Stop.GAVE_UP: "gave up",
    Stop.ERROR: "ended by an error",
    Stop.LIMIT: "stopped at a limit",
}


def end_lines(summary: Summary, start: PlayStart) -> Iterator[str]:
    """Yield the last lines of play, which are never wrapped: how it ended, its files, and what can be done next."""
    clock = game_time(summary.frames / FRAMES_PER_SECOND)
    if summary.ticks == start.tick and summary.stop is not Stop.ERROR:
        yield f"{ENDS[summary.stop]}: already at tick {summary.ticks:,}, so nothing was played"
    else:
        reason = f": {summary.reason}" if summary.reason else ""
        took = f"tick {summary.ticks:,}, {clock} in the game, {game_time(summary.wall_s)} played"
        yield f"{ENDS[summary.stop]}{reason} ({took})"
    run = shlex.quote(relative(Path(summary.run)))
    yield f"run: {run}"
    if (page := Path(summary.run) / PAGE).is_file():
        yield f"report: {shlex.quote(relative(page))}"
    if summary.stop in {Stop.TICKS, Stop.INTERRUPTED, Stop.ERROR}:
        yield f"to continue: python -m agent play --resume {run}"
    yield f"to check it: python -m agent replay {run}"


def relative(path: Path) -> str:
    """Return a path as seen from the current folder, where it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _advice_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of the model as rows."""
    counts = figures["counts"]
    faults = {name.removeprefix("fault:"): n for name, n in counts.items() if "fault:" in name}
    silent = {name.removeprefix("silent:"): n for name, n in counts.items() if "silent:" in name}
    missed = f"; missed: {_listed(figures['cache_misses'])}" if figures["cache_misses"] else ""
    why = {REASONS.get(name, name): times for name, times in silent.items()}
    unanswered = f"; no answer: {_listed(why)}" if silent else ""
    return [
        (
            "questions, answers",
            f"{counts.get('questions', 0)}, {counts.get('answers', 0)}{unanswered}",
        ),
        (
            "cost" if figures["is_billed"] else "cost at list prices",
            f"{figures['calls']} calls, {sum(figures['tokens'].values()):,} tokens, ${figures['usd']:.4f}",
        ),
        ("read from the prompt cache", f"{figures['cache_hits']:.0%}{missed}"),
        *([("refused by limits", _listed(figures["refused"]))] if figures["refused"] else []),
        ("service errors", _listed(faults) or "none"),
        ("recorded", f"{figures['tape_nodes']} messages, {figures['tape_lost']} calls lost"),
    ]


REASONS: Final = {
    "breaker": "paused after failures",
    "fault": "failed calls",
    "ceiling": "the budget is used up",
}


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in counted.items())


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
class HeartbeatViewer(Viewer):
    """A viewer that writes a heartbeat every half second, and at each milestone and checkpoint."""

    fd: int
    view: Viewer
    clock: Callable[[], float] = perf_counter
    _next: float = 0.0
    _marked: tuple[int, int] = (-1, -1)

    def show_start(self, start: PlayStart) -> None:
        """Show the start."""
        self.view.show_start(start)

    def show(self, moment: TickView) -> None:
        """Show the tick, and write a heartbeat if it is due."""
        self.view.show(moment)
        marked = len(moment.reached), moment.checkpoint
        now = self.clock()
        if now >= self._next or marked != self._marked:
            self._next, self._marked = now + EVERY_S, marked
            with suppress(BlockingIOError, BrokenPipeError):  # full or closed
                os.write(self.fd, _heartbeat(moment).line())


def _heartbeat(moment: TickView) -> Heartbeat:
    return Heartbeat(
        tick=moment.tick,
        frame=moment.frame,
        place=moment.where,
        doing=f"{moment.intent.name}: {moment.intent.why}",
        milestones=moment.milestones,
        gains=moment.gains,
        checkpoint=moment.checkpoint,
    )


def _end_without_supervisor(fd: int, interrupt: Interrupt) -> None:
    """Wait until the pipe has no reader, interrupt play, and kill the process after `GRACE_S`."""
    watcher = select.poll()
    watcher.register(fd, 0)  # without a mask, poll still reports a closed pipe
    watcher.poll()
    interrupt.asked = True
    Event().wait(GRACE_S)  # the process may end earlier
    os.kill(os.getpid(), signal.SIGKILL)


def play(
    rom: Path | None = flags.ROM,
    until: str | None = flags.UNTIL,
    ticks: int | None = flags.TICKS,
    seed: int | None = flags.SEED,
    run: Path | None = option("The new folder of this run. Default: one in runs/.", "DIR"),
    resume: Path | None = option(
        "Continue the run in this folder from its last checkpoint.", "DIR"
    ),
    at: int | None = option(
        "With --resume: go back to the newest checkpoint up to this tick. The later ticks stay in the file as a dead branch, and the run is no longer clean.",
        "TICK",
    ),
    recover: bool = switch(
        "--recover", "With --at: the supervisor goes back, not the player.", hidden=True
    ),
    pulse: int | None = option("The pipe for heartbeats to the supervisor.", hidden=True),
    memory: Path | None = flags.MEMORY,
    mind: Decider | None = flags.MIND,
    without: list[MemoryUse] | None = flags.WITHOUT,
    max_usd: float | None = flags.MAX_USD,
    ask_every: int | None = flags.ASK_EVERY,
    terms: Path | None = flags.TERMS,
    prices: Path | None = flags.PRICES,
    tapes: Path | None = flags.TAPES,
    timeout: float = flags.TIMEOUT,
    distil: bool = flags.DISTIL,
    pace: float | None = option(
        "Play at this many times the speed of the Game Boy, as --pace 1. Default: as fast as possible.",
        "FACTOR",
    ),
    as_json: bool = switch("--json", "Print the summary as one JSON object on the last line."),
) -> None:
    """Play a cartridge from power-on, and write a run and report."""
    out, err = Output(), Output(stderr=True)
    asking = AskSettings(ask_every, max_usd, terms, prices, tapes, timeout, distil)
    settings = Settings(
        rom=rom,
        until=until,
        ticks=ticks,
        seed=seed,
        run=run,
        resume=resume,
        at=at,
        recovers=recover,
        memory=memory,
        mind=mind,
        without=tuple(without or ()),
        pace=pace,
        asking=asking,
    )
    with interrupts() as interrupt:
        with view_on(err) as view:
            shown = view if pace is None else PacedViewer(view, pace, interrupt)
            with with_heartbeat(pulse, shown, interrupt) as viewer:
                summary = play_run(settings, viewer, interrupt)
                report_ended(Path(summary.run), rom)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary, view.start.labels))
            for line in end_lines(summary, view.start):
                out.say(line)
    raise typer.Exit(summary.stop.exit_code)
