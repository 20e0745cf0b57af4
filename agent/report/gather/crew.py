"""The player over time, by the run's trail: levels of the team, its HP, money."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.report.gather.thinning import Line, Point, changes, thinned
from agent.report.gather.times import game_s
from memory import TrailRow

MEMBERS: Final = 8  # lines of levels: a team of six, and some who came and went
SPURT: Final = 2  # levels that somebody gains at most at once, when becoming another species


@dataclass(frozen=True, slots=True)
class Crew:
    """Curves over game seconds: a level for each who was in the team, percent of the team's HP, and money."""

    levels: tuple[Line, ...]
    left_out: int  # members beyond those that have a line
    hp: Line
    money: Line

    @property
    def highest(self) -> Line:
        """The highest level of the team at any time."""
        points = [Point(x, y) for line in self.levels for part in line.stretches for x, y in part]
        best, kept = 0.0, []
        for point in sorted(points):
            if point.y > best:
                best = point.y
                kept.append(point)
        return Line("highest level", (tuple(kept),))


@dataclass(slots=True)
class _Member:
    """Somebody in the team: a species, and those it grew out of."""

    names: list[str]
    species: int
    level: int
    points: list[Point] = field(default_factory=list)


def crew(trail: Sequence[TrailRow], called: Callable[[int], str], end_s: float) -> Crew:
    """Return the curves of a trail up to game second `end_s`; `called` names a species."""
    members = _followed(trail, called, end_s)
    members.sort(key=lambda each: each.points[-1].x - each.points[0].x, reverse=True)
    return Crew(
        levels=tuple(
            Line(" → ".join(each.names), (thinned(changes(each.points)),))
            for each in members[:MEMBERS]
        ),
        left_out=max(len(members) - MEMBERS, 0),
        hp=_line("HP of the team", [(row.frame, _hp(row)) for row in trail if row.team], end_s),
        money=_line("money", [(row.frame, row.money) for row in trail if row.team], end_s),
    )


def _line(name: str, values: Sequence[tuple[int, float]], end_s: float) -> Line:
    points = [Point(game_s(frame), value) for frame, value in values]
    kept = thinned(changes([*points, Point(end_s, points[-1].y)])) if points else ()
    return Line(name, (kept,) if kept else ())


def _hp(row: TrailRow) -> float:
    whole = sum(most for _, _, _, most in row.team)
    return 100.0 * sum(hp for _, _, hp, _ in row.team) / whole if whole else 0.0


def _followed(
    trail: Sequence[TrailRow], called: Callable[[int], str], end_s: float
) -> list[_Member]:
    """Return everybody who was ever in the team, with the levels they had."""
    everybody: list[_Member] = []
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
                everybody.append(member)
            member.points.append(Point(game_s(row.frame), member.level))
    for member in present:
        member.points.append(Point(end_s, member.level))
    return everybody


def _matched(
    present: Sequence[_Member], now: Sequence[tuple[int, int]], called: Callable[[int], str]
) -> list[_Member]:
    """Return the team of now: those who were there before, grown or not, and the new ones."""
    left = list(present)
    found: list[_Member | None] = [_taken(left, *each) for each in now]
    for number, (species, level) in enumerate(now):
        if found[number] is None:
            may_grow = left if len(present) == len(now) else []  # nobody joined, and one is missing
            found[number] = _grown(may_grow, level, called(species)) or _Member(
                [called(species)], species, level
            )
        member = found[number]
        if member is not None:
            member.species, member.level = species, level
    return [each for each in found if each is not None]


def _taken(left: list[_Member], species: int, level: int) -> _Member | None:
    """Return who of those left is of this species, and not above this level."""
    for member in left:
        if member.species == species and member.level <= level:
            left.remove(member)
            return member
    return None


def _grown(left: list[_Member], level: int, name: str) -> _Member | None:
    """Return who of those left became another species."""
    for member in left:
        if member.level <= level <= member.level + SPURT:
            left.remove(member)
            member.names.append(name)
            return member
    return None
