"""Statistics of measurements: distributions, outcomes in pairs, and estimates with their 95% interval.

The same data give the same figures: random samples use a fixed seed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean, median, stdev
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Z: Final = 1.959963984540054  # of a normal distribution, 97.5 percent below it
RESAMPLES: Final = 2_000
SEED: Final = 0

Values: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of many measurements."""

    mean: float
    p50: float
    p99: float
    high: float

    @classmethod
    def of(cls, values: Values) -> Self:
        """Return the distribution of at least one value."""
        ordered = sorted(values)
        p99 = ordered[99 * (len(ordered) - 1) // 100]
        return cls(fmean(ordered), median(ordered), p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class Rounds:
    """The median of several rounds, and the lowest and the highest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Values) -> Self:
        """Return the rounds of at least one value."""
        return cls(median(values), min(values), max(values))


class Interval(NamedTuple):
    """An estimate and its 95% interval."""

    estimate: float
    low: float
    high: float


def share_interval(times: int, of: int) -> Interval:
    """Return a share with Wilson's interval, which is valid at 0 and 1 as well; for no data it is 0 to 1."""
    if of == 0:
        return Interval(0.0, 0.0, 1.0)
    share, weight = times / of, Z * Z / of
    centre = (share + weight / 2) / (1 + weight)
    reach = Z * sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def median_interval(values: Values) -> Interval | None:
    """Return the median by the percentile bootstrap, or None without values."""
    return _bootstrap(values, np.median) if values else None


def mean_interval(values: Values) -> Interval:
    """Return the mean of at least one value by the percentile bootstrap."""
    return _bootstrap(values, np.mean)


def few_interval(values: Values) -> Interval:
    """Return the mean of at least one value by Student's distribution, which fits few values better than a bootstrap."""
    mean, free = fmean(values), len(values) - 1
    reach = _student(free) * stdev(values) / sqrt(len(values)) if free else 0.0
    return Interval(mean, mean - reach, mean + reach)


def _student(free: int) -> float:
    """Return what 97.5 percent of Student's distribution is below; above four degrees of freedom by Cornish and Fisher."""
    if free <= 4:
        return (12.7062, 4.3027, 3.1824, 2.7764)[free - 1]
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + first / free + second / free**2 + third / free**3


def _bootstrap(values: Values, statistic: Callable[..., NDArray[np.float64]]) -> Interval:
    sample = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(SEED).choice(sample, (RESAMPLES, len(values)))
    low, high = np.percentile(statistic(drawn, axis=1), (2.5, 97.5))
    return Interval(float(statistic(sample)), float(low), float(high))


@dataclass(frozen=True, slots=True)
class Paired:
    """The number of pairs that both won, only the first, only the second, and neither."""

    both: int
    first: int
    second: int
    neither: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Self:
        """Return the counts of these pairs."""
        found = list(pairs)
        kinds = ((True, True), (True, False), (False, True), (False, False))
        return cls(*[found.count(each) for each in kinds])

    @property
    def count(self) -> int:
        """The number of pairs."""
        return self.both + self.first + self.second + self.neither

    @property
    def rates(self) -> tuple[Interval, Interval]:
        """The shares won by the first and by the second."""
        return (
            share_interval(self.both + self.first, self.count),
            share_interval(self.both + self.second, self.count),
        )

    def interval(self) -> Interval:
        """Return the first share minus the second, by Newcombe's method 10 (1998)."""
        one, other = self.rates
        difference = (self.first - self.second) / self.count
        below = _joined(one.estimate - one.low, other.high - other.estimate, self._correlation())
        above = _joined(one.high - one.estimate, other.estimate - other.low, self._correlation())
        return Interval(difference, difference - below, difference + above)

    def p_value(self) -> float:
        """Return the p-value of the exact two-sided McNemar test."""
        uneven = self.first + self.second
        tail = sum(comb(uneven, k) for k in range(min(self.first, self.second) + 1))
        return min(2 * tail / (1 << uneven), 1.0)

    def _correlation(self) -> float:
        a, b, c, d = self.both, self.first, self.second, self.neither
        product = float((a + b) * (c + d) * (a + c) * (b + d))
        if not product:
            return 0.0
        lean = float(a * d - b * c)
        # Positive correlation is weakened, so that the interval does not become too narrow.
        lean = max(lean - self.count / 2, 0.0) if lean > 0 else lean
        return float(lean / sqrt(product))


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(one**2 - 2 * phi * one * other + other**2, 0.0))
