"""What was walked on one sheet: the way as lines that are drawn once, and how often each square was trodden."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from agent.report.atlas.sheet import Jump, Stretch, Trodden
from agent.report.atlas.tracks import JUMPED, WALKED, Flags, Numbers, Track

MOMENTS: Final = 32  # shades of time
MOST_LINES: Final = 20_000  # straight ones, on a sheet; the longest are kept
MOST_TRODDEN: Final = 4_000  # the busiest are kept
MOST_JUMPS: Final = 60
BUSY: Final = 4  # times; who walks in and out again is no sign of anything
BUSIEST: Final = 5  # levels, each twice as often as the one before


class Steps(NamedTuple):
    """Single steps in the order of time, from a square to the next one."""

    x: Numbers
    y: Numbers
    across: Numbers  # -1, 0 or 1, as `down`
    down: Numbers
    visit: Numbers  # of the track, which the step leads to

    def where(self, these: Flags | Numbers) -> "Steps":
        """Return some of them."""
        return Steps(*[column[these] for column in self])


class Line(NamedTuple):
    """Steps in one direction, one after the other, in squares."""

    x: int
    y: int
    across: int
    down: int
    moment: int


def steps_of(track: Track) -> Steps:
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
    return Steps(x, y, across, down, walked[each])


def stretches(steps: Steps, shares: Numbers, *, step: int) -> tuple[Stretch, ...]:
    """Return the way as path data; what was walked before, either way, is not drawn again.

    `shares` has the time of each visit of the track, 0 to 1; `step` is the pixels of a square.
    """
    paths: defaultdict[int, list[str]] = defaultdict(list)
    moment, end = -1, (-1, -1)
    for line in _lines(_first_times(steps), shares):
        if (line.x, line.y) != end or line.moment != moment:
            place = f"M{line.x * step + step // 2} {line.y * step + step // 2}"
            paths[line.moment].append(place)
        paths[line.moment].append(_stroke(line, step))
        moment, end = line.moment, (line.x + line.across, line.y + line.down)
    return tuple(
        Stretch(round(number / (MOMENTS - 1), 3), "".join(paths[number]))
        for number in sorted(paths)
    )


def trodden(track: Track, steps: Steps, across: int, *, step: int) -> tuple[Trodden, ...]:
    """Return the squares that were trodden again and again, of a sheet that is `across` squares wide."""
    came = track.how != WALKED
    squares = np.concatenate(
        [
            track.y[came] * across + track.x[came],
            (steps.y + steps.down) * across + steps.x + steps.across,
        ]
    )
    counts = np.bincount(squares.astype(np.int64))
    busy = np.flatnonzero(counts >= BUSY)
    begins = _begins(busy, _level(counts[busy]), across)
    widths = np.diff(np.append(begins, len(busy)))
    busiest = np.maximum.reduceat(counts[busy], begins) if len(busy) else begins
    kept = np.sort(np.argsort(-busiest, kind="stable")[:MOST_TRODDEN])
    return tuple(
        Trodden(square % across * step, square // across * step, width * step, count)
        for square, width, count in zip(
            *[each[kept].tolist() for each in (busy[begins], widths, busiest)], strict=True
        )
    )


def level_of(count: int) -> int:
    """Return how busy squares are, 1 to 5, that were trodden so often, `BUSY` times or more."""
    return int(_level(np.array([count]))[0])


def jumps(track: Track, *, step: int) -> tuple[Jump, ...]:
    """Return between which squares of the sheet nobody walked, the most frequent first."""
    at = np.flatnonzero(track.how == JUMPED)
    ends = np.stack([track.x[at - 1], track.y[at - 1], track.x[at], track.y[at]], axis=1)
    found, counts = np.unique(ends, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_JUMPS]
    pixels = found[order] * step + step // 2
    return tuple(
        Jump(x, y, to_x, to_y, times)
        for (x, y, to_x, to_y), times in zip(pixels.tolist(), counts[order].tolist(), strict=True)
    )


def _first_times(steps: Steps) -> Steps:
    """Return the steps between two squares between which none was made before, either way."""
    width = int(steps.x.max(initial=0)) + 2
    left = np.minimum(steps.x, steps.x + steps.across)
    top = np.minimum(steps.y, steps.y + steps.down)
    pairs = 2 * (top * width + left) + (steps.down != 0)
    _, first = np.unique(pairs, return_index=True)
    return steps.where(np.sort(first))


def _lines(steps: Steps, shares: Numbers) -> Iterator[Line]:
    """Yield the steps as straight lines: not too many, in the order of time."""
    if not len(steps.x):
        return
    moments = np.minimum(shares[steps.visit] * MOMENTS, MOMENTS - 1).astype(np.int64)
    goes_on = (steps.x[1:] == (steps.x + steps.across)[:-1]) & (
        steps.y[1:] == (steps.y + steps.down)[:-1]
    )
    for column in (steps.across, steps.down, moments):
        goes_on &= column[1:] == column[:-1]
    begins = np.flatnonzero(np.append(True, ~goes_on))
    lengths = np.diff(np.append(begins, len(moments)))
    kept = np.sort(np.argsort(-lengths, kind="stable")[:MOST_LINES])
    begins, lengths = begins[kept], lengths[kept]
    columns = [
        steps.x[begins],
        steps.y[begins],
        steps.across[begins] * lengths,
        steps.down[begins] * lengths,
        moments[begins],
    ]
    yield from map(Line, *[column.tolist() for column in columns])


def _stroke(line: Line, step: int) -> str:
    return f"h{line.across * step}" if line.across else f"v{line.down * step}"


def _level(counts: Numbers) -> Numbers:
    doubled = np.log2(np.maximum(counts, BUSY) / BUSY).astype(np.int64)
    return np.minimum(1 + doubled, BUSIEST)


def _begins(squares: Numbers, levels: Numbers, across: int) -> Numbers:
    """Return where runs begin of squares side by side that are as busy."""
    apart = (np.diff(squares) != 1) | (np.diff(levels) != 0) | (squares[1:] % across == 0)
    return np.flatnonzero(np.append(len(squares) > 0, apart))
