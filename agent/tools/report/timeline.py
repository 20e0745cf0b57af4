"""Values of a run over time: the team over game time, the process over wall-clock time.

Each series has a bounded number of points and keeps every peak.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final, NamedTuple, Self, TypeAlias

from emulator import FRAMES_PER_SECOND
from memory import RunReader, TrailRow, VitalsRow


class TickTime(NamedTuple):
    """A tick, the game seconds since power-on, and seconds since 1970 where they are known."""

    tick: int
    game_s: float
    at: float | None


Clocked: TypeAlias = tuple[VitalsRow, float]  # with seconds since 1970


class Times(NamedTuple):
    """The frame that each tick ended in, by tick from 0, and readings of the wall clock in between."""

    frames: Sequence[int]
    readings: Sequence[Clocked]

    @classmethod
    def of(cls, run: RunReader) -> Self:
        """Return the times of a run's live lineage."""
        frames = array("q", [0])
        frames.extend(row.frame for row in run.steps())
        return cls(frames, _live(run.vitals()))

    @property
    def last(self) -> TickTime:
        """The last moment on record."""
        return self.when(len(self.frames) - 1)

    def game_s(self, tick: int) -> float:
        """Return the game seconds at the end of a tick; the last there are for a later one."""
        return self.frames[max(0, min(tick, len(self.frames) - 1))] / FRAMES_PER_SECOND

    def when(self, tick: int) -> TickTime:
        """Return all that is known of when a tick was."""
        return TickTime(tick, self.game_s(tick), self._at(tick))

    def _at(self, tick: int) -> float | None:
        """Return the wall's time between two readings of one session; otherwise that of the nearest before."""
        number = bisect_right(self.readings, tick, key=lambda each: each[0].tick)
        if not number:
            return self.readings[0][1] if self.readings else None
        before, at = self.readings[number - 1]
        if number == len(self.readings) or self.readings[number][0].session != before.session:
            return at
        after, then = self.readings[number]
        share = (tick - before.tick) / max(after.tick - before.tick, 1)
        return at + share * (then - at)


def game_s(frame: int) -> float:
    """Return frames since power-on as game seconds."""
    return frame / FRAMES_PER_SECOND


def clocked(rows: Iterable[VitalsRow]) -> list[Clocked]:
    """Return each row with seconds since 1970 that never go back, whatever was done to the wall's clock meanwhile.

    A session's own seconds count from where it began, and no session begins before the last one ended.
    """
    found: list[Clocked] = []
    session, began, last = None, 0.0, 0.0
    for row in rows:
        if row.session != session:
            session, began = row.session, max(row.at_ms / 1_000 - row.wall_s, last)
        last = max(last, began + row.wall_s)
        found.append((row, last))
    return found


def _live(rows: Iterable[VitalsRow]) -> list[Clocked]:
    """Return those readings that no later one goes back behind."""
    found: list[Clocked] = []
    for row, at in reversed(clocked(rows)):
        if not found or row.tick < found[-1][0].tick:
            found.append((row, at))
    return found[::-1]


MOST: Final = 800  # points of one curve: about as many as a page is wide


class Point(NamedTuple):
    """One point of a curve."""

    x: float
    y: float


Points: TypeAlias = tuple[Point, ...]


class Series(NamedTuple):
    """A curve with a name; where nothing is known between two points, a new stretch begins."""

    name: str
    stretches: tuple[Points, ...]

    @property
    def points(self) -> list[Point]:
        """The points of all stretches; none where there is nothing to draw."""
        return [point for part in self.stretches for point in part]


def changes(points: Sequence[Point]) -> list[Point]:
    """Return the points at which a value becomes another, and the last."""
    kept = [each for n, each in enumerate(points) if n == 0 or each.y != points[n - 1].y]
    return [*kept, points[-1]] if kept and kept[-1] != points[-1] else kept


def thinned(points: Sequence[Point], most: int = MOST) -> Points:
    """Return at most about `most` points; of each part of the way the first, lowest, highest and last stay."""
    if len(points) <= most:
        return tuple(points)
    start, width = points[0].x, (points[-1].x - points[0].x) / (most / 4) or 1.0
    kept: list[Point] = []
    for _, group in groupby(points, key=lambda each: int((each.x - start) / width)):
        part = list(group)
        by_height = sorted(part, key=lambda each: each.y)
        kept += sorted({part[0], by_height[0], by_height[-1], part[-1]})
    return tuple(kept)


MEMBERS: Final = 8  # lines of levels: a team of six, and some that came and went
SPURT: Final = 2  # levels that a member gains at most at once, when it evolves


class TeamHistory(NamedTuple):
    """Curves over game seconds: a level for each member the team ever had, percent of the team's HP, and money."""

    levels: tuple[Series, ...]
    left_out: int  # members beyond those that have a line
    hp: Series
    money: Series

    @property
    def highest(self) -> Series:
        """The highest level of the team at any time."""
        best, kept = 0.0, []
        for point in sorted(point for line in self.levels for point in line.points):
            if point.y > best:
                best = point.y
                kept.append(point)
        return Series("highest level", (tuple(kept),))


@dataclass(slots=True)
class _Member:
    """A member of the team: its species, and those it evolved from."""

    names: list[str]
    species: int
    level: int
    points: list[Point] = field(default_factory=list)


def team_history(
    trail: Sequence[TrailRow], called: Callable[[int], str], end_s: float
) -> TeamHistory:
    """Return the curves of a trail up to game second `end_s`; `called` names a species."""
    members = _followed(trail, called, end_s)
    members.sort(key=lambda each: each.points[-1].x - each.points[0].x, reverse=True)
    return TeamHistory(
        levels=tuple(
            Series(" → ".join(each.names), (thinned(changes(each.points)),))
            for each in members[:MEMBERS]
        ),
        left_out=max(len(members) - MEMBERS, 0),
        hp=_trail_series(
            "HP of the team", [(row.frame, _hp(row)) for row in trail if row.team], end_s
        ),
        money=_trail_series("money", [(row.frame, row.money) for row in trail if row.team], end_s),
    )


def _trail_series(name: str, values: Sequence[tuple[int, float]], end_s: float) -> Series:
    points = [Point(game_s(frame), value) for frame, value in values]
    kept = thinned(changes([*points, Point(end_s, points[-1].y)])) if points else ()
    return Series(name, (kept,) if kept else ())


def _hp(row: TrailRow) -> float:
    whole = sum(most for _, _, _, most in row.team)
    return 100.0 * sum(hp for _, _, hp, _ in row.team) / whole if whole else 0.0


def _followed(
    trail: Sequence[TrailRow], called: Callable[[int], str], end_s: float
) -> list[_Member]:
    """Return every member the team ever had, with its levels over time."""
    members: list[_Member] = []
    present: list[_Member] = []
    before: tuple[tuple[int, int], ...] = ()
    for row in trail:
        now = tuple((species, level) for species, level, _, _ in row.team)
        if now == before:
            continue
        before = now
        present = _matched(present, now, called)
        for member in present:
            if not member.points:
                members.append(member)
            member.points.append(Point(game_s(row.frame), member.level))
    for member in present:
        member.points.append(Point(end_s, member.level))
    return members


def _matched(
    present: Sequence[_Member], now: Sequence[tuple[int, int]], called: Callable[[int], str]
) -> list[_Member]:
    """Return the team of now: members that were there before, evolved or not, and new ones."""
    left, team = list(present), []
    found = [_take(left, range(level + 1), species) for species, level in now]
    for member, (species, level) in zip(found, now, strict=True):
        if member is None and len(present) == len(now):  # one is missing, so it may have evolved
            member = _take(left, range(level - SPURT, level + 1))
            if member is not None:
                member.names.append(called(species))
        member = member or _Member([called(species)], species, level)
        member.species, member.level = species, level
        team.append(member)
    return team


def _take(left: list[_Member], levels: range, species: int | None = None) -> _Member | None:
    """Take out the first member at one of these levels, of this species if one is given."""
    for member in left:
        if member.level in levels and species in {None, member.species}:
            left.remove(member)
            return member
    return None


PARTS: Final = 150  # of the whole time: over each of them speed is a mean
FEWEST: Final = 100  # ticks that a mean is made of


class Process(NamedTuple):
    """Curves over seconds since 1970, and the sums of all sessions, branches that died included."""

    speed: Series  # ticks a second
    resident: Series
    file: Series
    free: Series
    log: Series
    sessions: tuple[float, ...]  # when each began
    ticks: int
    wall_s: float  # that sessions played, without the pauses between them

    @property
    def ticks_per_s(self) -> float:
        """The mean over all sessions; 0.0 where no time is known."""
        return self.ticks / self.wall_s if self.wall_s else 0.0


def process(vitals: Sequence[VitalsRow], samples: Sequence[tuple[float, float]]) -> Process:
    """Return the curves of a run, by its own record, and of the log by the supervisor's."""
    rows = clocked(vitals)
    sessions = [list(part) for _, part in groupby(rows, key=lambda each: each[0].session)]
    span = rows[-1][1] - rows[0][1] if rows else 0.0
    played = [each for part in sessions for each in _intervals(part)]
    return Process(
        speed=Series("ticks a second", tuple(_speeds(part, span / PARTS) for part in sessions)),
        resident=_vitals_series("resident memory", sessions, lambda row: row.resident),
        file=_vitals_series("run.sqlite with its log", sessions, lambda row: row.file_bytes),
        free=_vitals_series("free disk", sessions, lambda row: row.free_bytes),
        log=Series("night.log", (thinned([Point(*each) for each in samples]),)),
        sessions=tuple(part[0][1] - part[0][0].wall_s for part in sessions),
        ticks=sum(ticks for _, ticks, _ in played),
        wall_s=sum(part[-1][0].wall_s for part in sessions),
    )


def _vitals_series(
    name: str, sessions: Sequence[Sequence[Clocked]], figure: Callable[[VitalsRow], float]
) -> Series:
    return Series(
        name, tuple(thinned([Point(at, figure(row)) for row, at in part]) for part in sessions)
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
