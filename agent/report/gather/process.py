"""How the process did over the clock of the wall: speed, memory, files. Each session is a stretch of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from agent.report.gather.night import Sample
from agent.report.gather.thinning import Line, Point, Points, thinned
from agent.report.gather.times import clocked
from memory import VitalsRow

PARTS: Final = 150  # of the whole time: over each of them speed is a mean
FEWEST: Final = 100  # ticks that a mean is made of

Clocked = tuple[VitalsRow, float]


@dataclass(frozen=True, slots=True)
class Process:
    """Curves over seconds since 1970, and the sums of all sessions, branches that died included."""

    speed: Line  # ticks a second
    resident: Line
    file: Line
    free: Line
    log: Line
    sessions: tuple[float, ...]  # when each began
    ticks: int
    wall_s: float

    @property
    def ticks_per_s(self) -> float:
        """The mean over all sessions; 0.0 where no time is known."""
        return self.ticks / self.wall_s if self.wall_s else 0.0


def process(vitals: Sequence[VitalsRow], samples: Sequence[Sample]) -> Process:
    """Return the curves of a run, by its own record, and of the log by the supervisor's."""
    rows = clocked(vitals)
    sessions = [list(part) for _, part in groupby(rows, key=lambda each: each[0].session)]
    span = rows[-1][1] - rows[0][1] if rows else 0.0
    played = [each for part in sessions for each in _intervals(part)]
    return Process(
        speed=Line("ticks a second", tuple(_speeds(part, span / PARTS) for part in sessions)),
        resident=_line("resident memory", sessions, lambda row: row.resident),
        file=_line("run.sqlite with its log", sessions, lambda row: row.file_bytes),
        free=_line("free disk", sessions, lambda row: row.free_bytes),
        log=Line("night.log", (thinned([Point(each.at, each.log_bytes) for each in samples]),)),
        sessions=tuple(part[0][1] - part[0][0].wall_s for part in sessions),
        ticks=sum(ticks for _, ticks, _ in played),
        wall_s=sum(part[-1][0].wall_s for part in sessions),
    )


def _line(
    name: str, sessions: Sequence[Sequence[Clocked]], figure: Callable[[VitalsRow], float]
) -> Line:
    return Line(
        name,
        tuple(thinned([Point(at, figure(row)) for row, at in part]) for part in sessions),
    )


def _intervals(session: Sequence[Clocked]) -> Iterator[tuple[float, int, float]]:
    """Yield when each interval of a session ended, its ticks and its seconds; none where play went back."""
    for (before, _), (row, at) in pairwise(session):
        if row.tick >= before.tick:
            yield at, row.tick - before.tick, row.wall_s - before.wall_s


def _speeds(session: Sequence[Clocked], width: float) -> Points:
    points, ticks, seconds = [], 0, 0.0
    for at, more, took in _intervals(session):
        ticks, seconds = ticks + more, seconds + took
        if seconds > 0 and seconds >= width and ticks >= FEWEST:
            points.append(Point(at, ticks / seconds))
            ticks, seconds = 0, 0.0
    return tuple(points)
