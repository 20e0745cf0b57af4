"""Time series of a run: the team over game time, the process over wall-clock time.

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
    """A tick, the game seconds since power-on, and seconds since 1970 if known."""

    tick: int
    game_s: float
    at: float | None


TimedVitals: TypeAlias = tuple[VitalsRow, float]  # with seconds since 1970


class Times(NamedTuple):
    """The last frame of each tick, by tick from 0, and readings of the wall clock in between."""

    frames: Sequence[int]
    readings: Sequence[TimedVitals]

    @classmethod
    def of(cls, run: RunReader) -> Self:
        """Return the times of the live branch of a run."""
        frames = array("q", [0])
        frames.extend(row.frame for row in run.record.steps())
        return cls(frames, _live(run.record.vitals()))

    @property
    def last(self) -> TickTime:
        """The time of the last tick."""
        return self.when(len(self.frames) - 1)

    def game_s(self, tick: int) -> float:
        """Return the game seconds at the end of a tick; a later tick gives the last value."""
        return game_s(self.frames[max(0, min(tick, len(self.frames) - 1))])

    def when(self, tick: int) -> TickTime:
        """Return the times of a tick."""
        return TickTime(tick, self.game_s(tick), self._at(tick))

    def _at(self, tick: int) -> float | None:
        """Return the wall-clock time between two readings of one session, or else that of the reading before."""
        number = bisect_right(self.readings, tick, key=lambda each: each[0].tick)
        if not number:
            return self.readings[0][1] if self.readings else None
        before, at = self.readings[number - 1]
        if number == len(self.readings) or self.readings[number][0].session != before.session:
            return at
        after, then = self.readings[number]
        share = (tick - before.tick) / max(after.tick - before.tick, 1)
        return at + share * (then - at)


def game_s(frames: int) -> float:
    """Return frames as seconds of game time."""
    return frames / FRAMES_PER_SECOND


def with_wall_time(rows: Iterable[VitalsRow]) -> list[TimedVitals]:
    """Return each row with seconds since 1970 that never decrease, even when the wall clock was changed.

    The seconds of a session count from its start, and no session starts before the last one ended.
    """
    found: list[TimedVitals] = []
    session, began, last = None, 0.0, 0.0
    for row in rows:
        if row.session != session:
            session, began = row.session, max(row.at_ms / 1_000 - row.wall_s, last)
        last = max(last, began + row.wall_s)
        found.append((row, last))
    return found


def _live(rows: Iterable[VitalsRow]) -> list[TimedVitals]:
    """Return the readings of the live branch: those without a later reading of an earlier tick."""
    found: list[TimedVitals] = []
    for row, at in reversed(with_wall_time(rows)):
        if not found or row.tick < found[-1][0].tick:
            found.append((row, at))
    return found[::-1]


MOST: Final = 800  # points of one curve, about the width of a page


class Point(NamedTuple):
    """One point of a curve."""

    x: float
    y: float


Points: TypeAlias = tuple[Point, ...]


class Series(NamedTuple):
    """A curve with a name; a gap in the data begins a new part."""

    name: str
    stretches: tuple[Points, ...]

    @property
    def points(self) -> list[Point]:
        """The points of all parts."""
        return [point for part in self.stretches for point in part]


def changes(points: Sequence[Point]) -> list[Point]:
    """Return the points at which the value changes, and the last point."""
    kept = [each for n, each in enumerate(points) if n == 0 or each.y != points[n - 1].y]
    return [*kept, points[-1]] if kept and kept[-1] != points[-1] else kept


def downsampled(points: Sequence[Point]) -> Points:
    """Return at most about MOST points; of each interval the first, lowest, highest and last stay."""
    if len(points) <= MOST:
        return tuple(points)
    start, width = points[0].x, (points[-1].x - points[0].x) / (MOST / 4) or 1.0
    kept: list[Point] = []
    for _, group in groupby(points, key=lambda each: int((each.x - start) / width)):
        part = list(group)
        by_height = sorted(part, key=lambda each: each.y)
        kept += sorted({part[0], by_height[0], by_height[-1], part[-1]})
    return tuple(kept)


MEMBERS: Final = 8  # level curves: a team of six, and some that joined and left
SPURT: Final = 2  # maximum levels gained at once by a member that evolves


class TeamHistory(NamedTuple):
    """Curves over game seconds: the level of each member the team ever had, the team's HP in percent, and money."""

    levels: tuple[Series, ...]
    left_out: int  # members without a curve
    hp: Series
    money: Series

    @property
    def highest(self) -> Series:
        """The highest level of the team over time."""
        best, kept = 0.0, []
        for point in sorted(point for line in self.levels for point in line.points):
            if point.y > best:
                best = point.y
                kept.append(point)
        return Series("highest level", (tuple(kept),))


@dataclass(slots=True)
class _Member:
    """A member of the team, with the names of all its species."""

    names: list[str]
    species: int
    level: int
    points: list[Point] = field(default_factory=list)


def team_history(
    trail: Sequence[TrailRow], name_of: Callable[[int], str], end_s: float
) -> TeamHistory:
    """Return the curves of a trail up to game second `end_s`; `name_of` names a species."""
    members, played = _members(trail, name_of, end_s), [row for row in trail if row.team]
    members.sort(key=lambda each: each.points[-1].x - each.points[0].x, reverse=True)
    return TeamHistory(
        levels=tuple(
            Series(" → ".join(each.names), (downsampled(changes(each.points)),))
            for each in members[:MEMBERS]
        ),
        left_out=max(len(members) - MEMBERS, 0),
        hp=_trail_series("HP of the team", [(row.frame, _hp(row)) for row in played], end_s),
        money=_trail_series("money", [(row.frame, row.money) for row in played], end_s),
    )


def _trail_series(name: str, values: Sequence[tuple[int, float]], end_s: float) -> Series:
    points = [Point(game_s(frame), value) for frame, value in values]
    kept = downsampled(changes([*points, Point(end_s, points[-1].y)])) if points else ()
    return Series(name, (kept,) if kept else ())


def _hp(row: TrailRow) -> float:
    full_hp = sum(most for _, _, _, most in row.team)
    return 100.0 * sum(hp for _, _, hp, _ in row.team) / full_hp if full_hp else 0.0


def _members(
    trail: Sequence[TrailRow], name_of: Callable[[int], str], end_s: float
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
        present = _match_team(present, now, name_of)
        for member in present:
            if not member.points:
                members.append(member)
            member.points.append(Point(game_s(row.frame), member.level))
    for member in present:
        member.points.append(Point(end_s, member.level))
    return members


def _match_team(
    present: Sequence[_Member], now: Sequence[tuple[int, int]], name_of: Callable[[int], str]
) -> list[_Member]:
    """Return the current team: members that were present before, evolved or not, and new ones."""
    left, team = list(present), []
    found = [_take(left, range(level + 1), species) for species, level in now]
    for member, (species, level) in zip(found, now, strict=True):
        if member is None and len(present) == len(now):  # one is gone, so it may have evolved
            member = _take(left, range(level - SPURT, level + 1))
            if member is not None:
                member.names.append(name_of(species))
        member = member or _Member([name_of(species)], species, level)
        member.species, member.level = species, level
        team.append(member)
    return team


def _take(left: list[_Member], levels: range, species: int | None = None) -> _Member | None:
    """Remove and return the first member at one of these levels, of this species if one is given."""
    for member in left:
        if member.level in levels and species in {None, member.species}:
            left.remove(member)
            return member
    return None


PARTS: Final = 150  # intervals of the total time; speed is the mean of each
FEWEST: Final = 100  # minimum ticks for a mean


class Process(NamedTuple):
    """Curves over seconds since 1970, and the sums of all sessions, including abandoned branches."""

    speed: Series  # ticks a second
    resident: Series
    file: Series
    free: Series
    log: Series
    sessions: tuple[float, ...]  # when each began
    ticks: int
    wall_s: float  # time in sessions, without the pauses between them

    @property
    def ticks_per_s(self) -> float:
        """The mean over all sessions; 0.0 when no time is known."""
        return self.ticks / self.wall_s if self.wall_s else 0.0


def process(vitals: Sequence[VitalsRow], samples: Sequence[tuple[float, float]]) -> Process:
    """Return the curves of a run from its vitals, and of the log from the samples of the supervisor."""
    rows = with_wall_time(vitals)
    sessions = [list(part) for _, part in groupby(rows, key=lambda each: each[0].session)]
    span = rows[-1][1] - rows[0][1] if rows else 0.0
    played = [each for part in sessions for each in _intervals(part)]
    return Process(
        speed=Series("ticks a second", tuple(_speeds(part, span / PARTS) for part in sessions)),
        resident=_vitals_series("resident memory", sessions, lambda row: row.resident),
        file=_vitals_series("run.sqlite with its log", sessions, lambda row: row.file_bytes),
        free=_vitals_series("free disk", sessions, lambda row: row.free_bytes),
        log=Series("night.log", (downsampled([Point(*each) for each in samples]),)),
        sessions=tuple(part[0][1] - part[0][0].wall_s for part in sessions),
        ticks=sum(ticks for _, ticks, _ in played),
        wall_s=sum(part[-1][0].wall_s for part in sessions),
    )


def _vitals_series(
    name: str, sessions: Sequence[Sequence[TimedVitals]], figure: Callable[[VitalsRow], float]
) -> Series:
    parts = ([Point(at, figure(row)) for row, at in part] for part in sessions)
    return Series(name, tuple(map(downsampled, parts)))


def _intervals(session: Sequence[TimedVitals]) -> Iterator[tuple[float, int, float]]:
    """Yield the end of each interval of a session, its ticks and its seconds, except where play was rewound."""
    for (before, _), (row, at) in pairwise(session):
        if row.tick >= before.tick:
            yield at, row.tick - before.tick, row.wall_s - before.wall_s


def _speeds(session: Sequence[TimedVitals], width: float) -> Points:
    points, ticks, seconds = [], 0, 0.0
    for at, more, took in _intervals(session):
        ticks, seconds = ticks + more, seconds + took
        if seconds > 0 and seconds >= width and ticks >= FEWEST:
            points.append(Point(at, ticks / seconds))
            ticks, seconds = 0, 0.0
    return tuple(points)
