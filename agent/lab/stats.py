"""Statistics of measurements: spreads and rounds, outcomes in pairs, and estimates with their 95% interval."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb, sqrt
from statistics import NormalDist, fmean, median
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Distribution:
    """What many measurements of one thing came to."""

    mean: float
    p50: float
    p99: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return the spread of at least one value."""
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
    def of(cls, values: Sequence[float]) -> Self:
        """Return the rounds of at least one value."""
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class StretchFigures:
    """A stretch of play: how it went, and our share of it. Times in microseconds.

    PyBoy's own saving of its state is not ours, but nobody else asks for it: one ratio has it on our side.
    """

    ticks: int
    frames_per_tick: Distribution
    overhead_us: Distribution
    ours_us_per_frame: Rounds
    saving_us_per_frame: Rounds
    console_us_per_frame: Rounds
    speed_ratio: Rounds
    speed_ratio_with_saving: Rounds


@dataclass(frozen=True, slots=True)
class Decoding:
    """What decoding all of the cartridge's tables takes, from the image on."""

    what: str
    ms: float


@dataclass(frozen=True, slots=True)
class ReaderFigures:
    """How one reader of screens did; `accuracy` is the share of characters that are as the tile map says."""

    screens: int
    accuracy: float
    perfect: int
    ms: Distribution


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """All that `bench` measures; `tesseract` is None where it is not installed."""

    cartridge: str
    seed: int
    ticks: int
    rounds: int
    reference_us_per_frame: Rounds
    stretches: Mapping[str, StretchFigures]
    parts_us: Mapping[str, Distribution]
    timed_us: (
        float  # what a tick took while its parts were timed, with everything that no part names
    )
    plans: int
    plan_us: Distribution | None
    decoding: Sequence[Decoding]
    glyphs: ReaderFigures
    tesseract: ReaderFigures | None

    @property
    def speed_ratio(self) -> Rounds:
        """The share of the reference's time in that of the reference and ours, over all of play."""
        return self.stretches["all"].speed_ratio

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types, the figure that matters first."""
        return {"speed_ratio": self.speed_ratio.median, **asdict(self)}


LEVEL: Final = 0.95


class IntervalBounds(NamedTuple):
    """From the lowest to the highest value that the figures allow."""

    low: float
    high: float


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
        return cls(
            *[
                found.count(each)
                for each in ((True, True), (True, False), (False, True), (False, False))
            ]
        )

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return self.both + self.first + self.second + self.neither

    @property
    def rates(self) -> tuple[float, float]:
        """The shares that the first and the second won."""
        return (self.both + self.first) / self.count, (self.both + self.second) / self.count

    def rate_intervals(self, level: float = LEVEL) -> tuple[IntervalBounds, IntervalBounds]:
        """Return Wilson's intervals of the two shares."""
        one, other = self.rates
        return _wilson(one, self.count, level), _wilson(other, self.count, level)

    @property
    def difference(self) -> float:
        """By how much the first share is above the second."""
        return (self.first - self.second) / self.count

    def interval(self, level: float = LEVEL) -> IntervalBounds:
        """Return the interval of the difference by Newcombe's method 10 (1998): Wilson scores, squared and added."""
        one, other = self.rates
        (low, high), (other_low, other_high) = self.rate_intervals(level)
        phi = self._correlation()
        below = (one - low, other_high - other)
        above = (high - one, other - other_low)
        return IntervalBounds(
            self.difference - _joined(*below, phi), self.difference + _joined(*above, phi)
        )

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


def _wilson(rate: float, count: int, level: float) -> IntervalBounds:
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = rate + z * z / (2 * count)
    reach = z * sqrt(rate * (1 - rate) / count + (z / (2 * count)) ** 2)
    scale = 1 + z * z / count
    return IntervalBounds((middle - reach) / scale, (middle + reach) / scale)


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(one**2 - 2 * phi * one * other + other**2, 0.0))


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
