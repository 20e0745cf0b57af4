"""The same seeds and memory with a model and by rules alone: what the model changed, game by game.

A difference is that of the game with the model minus the one by rules, so that less than zero is faster. Its 95% interval
is Student's over the pairs. Pairs in which a game did not reach the milestone have no difference.
"""

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from agent.lab.eval import EvalGame, EvalResults
from agent.lab.stats import Interval, few_interval
from agent.tools.report.words import counted

Unit = Literal["frame", "tick"]
UNITS: Final[tuple[Unit, ...]] = ("frame", "tick")  # the measure that counts comes first
FEWEST: Final = 6  # pairs that can show a difference


def signed(amount: float) -> str:
    """Return a whole number with its sign; zero has none."""
    return f"{round(amount):+,}" if round(amount) else "0"


class PairDifference(NamedTuple):
    """The mean difference in frames or ticks to one milestone, of so many pairs that reached it."""

    milestone: str
    unit: Unit
    pairs: int
    interval: Interval | None  # None without a pair

    @property
    def finding(self) -> str:
        """What the interval shows."""
        if self.interval is None or self.pairs < FEWEST:
            return "too few pairs"
        if self.interval.high < 0:
            return "faster"
        return "slower" if self.interval.low > 0 else "no difference shown"

    def __str__(self) -> str:
        if self.interval is None:
            return f"no pair reached {self.milestone}"
        mean, low, high = (signed(each) for each in self.interval)
        bounds = f"95%: {low} to {high}: " if self.pairs >= FEWEST else ""
        return f"{mean} {self.unit}s ({bounds}{self.finding})"


@dataclass(frozen=True, slots=True)
class PairedGames:
    """The games with a model, and those of the same seeds by rules alone."""

    advised: EvalResults
    rules: EvalResults

    @property
    def pairs(self) -> list[tuple[EvalGame, EvalGame]]:
        """The games with a model beside those by rules, by seed; seeds of only one are left out."""
        by_seed = {game.seed: game for game in self.rules.games}
        return [(game, by_seed[game.seed]) for game in self.advised.games if game.seed in by_seed]

    def difference(self, milestone: str, unit: Unit) -> PairDifference:
        """Return the mean difference to a milestone."""
        found = [
            float(
                getattr(one.milestones[milestone], unit)
                - getattr(other.milestones[milestone], unit)
            )
            for one, other in self.pairs
            if milestone in one.milestones and milestone in other.milestones
        ]
        return PairDifference(milestone, unit, len(found), few_interval(found) if found else None)

    def __str__(self) -> str:
        """One line: what the model changed on the way to the goal, and its cost."""
        until = self.advised.until
        frames, ticks = (self.difference(until, unit) for unit in UNITS)
        seeds, of = counted(len(self.pairs), "seed"), len(self.pairs)
        one, other = (sum(until in each[arm].milestones for each in self.pairs) for arm in (0, 1))
        lost = f"; reached by {one} of {of} with the model, {other} of {of} by rules"
        if frames.interval is None:
            return f"{self.advised.decided_by}, on {seeds}: {frames}{lost}"
        return (
            f"{self.advised.decided_by}, against rules alone on {seeds}, to {until}: {frames},"
            f" {ticks}{lost if frames.pairs < of else ''}; {self.advised.cost_words}"
        )

    def as_json(self) -> dict[str, Any]:
        """Return the differences to each milestone, and the figures of the games by rules, in plain JSON types."""
        differences = {
            milestone: {
                f"{unit}s": {
                    "pairs": found.pairs,
                    "difference": found.interval and [round(each, 1) for each in found.interval],
                    "finding": found.finding,
                }
                for unit in UNITS
                for found in [self.difference(milestone, unit)]
            }
            for milestone in self.advised.milestones
        }
        summary = self.rules.as_json()["summary"]
        return {"pairs": len(self.pairs), "differences": differences, "rules": summary}
