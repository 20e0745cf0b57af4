"""Curves of any length in a bounded number of points, with every peak still in them."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

MOST: Final = 800  # points of one curve: about as many as a page is wide


class Point(NamedTuple):
    """One point of a curve."""

    x: float
    y: float


Points: TypeAlias = tuple[Point, ...]


class Line(NamedTuple):
    """A curve with a name; where nothing is known between two points, a new stretch begins."""

    name: str
    stretches: tuple[Points, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not any(self.stretches)


def changes(points: Sequence[Point]) -> list[Point]:
    """Return the points at which a value becomes another, and the last."""
    kept = [each for n, each in enumerate(points) if n == 0 or each.y != points[n - 1].y]
    return [*kept, points[-1]] if kept and kept[-1] != points[-1] else kept


def thinned(points: Sequence[Point], most: int = MOST) -> Points:
    """Return at most about `most` points; of each part of the way the first, lowest, highest and last stay."""
    if len(points) <= most:
        return tuple(points)
    start, width = points[0].x, (points[-1].x - points[0].x) / (most / 4) or 1.0
    parts = groupby(points, key=lambda each: int((each.x - start) / width))
    return tuple(each for _, part in parts for each in _corners(list(part)))


def _corners(part: Sequence[Point]) -> Iterator[Point]:
    corners = {part[0], min(part, key=_height), max(part, key=_height), part[-1]}
    return iter(sorted(corners))


def _height(point: Point) -> float:
    return point.y
