"""Estimates with the interval that holds the truth 95 times in 100; the same data give the same figures."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Z: Final = 1.959963984540054  # of a normal distribution, 97.5 percent below it
RESAMPLES: Final = 2_000
SEED: Final = 0

Drawn: TypeAlias = NDArray[np.float64]


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


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean by the percentile bootstrap, or None where there are no values."""
    if not values:
        return None
    return _percentiles(_resampled_means(values, np.random.default_rng(SEED)), fmean(values))


def mean_gap_interval(one: Sequence[float], other: Sequence[float]) -> Interval | None:
    """Return how far the mean of `one` is above that of `other`, drawn apart; None where either is empty."""
    if not (one and other):
        return None
    chance = np.random.default_rng(SEED)
    gaps = _resampled_means(one, chance) - _resampled_means(other, chance)
    return _percentiles(gaps, fmean(one) - fmean(other))


def _resampled_means(values: Sequence[float], chance: np.random.Generator) -> Drawn:
    sample = np.asarray(values, dtype=float)
    means: Drawn = chance.choice(sample, (RESAMPLES, len(values))).mean(axis=1)
    return means


def _percentiles(drawn: Drawn, estimate: float) -> Interval:
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Interval(estimate, float(low), float(high))
