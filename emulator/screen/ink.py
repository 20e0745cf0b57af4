"""Which pixels of a picture may be writing: thin strokes of black on white.

Frames, bars, arrows and scenery confuse a program that reads printed pages. They are told from
letters by their shape alone, so that what is left owes nothing to the cartridge's font.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from emulator.screen.picture import Screen, Shades
from emulator.screen.tiles import BLACK, SIZE, cells

Mask: TypeAlias = NDArray[np.bool_]

DARK: Final = 2  # the shade from which on a pixel is ink
STROKE: Final = 10  # a straight run of this length is a line, not a part of a letter
AROUND: Final = (3, 3)


def writing(screen: Screen) -> Mask:
    """Return the pixels that may be writing, shape (144, 160)."""
    ink = (screen.shades >= DARK) & ~_scenery(screen)
    lines = _runs(ink) | _runs(ink.T).T
    return ink & ~_connected(lines | _blots(ink), ink)


def _scenery(screen: Screen) -> Mask:
    """Return the cells with greys in them, which letters have not."""
    grid: Shades = cells(screen)
    grey = ((grid > 0) & (grid < BLACK)).any(axis=(2, 3))
    return np.repeat(np.repeat(grey, SIZE, axis=0), SIZE, axis=1)


def _runs(ink: Mask) -> Mask:
    """Return the pixels that belong to long horizontal runs."""
    full = sliding_window_view(ink, STROKE, axis=1).all(axis=2)
    run = np.zeros_like(ink)
    for shift in range(STROKE):
        run[:, shift : shift + full.shape[1]] |= full
    return run


def _blots(ink: Mask) -> Mask:
    """Return the pixels that have ink all around them, as in arrows."""
    return np.asarray(_neighbours(ink).all(axis=(2, 3)))


def _connected(seeds: Mask, ink: Mask) -> Mask:
    """Return `seeds` and all ink that hangs together with them."""
    while True:
        grown: Mask = _neighbours(seeds).any(axis=(2, 3)) & ink
        if np.array_equal(grown, seeds):
            return seeds
        seeds = grown


def _neighbours(mask: Mask) -> Mask:
    return sliding_window_view(np.pad(mask, 1), AROUND)
