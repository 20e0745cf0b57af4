"""The atlas of a trail and its marks, with overlapping pins merged, and its HTML.

Its templates are beside those of the pages. All styles are in `atlas.css`.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from math import hypot
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from agent.tools.report.atlas import paths
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
    layout_sheets,
    shown_width,
)
from agent.tools.report.html import render
from emulator import World

MOST_PINS: Final = 120  # of a kind, on a sheet; further ones are merged with the nearest

# A mark, with the number of a milestone, counted from 1.
Numbered: TypeAlias = tuple[MapMark, tuple[int, ...]]


def number_marks(marks: Iterable[MapMark]) -> list[Numbered]:
    """Return the marks in time order, with the milestones numbered."""
    numbers = count(1)
    return [
        (mark, (next(numbers),) if mark.kind is MapMarkKind.MILESTONE else ())
        for mark in sorted(marks, key=lambda mark: mark.tick)
    ]


def pin_marks(
    marks: Iterable[Numbered], plots: Sequence[Plot], *, step: int, apart: float
) -> tuple[Pin, ...]:
    """Return the pins of the marks on these plots; pins of the same kind are at least `apart` pixels apart."""
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
    """Return the first and the last visit, if they are on these plots."""
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
    """Add a pin, or merge it with the nearest one when that is too near, or when there are too many."""

    def distance(other: Pin) -> float:
        return hypot(other.x - pin.x, other.y - pin.y)

    nearest = min(pins, key=distance, default=None)
    if nearest is None or (distance(nearest) >= apart and len(pins) < MOST_PINS):
        pins.append(pin)
        return
    pins[pins.index(nearest)] = nearest._replace(
        numbers=nearest.numbers + pin.numbers, labels=nearest.labels + pin.labels
    )


PIN_WIDTH: Final = 20  # CSS pixels: nearer pins cannot be distinguished


class _Subject(NamedTuple):
    """The input shared by all sheets."""

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
    """Return the maps that `trail` visits, with the path over them and the `marks` as pins.

    The trail is sorted by tick. Visits and marks outside of all maps are left out and counted.
    """
    rows = paths.rows_of(trail)
    map_ids = [each for each in dict.fromkeys(rows.map_id.tolist()) if exists(world, each)]
    on_map = paths.on_maps(world, rows, map_ids)
    drawn = rows.where(on_map)
    if not len(drawn.tick):
        return Atlas((), len(trail), len(trail), len(marks))
    sheets = layout_sheets(world, list(dict.fromkeys(drawn.map_id.tolist())))
    subject = _Subject(world, name_of, number_marks(marks), (_visit(drawn, 0), _visit(drawn, -1)))
    placed = [any(plot_of(plots, mark) for plots in sheets) for mark in marks]
    return Atlas(
        sheets=_draw_sheets(subject, sheets, drawn),
        visits=len(trail),
        dropped=len(trail) - len(drawn.tick),
        unplaced=placed.count(False),
    )


def _draw_sheets(
    subject: _Subject, sheets: Sequence[Sequence[Plot]], rows: paths.Rows
) -> tuple[Sheet, ...]:
    single = sum(plots[0].columns * plots[0].rows for plots in sheets if len(plots) == 1)
    drawn = []
    titles = _titles(subject, sheets)
    for title, plots, track in zip(titles, sheets, paths.tracks(sheets, rows), strict=True):
        across, down = extent(plots)
        squares = single if len(plots) == 1 else across * down
        picture = draw_sheet(subject.world, plots, squares)
        drawn.append(_sheet(subject, title, plots, picture, track))
    return tuple(drawn)


def _sheet(
    subject: _Subject, title: str, plots: Sequence[Plot], picture: SheetPicture, track: paths.Track
) -> Sheet:
    step = SQUARE // picture.scale
    first, last = (visit.tick for visit in subject.ends)
    shares = (track.tick - first) / max(1, last - first)
    steps = paths.steps_of(track)
    shown = shown_width(picture, joined=len(plots) > 1)
    return Sheet(
        key=f"map-{plots[0].map_id}",
        title=title,
        picture=picture,
        shown=shown,
        regions=tuple(_region(subject, plot, step) for plot in plots),
        route=paths.path_parts(steps, np.clip(shares, 0, 1), step=step),
        jumps=paths.jumps(track, step=step),
        pins=pin_marks(subject.marks, plots, step=step, apart=PIN_WIDTH * picture.width / shown),
        ends=pin_ends(subject.ends, plots, step=step),
    )


def _titles(subject: _Subject, sheets: Sequence[Sequence[Plot]]) -> list[str]:
    names = [subject.name_of(plots[0].map_id) for plots in sheets]
    joined = sum(len(plots) > 1 for plots in sheets)  # they come first
    around = [f"Outdoors, around {each}" for each in names[:joined]]
    return (["Outdoors"] if joined == 1 else around) + names[joined:]


def _region(subject: _Subject, plot: Plot, step: int) -> MapRegion:
    place = (plot.x * step, plot.y * step, plot.columns * step, plot.rows * step)
    return MapRegion(*place, subject.name_of(plot.map_id), plot.visited)


def _visit(rows: paths.Rows, number: int) -> TrailVisit:
    return TrailVisit(*[int(column[number]) for column in rows])


NARROW: Final = 340  # CSS pixels for a sheet on a phone
THINNEST: Final = 1.2  # CSS pixels of the route, half a square between these limits
THICKEST: Final = 2
LARGE: Final = 260  # CSS pixels: wider sheets take a full row on a phone
MOST_LABELS: Final = 12  # in the tooltip of a pin
LETTER: Final = 6.2  # approximate CSS pixels of a letter
LINE: Final = 14
SPILL: Final = 1.2  # factor by which a name may be wider than its map
DROP: Final = "M0 0C-3-5-8-8-8-14a8 8 0 1 1 16 0c0 6-5 9-8 14z"  # its tip is on the square


class PinStyle(NamedTuple):
    """A kind of pin: its label in the key, the letter in its head, its rotation, and the position of the head."""

    label: str
    letter: str
    turn: int
    x: int
    y: int


STYLES: Final = {  # one of each can be on the same square
    MapMarkKind.MILESTONE: PinStyle("a milestone", "", 0, 0, -14),
    MapMarkKind.STUCK: PinStyle("got stuck", "?", 120, 12, 7),
    MapMarkKind.WHITEOUT: PinStyle("all fainted", "\N{MULTIPLICATION SIGN}", -120, -12, 7),
}


def sheet_svg(sheet: Sheet) -> str:
    """Return a sheet as one `<svg>` that needs only the rules of `atlas.css`."""
    # Pixels of the picture in one CSS pixel, on a wide page and on a phone.
    wide, narrow = (sheet.picture.width / min(sheet.shown, room) for room in (sheet.shown, NARROW))
    return render(
        "sheet.html",
        sheet=sheet,
        wide=wide,
        narrow=narrow,
        line=min(THICKEST, max(THINNEST, sheet.step / wide / 2)),
        png=b64encode(sheet.picture.png).decode(),
        names=list(_names(sheet)),
        pins=[(pin, STYLES[pin.kind], _tooltip(pin)) for pin in sheet.pins],
        drop=DROP,
    )


def atlas_html(atlas: Atlas) -> str:
    """Return an atlas for a page with the rules of `atlas.css`; a page has at most one."""
    if not atlas.sheets:
        return '<div class="atlas"><p>There is no map to draw.</p></div>'
    pins = list(chain.from_iterable(sheet.pins for sheet in atlas.sheets))
    numbered = [(pin.numbers, pin.labels) for pin in pins if pin.kind is MapMarkKind.MILESTONE]
    kinds = {pin.kind for pin in pins}
    return render(
        "atlas.html",
        atlas=atlas,
        sheets=[(sheet, sheet_svg(sheet)) for sheet in atlas.sheets],
        kinds=[(kind, style) for kind, style in STYLES.items() if kind in kinds],
        milestones=sorted(chain.from_iterable(zip(*each, strict=True) for each in numbered)),
        drop=DROP,
        large=LARGE,
    )


def _names(sheet: Sheet) -> Iterator[tuple[MapRegion, bool]]:
    """Yield the maps with room for their names, and whether only on a wide page; a single map has a title instead."""
    for region in sheet.regions if sheet.is_joined else ():
        on_wide, on_narrow = (_has_room(region, sheet, width) for width in (sheet.shown, NARROW))
        if on_wide or on_narrow:
            yield region, not on_narrow


def _has_room(region: MapRegion, sheet: Sheet, width: int) -> bool:
    scale = min(width, sheet.shown) / sheet.picture.width
    fits = len(region.name) * LETTER <= SPILL * region.width * scale
    return fits and region.height * scale >= LINE


def _tooltip(pin: Pin) -> list[str]:
    numbers = [f"{number}. " for number in pin.numbers] or [""] * len(pin.labels)
    lines = [f"{number}{label}" for number, label in zip(numbers, pin.labels, strict=True)]
    more = [f"and {len(lines) - MOST_LABELS} more"] if len(lines) > MOST_LABELS else []
    return [*lines[:MOST_LABELS], *more]
