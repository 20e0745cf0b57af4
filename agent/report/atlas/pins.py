"""What is pinned to a sheet: marks, those too near to be told apart together, and the two ends of the trail."""

from collections.abc import Iterable, Sequence
from math import hypot
from typing import Final, NamedTuple

from agent.report.atlas.plots import Plot
from agent.report.atlas.sheet import End, Pin
from agent.report.atlas.trail import Mark, MarkKind, Visit

MOST_PINS: Final = 120  # of a kind, on a sheet; what comes after joins the nearest


class Numbered(NamedTuple):
    """A mark; `number` counts the milestones, from 1 on, and is 0 for other kinds."""

    mark: Mark
    number: int


def number_marks(marks: Iterable[Mark]) -> list[Numbered]:
    """Return the marks in the order of time, with the milestones numbered."""
    numbered, milestones = [], 0
    for mark in sorted(marks, key=lambda mark: mark.tick):
        counts = mark.kind is MarkKind.MILESTONE
        milestones += counts
        numbered.append(Numbered(mark, milestones if counts else 0))
    return numbered


def pin_marks(
    marks: Iterable[Numbered], plots: Sequence[Plot], *, step: int, apart: float
) -> tuple[Pin, ...]:
    """Return the pins of the marks that are on these plots; those of a kind are `apart` pixels or more."""
    pins: dict[MarkKind, list[Pin]] = {kind: [] for kind in MarkKind}
    for mark, number in marks:
        plot = plot_of(plots, mark)
        if plot is not None:
            x, y = _pixel(plot, mark, step)
            _add(
                pins[mark.kind],
                Pin(x, y, mark.kind, (number,) * bool(number), (_says(mark),)),
                apart,
            )
    return tuple(pin for kind in MarkKind for pin in pins[kind])


def pin_ends(visits: tuple[Visit, Visit], plots: Sequence[Plot], *, step: int) -> tuple[End, ...]:
    """Return the first and the last visit, where they are on these plots."""
    placed = [(visit, plot_of(plots, visit)) for visit in visits]
    return tuple(
        End(*_pixel(plot, visit, step), visit.tick, visit is visits[-1])
        for visit, plot in placed
        if plot is not None
    )


def plot_of(plots: Iterable[Plot], spot: Mark | Visit) -> Plot | None:
    """Return the plot of a visited map that has the square, or None."""
    for plot in plots:
        on_map = plot.visited and plot.map_id == spot.map_id
        if on_map and 0 <= spot.x < plot.columns and 0 <= spot.y < plot.rows:
            return plot
    return None


def _pixel(plot: Plot, spot: Mark | Visit, step: int) -> tuple[int, int]:
    return (plot.x + spot.x) * step + step // 2, (plot.y + spot.y) * step + step // 2


def _says(mark: Mark) -> str:
    return f"{mark.label}, tick {mark.tick:,}"


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
