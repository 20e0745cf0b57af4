"""The displays of `play`: a panel on a terminal, plain lines elsewhere, and the pace of both."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from threading import Event
from time import perf_counter
from typing import Any, Final

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.measure import Measurement
from rich.panel import Panel
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from agent.advisor.names import cost, model_name
from agent.app import Interrupt, TickView, Viewer
from agent.app.summary import NO_START, ModelStatus, PlayStart
from agent.cli.output import Output, grid
from agent.mind.intent import IntentSource
from agent.shell import shown_path
from agent.tools.report.words import counted, describe_data, game_time, no_answer
from emulator import FRAMES_PER_SECOND, Party, Screen
from emulator.ram import Waiting
from memory import EventRow

REFRESH_PER_SECOND: Final = 2
LINE_EVERY: Final = 500  # ticks between plain lines without a change
BESIDE: Final = 88  # columns from which the picture is beside the figures
FIGURES: Final = 46  # columns that the figures take beside a picture
FRAME: Final = 3  # rows of the panel's frame and of the cursor
FACTORS: Final = (2, 4, 8)  # pixels of the Game Boy to a point; they divide 160 and 144
GREENS: Final = ("#e0f8d0", "#88c070", "#346856", "#081820")  # of the Game Boy's screen
STYLES: Final = [[Style(color=top, bgcolor=bottom) for bottom in GREENS] for top in GREENS]
SHADES: Final = " ░▒▓█"  # of two points, where there are no colours
OUTCOMES: Final = {"victory": "beat", "defeat": "lost to", "runaway": "ran from", "catch": "caught"}
STATUS: Final = ("SLP", "PSN", "BRN", "FRZ", "PAR")  # in the order of the fields of `Status`


class PanelPicture:
    """The screen as characters, two points high, each row in runs of one style; `width` is in columns."""

    def __init__(self, screen: Screen, size: int, *, colours: bool) -> None:
        height, width = screen.shades.shape
        blocks = screen.shades.reshape(height // size, size, width // size, size)
        points = np.rint(blocks.mean(axis=(1, 3))).astype(int)
        self.width = width // size
        pairs = zip(points[::2].tolist(), points[1::2].tolist(), strict=True)
        self.rows = [[*_runs(*pair, colours=colours)] for pair in pairs]

    def __rich_measure__(self, _console: Console, _options: ConsoleOptions) -> Measurement:
        return Measurement(self.width, self.width)

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        for row in self.rows:
            yield from row
            yield Segment.line()


def _runs(upper: list[int], lower: list[int], *, colours: bool) -> Iterator[Segment]:
    """Yield a row of characters as few segments."""
    for (top, bottom), run in groupby(zip(upper, lower, strict=True)):
        count = sum(1 for _ in run)
        if colours:
            yield Segment("▀" * count, STYLES[top][bottom])
        else:
            yield Segment(SHADES[round((top + bottom) * 2 / 3)] * count)


def picture(screen: Screen, columns: int, rows: int, *, colours: bool) -> PanelPicture | None:
    """Return the largest of three sizes of the screen that fits, in shades without colours; None if none fits."""
    height, width = screen.shades.shape
    fitting = [each for each in FACTORS if width <= columns * each and height <= 2 * rows * each]
    return PanelPicture(screen, fitting[0], colours=colours) if fitting else None


def start_lines(start: PlayStart) -> Iterator[str]:
    """Yield the first lines of play: the cartridge, the seed, the run, the memory and the model."""
    if start.asked_at is not None:
        where = f"the last checkpoint up to tick {start.asked_at:,}"
        yield f"{start.cartridge}, seed {start.seed}: going back in {shown_path(start.run)} to tick {start.tick:,}, {where}"
    elif start.repeats_to:
        is_repeated = start.repeats_to > start.tick
        repeated = f", repeating it up to tick {start.repeats_to:,}" if is_repeated else ""
        yield f"{start.cartridge}, seed {start.seed}: continuing {shown_path(start.run)} at tick {start.tick:,}{repeated}"
    else:
        yield f"{start.cartridge}, seed {start.seed}: new run {shown_path(start.run)}"
    entries, runs = start.known
    if start.memory is None:
        yield "memory: none; what this run learns is not kept"
    elif not entries:
        yield f"memory: {shown_path(start.memory)}, empty"
    else:
        held, games = counted(entries, "entry", "entries"), counted(runs, "earlier run")
        yield f"memory: {shown_path(start.memory)}, {held} from {games}; --memory none plays without"
    if start.model_fault:
        yield f"model: {start.asks} cannot be reached ({start.model_fault}); playing by rules, and asking again when a question is due"
    elif start.asks:
        yield f"model: {start.asks}"


def event_line(event: EventRow, start: PlayStart) -> str:
    """Return a line on an event of a run."""
    data = event.payload
    match event.kind:
        case "milestone":
            return f"milestone: {start.labels.get(str(data['id']), data['id'])}"
        case "stuck" if data.get("over"):
            return f"no longer stuck: {data.get('solved_by') or 'by itself'}"
        case "stuck":
            return f"stuck: {data.get('reason')}"
        case "advice" if data.get("silent"):
            return f"model ({data.get('purpose')}): no answer, {no_answer(str(data['silent']))}"
        case "advice":
            return f"model ({data.get('purpose')}): {_advice(data.get('advice') or {})}"
        case "blackout":
            return "blacked out"
        case "battle":
            ended = OUTCOMES.get(str(data.get("outcome")), "fought")
            return f"{ended} {data.get('enemy_pokemon')} (level {data.get('enemy_level')})"
        case _:
            return describe_data(event.kind, data)


def _advice(advice: Mapping[str, Any]) -> str:
    return str(advice.get("note") or ", ".join(advice.get("goals") or ()) or "nothing to add")


def team_line(party: Party, start: PlayStart) -> str:
    """Return the Pokemon of a team with level, HP and major status."""
    lines = []
    for mon in party.mons:
        species = start.species.get(mon.species)
        status = "".join(f" {name}" for name, has in zip(STATUS, mon.status, strict=True) if has)
        name = species.name if species is not None else mon.nickname
        lines.append(f"{name} L{mon.level} {mon.hp}/{mon.stats.hp}{status}")
    return ", ".join(lines)


def model_line(status: ModelStatus) -> str:
    """Return the questions to a model and their cost."""
    limit = "" if status.ceiling_usd is None else f" of ${status.ceiling_usd:,.2f}"
    server = "" if status.is_billed else " by list prices; this server is not Anthropic's"
    if status.made_up_usd:
        limit, server = "", f"; answers of {model_name(status.answered_by)}"
    spent = cost(status.usd, status.made_up_usd, "${:,.4f}".format)
    return f"{status.answers} of {status.questions} questions answered, {spent}{limit}{server}"


@dataclass
class ShownStart(Viewer):
    """Prints the first lines of play, and keeps its start."""

    output: Output
    start: PlayStart = NO_START

    def show_start(self, start: PlayStart) -> None:
        """Print the first lines."""
        self.start = start
        for line in start_lines(start):
            self.output.say(line)


@dataclass
class PlainLines(ShownStart):
    """Prints a line when the action changes, at a milestone, at an answer of a model, and every `LINE_EVERY` ticks.

    A single tick of waiting, as between two parts of a scene, is no change. Ticks that are repeated print none.
    """

    _last: tuple[str, int] | None = None
    _last_tick: int = 0
    _idle: bool = False  # whether the last tick was idle
    _advice: EventRow | None = None

    def show(self, moment: TickView) -> None:
        """Print a line if something has changed."""
        if moment.tick <= self.start.repeats_to:
            self._last, self._advice = ("", len(moment.milestones)), _latest_advice(moment)
            return
        latest = _latest_advice(moment) if moment.model is not None else None
        if latest is not None and latest is not self._advice:
            self._advice = latest
            self.output.say(f"{_clock(moment)}  {event_line(latest, self.start)}")
        now = (moment.intent.name, len(moment.milestones))
        last = self._last or ("", now[1])  # a continued run has reached some before
        was_idle, self._idle = self._idle, moment.intent.source is IntentSource.IDLE
        if now == last and moment.tick - self._last_tick < LINE_EVERY:
            return
        is_brief = moment.intent.source is IntentSource.REFLEX or (self._idle and not was_idle)
        if not is_brief or now[1] != last[1]:
            self._last, self._last_tick = now, moment.tick
            new = moment.milestones[last[1] :]
            words = [f"milestone: {self.start.labels.get(each, each)}" for each in new]
            if not words or now[0] != last[0]:
                words.insert(0, moment.intent.why)
            self.output.say(f"{_clock(moment)}  {moment.where:<28}  {'; '.join(words)}")


@dataclass
class LivePanel(ShownStart):
    """A panel that shows the latest tick several times a second, below the first lines."""

    _moment: TickView | None = None
    _screen: Screen | None = None
    _status: ModelStatus | None = None
    _advice: EventRow | None = None
    _drawn: tuple[tuple[object, ...], PanelPicture | None] | None = None
    _live: Live = field(init=False)

    def __post_init__(self) -> None:
        self._live = Live(
            console=self.output,
            # The empty line is for the cursor: the ^C that a terminal echoes must not wrap out of the panel.
            get_renderable=lambda: Group(self.draw(), "") if self._moment else "",
            refresh_per_second=REFRESH_PER_SECOND,
            transient=True,
        )

    def stop(self) -> None:
        """Remove the panel; the last lines say how play ended."""
        self._live.stop()

    def show(self, moment: TickView) -> None:
        """Store the tick for the next drawing."""
        if moment.screen is not None:
            self._screen = moment.screen()
        if moment.model is not None and (latest := _latest_advice(moment)) is not self._advice:
            self._advice, self._status = latest, moment.model()
        is_first = self._moment is None
        self._moment = moment
        if is_first:
            self._live.start(refresh=True)

    def draw(self) -> Panel | str:
        """Return the panel of the latest tick, as large as the terminal allows."""
        moment, (columns, rows) = self._moment, self.output.size
        if moment is None:
            return ""
        beside = columns >= BESIDE
        room = columns - FIGURES - 7 if beside else 0
        colours = self.output.color_system is not None and not self.output.no_color
        shown = self._picture(room, rows - FRAME, colours=colours)
        body: Group | Table = Group(*self._figures(moment, rows - FRAME))
        if shown:
            figures, body = body, Table.grid(padding=(0, 2))
            body.add_column(no_wrap=True)
            body.add_column(ratio=1)
            body.add_row(shown, figures)
        name, run = f"red-agent: {moment.cartridge}", self.start.run
        if self.start is not NO_START:
            name += f", seed {self.start.seed}"
        return Panel(body, title=Text(name), subtitle=Text(run.name) if run.name else None)

    def _picture(self, columns: int, rows: int, *, colours: bool) -> PanelPicture | None:
        """Return the picture of the latest screen, the same one while nothing changes."""
        key = (self._screen, columns, rows, colours)
        if self._drawn is None or self._drawn[0] != key:
            screen = self._screen
            drawn = picture(screen, columns, rows, colours=colours) if screen else None
            self._drawn = key, drawn
        return self._drawn[1]

    def _figures(self, moment: TickView, rows: int) -> Iterator[Table | Text]:
        """Yield the figures, and as many of the latest events as there are rows for."""
        lines = grid(self._rows(moment))
        yield lines
        room = rows - lines.row_count - 1
        if room > 0 and moment.events:
            yield Text("")
            for event in list(moment.events)[-room:]:
                yield Text(event_line(event, self.start), style="dim", no_wrap=True)

    def _rows(self, moment: TickView) -> Mapping[str, str]:
        start, player = self.start, moment.state.player
        done = sum(each in start.labels for each in moment.milestones)
        rows = {
            "goal": f"{moment.goal_label or 'none'} ({done} of {len(start.labels)} milestones)",
            "doing": moment.intent.why,
            "where": moment.where,
            "team": team_line(moment.state.party, start) or "no Pokemon yet",
            "has": f"badges {player.badge_count}, money {player.money:,}",
            "time": f"{_clock(moment)} in the game, {game_time(moment.wall_s)} played, tick {moment.tick:,}",
        }
        if not moment.state.game_started:
            rows |= {"team": "no Pokemon yet", "has": "nothing yet"}
        if self._status is not None:
            rows["model"] = model_line(self._status)
        # A text still being printed would be cut, and menus have no sentences.
        if moment.state.dialogue.waiting is Waiting.ARROW and moment.state.menu is None:
            rows["text"] = moment.text
        return rows


def _clock(moment: TickView) -> str:
    return game_time(moment.frame / FRAMES_PER_SECOND)


def _latest_advice(moment: TickView) -> EventRow | None:
    return next((each for each in reversed(moment.events) if each.kind == "advice"), None)


@dataclass
class PacedViewer(Viewer):
    """A viewer that holds play back to its pace, if it has one, except for ticks that are repeated."""

    view: Viewer
    interrupt: Interrupt
    _pace: float = 0.0
    _repeats_to: int = 0
    _from: tuple[int, float] | None = None  # the frame and the time of the first tick

    def show_start(self, start: PlayStart) -> None:
        """Show the start."""
        self._pace, self._repeats_to = start.pace, start.repeats_to
        self.view.show_start(start)

    def show(self, moment: TickView) -> None:
        """Show the tick, and wait until it is due."""
        self.view.show(moment)
        if not self._pace or moment.tick <= self._repeats_to:
            return
        first = self._from
        if first is None or moment.frame < first[0]:  # play went back to a checkpoint
            self._from = first = moment.frame, perf_counter()
        due = first[1] + (moment.frame - first[0]) / (FRAMES_PER_SECOND * self._pace)
        while not self.interrupt.asked and (left := due - perf_counter()) > 0:
            Event().wait(min(left, 0.2))


@contextmanager
def view_on(output: Output) -> Iterator[PlainLines | LivePanel]:
    """Yield the panel on a terminal, else plain lines."""
    if not output.is_terminal:
        yield PlainLines(output)
        return
    panel = LivePanel(output)
    try:
        yield panel
    finally:
        panel.stop()
