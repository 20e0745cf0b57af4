"""Figures over many measurements, and what `bench` found out, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Spread:
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
class Stretch:
    """A stretch of play: how it went, and our share of it. Times in microseconds.

    PyBoy's own saving of its state is not ours, but nobody else asks for it: one ratio has it on our side.
    """

    ticks: int
    frames_per_tick: Spread
    overhead_us: Spread
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
class Reading:
    """How one reader of screens did; `accuracy` is the share of characters that are as the tile map says."""

    screens: int
    accuracy: float
    perfect: int
    ms: Spread


@dataclass(frozen=True, slots=True)
class Figures:
    """All that `bench` measures; `tesseract` is None where it is not installed."""

    cartridge: str
    seed: int
    ticks: int
    rounds: int
    reference_us_per_frame: Rounds
    stretches: Mapping[str, Stretch]
    parts_us: Mapping[str, Spread]
    timed_us: (
        float  # what a tick took while its parts were timed, with everything that no part names
    )
    plans: int
    plan_us: Spread | None
    decoding: Sequence[Decoding]
    glyphs: Reading
    tesseract: Reading | None

    @property
    def speed_ratio(self) -> Rounds:
        """The share of the reference's time in that of the reference and ours, over all of play."""
        return self.stretches["all"].speed_ratio

    def as_json(self) -> Mapping[str, Any]:
        """Return the object in plain JSON types, the figure that matters first."""
        return {"speed_ratio": self.speed_ratio.median, **asdict(self)}
