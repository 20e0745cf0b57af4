"""Tests of whether two samples come from one distribution, and their correction for many comparisons."""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import erfc, exp, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

LEAST: Final = 5  # expected in each cell of a chi-square test; rarer classes are put together
TERMS: Final = 100


def same_classes(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> float:
    """Return the p-value of a chi-square test that both samples have the same shares of classes."""
    counts = (Counter(ours), Counter(theirs))
    total = len(ours) + len(theirs)
    smaller = min(len(ours), len(theirs))
    cells: list[tuple[int, int]] = []
    rest = (0, 0)
    for key in counts[0].keys() | counts[1].keys():
        cell = (counts[0][key], counts[1][key])
        if sum(cell) * smaller / total < LEAST:
            rest = (rest[0] + cell[0], rest[1] + cell[1])
        else:
            cells.append(cell)
    if sum(rest) * smaller / total >= LEAST:
        cells.append(rest)
    if len(cells) < 2:
        return 1.0
    value = 0.0
    for cell in cells:
        for got, size in zip(cell, (len(ours), len(theirs)), strict=True):
            expected = sum(cell) * size / total
            value += (got - expected) ** 2 / expected
    return _chi_square_tail(value, len(cells) - 1)


def _chi_square_tail(value: float, freedom: int) -> float:
    """Return the chance of at least this value (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * freedom)
    z = ((value / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    return erfc(z / sqrt(2)) / 2


def same_values(ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> float:
    """Return the p-value of the test of Kolmogorov and Smirnov; for equal values it is too high, never too low."""
    points = np.union1d(ours, theirs)
    reached = [
        np.searchsorted(np.sort(each), points, side="right") / len(each) for each in (ours, theirs)
    ]
    size = len(ours) * len(theirs) / (len(ours) + len(theirs))
    distance = (sqrt(size) + 0.12 + 0.11 / sqrt(size)) * float(
        np.abs(reached[0] - reached[1]).max()
    )
    if distance < 0.3:
        return 1.0
    terms = ((-1) ** (k - 1) * exp(-2 * (k * distance) ** 2) for k in range(1, TERMS))
    return min(max(2.0 * float(sum(terms)), 0.0), 1.0)


def rejected(p_values: Sequence[float], level: float) -> set[int]:
    """Return which tests fail at this level for all of them together (Holm's procedure)."""
    found: set[int] = set()
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[at] > level / (len(p_values) - rank):
            break
        found.add(at)
    return found
