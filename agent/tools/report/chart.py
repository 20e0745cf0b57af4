"""A chart as positions on a page: axes with round values, SVG paths, and tooltips. A template renders the SVG.

Paths are in a box of WIDE by HIGH that is stretched to the available space. Labels are outside of it, at percentages of
its width and height, so that they keep their size on a phone.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, log10
from typing import Final, Literal, NamedTuple

from agent.tools.report.timeline import Point, Series
from agent.tools.report.words import game_time

ROUND: Final = (1.0, 2.0, 5.0, 10.0)
UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
KIB: Final = 1024.0
MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MOST_AMOUNTS: Final = 4  # steps of an axis
MOST_TIMES: Final = 8
LATEST: Final = 253_370_000_000.0  # late in the year 9998, in seconds since 1970
SPANS: Final = (
    *(1.0, 2.0, 5.0, 10.0, 30.0),
    *(each * MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR for each in (1, 2, 3, 6, 12)),
    *(each * DAY for each in (1, 2, 5, 10, 20, 50, 100)),
)

Wording = Callable[[float], str]


class AxisTick(NamedTuple):
    """One value of an axis: its position from 0.0 to 1.0, and its label."""

    at: float
    label: str


class Axis(NamedTuple):
    """The range of an axis, its labelled values, and the wording of any value."""

    start: float
    end: float
    ticks: Sequence[AxisTick]
    wording: Wording

    def share(self, value: float) -> float:
        """Return the position of a value, from 0.0 to 1.0."""
        span = self.end - self.start
        return (value - self.start) / span if span else 0.0


def amount_axis(top: float, wording: Wording | None = None, label: Wording | None = None) -> Axis:
    """Return an axis from zero that holds `top`, with integer labels; `label` words any other value."""
    wording = wording or plain_number
    step = max(ceil(_round(top / MOST_AMOUNTS)), 1) if top > 0 else 1
    count = max(ceil(top / step - 1e-9), 1)
    ticks = [AxisTick(n / count, wording(step * n)) for n in range(count + 1)]
    return Axis(0.0, step * count, ticks, label or wording)


def whole_axis(top: float) -> Axis:
    """Return an axis from zero that words every value as an integer."""
    return amount_axis(top, label="{:,.0f}".format)


def size_axis(top: float) -> Axis:
    """Return an axis of bytes from zero, in steps that are round in their unit."""
    power = _power(top / MOST_AMOUNTS)
    axis = amount_axis(top / KIB**power, lambda value: f"{value:,.0f} {UNITS[power]}")
    return axis._replace(end=axis.end * KIB**power, wording=size)


def game_axis(end: float) -> Axis:
    """Return an axis of game time from 0 to `end` seconds."""
    end = end or 1.0
    step = _time_span(end)
    label = game_time if step < MINUTE else lambda seconds: game_time(seconds)[:-3]
    ticks = [AxisTick(n * step / end, label(n * step)) for n in range(floor(end / step) + 1)]
    return Axis(0.0, end, ticks, game_time)


def clock_axis(start: float, end: float) -> Axis:
    """Return an axis of wall-clock time between two epoch seconds, in the time zone of this machine."""
    if end <= start:
        return Axis(start, end, [AxisTick(0.0, f"{local(start):%H:%M}")], clock_time)
    offset = local(start).utcoffset()
    shift = offset.total_seconds() if offset is not None else 0.0
    step = _time_span(end - start)
    first = ceil((start + shift) / step) * step - shift
    at = [first + n * step for n in range(floor((end - first) / step) + 1)]
    form = "%H:%M:%S" if step < MINUTE else "%H:%M" if step < DAY else "%d %b"
    ticks = [AxisTick((each - start) / (end - start), f"{local(each):{form}}") for each in at]
    return Axis(start, end, ticks, clock_time)


def top(lines: Sequence[Series]) -> float:
    """Return the highest value of all lines."""
    return max((point.y for line in lines for point in line.points), default=0.0)


def local(at: float) -> datetime:
    """Return an epoch second as local time; one outside of the calendar is moved to its end."""
    return datetime.fromtimestamp(min(max(at, 0.0), LATEST), UTC).astimezone()


def clock_time(at: float) -> str:
    """Return an epoch second as hours, minutes and seconds."""
    return f"{local(at):%H:%M:%S}"


def size(count: float) -> str:
    """Return bytes with a unit."""
    power = _power(count)
    value = count / KIB**power
    decimals = 0 if value >= 100 or not power else 1
    return f"{value:.{decimals}f} {UNITS[power]}"


def plain_number(value: float) -> str:
    """Return a number with thousands separators."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,g}"


def percent(value: float) -> str:
    """Return a percentage."""
    return f"{value:.0f}%"


def _power(count: float) -> int:
    return min(int(log10(count) / log10(KIB)), len(UNITS) - 1) if count >= 1 else 0


def _round(step: float) -> float:
    scale = 10.0 ** floor(log10(step))
    return scale * next(each for each in ROUND if each * scale >= step * (1 - 1e-9))


def _span(step: float) -> float:
    return next((each for each in SPANS if each >= step), ceil(step / SPANS[-1]) * SPANS[-1])


def _time_span(length: float) -> float:
    """Return the time between two labels of an axis; labels with seconds need more room."""
    step = _span(length / MOST_TIMES)
    return step if step >= MINUTE else _span(2 * length / MOST_TIMES)


WIDE: Final = 1_000
HIGH: Final = 300
SLICES: Final = 96  # columns of a chart with a tooltip

Style = Literal["line", "step", "dots"]
Sign = Literal["stuck", "asked", "recovered", "resumed", "session"]


class Flag(NamedTuple):
    """An event, drawn over the full height."""

    x: float
    sign: Sign
    label: str


class Curve(NamedTuple):
    """A line as drawn on the page: `hue` is the number of its colour, `dots` the path of its dots."""

    name: str
    hue: int
    path: str
    dots: str
    last: str


class Slice(NamedTuple):
    """A column of the chart, and its tooltip."""

    x: float
    width: float
    label: str


@dataclass(frozen=True)
class Chart:
    """A chart: its lines and axes, and their positions on a page."""

    title: str
    lines: Sequence[Series]
    across: Axis
    upwards: Axis
    style: Style = "line"
    note: str = ""
    flags: Sequence[Flag] = ()

    @property
    def label(self) -> str:
        """The description for screen readers."""
        return f"{self.title}. " + "; ".join(_from_to(self, each) for each in self._drawn)

    @cached_property
    def curves(self) -> Sequence[Curve]:
        """The lines that have points."""
        return [_curve(self, line, hue) for hue, line in enumerate(self._drawn)]

    @property
    def slices(self) -> Iterator[Slice]:
        """The columns of the chart, each with the values at its middle."""
        span = self.across.end - self.across.start
        for number in range(SLICES):
            at = self.across.start + span * (number + 0.5) / SLICES
            values = [(line.name, _value(line, at)) for line in self._drawn]
            texts = [f"{name}: {self.upwards.wording(y)}" for name, y in values if y is not None]
            if texts:
                label = "\n".join([self.across.wording(at), *texts])
                yield Slice(WIDE * number / SLICES, WIDE / SLICES, label)

    @property
    def _drawn(self) -> Sequence[Series]:
        return [each for each in self.lines if each.points]


def _from_to(plan: Chart, line: Series) -> str:
    wording = plan.upwards.wording
    heights = [each.y for each in line.points]
    return (
        f"{line.name}: {wording(heights[0])} at first, {wording(heights[-1])} at last,"
        f" between {wording(min(heights))} and {wording(max(heights))}"
    )


def _curve(plan: Chart, line: Series, hue: int) -> Curve:
    placed = [[_place(plan, each) for each in part] for part in line.stretches if part]
    pairs = (each for part in placed for each in pairwise(part)) if plan.style == "dots" else ()
    risen = (after for before, after in pairs if before[1] != after[1])
    return Curve(
        name=line.name,
        hue=hue % 8,
        path="".join(_path(part, is_stepped=plan.style != "line") for part in placed),
        dots="".join(f"M{x} {y}h0" for x, y in risen),
        last=plan.upwards.wording(line.points[-1].y),
    )


def _place(plan: Chart, point: Point) -> tuple[str, str]:
    x, y = plan.across.share(point.x), plan.upwards.share(point.y)
    return _short(WIDE * x), _short(HIGH * (1 - y))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _path(places: Sequence[tuple[str, str]], *, is_stepped: bool) -> str:
    (x, y), *rest = places
    if is_stepped:
        return f"M{x} {y}" + "".join(f"H{x}V{y}" for x, y in rest)
    return f"M{x} {y}" + ("L" + " ".join(f"{x} {y}" for x, y in rest) if rest else "h0")


def _value(line: Series, at: float) -> float | None:
    """Return the value of the last point up to `at`, in the last part that covers it."""
    for part in reversed(line.stretches):
        if part and part[0].x <= at <= part[-1].x:
            return part[bisect_right(part, at, key=lambda each: each.x) - 1].y
    return None
