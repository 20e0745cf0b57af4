"""Statistics of measurements: distributions, outcomes in pairs, and estimates with their 95% interval.

The same data give the same figures: what is drawn is drawn with a fixed seed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean, median
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Z: Final = 1.959963984540054  # of a normal distribution, 97.5 percent below it
RESAMPLES: Final = 2_000
SEED: Final = 0

Values: TypeAlias = Sequence[float]
Drawn: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Distribution:
    """What many measurements of one thing came to."""

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

    def text(self, unit: str, digits: int = 1) -> str:
        """Return mean, median and 99th percentile."""
        shown = ", ".join(f"{each:.{digits}f}" for each in (self.mean, self.p50, self.p99))
        return f"{shown} {unit}".rstrip()


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

    def text(self, unit: str = "", digits: int = 3) -> str:
        """Return the median with its range."""
        middle, low, high = (f"{each:.{digits}f}" for each in (self.median, self.low, self.high))
        return f"{middle}{unit} ({low} to {high})"


class Interval(NamedTuple):
    """An estimate and its 95% interval."""

    estimate: float
    low: float
    high: float

    def text(self, form: str) -> str:
        """Return all three, each formatted as `form` says."""
        estimate, low, high = (format(each, form) for each in self)
        return f"{estimate} ({low} to {high})"


def share_interval(times: int, of: int) -> Interval:
    """Return a share by Wilson's interval, which is right at 0 and 1 as well; of nothing, all is possible."""
    if of == 0:
        return Interval(0.0, 0.0, 1.0)
    share, weight = times / of, Z * Z / of
    centre = (share + weight / 2) / (1 + weight)
    reach = Z * sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return Interval(share, max(0.0, centre - reach), min(1.0, centre + reach))


def median_interval(values: Values) -> Interval | None:
    """Return the median by the percentile bootstrap, or None where there are no values."""
    return _bootstrap(values, np.median) if values else None


def mean_interval(values: Values) -> Interval | None:
    """Return the mean by the percentile bootstrap, or None where there are no values."""
    return _bootstrap(values, np.mean) if values else None


def mean_gap_interval(one: Values, other: Values) -> Interval | None:
    """Return how far the mean of `one` is above that of `other`, drawn apart; None where either is empty."""
    if not (one and other):
        return None
    chance = np.random.default_rng(SEED)
    gaps = _resampled(one, np.mean, chance) - _resampled(other, np.mean, chance)
    return _percentiles(gaps, fmean(one) - fmean(other))


def _bootstrap(values: Values, statistic: Callable[..., Drawn]) -> Interval:
    drawn = _resampled(values, statistic, np.random.default_rng(SEED))
    return _percentiles(drawn, float(statistic(np.asarray(values, dtype=float))))


def _resampled(
    values: Values, statistic: Callable[..., Drawn], chance: np.random.Generator
) -> Drawn:
    sample = np.asarray(values, dtype=float)
    return statistic(chance.choice(sample, (RESAMPLES, len(values))), axis=1)


def _percentiles(drawn: Drawn, estimate: float) -> Interval:
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Interval(estimate, float(low), float(high))


@dataclass(frozen=True, slots=True)
class Paired:
    """How many pairs both won, only the first, only the second, and neither."""

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
        """How many pairs there are."""
        return self.both + self.first + self.second + self.neither

    @property
    def rates(self) -> tuple[Interval, Interval]:
        """The shares that the first and the second won."""
        return (
            share_interval(self.both + self.first, self.count),
            share_interval(self.both + self.second, self.count),
        )

    def interval(self) -> Interval:
        """Return by how much the first share is above the second, by Newcombe's method 10 (1998)."""
        one, other = self.rates
        difference = (self.first - self.second) / self.count
        below = _joined(one.estimate - one.low, other.high - other.estimate, self._correlation())
        above = _joined(one.high - one.estimate, other.estimate - other.low, self._correlation())
        return Interval(difference, difference - below, difference + above)

    def p_value(self) -> float:
        """Return the exact two-sided McNemar test: how likely so uneven a split is when neither is better."""
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
