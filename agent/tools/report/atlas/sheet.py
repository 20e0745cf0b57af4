"""The sheets of an atlas: the layout of maps on each, and its picture as a small PNG.

All positions on a sheet are pixels of its picture from the top left corner; one square is `step` pixels.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from emulator import Facing, GameMap, World
from emulator.screen import draw_map
from emulator.world import Connection


class TrailVisit(NamedTuple):
    """One row of the trail of a run: the position of the player from this tick on."""

    tick: int
    map_id: int
    x: int
    y: int


class MapMarkKind(Enum):
    """The kind of a mark; the value is part of a CSS class."""

    MILESTONE = "milestone"
    STUCK = "stuck"
    WHITEOUT = "whiteout"


class MapMark(NamedTuple):
    """An event to pin to the square where it happened."""

    tick: int
    map_id: int
    x: int
    y: int
    label: str
    kind: MapMarkKind


SQUARE: Final = 16  # pixels of the Game Boy, across and down


class PathPart(NamedTuple):
    """The steps first walked around one time, as SVG path data.

    `share` is that time within the trail, 0 to 1. Each `M` of `path` begins an unbroken walk.
    """

    share: float
    path: str


class Jump(NamedTuple):
    """Two squares of the sheet without a walk between them: a warp on the same map, a blackout, a restore."""

    x: int
    y: int
    to_x: int
    to_y: int


class Pin(NamedTuple):
    """One or more marks of a kind on a square, or too near to each other to distinguish.

    `numbers` are the numbers of milestones in the atlas, from 1 on; other kinds have none.
    """

    x: int
    y: int
    kind: MapMarkKind
    numbers: tuple[int, ...]
    labels: tuple[str, ...]


class TrailEnd(NamedTuple):
    """The beginning or the end of the trail."""

    x: int
    y: int
    tick: int
    is_last: bool


class MapRegion(NamedTuple):
    """The area of one map on a sheet."""

    x: int
    y: int
    width: int
    height: int
    name: str
    visited: bool


class SheetPicture(NamedTuple):
    """A PNG file, its size in pixels, and the number of Game Boy pixels that are one of them."""

    png: bytes
    width: int
    height: int
    scale: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One picture: a group of connected maps, or a single map. `key` is unique in the atlas.

    `shown` is its width on a page in CSS pixels where there is room.
    """

    key: str
    title: str
    picture: SheetPicture = field(repr=False)
    shown: int
    regions: tuple[MapRegion, ...]
    route: tuple[PathPart, ...] = field(repr=False)
    jumps: tuple[Jump, ...] = field(repr=False)
    pins: tuple[Pin, ...]
    ends: tuple[TrailEnd, ...]

    @property
    def step(self) -> int:
        """The pixels from one square to the next."""
        return SQUARE // self.picture.scale

    @property
    def is_joined(self) -> bool:
        """Whether it shows several maps, such as outdoors."""
        return len(self.regions) > 1


class Atlas(NamedTuple):
    """All sheets, those of connected maps first, and the counts of what could not be drawn.

    `dropped` visits and `unplaced` marks were outside of all maps, or in the middle of a map change.
    """

    sheets: tuple[Sheet, ...]
    visits: int
    dropped: int
    unplaced: int


REACH: Final = 512  # squares from the first map of a sheet; all of Red is smaller


class Plot(NamedTuple):
    """A map on a sheet, in squares from its top left corner."""

    map_id: int
    x: int
    y: int
    columns: int
    rows: int
    visited: bool

    def overlaps(self, other: "Plot") -> bool:
        """Return whether the two plots share squares."""
        return (
            self.x < other.x + other.columns
            and other.x < self.x + self.columns
            and self.y < other.y + other.rows
            and other.y < self.y + self.rows
        )


def exists(world: World, map_id: int) -> bool:
    """Return whether the cartridge has a map of this id that is not empty."""
    return map_id in world.map_ids and world.map(map_id).header.width > 0


def layout_sheets(world: World, visited: Sequence[int]) -> list[list[Plot]]:
    """Return the plots of each sheet: the maps `visited`, in that order, and their direct neighbours.

    A map that would overlap another one, because the connections of a cartridge are inconsistent, begins a
    new sheet. Sheets of several maps come first.
    """
    left = dict.fromkeys(visited)
    sheets = []
    while left:
        placed = _place_connected(world, next(iter(left)))
        here = [map_id for map_id in left if map_id in placed]
        for map_id in here:
            del left[map_id]
        sheets.append(_crop(world, placed, here))
    return sorted(sheets, key=lambda plots: len(plots) == 1)


def _place_connected(world: World, start: int) -> Mapping[int, Plot]:
    """Return every map reachable over edges, with its position in squares from the first one."""
    placed = {start: _plot(world.map(start), 0, 0)}
    waiting = [start]
    for map_id in waiting:
        for connection in world.map(map_id).header.connections:
            if connection.map_id in placed or not exists(world, connection.map_id):
                continue
            plot = _joined(placed[map_id], connection, world.map(connection.map_id))
            near = abs(plot.x) <= REACH and abs(plot.y) <= REACH
            if near and not any(plot.overlaps(other) for other in placed.values()):
                placed[plot.map_id] = plot
                waiting.append(plot.map_id)
    return placed


def _joined(here: Plot, connection: Connection, there: GameMap) -> Plot:
    """Return the plot of a map that is connected to `here`."""
    along_x, along_y = here.x - _signed(connection.x_align), here.y - _signed(connection.y_align)
    match connection.side:
        case Facing.UP:
            return _plot(there, along_x, here.y - there.rows)
        case Facing.DOWN:
            return _plot(there, along_x, here.y + here.rows)
        case Facing.LEFT:
            return _plot(there, here.x - there.columns, along_y)
        case Facing.RIGHT:
            return _plot(there, here.x + here.columns, along_y)


def _signed(byte: int) -> int:
    return byte - 0x100 if byte >= 0x80 else byte


def _plot(game_map: GameMap, x: int, y: int) -> Plot:
    return Plot(game_map.map_id, x, y, game_map.columns, game_map.rows, visited=False)


def _crop(world: World, placed: Mapping[int, Plot], visited: Sequence[int]) -> list[Plot]:
    """Return the visited maps and their direct neighbours, moved into the top left corner."""
    neighbours = [each.map_id for here in visited for each in world.map(here).header.connections]
    kept = [placed[each] for each in dict.fromkeys([*visited, *neighbours]) if each in placed]
    left, top = min(plot.x for plot in kept), min(plot.y for plot in kept)
    return [
        plot._replace(x=plot.x - left, y=plot.y - top, visited=plot.map_id in visited)
        for plot in kept
    ]


SCALES: Final = (1, 2, 4, 8)
MOST_PIXELS: Final = 5_000_000  # of a sheet, and of all single maps in total
MOST_BYTES: Final = 200_000
WIDEST: Final = 860  # CSS pixels on a page for connected maps
TALLEST: Final = 1_200
WIDEST_SINGLE: Final = 420  # and for single maps, so that several fit side by side
NOTHING: Final = 16  # the shade after black: no map
GREY: Final = 17  # difference between two of 16 shades


def extent(plots: Iterable[Plot]) -> tuple[int, int]:
    """Return the number of squares of a sheet across and down."""
    plots = list(plots)
    across = max(plot.x + plot.columns for plot in plots)
    return across, max(plot.y + plot.rows for plot in plots)


def shown_width(picture: SheetPicture, *, joined: bool) -> int:
    """Return the width on a page in CSS pixels where there is room, at most the size on the Game Boy."""
    width, height = picture.width * picture.scale, picture.height * picture.scale
    limits = (WIDEST, TALLEST) if joined else (WIDEST_SINGLE, WIDEST_SINGLE)
    return round(width * min(1.0, limits[0] / width, limits[1] / height))


def draw_sheet(world: World, plots: Sequence[Plot], squares: int) -> SheetPicture:
    """Return the maps of a sheet at the first scale with a small file, and at most MOST_PIXELS for `squares`."""
    fits = [scale for scale in SCALES if squares * (SQUARE // scale) ** 2 <= MOST_PIXELS]
    pictures = (_draw(world, plots, scale) for scale in fits or SCALES[-1:])
    return next(
        each for each in pictures if len(each.png) <= MOST_BYTES or each.scale == SCALES[-1]
    )


def _draw(world: World, plots: Sequence[Plot], scale: int) -> SheetPicture:
    step = SQUARE // scale
    across, down = extent(plots)
    pixels = np.full((down * step, across * step), NOTHING, np.uint8)
    for plot in plots:
        drawn = draw_map(world.map(plot.map_id), divisor=scale)
        top, left = plot.y * step, plot.x * step
        pixels[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    return SheetPicture(_png(pixels), pixels.shape[1], pixels.shape[0], scale)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG with only the colours in use, transparent where there is no map."""
    shades = np.flatnonzero(np.bincount(pixels.ravel(), minlength=NOTHING + 1))
    places = np.zeros(NOTHING + 1, np.uint8)
    places[shades] = np.arange(len(shades))
    height, width = pixels.shape
    image = Image.frombytes("P", (width, height), places[pixels].tobytes())
    image.putpalette([grey for shade in shades for grey in [max(0, 255 - GREY * int(shade))] * 3])
    file = io.BytesIO()
    transparency = {"transparency": len(shades) - 1} if shades[-1] == NOTHING else {}
    image.save(file, format="PNG", **transparency)
    return file.getvalue()
