"""Estimates with the interval that holds the truth 95 times in 100; the same data give the same figures."""

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

Z: Final = 1.959963984540054  # of a normal distribution, 97.5 percent below it
RESAMPLES: Final = 2_000
SEED: Final = 0


class Interval(NamedTuple):
    """An estimate and its 95% interval."""

    estimate: float
    low: float
    high: float


def share_interval(times: int, of: int) -> Interval:
    """Return a share by Wilson's interval, which is right at 0 and 1 as well; of nothing, all is possible."""
    if of == 0:
        return Interval(0.0, 0.0, 1.0)
    share, weight = times / of, Z * Z / of
    centre = (share + weight / 2) / (1 + weight)
    reach = Z * sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def median_interval(values: Sequence[float]) -> Interval | None:
    """Return the median by the percentile bootstrap, or None where there are no values."""
    if not values:
        return None
    chance = np.random.default_rng(SEED)
    sample = np.asarray(values, dtype=float)
    medians = np.median(chance.choice(sample, (RESAMPLES, len(values))), axis=1)
    low, high = np.percentile(medians, (2.5, 97.5))
    return Interval(float(np.median(sample)), float(low), float(high))
