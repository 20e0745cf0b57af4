"""From a trail to an atlas."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from agent.report.atlas.picture import Picture, draw_sheet, extent, finest_scale, shown_width
from agent.report.atlas.pins import Numbered, number_marks, pin_ends, pin_marks, plot_of
from agent.report.atlas.plots import Plot, exists, lay_sheets
from agent.report.atlas.route import jumps, steps_of, stretches, trodden
from agent.report.atlas.sheet import SQUARE, Atlas, Region, Sheet
from agent.report.atlas.tracks import Rows, Track, on_maps, rows_of, tracks
from agent.report.atlas.trail import Mark, Visit
from emulator import World

PIN_WIDTH: Final = 20  # CSS pixels: pins that are nearer to one another cannot be told apart


class _Subject(NamedTuple):
    """What all sheets are drawn from."""

    world: World
    name_of: Callable[[int], str]
    marks: Sequence[Numbered]
    ends: tuple[Visit, Visit]


def draw_atlas(
    world: World,
    trail: Sequence[Visit],
    *,
    name_of: Callable[[int], str],
    marks: Sequence[Mark] = (),
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
    subject = _Subject(world, name_of, number_marks(marks), _ends(drawn))
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
    subject: _Subject, title: str, plots: Sequence[Plot], picture: Picture, track: Track
) -> Sheet:
    step = SQUARE // picture.scale
    first, last = (visit.tick for visit in subject.ends)
    shares = (track.tick - first) / max(1, last - first)
    steps = steps_of(track)
    shown = shown_width(picture, joined=len(plots) > 1)
    return Sheet(
        key=f"map-{plots[0].map_id}",
        title=title,
        width=picture.width,
        height=picture.height,
        scale=picture.scale,
        shown=shown,
        png=picture.png,
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


def _region(subject: _Subject, plot: Plot, step: int) -> Region:
    place = (plot.x * step, plot.y * step, plot.columns * step, plot.rows * step)
    return Region(*place, subject.name_of(plot.map_id), plot.visited)


def _ends(rows: Rows) -> tuple[Visit, Visit]:
    first, last = (Visit(*[int(column[at]) for column in rows]) for at in (0, -1))
    return first, last
