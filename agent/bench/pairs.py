"""Outcomes in pairs: how much oftener one side of the pairs won, and how sure that is."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple, Self

LEVEL: Final = 0.95


class Interval(NamedTuple):
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

    def rate_intervals(self, level: float = LEVEL) -> tuple[Interval, Interval]:
        """Return Wilson's intervals of the two shares."""
        one, other = self.rates
        return _wilson(one, self.count, level), _wilson(other, self.count, level)

    @property
    def difference(self) -> float:
        """By how much the first share is above the second."""
        return (self.first - self.second) / self.count

    def interval(self, level: float = LEVEL) -> Interval:
        """Return the interval of the difference by Newcombe's method 10 (1998): Wilson scores, squared and added."""
        one, other = self.rates
        (low, high), (other_low, other_high) = self.rate_intervals(level)
        phi = self._correlation()
        below = (one - low, other_high - other)
        above = (high - one, other - other_low)
        return Interval(
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


def _wilson(rate: float, count: int, level: float) -> Interval:
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = rate + z * z / (2 * count)
    reach = z * sqrt(rate * (1 - rate) / count + (z / (2 * count)) ** 2)
    scale = 1 + z * z / count
    return Interval((middle - reach) / scale, (middle + reach) / scale)


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(one**2 - 2 * phi * one * other + other**2, 0.0))
