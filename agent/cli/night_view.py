"""What a person sees of a night: a panel on a terminal, lines for what happens elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.cli.output import Output
from agent.overnight import Beat, Line, Night, NightViewer

LINE_EVERY_S: Final = 600.0  # of the night, between lines that only say where it is
REFRESH_PER_SECOND: Final = 2


@contextmanager
def night_view_on(output: Output) -> Iterator[NightViewer]:
    """Lend the view that suits where the output goes."""
    lines = NightLines(output)
    if not output.is_terminal:
        yield lines
        return
    panel = NightPanel(lines)
    live = Live(console=output, get_renderable=panel.draw, refresh_per_second=REFRESH_PER_SECOND)
    with live:
        yield panel


@dataclass
class NightLines:
    """A line for each thing that happens, and one now and then that says where play is."""

    output: Output
    restarts: int = 0
    _next: float = 0.0

    def told(self, line: Line) -> None:
        """Print what a line of the diary says, where it is of interest."""
        words = words_of(line)
        if words:
            made = datetime.fromtimestamp(line["at"], UTC).astimezone()
            self.output.say(f"{made:%H:%M:%S}  {words}")
        self.restarts = max(self.restarts, line.get("n", 1) - 1)

    def saw(self, beat: Beat, night_s: float) -> None:
        """Print where play is, if that was long ago."""
        if night_s >= self._next:
            self._next = night_s + LINE_EVERY_S
            self.output.say(f"          tick {beat.tick:,}, {beat.place}: {beat.doing}")


@dataclass
class NightPanel:
    """A panel of how it goes now, below the lines of what happened."""

    lines: NightLines
    _beat: Beat | None = None
    _night_s: float = 0.0
    _faults: int = field(default=0)

    def told(self, line: Line) -> None:
        """Print it above the panel."""
        self._faults += line["what"] == "fault"
        self.lines.told(line)

    def saw(self, beat: Beat, night_s: float) -> None:
        """Keep it for the next drawing."""
        self._beat, self._night_s = beat, night_s

    def draw(self) -> Panel | str:
        """Return the panel, or nothing before play begins."""
        beat = self._beat
        if beat is None:
            return ""
        facts = Table.grid(padding=(0, 2))
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column()
        rows = {
            "where": beat.place,
            "doing": beat.doing,
            "milestones": ", ".join(beat.milestones) or "none yet",
            "time": f"tick {beat.tick:,}, frame {beat.frame:,}, {_duration(self._night_s)} of the night",
            "so far": f"{self.lines.restarts} restarts, {self._faults} faults",
        }
        for name, words in rows.items():
            facts.add_row(name, Text(words))  # as Text, so that no word is taken for markup
        return Panel(facts, title=Text("red-agent overnight"))


def words_of(line: Line) -> str:
    """Return a line of the diary in words, or '' for one that is for the morning only."""
    match line["what"]:
        case "began":
            return "the night begins, or goes on"
        case "started":
            return f"play is up at tick {line['tick']:,}"
        case "milestone":
            return f"reached {line['id']} by tick {line['tick']:,}"
        case "fault":
            return f"{line['kind']} at tick {line['tick']:,}: {line['says']}; {line['answer']}"
        case "rules":
            return f"no model is asked any more: {line['says']}"
        case _:
            return ""


def night_table(night: Night) -> Table:
    """Return how a night ended, as a table."""
    which = f" ({night.which.replace('_', ' ')})" if night.which else ""
    title = Text(f"{night.run}: {night.verdict.replace('_', ' ')}{which}")
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column(style="dim")
    table.add_column()
    faults = ", ".join(f"{kind} {times}" for kind, times in night.faults.items())
    rows = {
        "why": night.why,
        "milestones": ", ".join(night.milestones) or "none",
        "played": f"{night.ticks:,} ticks, {night.frames:,} frames",
        "the night took": _duration(night.night_s),
        "restarts": str(night.restarts),
        "faults": faults or "none",
    }
    for name, words in rows.items():
        table.add_row(name, Text(words))
    return table


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
