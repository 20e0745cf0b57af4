"""The path walked on each sheet: visits by sheet, and steps as lines drawn once."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.tools.report.atlas.sheet import Jump, PathPart, Plot, TrailVisit
from emulator import World

LONGEST_WALK: Final = 6  # squares straight ahead in one tick, the most that one press walks
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
        """Return the selected rows."""
        return Rows(*[column[these] for column in self])


class Track(NamedTuple):
    """The part of a trail on one sheet, in time order.

    `how` is the way from the visit before to each visit: ARRIVED, WALKED or JUMPED.
    """

    x: Numbers
    y: Numbers
    tick: Numbers
    how: Numbers


def rows_of(trail: Sequence[TrailVisit]) -> Rows:
    """Return a trail as columns."""
    flat = np.fromiter(chain.from_iterable(trail), np.int64, 4 * len(trail))
    return Rows(*flat.reshape(-1, 4).T)


def on_maps(world: World, rows: Rows, map_ids: Sequence[int]) -> Flags:
    """Return for each row whether it is a square of one of these maps, and not in the middle of a map change."""
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
    """Yield the track of each sheet, from rows that are all on maps."""
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
    """Return the sheet of each row, and its square on that sheet."""
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
    """Return the rows with the map after a warp but the square before it, as the game has for some frames.

    Such a square has coordinates near the last one, and is not an entrance of its map, or not one that
    the player walks on from. The last row cannot be judged.
    """
    between = np.zeros(len(rows.tick), np.bool_)
    if len(between) < 3:
        return between
    new_map = rows.map_id[1:] != rows.map_id[:-1]
    near = _is_walk(np.diff(rows.x), np.diff(rows.y))  # by coordinates alone
    entrance = np.isin((rows.map_id << 16) + (rows.y << 8) + rows.x, _entrances(world, map_ids))
    suspect = new_map[:-1] & near[:-1] & ~new_map[1:]
    between[1:-1] = suspect & ~(entrance[1:-1] & near[1:])
    return between


def _entrances(world: World, map_ids: Sequence[int]) -> list[int]:
    """Return the entrance squares of maps: warps, and edges with a connection."""
    found = []
    for game_map in map(world.map, map_ids):
        base = game_map.map_id << 16
        found += [base + (warp.y << 8) + warp.x for warp in game_map.warps]
        if game_map.header.connections:
            right, bottom = game_map.columns - 1, game_map.rows - 1
            found += [base + (y << 8) + x for x in range(right + 1) for y in (0, bottom)]
            found += [base + (y << 8) + x for x in (0, right) for y in range(bottom + 1)]
    return found


TIME_SHADES: Final = 32  # shades of time
MOST_LINES: Final = 20_000  # straight lines on a sheet; the longest are kept
MOST_JUMPS: Final = 60


class PathSteps(NamedTuple):
    """Single steps in time order, from one square to the next."""

    x: Numbers
    y: Numbers
    across: Numbers  # -1, 0 or 1, like `down`
    down: Numbers
    visit: Numbers  # index in the track of the visit the step leads to

    def where(self, these: Flags | Numbers) -> "PathSteps":
        """Return the selected steps."""
        return PathSteps(*[column[these] for column in self])


def steps_of(track: Track) -> PathSteps:
    """Return every single step of a track; a visit may be several steps from the one before it."""
    walked = np.flatnonzero(track.how == WALKED)
    across = track.x[walked] - track.x[walked - 1]
    down = track.y[walked] - track.y[walked - 1]
    lengths = np.abs(across) + np.abs(down)
    each = np.repeat(np.arange(len(walked)), lengths)
    done = np.arange(len(each)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    across, down = np.sign(across)[each], np.sign(down)[each]
    before = walked[each] - 1
    x, y = track.x[before] + done * across, track.y[before] + done * down
    return PathSteps(x, y, across, down, walked[each])


def path_parts(steps: PathSteps, shares: Numbers, *, step: int) -> tuple[PathPart, ...]:
    """Return the route as path data; a step walked before, in either direction, is not drawn again.

    `shares` has the time of each visit of the track, 0 to 1; `step` is the pixels of a square.
    """
    paths: defaultdict[int, list[str]] = defaultdict(list)
    before = None  # where the last line ended, and when
    for x, y, across, down, shade in _lines(_first_times(steps), shares):
        if (x, y, shade) != before:
            paths[shade].append(f"M{x * step + step // 2} {y * step + step // 2}")
        paths[shade].append(f"h{across * step}" if across else f"v{down * step}")
        before = (x + across, y + down, shade)
    return tuple(
        PathPart(round(number / (TIME_SHADES - 1), 3), "".join(paths[number]))
        for number in sorted(paths)
    )


def jumps(track: Track, *, step: int) -> tuple[Jump, ...]:
    """Return the jumps between squares of the sheet, the most frequent first."""
    at = np.flatnonzero(track.how == JUMPED)
    ends = np.stack([track.x[at - 1], track.y[at - 1], track.x[at], track.y[at]], axis=1)
    found, counts = np.unique(ends, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_JUMPS]
    pixels = found[order] * step + step // 2
    return tuple(Jump(*row) for row in pixels.tolist())


def _first_times(steps: PathSteps) -> PathSteps:
    """Return the first step between each pair of squares, in either direction."""
    width = int(steps.x.max(initial=0)) + 2
    left = np.minimum(steps.x, steps.x + steps.across)
    top = np.minimum(steps.y, steps.y + steps.down)
    pairs = 2 * (top * width + left) + (steps.down != 0)
    _, first = np.unique(pairs, return_index=True)
    return steps.where(np.sort(first))


def _lines(steps: PathSteps, shares: Numbers) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the steps as at most MOST_LINES straight lines, in time order.

    A line is its start, its extent across and down in squares, and its time shade.
    """
    if not len(steps.x):
        return
    shades = np.minimum(shares[steps.visit] * TIME_SHADES, TIME_SHADES - 1).astype(np.int64)
    to_x, to_y = steps.x + steps.across, steps.y + steps.down
    continues = (steps.x[1:] == to_x[:-1]) & (steps.y[1:] == to_y[:-1])
    for column in (steps.across, steps.down, shades):
        continues &= column[1:] == column[:-1]
    begins = np.flatnonzero(np.append(True, ~continues))
    lengths = np.diff(np.append(begins, len(shades)))
    kept = np.sort(np.argsort(-lengths, kind="stable")[:MOST_LINES])
    begins, lengths = begins[kept], lengths[kept]
    first = steps.where(begins)
    columns = [first.x, first.y, first.across * lengths, first.down * lengths, shades[begins]]
    yield from zip(*[column.tolist() for column in columns], strict=True)
