"""`play`: the command, its panel or plain lines, and the heartbeat for a supervisor."""

from __future__ import annotations

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
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.advisor.decider import Decider
from agent.cli import flags
from agent.cli.flags import option, switch
from agent.cli.output import Output, facts, grid
from agent.errors import UsageError
from agent.experience.memory_use import MemoryUse

if TYPE_CHECKING:
    from agent.app import Interrupt, Summary, TickView, Viewer
    from agent.tools.overnight.child import Heartbeat

REFRESH_PER_SECOND: Final = 8
LINE_EVERY: Final = 500  # ticks between plain lines without a change


@contextmanager
def view_on(output: Output) -> Iterator[Viewer]:
    """Yield the panel on a terminal, else plain lines."""
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
    """Prints a line when the action changes, at a milestone, and every `LINE_EVERY` ticks.

    A single tick of waiting, as between two parts of a scene, is no change.
    """

    output: Output
    _last: tuple[str, int] = ("", 0)
    _last_tick: int = 0
    _idle: bool = False  # whether the last tick was idle

    def show(self, moment: TickView) -> None:
        """Print a line if something has changed."""
        from agent.mind.intent import IntentSource

        now = (moment.intent.name, len(moment.milestones))
        new = moment.milestones[self._last[1] :]
        was_idle, self._idle = self._idle, moment.intent.source is IntentSource.IDLE
        if now == self._last and moment.tick - self._last_tick < LINE_EVERY:
            return
        is_brief = moment.intent.source is IntentSource.REFLEX or (self._idle and not was_idle)
        if not is_brief or now[1] != self._last[1]:
            self._last, self._last_tick = now, moment.tick
            reached = f"  [reached {', '.join(new)}]" if new else ""
            doing = f"{moment.intent.name}: {moment.intent.why}"
            self.output.say(f"tick {moment.tick:>6}  {moment.where:<20}  {doing}{reached}")


@dataclass
class LivePanel:
    """A panel that shows the latest tick several times a second."""

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
        """Draw the last tick and stop refreshing."""
        self._live.stop()

    def show(self, moment: TickView) -> None:
        """Store the tick for the next drawing."""
        if self._moment is None:
            self._moment = moment
            self._live.start()
        self._moment = moment


def panel(moment: TickView) -> Panel:
    """Return the panel of one tick: place, action, goal, milestones, speed and text on the screen."""
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
    """Return the summary of a run as a table."""
    rows = [("reason", summary.reason)] if summary.reason else []
    rows += [
        ("not a clean run", f"went back by hand from tick {each.left} to tick {each.tick}")
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
        ("times stuck, restores", f"{summary.episodes}, {summary.restores}"),
        ("memory consolidations", str(summary.consolidations)),
        ("errors", str(summary.errors)),
    ]
    if summary.advice is not None:
        rows += _advice_rows(summary.advice)
    return facts(f"{summary.run}: {summary.stop.value}", rows)


def _advice_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of the model as rows."""
    counts = figures["counts"]
    faults = {name.removeprefix("fault:"): n for name, n in counts.items() if "fault:" in name}
    silent = {name.removeprefix("silent:"): n for name, n in counts.items() if "silent:" in name}
    missed = f"; missed: {_listed(figures['cache_misses'])}" if figures["cache_misses"] else ""
    unanswered = f"; unanswered: {_listed(silent)}" if silent else ""
    return [
        (
            "questions, answers",
            f"{counts.get('questions', 0)}, {counts.get('answers', 0)}{unanswered}",
        ),
        (
            "cost",
            f"{figures['calls']} calls, {sum(figures['tokens'].values()):,} tokens, ${figures['usd']:.4f}",
        ),
        ("read from the prompt cache", f"{figures['cache_hits']:.0%}{missed}"),
        *([("refused by limits", _listed(figures["refused"]))] if figures["refused"] else []),
        ("service errors", _listed(faults) or "none"),
        ("recorded", f"{figures['tape_nodes']} messages, {figures['tape_lost']} calls lost"),
    ]


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
class HeartbeatViewer:
    """A viewer that writes a heartbeat every half second, and at each milestone and checkpoint."""

    fd: int
    view: Viewer
    clock: Callable[[], float] = perf_counter
    _next: float = 0.0
    _marked: tuple[int, int] = (-1, -1)

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
    from agent.tools.overnight.child import Heartbeat

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
        "Continue the run in this folder, or the `last` one, from its last checkpoint.",
        "DIR",
        callback=flags.run_named,
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
    as_json: bool = switch("--json", "Print the summary as one JSON object on the last line."),
) -> None:
    """Play a cartridge from power-on, and write a run and report."""
    from agent.app import AskSettings, Settings, interrupts, play_run
    from agent.tools.report.page import report_ended

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
            err.say("No --rom given: playing the demo cartridge of this project.")
        with view_on(err) as view, with_heartbeat(pulse, view, interrupt) as viewer:
            summary = play_run(settings, viewer, interrupt)
            report_ended(Path(summary.run), rom)
        if as_json:
            out.say(json.dumps(summary.as_json()))
        else:
            out.print(summary_table(summary))
    raise typer.Exit(summary.stop.exit_code)
