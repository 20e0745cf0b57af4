"""What a person sees while the agent plays: a live panel on a terminal, plain lines elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.app import Moment, Viewer
from agent.cli.output import Output
from agent.mind import Source
from agent.report import Summary

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

    def show(self, moment: Moment) -> None:
        """Print a line if there is something new to say."""
        now = (moment.intent.name, len(moment.milestones))
        fresh = moment.milestones[self._last[1] :]
        waited, self._idle = self._idle, moment.intent.source is Source.IDLE
        if now == self._last and moment.tick - self._last_tick < LINE_EVERY:
            return
        passing = moment.intent.source is Source.REFLEX or (self._idle and not waited)
        if not passing or now[1] != self._last[1]:
            self._last, self._last_tick = now, moment.tick
            self.output.say(_line(moment, fresh))


@dataclass
class LivePanel:
    """One panel that is drawn again several times a second, from the latest moment."""

    output: Output
    _moment: Moment | None = None
    _live: Live = field(init=False)

    def __post_init__(self) -> None:
        self._live = Live(
            console=self.output,
            get_renderable=self._draw,
            refresh_per_second=REFRESH_PER_SECOND,
        )

    def stop(self) -> None:
        """Draw the last moment and leave it standing."""
        self._live.stop()

    def show(self, moment: Moment) -> None:
        """Keep the moment for the next drawing."""
        if self._moment is None:
            self._moment = moment
            self._live.start()
        self._moment = moment

    def _draw(self) -> Panel | str:
        return panel(self._moment) if self._moment else ""


def panel(moment: Moment) -> Panel:
    """Return the picture of one moment: where, what and why, milestones, speed, the screen's text."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column()
    rows = {
        "where": moment.where,
        "doing": f"{moment.intent.name}: {moment.intent.why}",
        "goal": moment.goal or "none",
        "milestones": _milestones(moment.milestones),
        "time": f"tick {moment.tick:,}, frame {moment.frame:,}",
        "speed": f"{moment.ticks_per_s:,.0f} ticks/s, {moment.frames_per_s:,.0f} frames/s",
    }
    for name, words in rows.items():
        facts.add_row(name, Text(words))  # as Text, so that no word is taken for markup
    parts: list[Table | Text] = [facts]
    if moment.intent.plan:
        parts.append(Text(f"\n{moment.intent.plan}", style="dim"))
    if moment.text:
        parts.append(Text(f"\n{moment.text}", style="italic"))
    return Panel(
        Group(*parts), title=Text(f"red-agent: {moment.cartridge}"), subtitle=Text(moment.run)
    )


def summary_table(summary: Summary) -> Table:
    """Return how a run ended, as a table."""
    title = Text(f"{summary.run}: {summary.stop.value}")
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column(style="dim")
    table.add_column()
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
    for name, words in rows:
        table.add_row(name, Text(words))
    return table


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


def _milestones(reached: Sequence[str]) -> str:
    return ", ".join(reached) or "none yet"


def _line(moment: Moment, fresh: Sequence[str]) -> str:
    """Return what is going on in one line; `fresh` are the milestones that no line before it named."""
    reached = f"  [reached {', '.join(fresh)}]" if fresh else ""
    return (
        f"tick {moment.tick:>6}  {moment.where:<20}  {moment.intent.name}: {moment.intent.why}"
        f"{reached}"
    )
