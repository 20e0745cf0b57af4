"""A chart as places on a page: paths, axes and what is said on pointing at it. A template puts it into SVG.

Paths are in a box of WIDE by HIGH that is stretched to whatever room there is, so that words keep their size on a phone:
they stand beside it, at percents of its width and height.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from agent.report.axis import Tick, Wording
from agent.report.gather.thinning import Line, Point, Points

WIDE: Final = 1_000
HIGH: Final = 300
SLICES: Final = 96  # places along a chart that say their values on pointing there

Style = Literal["line", "step", "dots"]
Sign = Literal["stuck", "asked", "recovered", "resumed", "session"]


class Axis(NamedTuple):
    """From where to where, the values written beside it, and how any value is said."""

    start: float
    end: float
    ticks: Sequence[Tick]
    wording: Wording

    def share(self, value: float) -> float:
        """Return where a value is, from 0.0 to 1.0."""
        whole = self.end - self.start
        return (value - self.start) / whole if whole else 0.0


class Flag(NamedTuple):
    """Something that happened, across the whole height."""

    x: float
    sign: Sign
    says: str


class Curve(NamedTuple):
    """A line as the page draws it: `hue` is the number of its colour, `path` its way, `dots` where it is dotted."""

    name: str
    hue: int
    path: str
    dots: str
    last: str


class Slice(NamedTuple):
    """A part of the width, and what is said there."""

    x: float
    width: float
    says: str


class Upright(NamedTuple):
    """A flag where it stands."""

    x: float
    sign: Sign
    says: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, ready to be put on a page."""

    title: str
    note: str
    label: str  # what it shows, for whoever cannot see it
    curves: Sequence[Curve]
    across: Sequence[Tick]
    upwards: Sequence[Tick]
    flags: Sequence[Upright]
    slices: Sequence[Slice]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be drawn."""

    title: str
    lines: Sequence[Line]
    across: Axis
    upwards: Axis
    style: Style = "line"
    note: str = ""
    flags: Sequence[Flag] = ()


def draw(plan: Plan) -> Chart:
    """Return the chart of a plan."""
    lines = [each for each in plan.lines if not each.is_empty]
    return Chart(
        title=plan.title,
        note=plan.note,
        label=_label(plan, lines),
        curves=[_curve(plan, line, hue) for hue, line in enumerate(lines)],
        across=plan.across.ticks,
        upwards=plan.upwards.ticks,
        flags=[
            Upright(WIDE * plan.across.share(each.x), each.sign, each.says) for each in plan.flags
        ],
        slices=list(_slices(plan, lines)),
    )


def _label(plan: Plan, lines: Sequence[Line]) -> str:
    ends = "; ".join(f"{each.name}: {_from_to(plan, each)}" for each in lines)
    return f"{plan.title}. {ends}"


def _from_to(plan: Plan, line: Line) -> str:
    points = [point for part in line.stretches for point in part]
    wording = plan.upwards.wording
    heights = [each.y for each in points]
    return (
        f"{wording(points[0].y)} at first, {wording(points[-1].y)} at last,"
        f" between {wording(min(heights))} and {wording(max(heights))}"
    )


def _curve(plan: Plan, line: Line, hue: int) -> Curve:
    placed = [[_place(plan, each) for each in part] for part in line.stretches if part]
    last = next(part[-1] for part in reversed(line.stretches) if part)
    is_dotted = plan.style == "dots"
    return Curve(
        name=line.name,
        hue=hue % 8,
        path="".join(_path(part, is_stepped=plan.style != "line") for part in placed),
        dots="".join(f"M{x} {y}h0" for part in placed for x, y in _risen(part))
        if is_dotted
        else "",
        last=plan.upwards.wording(last.y),
    )


def _place(plan: Plan, point: Point) -> tuple[str, str]:
    x, y = plan.across.share(point.x), plan.upwards.share(point.y)
    return _short(WIDE * x), _short(HIGH * (1 - y))


def _risen(places: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return (after for before, after in pairwise(places) if before[1] != after[1])


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _path(places: Sequence[tuple[str, str]], *, is_stepped: bool) -> str:
    (x, y), *rest = places
    if is_stepped:
        return f"M{x} {y}" + "".join(f"H{x}V{y}" for x, y in rest)
    return f"M{x} {y}" + ("L" + " ".join(f"{x} {y}" for x, y in rest) if rest else "h0")


def _slices(plan: Plan, lines: Sequence[Line]) -> Iterator[Slice]:
    """Yield the parts of the width, each with the values at its middle."""
    whole = plan.across.end - plan.across.start
    flat = [[part for part in line.stretches if part] for line in lines]
    for number in range(SLICES):
        at = plan.across.start + whole * (number + 0.5) / SLICES
        values = [(line.name, _value(parts, at)) for line, parts in zip(lines, flat, strict=True)]
        said = [f"{name}: {plan.upwards.wording(y)}" for name, y in values if y is not None]
        if said:
            says = "\n".join([plan.across.wording(at), *said])
            yield Slice(WIDE * number / SLICES, WIDE / SLICES, says)


def _value(parts: Sequence[Points], at: float) -> float | None:
    """Return the value of the newest point up to `at`, on whichever stretch has one there."""
    for part in reversed(parts):
        if part[0].x <= at <= part[-1].x:
            return part[bisect_right(part, at, key=lambda each: each.x) - 1].y
    return None
