"""`play`: the command, the panel or lines it shows, and the heartbeat for a supervisor."""

import json
import os
import select
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final

import typer
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.app import (
    AskSettings,
    Decider,
    Interrupt,
    Settings,
    Summary,
    TickView,
    Viewer,
    interrupts,
    play_run,
)
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output, facts, grid
from agent.errors import UsageError
from agent.experience.uses import MemoryUse
from agent.mind.intent import IntentSource
from agent.tools.overnight.child import Heartbeat
from agent.tools.report.page import report_ended

REFRESH_PER_SECOND: Final = 8
LINE_EVERY: Final = 500  # ticks between plain lines when nothing else happens


@contextmanager
def view_on(output: Output) -> Iterator[Viewer]:
    """Lend the view that suits where the output goes."""
    if not output.is_terminal:
        yield PlainLines(output)
        return
    panel = LivePanel(output)
    try:
        yield panel
    finally:
        panel.stop()


@dataclass
class PlainLines:
    """A line whenever what it does changes, a milestone is reached, or a while has passed.

    A single tick of waiting, as between two parts of a scene, is no change.
    """

    output: Output
    _last: tuple[str, int] = ("", 0)
    _last_tick: int = 0
    _idle: bool = False  # whether the moment before was one of waiting

    def show(self, moment: TickView) -> None:
        """Print a line if there is something new to say."""
        now = (moment.intent.name, len(moment.milestones))
        fresh = moment.milestones[self._last[1] :]
        waited, self._idle = self._idle, moment.intent.source is IntentSource.IDLE
        if now == self._last and moment.tick - self._last_tick < LINE_EVERY:
            return
        passing = moment.intent.source is IntentSource.REFLEX or (self._idle and not waited)
        if not passing or now[1] != self._last[1]:
            self._last, self._last_tick = now, moment.tick
            reached = f"  [reached {', '.join(fresh)}]" if fresh else ""
            doing = f"{moment.intent.name}: {moment.intent.why}"
            self.output.say(f"tick {moment.tick:>6}  {moment.where:<20}  {doing}{reached}")


@dataclass
class LivePanel:
    """One panel that is drawn again several times a second, from the latest moment."""

    output: Output
    _moment: TickView | None = None
    _live: Live = field(init=False)

    def __post_init__(self) -> None:
        self._live = Live(
            console=self.output,
            get_renderable=lambda: panel(self._moment) if self._moment else "",
            refresh_per_second=REFRESH_PER_SECOND,
        )

    def stop(self) -> None:
        """Draw the last moment and leave it standing."""
        self._live.stop()

    def show(self, moment: TickView) -> None:
        """Keep the moment for the next drawing."""
        if self._moment is None:
            self._moment = moment
            self._live.start()
        self._moment = moment


def panel(moment: TickView) -> Panel:
    """Return the picture of one moment: where, what and why, milestones, speed, the screen's text."""
    rows = {
        "where": moment.where,
        "doing": f"{moment.intent.name}: {moment.intent.why}",
        "goal": moment.goal or "none",
        "milestones": ", ".join(moment.milestones) or "none yet",
        "time": f"tick {moment.tick:,}, frame {moment.frame:,}",
        "speed": f"{moment.ticks_per_s:,.0f} ticks/s, {moment.frames_per_s:,.0f} frames/s",
    }
    parts: list[Table | Text] = [grid(rows)]
    if moment.intent.plan:
        parts.append(Text(f"\n{moment.intent.plan}", style="dim"))
    if moment.text:
        parts.append(Text(f"\n{moment.text}", style="italic"))
    return Panel(
        Group(*parts), title=Text(f"red-agent: {moment.cartridge}"), subtitle=Text(moment.run)
    )


def summary_table(summary: Summary) -> Table:
    """Return how a run ended, as a table."""
    rows = [("reason", summary.reason)] if summary.reason else []
    rows += [
        ("not a clean run", f"taken back by hand from tick {each.left} to tick {each.tick}")
        for each in summary.returns
        if each.why == "asked"
    ]
    for reached in summary.milestones:
        rows.append((f"reached {reached.id}", f"tick {reached.tick}"))
        rows += [(f"  witness: {kind}", words) for kind, words in reached.witnesses.items()]
    rows += [
        ("ticks", f"{summary.ticks:,}"),
        ("frames", f"{summary.frames:,} ({summary.frames_per_s:,.0f} a second)"),
        ("badges, battles", f"{summary.badges}, {summary.battles}"),
        ("stuck, restores", f"{summary.episodes}, {summary.restores}"),
        ("consolidations", str(summary.consolidations)),
        ("errors", str(summary.errors)),
    ]
    if summary.advice is not None:
        rows += _advice(summary.advice)
    return facts(f"{summary.run}: {summary.stop.value}", rows)


def _advice(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what asking a model came to."""
    counts = told["counts"]
    faults = {name.removeprefix("fault:"): n for name, n in counts.items() if "fault:" in name}
    silent = {name.removeprefix("silent:"): n for name, n in counts.items() if "silent:" in name}
    missed = f"; missed: {_listed(told['cache_misses'])}" if told["cache_misses"] else ""
    unanswered = f"; unanswered: {_listed(silent)}" if silent else ""
    return [
        (
            "asked, answered",
            f"{counts.get('questions', 0)}, {counts.get('answers', 0)}{unanswered}",
        ),
        (
            "cost",
            f"{told['calls']} calls, {sum(told['tokens'].values()):,} tokens, ${told['usd']:.4f}",
        ),
        ("read from the cache", f"{told['cache_hits']:.0%}{missed}"),
        *([("held back by", _listed(told["refused"]))] if told["refused"] else []),
        ("faults of the service", _listed(faults) or "none"),
        ("on tape", f"{told['tape_nodes']} nodes, {told['tape_lost']} calls lost"),
    ]


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {times}" for name, times in counted.items())


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

    def show(self, moment: TickView) -> None:
        """Show it, and beat if it is time."""
        self.view.show(moment)
        marked = len(moment.reached), moment.checkpoint
        now = self.clock()
        if now >= self._next or marked != self._marked:
            self._next, self._marked = now + EVERY_S, marked
            with suppress(BlockingIOError, BrokenPipeError):  # full for now, or for ever
                os.write(self.fd, _beat(moment).line())


def _beat(moment: TickView) -> Heartbeat:
    return Heartbeat(
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


def play(
    rom: Path | None = flags.ROM,
    until: str | None = flags.UNTIL,
    ticks: int | None = flags.TICKS,
    seed: int | None = flags.SEED,
    run: Path | None = option("The folder this run writes to. Default: a new one in runs/.", "DIR"),
    resume: Path | None = option(
        "Go on with the run in this folder, from its last checkpoint.", "DIR"
    ),
    at: int | None = option(
        "With --resume: go back to the checkpoint of this tick, or the last one before it. What was played after it stays in the file as a dead branch, and the run is not a clean one any more.",
        "TICK",
    ),
    recover: bool = switch(
        "--recover", "With --at: it is the supervisor that goes back.", hidden=True
    ),
    pulse: int | None = option(
        "The pipe on which the supervisor is told that play goes on.", hidden=True
    ),
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
    as_json: bool = switch("--json", "Print the summary as one JSON object on the last line."),
) -> None:
    """Play a cartridge from power-on and report."""
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
        asking=asking,
    )
    with interrupts() as interrupt:
        if rom is None and resume is None:
            err.say("No --rom given: playing the demo cartridge that comes with this.")
        with view_on(err) as view, beating(pulse, view, interrupt) as viewer:
            summary = play_run(settings, viewer, interrupt)
            report_ended(Path(summary.run), rom)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)
