"""What memory changed, measure by measure: the same seeds with it and without it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean
from typing import Final, NamedTuple

from agent.bench.experience.games import Game
from agent.bench.pairs import Paired
from agent.eval import Interval, mean_interval

FEWEST: Final = 20  # pairs on which a bootstrap is worth anything


class Measure(NamedTuple):
    """A figure of a game of which less is better."""

    what: str
    of: Callable[[Game], int]
    is_share: bool = False  # of the games: 1 or 0 in each


TICKS: Final = Measure("ticks", lambda game: game.ticks)
FRAMES: Final = Measure("frames", lambda game: game.frames)
TURNS: Final = Measure("turns of battle", lambda game: game.turns)
LOST: Final = Measure("battles lost", lambda game: game.lost)
BLACKOUTS: Final = Measure("white-outs", lambda game: game.blackouts)
MEASURES: Final = (
    TICKS,
    FRAMES,
    Measure("battles", lambda game: game.battles),
    TURNS,
    LOST,
    Measure("lost any battle", lambda game: int(game.lost > 0), is_share=True),
    BLACKOUTS,
    Measure("stuck episodes", lambda game: game.episodes),
    Measure("restores", lambda game: game.restores),
    Measure("did not get there", lambda game: int(not game.reached), is_share=True),
)


class Verdict(Enum):
    """What an interval says of something of which less is better."""

    HELPS = "helps"
    HARMS = "harms"
    NOTHING = "no difference shown"
    TOO_FEW = "too few games to say"


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure in pairs: the means of both, their difference with its interval, and who had less how often.

    The first of `signs` are the pairs in which the game with memory took less.
    """

    measure: Measure
    with_it: float
    without_it: float
    gap: Interval
    signs: Paired

    @property
    def same(self) -> int:
        """How many pairs do not differ."""
        return self.signs.both + self.signs.neither

    @property
    def p_value(self) -> float:
        """The exact two-sided sign test on the pairs that differ."""
        return self.signs.p_value()

    @property
    def verdict(self) -> Verdict:
        """What the interval says, which is too narrow where there are few pairs."""
        return verdict(self.gap) if self.signs.count >= FEWEST else Verdict.TOO_FEW


def verdict(gap: Interval) -> Verdict:
    """Say what the interval of a difference says; one that holds 0 shows none."""
    if gap.high < 0:
        return Verdict.HELPS
    return Verdict.HARMS if gap.low > 0 else Verdict.NOTHING


def difference(measure: Measure, with_it: Sequence[Game], without_it: Sequence[Game]) -> Difference:
    """Compare the games of the same seeds, in the same order; there must be some."""
    pairs = [
        (measure.of(one), measure.of(other)) for one, other in zip(with_it, without_it, strict=True)
    ]
    return Difference(
        measure,
        fmean(one for one, _ in pairs),
        fmean(other for _, other in pairs),
        _share_gap(pairs) if measure.is_share else _mean_gap(pairs),
        Paired.of((one < other, other < one) for one, other in pairs),
    )


def _share_gap(pairs: Sequence[tuple[int, int]]) -> Interval:
    counts = Paired.of((bool(one), bool(other)) for one, other in pairs)
    return Interval(counts.difference, *counts.interval())


def _mean_gap(pairs: Sequence[tuple[int, int]]) -> Interval:
    gap = mean_interval([one - other for one, other in pairs])
    if gap is None:
        message = "there are no games to compare"
        raise ValueError(message)
    return gap
