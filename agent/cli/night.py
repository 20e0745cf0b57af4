"""A night on the screen: a line for each event, a panel of its progress, its result, and the last lines."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Self

from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.cli.output import Output, facts, grid
from agent.shell import command, shown_path
from agent.story.story import Story
from agent.tools.overnight.child import Heartbeat
from agent.tools.overnight.logs import Line
from agent.tools.overnight.night import Night, NightEnding
from agent.tools.report.page import PAGE
from agent.tools.report.words import counted, game_time, plain
from emulator import FRAMES_PER_SECOND
from memory.store import SETTINGS

LINE_EVERY_S: Final = 600.0  # of the night, between two progress lines
REFRESH_PER_SECOND: Final = 2
LONGEST_VIDEO_S: Final = 1_800  # of game time in one file
LAST_TICKS: Final = 300  # shown of a longer night


class NightGoal(NamedTuple):
    """The milestones of a night in order, up to its goal, with their labels; empty without a known cartridge."""

    labels: Mapping[str, str]
    until: str = ""
    last: str = ""  # of the story

    @classmethod
    def of(cls, story: Story | None, until: str | None) -> Self:
        """Return the goal `until` of a story, by default its last milestone."""
        if story is None:
            return cls({}, until or "")
        ids = story.up_to(until)
        labels = {each.id: each.label for each in story.milestones}
        return cls({name: labels[name] for name in ids}, ids[-1], story.milestones[-1].id)

    def label(self, milestone: str) -> str:
        """Return the label of a milestone."""
        return self.labels.get(milestone, plain(milestone))

    def share(self, reached: int) -> str:
        """Return how many milestones of how many are reached."""
        return f"{reached} of {len(self.labels)}" if self.labels else str(reached)

    def progress(self, reached: tuple[str, ...]) -> str:
        """Return how many milestones are reached, and the last of them."""
        last = f"; the last: {self.label(reached[-1])}" if reached else ""
        return f"{self.share(len(reached))}{last}"


def game_moment(tick: int, frame: int) -> str:
    """Return a moment of the game in game time and ticks."""
    return f"{game_time(frame / FRAMES_PER_SECOND)} of game time (tick {tick:,})"


@dataclass
class NightScreen:
    """Prints a line for each event of a night, and progress: in a panel on a terminal, else in lines."""

    output: Output
    goal: NightGoal
    _heartbeat: Heartbeat | None = None
    _night_s: float = 0.0
    _next: float = 0.0
    _restarts: int = 0
    _faults: int = 0

    def show_event(self, line: Line) -> None:
        """Print a line of the journal, if it has words."""
        if words := self._words(line):
            time = datetime.fromtimestamp(line["at"], UTC).astimezone()
            self.output.print(
                Text(f"{time:%H:%M:%S}  {words}"),
                soft_wrap=not self.output.is_terminal,  # a terminal would break it inside a word
                highlight=False,
            )
        self._faults += line["what"] == "fault"
        self._restarts = line.get("restarts", self._restarts)
        self._night_s = line.get("night_s", self._night_s)

    def show_heartbeat(self, heartbeat: Heartbeat, night_s: float) -> None:
        """Store a heartbeat for the next drawing, or print it after a long time without one."""
        self._heartbeat, self._night_s = heartbeat, night_s
        if not self.output.is_terminal and night_s >= self._next:
            self._next = night_s + LINE_EVERY_S
            moment = game_moment(heartbeat.tick, heartbeat.frame)
            self.output.say(f"          {moment}, {heartbeat.place}: {heartbeat.doing}")

    def live(self) -> AbstractContextManager[object]:
        """Return a context manager that draws the panel on a terminal."""
        if not self.output.is_terminal:
            return nullcontext()
        return Live(
            console=self.output, get_renderable=self.draw, refresh_per_second=REFRESH_PER_SECOND
        )

    def draw(self) -> Panel | str:
        """Return the panel, or an empty text before play begins."""
        heartbeat = self._heartbeat
        if heartbeat is None:
            return ""
        rows = {
            "where": heartbeat.place,
            "doing": heartbeat.doing,
            "milestones": self.goal.progress(heartbeat.milestones),
            "played": game_moment(heartbeat.tick, heartbeat.frame),
            "wall time": game_time(round(self._night_s)),
            "so far": f"{counted(self._restarts, 'restart')}, {counted(self._faults, 'fault')}",
        }
        return Panel(grid(rows), title=Text("red-agent overnight"))

    def _words(self, line: Line) -> str:
        match line["what"]:
            case "began":
                return "night resumed" if line["resumed"] else "night started"
            case "waiting":
                return f"waiting for process {line['pid']}, which a killed supervisor left behind"
            case "started":
                last = line.get("repeats_to", 0)
                repeats = f", repeating it up to tick {last:,}" if last > line["tick"] else ""
                return f"playing from {_moment_of(line)}{repeats}"
            case "milestone":
                reached = self.goal.share(line["reached"])
                return f"reached {reached}: {self.goal.label(line['id'])}, at {_moment_of(line)}"
            case "fault":
                kind, at = plain(line["kind"]), _moment_of(line)
                return f"{kind} at {at}: {line['says']}; {line['answer']}"
            case "rules":
                return f"rules only from now on: {line['says']}"
            case _:
                return ""


def _moment_of(line: Line) -> str:
    return game_moment(line["tick"], line["frame"])


def night_table(night: Night, goal: NightGoal) -> Table:
    """Return the figures of a night as a table."""
    rows = {
        "milestones": goal.progress(night.milestones),
        "played": game_moment(night.ticks, night.frames),
        "wall time": game_time(round(night.night_s)),
        "restarts": str(night.restarts),
        "faults": ", ".join(f"{plain(kind)} {n}" for kind, n in night.faults.items()) or "none",
    }
    return facts("Night", rows.items())


ENDINGS: Final = {
    NightEnding.GOAL: "goal reached: {goal}",
    NightEnding.LIMIT: "ended at a limit: {reason}",
    NightEnding.GAVE_UP: "gave up: {reason}",
    NightEnding.INTERRUPTED: "interrupted",
}


def last_lines(night: Night, goal: NightGoal, words: Sequence[str]) -> Iterator[str]:
    """Yield how a night ended, where its run and report are, and the commands to continue and to watch it.

    `words` are the command that played it, which continues it until the goal is reached.
    """
    ending, run = NightEnding(night.verdict), Path(night.run)
    yield f"result: {ENDINGS[ending].format(goal=goal.label(goal.until), reason=night.reason)}"
    yield f"run: {shown_path(run)}"
    if night.ticks and not any((run / name).exists() for name in (SETTINGS, PAGE)):
        return  # it was moved away
    if (run / PAGE).is_file():
        yield f"report: {shown_path(run / PAGE)}"
    if ending is not NightEnding.GOAL:
        yield f"continue: {command(*words)}"
    elif goal.until != goal.last:
        yield f"continue: {command(*_without_until(words), '--until', goal.last)}"
    if night.ticks:
        is_short = night.frames / FRAMES_PER_SECOND <= LONGEST_VIDEO_S
        first = 1 if is_short else max(night.ticks - LAST_TICKS, 1)
        shots = f"--from {first} --to {night.ticks} --mp4 night.mp4"
        yield f"watch: {command('replay', run, *shots.split())}"


def _without_until(words: Sequence[str]) -> list[str]:
    pairs = zip(("", *words), words, strict=False)
    return [
        word
        for before, word in pairs
        if "--until" not in {before, word} and not word.startswith("--until=")
    ]
