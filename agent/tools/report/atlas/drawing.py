"""From a trail and its marks to an atlas: sheets with their path, and pins, merged where they would overlap."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from math import hypot
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from agent.tools.report.atlas.paths import (
    Rows,
    Track,
    jumps,
    on_maps,
    rows_of,
    steps_of,
    stretches,
    tracks,
    trodden,
)
from agent.tools.report.atlas.sheet import (
    SQUARE,
    Atlas,
    MapMark,
    MapMarkKind,
    MapRegion,
    Pin,
    Plot,
    Sheet,
    SheetPicture,
    TrailEnd,
    TrailVisit,
    draw_sheet,
    exists,
    extent,
    finest_scale,
    lay_sheets,
    shown_width,
)
from emulator import World

MOST_PINS: Final = 120  # of a kind, on a sheet; what comes after joins the nearest


Numbered: TypeAlias = tuple[
    MapMark, tuple[int, ...]
]  # a milestone has its number among them, from 1 on


def number_marks(marks: Iterable[MapMark]) -> list[Numbered]:
    """Return the marks in the order of time, with the milestones numbered."""
    numbers = count(1)
    return [
        (mark, (next(numbers),) if mark.kind is MapMarkKind.MILESTONE else ())
        for mark in sorted(marks, key=lambda mark: mark.tick)
    ]


def pin_marks(
    marks: Iterable[Numbered], plots: Sequence[Plot], *, step: int, apart: float
) -> tuple[Pin, ...]:
    """Return the pins of the marks that are on these plots; those of a kind are `apart` pixels or more."""
    pins: dict[MapMarkKind, list[Pin]] = {kind: [] for kind in MapMarkKind}
    for mark, numbers in marks:
        plot = plot_of(plots, mark)
        if plot is not None:
            label = f"{mark.label}, tick {mark.tick:,}"
            pin = Pin(*_pixel(plot, mark, step), mark.kind, numbers, (label,))
            _add(pins[mark.kind], pin, apart)
    return tuple(pin for kind in MapMarkKind for pin in pins[kind])


def pin_ends(
    visits: tuple[TrailVisit, TrailVisit], plots: Sequence[Plot], *, step: int
) -> tuple[TrailEnd, ...]:
    """Return the first and the last visit, where they are on these plots."""
    placed = [(visit, plot_of(plots, visit)) for visit in visits]
    return tuple(
        TrailEnd(*_pixel(plot, visit, step), visit.tick, visit is visits[-1])
        for visit, plot in placed
        if plot is not None
    )


def plot_of(plots: Iterable[Plot], spot: MapMark | TrailVisit) -> Plot | None:
    """Return the plot of a visited map that has the square, or None."""
    for plot in plots:
        on_map = plot.visited and plot.map_id == spot.map_id
        if on_map and 0 <= spot.x < plot.columns and 0 <= spot.y < plot.rows:
            return plot
    return None


def _pixel(plot: Plot, spot: MapMark | TrailVisit, step: int) -> tuple[int, int]:
    return (plot.x + spot.x) * step + step // 2, (plot.y + spot.y) * step + step // 2


def _add(pins: list[Pin], pin: Pin, apart: float) -> None:
    """Add a pin, or join it with the nearest one when that is too near, or when there are too many."""

    def distance(other: Pin) -> float:
        return hypot(other.x - pin.x, other.y - pin.y)

    nearest = min(pins, key=distance, default=None)
    if nearest is None or (distance(nearest) >= apart and len(pins) < MOST_PINS):
        pins.append(pin)
        return
    pins[pins.index(nearest)] = nearest._replace(
        numbers=nearest.numbers + pin.numbers, labels=nearest.labels + pin.labels
    )


PIN_WIDTH: Final = 20  # CSS pixels: pins that are nearer to one another cannot be told apart


class _Subject(NamedTuple):
    """What all sheets are drawn from."""

    world: World
    name_of: Callable[[int], str]
    marks: Sequence[Numbered]
    ends: tuple[TrailVisit, TrailVisit]


def draw_atlas(
    world: World,
    trail: Sequence[TrailVisit],
    *,
    name_of: Callable[[int], str],
    marks: Sequence[MapMark] = (),
) -> Atlas:
    """Return the maps that `trail` visits, with the way over them and the `marks` pinned to them.

    The trail is in the order of its ticks. Visits and marks that are on no map are left out and counted.
    """
    rows = rows_of(trail)
    map_ids = [each for each in dict.fromkeys(rows.map_id.tolist()) if exists(world, each)]
    kept = on_maps(world, rows, map_ids)
    drawn = rows.where(kept)
    if not len(drawn.tick):
        return Atlas((), len(trail), len(trail), len(marks))
    sheets = lay_sheets(world, list(dict.fromkeys(drawn.map_id.tolist())))
    subject = _Subject(world, name_of, number_marks(marks), (_visit(drawn, 0), _visit(drawn, -1)))
    placed = [any(plot_of(plots, mark) for plots in sheets) for mark in marks]
    return Atlas(
        sheets=_draw_sheets(subject, sheets, drawn),
        visits=len(trail),
        dropped=len(trail) - len(drawn.tick),
        unplaced=placed.count(False),
    )


def _draw_sheets(
    subject: _Subject, sheets: Sequence[Sequence[Plot]], rows: Rows
) -> tuple[Sheet, ...]:
    single = sum(plots[0].columns * plots[0].rows for plots in sheets if len(plots) == 1)
    drawn = []
    titles = _titles(subject, sheets)
    for title, plots, track in zip(titles, sheets, tracks(sheets, rows), strict=True):
        across, down = extent(plots)
        squares = single if len(plots) == 1 else across * down
        picture = draw_sheet(subject.world, plots, finest=finest_scale(squares))
        drawn.append(_sheet(subject, title, plots, picture, track))
    return tuple(drawn)


def _sheet(
    subject: _Subject, title: str, plots: Sequence[Plot], picture: SheetPicture, track: Track
) -> Sheet:
    step = SQUARE // picture.scale
    first, last = (visit.tick for visit in subject.ends)
    shares = (track.tick - first) / max(1, last - first)
    steps = steps_of(track)
    shown = shown_width(picture, joined=len(plots) > 1)
    return Sheet(
        key=f"map-{plots[0].map_id}",
        title=title,
        picture=picture,
        shown=shown,
        regions=tuple(_region(subject, plot, step) for plot in plots),
        route=stretches(steps, np.clip(shares, 0, 1), step=step),
        heat=trodden(track, steps, extent(plots)[0], step=step),
        jumps=jumps(track, step=step),
        pins=pin_marks(subject.marks, plots, step=step, apart=PIN_WIDTH * picture.width / shown),
        ends=pin_ends(subject.ends, plots, step=step),
    )


def _titles(subject: _Subject, sheets: Sequence[Sequence[Plot]]) -> list[str]:
    names = [subject.name_of(plots[0].map_id) for plots in sheets]
    joined = sum(len(plots) > 1 for plots in sheets)  # they come first
    outdoors = (
        ["Outdoors"] if joined == 1 else [f"Outdoors, around {each}" for each in names[:joined]]
    )
    return outdoors + names[joined:]


def _region(subject: _Subject, plot: Plot, step: int) -> MapRegion:
    place = (plot.x * step, plot.y * step, plot.columns * step, plot.rows * step)
    return MapRegion(*place, subject.name_of(plot.map_id), plot.visited)


def _visit(rows: Rows, number: int) -> TrailVisit:
    return TrailVisit(*[int(column[number]) for column in rows])
