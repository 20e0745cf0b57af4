"""Round values along an axis, and how they are written: amounts, bytes, game time, the clock of the wall."""

from collections.abc import Callable
from datetime import UTC, datetime
from math import ceil, floor, log10
from typing import Final, NamedTuple

ROUND: Final = (1.0, 2.0, 5.0, 10.0)
UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
KIB: Final = 1024.0
MINUTE: Final = 60.0
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
LATEST: Final = 253_370_000_000.0  # late in the year 9998, in seconds since 1970
SPANS: Final = (
    *(1.0, 2.0, 5.0, 10.0, 30.0),
    *(each * MINUTE for each in (1, 2, 5, 10, 15, 30)),
    *(each * HOUR for each in (1, 2, 3, 6, 12)),
    *(each * DAY for each in (1, 2, 5, 10, 20, 50, 100)),
)

Wording = Callable[[float], str]


class Tick(NamedTuple):
    """One value of an axis: where it is, from 0.0 to 1.0, and how it is written."""

    at: float
    says: str


def amounts(top: float, wording: Wording, most: int = 4) -> tuple[float, list[Tick]]:
    """Return where an axis from zero ends that holds `top`, and its values, which are whole."""
    step = max(ceil(_round(top / most)), 1) if top > 0 else 1
    count = max(ceil(top / step - 1e-9), 1)
    return step * count, [Tick(n / count, wording(step * n)) for n in range(count + 1)]


def sizes(top: float, most: int = 4) -> tuple[float, list[Tick]]:
    """Return the same of bytes, in steps that are round in their unit."""
    power = _power(top / most)
    end, ticks = amounts(top / KIB**power, lambda value: f"{value:,.0f} {UNITS[power]}", most)
    return end * KIB**power, ticks


def hours(end: float, most: int = 8) -> list[Tick]:
    """Return round game times from 0 to `end` seconds."""
    step = _span(end / most)
    says = game_time if step < MINUTE else lambda seconds: game_time(seconds)[:-3]
    return [Tick(n * step / end, says(n * step)) for n in range(floor(end / step) + 1)]


def clock(start: float, end: float, most: int = 8) -> list[Tick]:
    """Return round times of the wall's clock between two epoch seconds, where this machine is."""
    if end <= start:
        return [Tick(0.0, wall_time(start))]
    offset = local(start).utcoffset()
    shift = offset.total_seconds() if offset is not None else 0.0
    step = _span((end - start) / most)
    first = ceil((start + shift) / step) * step - shift
    count = floor((end - first) / step) + 1
    at = [first + n * step for n in range(count)]
    says = clock_time if step < MINUTE else wall_time if step < DAY else day
    return [Tick((each - start) / (end - start), says(each)) for each in at]


def local(at: float) -> datetime:
    """Return an epoch second as the clock says where this machine is; one beyond all calendars as their end."""
    return datetime.fromtimestamp(min(max(at, 0.0), LATEST), UTC).astimezone()


def wall_time(at: float) -> str:
    """Return an epoch second as hours and minutes."""
    return f"{local(at):%H:%M}"


def day(at: float) -> str:
    """Return the day of an epoch second."""
    return f"{local(at):%d %b}"


def clock_time(at: float) -> str:
    """Return an epoch second as hours, minutes and seconds."""
    return f"{local(at):%H:%M:%S}"


def game_time(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    minutes, left = divmod(int(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour}:{minute:02}:{left:02}"


def size(count: float) -> str:
    """Return bytes with a unit."""
    power = _power(count)
    value = count / KIB**power
    return (
        f"{value:.0f} {UNITS[power]}"
        if value >= 100 or not power
        else f"{value:.1f} {UNITS[power]}"
    )


def plain(value: float) -> str:
    """Return an amount as people write it."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,g}"


def percent(value: float) -> str:
    """Return a share of a hundred."""
    return f"{value:.0f}%"


def _power(count: float) -> int:
    return min(int(log10(count) / log10(KIB)), len(UNITS) - 1) if count >= 1 else 0


def _round(step: float) -> float:
    scale = 10.0 ** floor(log10(step))
    return scale * next(each for each in ROUND if each * scale >= step * (1 - 1e-9))


def _span(step: float) -> float:
    return next((each for each in SPANS if each >= step), ceil(step / SPANS[-1]) * SPANS[-1])
