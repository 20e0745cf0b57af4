"""Maps and pixels: a map drawn as one picture, and the place that a picture of the game shows.

`locate` is the witness of a milestone: it reads no RAM, so a wrong assumption about RAM cannot confirm itself. It
compares every square of every map with the picture, tile by tile.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from emulator.ram.map import MapPosition
from emulator.screen.picture import (
    BLACK,
    COLUMNS,
    ROWS,
    SIZE,
    Screen,
    Shades,
    cells,
    decode_2bpp,
    keys,
)
from emulator.world.game_map import GameMap
from emulator.world.layout import BORDER_TILES, Layout
from emulator.world.tileset import Tileset
from emulator.world.world import World

DIVISORS: Final = (1, 2, 4, 8)  # allowed divisors of a tile's size
DARKEST: Final = 15
TILE_IDS: Final = 0x100


def draw_map(game_map: GameMap, *, divisor: int = 1) -> Shades:
    """Return a map in 16 shades, 0 (white) to 15 (black), at 32 pixels per block divided by `divisor`.

    Each pixel is the mean of `divisor` times `divisor` pixels, so at full size only four shades occur. Raise
    ValueError when `divisor` is not 1, 2, 4 or 8.
    """
    if divisor not in DIVISORS:
        raise ValueError(f"the divisor of a map must be one of {DIVISORS}, not {divisor}")
    inside = slice(BORDER_TILES, -BORDER_TILES)
    tiles = _tiles(game_map.tileset, divisor)[game_map.layout.tiles[inside, inside]]
    rows, columns, size, _ = tiles.shape
    return tiles.transpose(0, 2, 1, 3).reshape(rows * size, columns * size)


@lru_cache(maxsize=64)
def _tiles(tileset: Tileset, divisor: int) -> Shades:
    """Return the picture of every tile id, shape (256, n, n); ids of text and boxes are white."""
    drawn = decode_2bpp(tileset.graphics)
    size = SIZE // divisor
    parts = drawn.reshape(-1, size, divisor, size, divisor).mean(axis=(2, 4))
    tiles = np.zeros((TILE_IDS, size, size), np.uint8)
    tiles[: len(parts)] = np.rint(parts * (DARKEST / BLACK))
    return tiles


Ids = NDArray[np.int16]

MIN_FIT: Final = 0.5  # minimum share of matching cells; people and a text box hide the others
MAX_CONTRADICTED: Final = 0.05  # maximum share of cells that clearly show another tile
MARGIN: Final = 0.05  # lead of the best place over every place that looks different
CELLS: Final = ROWS * COLUMNS
# The picture begins four squares left of and above the player; a square is two tiles wide.
LEFT: Final = BORDER_TILES - 2 * 4
UNSEEN: Final = -1  # a cell whose pixels match no tile of the tileset
UNDRAWN: Final = -2  # a tile id without pixels
WATER: Final = 0x14
ROTATIONS: Final = 8  # moving water is its tile shifted sideways


@dataclass(frozen=True, slots=True)
class Scene:
    """The place that a picture shows, and the share of its cells that match.

    `lookalikes` are other places that look exactly the same, as in houses with the same layout.
    """

    map_id: int
    x: int
    y: int
    fit: float
    lookalikes: tuple[MapPosition, ...] = ()

    def shows(self, map_id: int, x: int, y: int) -> bool:
        """Return whether the picture is the view from this square."""
        place = MapPosition(map_id, x, y)
        return place == MapPosition(self.map_id, self.x, self.y) or place in self.lookalikes


class _Match(NamedTuple):
    """A square, the number of picture cells that match its view, and the pixels of that view."""

    place: MapPosition
    fitting: int
    look: bytes


def locate(screen: Screen, world: World, candidates: Iterable[int] | None = None) -> Scene | None:
    """Return the place that `screen` shows, or None without a clear winner among `candidates`."""
    pixels = keys(cells(screen))
    map_ids = world.map_ids if candidates is None else candidates
    views: dict[Tileset, _View] = {}
    matches: list[_Match] = []
    for game_map in map(world.map, map_ids):
        view = views.get(game_map.tileset)
        if view is None:
            shapes = _shapes(game_map.tileset)
            seen = np.array([shapes.by_pixels.get(key, UNSEEN) for key in pixels], np.int16)
            seen = seen.reshape(ROWS, COLUMNS)
            view = views[game_map.tileset] = _View(seen, np.isin(seen, shapes.distinctive))
        matches += _matches(game_map, view)
    best = max((match.fitting for match in matches), default=0)
    near = [match for match in matches if match.fitting > best - MARGIN * CELLS]
    if len({match.look for match in near}) != 1:
        return None
    first, *lookalikes = [match.place for match in near]
    return Scene(*first, best / CELLS, tuple(lookalikes))


class _View(NamedTuple):
    """A picture as tiles of one tileset, and which of its cells are distinctive."""

    cells: Ids
    distinctive: NDArray[np.bool_]


def _matches(game_map: GameMap, view: _View) -> Iterator[_Match]:
    if _present(game_map.layout, game_map.tileset)[view.cells].sum() < MIN_FIT * CELLS:
        return  # the map lacks the tiles for any of its squares
    squares = _squares(game_map.layout, game_map.tileset)[: game_map.rows, : game_map.columns]
    counts = (squares == view.cells).sum(axis=(2, 3))
    for y, x in np.argwhere(counts >= MIN_FIT * CELLS):
        look = squares[y, x]
        if ((look != view.cells) & view.distinctive).sum() <= MAX_CONTRADICTED * CELLS:
            shapes = _shapes(game_map.tileset)
            drawing = b"".join(shapes.pixels[int(shape)] for shape in look.flat)
            place = MapPosition(game_map.map_id, int(x), int(y))
            yield _Match(place, int(counts[y, x]), drawing)


@lru_cache(maxsize=256)
def _present(layout: Layout, tileset: Tileset) -> NDArray[np.bool_]:
    """Return for every shape whether it occurs on a map; UNSEEN and UNDRAWN, the last two, do not."""
    present = np.zeros(0x100 + 2, np.bool_)
    drawn = _shapes(tileset).by_id[layout.tiles]
    present[drawn[drawn >= 0]] = True
    return present


@lru_cache(maxsize=256)
def _squares(layout: Layout, tileset: Tileset) -> Ids:
    """Return the view from each square as tiles: rows, columns, and the picture's rows and columns."""
    drawn = _shapes(tileset).by_id[layout.tiles]
    return sliding_window_view(drawn[LEFT:, LEFT:], (ROWS, COLUMNS))[::2, ::2]


class _Shapes(NamedTuple):
    """The distinct pictures among the tiles of a tileset."""

    by_pixels: dict[bytes, int]
    by_id: Ids  # 256 tile ids to the first id with the same pixels
    pixels: dict[int, bytes]
    distinctive: Ids  # shapes of more than one shade: a plain cell may belong to a text box


@lru_cache(maxsize=32)
def _shapes(tileset: Tileset) -> _Shapes:
    tiles = decode_2bpp(tileset.graphics)
    by_pixels: dict[bytes, int] = {}
    by_id = np.full(0x100, UNDRAWN, np.int16)
    for tile, key in enumerate(keys(tiles)):
        by_id[tile] = by_pixels.setdefault(key, tile)
    pixels = {shape: key for key, shape in by_pixels.items()} | {UNDRAWN: b""}
    distinctive = np.array([n for n, key in pixels.items() if len(set(key)) > 1], np.int16)
    if tileset.animated:
        for shift in range(ROTATIONS):
            by_pixels.setdefault(np.roll(tiles[WATER], shift, axis=1).tobytes(), int(by_id[WATER]))
    return _Shapes(by_pixels, by_id, pixels, distinctive)
