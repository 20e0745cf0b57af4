"""A trail sorted onto sheets: how each visit was come to from the one before it, in squares of its sheet."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.report.atlas.plots import Plot
from agent.report.atlas.trail import Visit
from emulator import World

LONGEST_WALK: Final = 6  # squares straight ahead from one tick to the next: one press walks no more
ARRIVED, WALKED, JUMPED = range(3)  # from another sheet; step by step; from elsewhere on this one
MAP_IDS: Final = 0x100

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Rows(NamedTuple):
    """Columns of a trail."""

    tick: Numbers
    map_id: Numbers
    x: Numbers
    y: Numbers

    def where(self, these: Flags) -> "Rows":
        """Return some of the rows."""
        return Rows(*[column[these] for column in self])


class Track(NamedTuple):
    """What a sheet sees of a trail, in the order of time.

    `how` each visit was come to from the one before it: ARRIVED, WALKED or JUMPED.
    """

    x: Numbers
    y: Numbers
    tick: Numbers
    how: Numbers


def rows_of(trail: Sequence[Visit]) -> Rows:
    """Return a trail as columns."""
    flat = np.fromiter(chain.from_iterable(trail), np.int64, 4 * len(trail))
    return Rows(*flat.reshape(-1, 4).T)


def on_maps(world: World, rows: Rows, map_ids: Sequence[int]) -> Flags:
    """Say of each row whether it is a square of one of these maps, and no moment between two maps."""
    columns, lines = np.zeros(MAP_IDS, np.int64), np.zeros(MAP_IDS, np.int64)
    for game_map in map(world.map, map_ids):
        columns[game_map.map_id], lines[game_map.map_id] = game_map.columns, game_map.rows
    known = (rows.map_id >= 0) & (rows.map_id < MAP_IDS)
    map_id = np.where(known, rows.map_id, 0)
    inside = (rows.x >= 0) & (rows.x < columns[map_id])
    inside &= (rows.y >= 0) & (rows.y < lines[map_id]) & known
    inside[inside] = ~_is_between(world, rows.where(inside), map_ids)
    return inside


def tracks(sheets: Sequence[Sequence[Plot]], rows: Rows) -> Iterator[Track]:
    """Yield what each sheet sees of rows that are all on maps."""
    sheet, x, y = _placed(sheets, rows)
    how = np.full(len(x), ARRIVED)
    if len(x):
        same = sheet[1:] == sheet[:-1]
        how[1:] = np.where(same & _is_walk(np.diff(x), np.diff(y)), WALKED, same * JUMPED)
    order = np.argsort(sheet, kind="stable")
    ends = np.cumsum(np.bincount(sheet, minlength=len(sheets)))[:-1]
    for part in np.split(order, ends):
        yield Track(x[part], y[part], rows.tick[part], how[part])


def _placed(sheets: Sequence[Sequence[Plot]], rows: Rows) -> tuple[Numbers, Numbers, Numbers]:
    """Return each row's sheet and its square there."""
    at = np.zeros((3, MAP_IDS), np.int64)
    for number, plots in enumerate(sheets):
        for plot in plots:
            if plot.visited:
                at[:, plot.map_id] = number, plot.x, plot.y
    sheet, left, top = at[:, rows.map_id]
    return sheet, left + rows.x, top + rows.y


def _is_walk(across: Numbers, down: Numbers) -> Flags:
    straight: Flags = (across == 0) | (down == 0)
    straight &= np.abs(across) + np.abs(down) <= LONGEST_WALK
    return straight


def _is_between(world: World, rows: Rows, map_ids: Sequence[int]) -> Flags:
    """Say which rows have the map after a warp and still the square before it, as the game does for some frames.

    Such a square is near the last one's by its numbers, and is no way into its map, or one that
    nobody walks on from. What the last row is cannot be told.
    """
    between = np.zeros(len(rows.tick), np.bool_)
    if len(between) < 3:
        return between
    new_map = rows.map_id[1:] != rows.map_id[:-1]
    near = _is_walk(np.diff(rows.x), np.diff(rows.y))  # as numbers, whatever the map
    way_in = np.isin(_squares(rows), _ways_in(world, map_ids))
    suspect = new_map[:-1] & near[:-1] & ~new_map[1:]
    between[1:-1] = suspect & ~(way_in[1:-1] & near[1:])
    return between


def _squares(rows: Rows) -> Numbers:
    number: Numbers = (rows.map_id << 16) + (rows.y << 8) + rows.x
    return number


def _ways_in(world: World, map_ids: Sequence[int]) -> list[int]:
    """Return the squares of maps that one comes in by: warps, and edges where another map joins."""
    found = []
    for game_map in map(world.map, map_ids):
        base = game_map.map_id << 16
        found += [base + (warp.y << 8) + warp.x for warp in game_map.warps]
        if game_map.connections:
            found += [base + (y << 8) + x for x, y in _edge(game_map.columns, game_map.rows)]
    return found


def _edge(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    yield from ((x, y) for x in range(columns) for y in (0, rows - 1))
    yield from ((x, y) for y in range(rows) for x in (0, columns - 1))
