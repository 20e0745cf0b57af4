"""Which place a picture shows, from its pixels and the cartridge's maps alone.

This is the second witness of a milestone: it reads no RAM, so that no wrong idea about RAM can
make it agree. Every square of every map is compared with the picture, tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from emulator.screen.picture import Screen
from emulator.screen.tiles import COLUMNS, ROWS, cells, decode_2bpp, keys
from emulator.world.game_map import GameMap
from emulator.world.layout import BORDER_TILES
from emulator.world.tileset import Tileset
from emulator.world.world import World

Ids = NDArray[np.int16]

ENOUGH: Final = 0.6  # of the picture's cells; people and a text box hide the others
MARGIN: Final = 0.05  # by which the best place beats every place that looks different
# The picture begins four steps left of and above the player; steps are two tiles.
LEFT: Final = BORDER_TILES - 2 * 4
UNSEEN: Final = -1  # a cell whose pixels no tile of the tileset has
UNDRAWN: Final = -2  # a tile id that has no pixels
WATER: Final = 0x14
ROTATIONS: Final = 8  # moving water is its tile shifted sideways


class Place(NamedTuple):
    """A square of a map."""

    map_id: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Scene:
    """The place that a picture shows, and the share of its cells that fit.

    `alike` are the other places that would look exactly the same, as in houses built alike.
    """

    map_id: int
    x: int
    y: int
    fit: float
    alike: tuple[Place, ...] = ()

    def shows(self, map_id: int, x: int, y: int) -> bool:
        """Return whether the picture is what one would see on this square."""
        place = Place(map_id, x, y)
        return place == Place(self.map_id, self.x, self.y) or place in self.alike


class _Fits(NamedTuple):
    """Per square of a map, row by row, how many cells of the picture fit."""

    game_map: GameMap
    counts: NDArray[np.intp]


def locate(screen: Screen, world: World, candidates: Iterable[int] | None = None) -> Scene | None:
    """Return the place that `screen` shows, or None without a clear winner among `candidates`."""
    if len(np.unique(screen.shades)) == 1:
        return None  # a blank picture fits blank ground
    pixels = keys(cells(screen))
    map_ids = world.map_ids if candidates is None else candidates
    fits = [_fit(world.map(map_id), pixels) for map_id in map_ids]
    fits = [fit for fit in fits if fit.counts.size]
    best = max((int(fit.counts.max()) for fit in fits), default=0)
    if best < ENOUGH * ROWS * COLUMNS:
        return None
    near = [(place, fit) for fit in fits for place in _near(fit, best)]
    return _winner(near, best)


def _winner(near: list[tuple[Place, _Fits]], best: int) -> Scene | None:
    pictures = {_drawn(place, fit.game_map) for place, fit in near}
    if len(pictures) > 1:
        return None
    first, *alike = [place for place, _ in near]
    return Scene(*first, best / (ROWS * COLUMNS), tuple(alike))


def _fit(game_map: GameMap, pixels: list[bytes]) -> _Fits:
    shapes = _shapes(game_map.tileset)
    seen = np.array([shapes.by_pixels.get(key, UNSEEN) for key in pixels], np.int16)
    drawn = shapes.by_id[game_map.layout.tiles]
    windows = sliding_window_view(drawn[LEFT:, LEFT:], (ROWS, COLUMNS))[::2, ::2]
    squares = windows[: game_map.rows, : game_map.columns]
    counts = (squares == seen.reshape(ROWS, COLUMNS)).sum(axis=(2, 3))
    return _Fits(game_map, counts)


def _near(fit: _Fits, best: int) -> list[Place]:
    close = np.argwhere(fit.counts > best - MARGIN * ROWS * COLUMNS)
    return [Place(fit.game_map.map_id, int(x), int(y)) for y, x in close]


def _drawn(place: Place, game_map: GameMap) -> bytes:
    top, left = LEFT + 2 * place.y, LEFT + 2 * place.x
    ids = _shapes(game_map.tileset).by_id[game_map.layout.tiles]
    shown = ids[top : top + ROWS, left : left + COLUMNS]
    drawn = _shapes(game_map.tileset).pixels
    return b"".join(drawn[int(shape)] for shape in shown.flat)


class _Shapes(NamedTuple):
    """The different pictures among the tiles of a tileset."""

    by_pixels: dict[bytes, int]
    by_id: Ids  # 256 tile ids to the first id with the same pixels
    pixels: dict[int, bytes]


@lru_cache(maxsize=32)
def _shapes(tileset: Tileset) -> _Shapes:
    tiles = decode_2bpp(tileset.graphics)
    by_pixels: dict[bytes, int] = {}
    by_id = np.full(0x100, UNDRAWN, np.int16)
    for tile, key in enumerate(keys(tiles)):
        by_id[tile] = by_pixels.setdefault(key, tile)
    pixels = {shape: key for key, shape in by_pixels.items()} | {UNDRAWN: b""}
    if tileset.animated:
        for shift in range(ROTATIONS):
            by_pixels.setdefault(np.roll(tiles[WATER], shift, axis=1).tobytes(), int(by_id[WATER]))
    return _Shapes(by_pixels, by_id, pixels)
