"""The picture of a sheet as a PNG file that is small enough for a page. Knows plots; knows nothing of a trail."""

import io
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from agent.report.atlas.plots import Plot
from agent.report.atlas.sheet import SQUARE
from emulator import World, draw_map

SCALES: Final = (1, 2, 4, 8)
MOST_PIXELS: Final = 5_000_000  # of a sheet, and of all single maps together
MOST_BYTES: Final = 200_000
WIDEST: Final = 860  # CSS pixels that a page has for joined maps
TALLEST: Final = 1_200
WIDEST_SINGLE: Final = 420  # and for any other, so that several stand side by side
NOTHING: Final = 16  # the shade after black: no map is there
GREY: Final = 17  # from one of 16 shades to the next

Pixels = NDArray[np.uint8]


class Picture(NamedTuple):
    """A PNG file, its size in pixels, and how many pixels of the Game Boy are one of them."""

    png: bytes
    width: int
    height: int
    scale: int


def extent(plots: Iterable[Plot]) -> tuple[int, int]:
    """Return how many squares a sheet has across and down."""
    plots = list(plots)
    across = max(plot.x + plot.columns for plot in plots)
    return across, max(plot.y + plot.rows for plot in plots)


def finest_scale(squares: int) -> int:
    """Return the first scale at which so many squares are not too many pixels."""
    fits = (scale for scale in SCALES if squares * (SQUARE // scale) ** 2 <= MOST_PIXELS)
    return next(fits, SCALES[-1])


def shown_width(picture: Picture, *, joined: bool) -> int:
    """Return how many CSS pixels wide a page shows it where there is room: never above the Game Boy's size."""
    width, height = picture.width * picture.scale, picture.height * picture.scale
    most = (WIDEST, TALLEST) if joined else (WIDEST_SINGLE, WIDEST_SINGLE)
    return round(width * min(1.0, most[0] / width, most[1] / height))


def draw_sheet(world: World, plots: Sequence[Plot], *, finest: int) -> Picture:
    """Return the maps of a sheet at the first scale from `finest` on that gives a small file."""
    scales = SCALES[SCALES.index(finest) :]
    pictures = (_draw(world, plots, scale) for scale in scales)
    return next(each for each in pictures if _is_small(each))


def _is_small(picture: Picture) -> bool:
    return len(picture.png) <= MOST_BYTES or picture.scale == SCALES[-1]


def _draw(world: World, plots: Sequence[Plot], scale: int) -> Picture:
    step = SQUARE // scale
    across, down = extent(plots)
    pixels = np.full((down * step, across * step), NOTHING, np.uint8)
    for plot in plots:
        drawn = draw_map(world.map(plot.map_id), divisor=scale)
        top, left = plot.y * step, plot.x * step
        pixels[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    return Picture(_png(pixels), pixels.shape[1], pixels.shape[0], scale)


def _png(pixels: Pixels) -> bytes:
    """Return a PNG with no more colours than there are, transparent where there is nothing."""
    shades = np.flatnonzero(np.bincount(pixels.ravel(), minlength=NOTHING + 1))
    places = np.zeros(NOTHING + 1, np.uint8)
    places[shades] = np.arange(len(shades))
    height, width = pixels.shape
    image = Image.frombytes("P", (width, height), places[pixels].tobytes())
    image.putpalette([grey for shade in shades for grey in [max(0, 255 - GREY * int(shade))] * 3])
    file = io.BytesIO()
    see_through = {"transparency": len(shades) - 1} if shades[-1] == NOTHING else {}
    image.save(file, format="PNG", optimize=True, **see_through)
    return file.getvalue()
