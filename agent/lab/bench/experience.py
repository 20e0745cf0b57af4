"""What memory changed, measure by measure: the same seeds with it and without it, and beside committed games."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.experience import MemoryUse
from agent.lab.bench.trials import EMPTY, TAUGHT, Arm, TaughtMemory, TrialGame, Trials
from agent.lab.eval import Committed, GameRow
from agent.lab.stats import Interval, Paired, mean_gap_interval, mean_interval

FEWEST: Final = 20  # pairs on which a bootstrap is worth anything


class Measure(NamedTuple):
    """A figure of a game of which less is better."""

    what: str
    of: Callable[[TrialGame], int]
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


class EffectVerdict(Enum):
    """What an interval says of something of which less is better."""

    HELPS = "helps"
    HARMS = "harms"
    NOTHING = "no difference shown"
    TOO_FEW = "too few games to say"


@dataclass(frozen=True, slots=True)
class PairedDifference:
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
    def verdict(self) -> EffectVerdict:
        """What the interval says, which is too narrow where there are few pairs."""
        return verdict(self.gap) if self.signs.count >= FEWEST else EffectVerdict.TOO_FEW


def verdict(gap: Interval) -> EffectVerdict:
    """Say what the interval of a difference says; one that holds 0 shows none."""
    if gap.high < 0:
        return EffectVerdict.HELPS
    return EffectVerdict.HARMS if gap.low > 0 else EffectVerdict.NOTHING


def difference(
    measure: Measure, with_it: Sequence[TrialGame], without_it: Sequence[TrialGame]
) -> PairedDifference:
    """Compare the games of the same seeds, in the same order; there must be some."""
    pairs = [
        (measure.of(one), measure.of(other)) for one, other in zip(with_it, without_it, strict=True)
    ]
    return PairedDifference(
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


class Beside(NamedTuple):
    """One measure of both: the means, and the difference of the empty arm to the page."""

    what: str
    here: float
    there: float
    gap: Interval

    @property
    def verdict(self) -> EffectVerdict:
        """Whether the empty arm takes less, more, or neither that can be shown."""
        return verdict(self.gap)

    @property
    def is_worse(self) -> bool:
        """Whether the empty arm is worse than the page."""
        return self.verdict is EffectVerdict.HARMS

    def as_json(self) -> dict[str, Any]:
        """Return it in plain JSON types."""
        return {
            "here": self.here,
            "there": self.there,
            "difference": self.gap._asdict(),
            "worse": self.is_worse,
        }


# Those of a whole game, which can be compared where both were played to the same milestone.
WHOLE: Final[tuple[tuple[str, Callable[[TrialGame], int], Callable[[GameRow], int]], ...]] = (
    (FRAMES.what, FRAMES.of, lambda row: row.frames),
    (LOST.what, LOST.of, lambda row: row.battles_lost),
    (BLACKOUTS.what, BLACKOUTS.of, lambda row: row.blackouts),
    ("stuck episodes", lambda game: game.episodes, lambda row: row.episodes),
    ("restores", lambda game: game.restores, lambda row: row.restores),
)


def beside(
    games: Sequence[TrialGame], committed: Committed, until: str, limit: int
) -> Iterator[Beside]:
    """Yield the measures that both have; who did not get there counts as if at the limit."""
    if until not in committed.milestones:
        return
    there = [row.ticks.get(until, limit) for row in committed.games]
    yield from _compared("ticks", [game.ticks for game in games], there)
    if until == committed.milestones[-1]:
        for what, here_of, there_of in WHOLE:
            here = [here_of(game) for game in games]
            yield from _compared(what, here, [there_of(row) for row in committed.games])


def _compared(what: str, here: Sequence[int], there: Sequence[int]) -> Iterator[Beside]:
    gap = mean_gap_interval(here, there)
    if gap is not None:
        yield Beside(what, fmean(here), fmean(there), gap)


class ExperimentPlan(NamedTuple):
    """How the experiment is done, as the command line says it."""

    teach: str
    seeds: str
    until: str
    limit: int
    each_use: bool


class UseOff(NamedTuple):
    """What one use of memory is worth: the taught games against the same without it.

    `changed` counts the games that are another with it; `moved` the decisions it changed in the taught games, and
    in how many of them it did, where runs tell that.
    """

    use: MemoryUse
    differences: tuple[PairedDifference, ...]
    changed: int
    moved: tuple[int, int] | None


class ActionTicks(NamedTuple):
    """How many ticks of a game went into something, on average."""

    what: str
    taught: float
    empty: float


@dataclass(frozen=True, slots=True)
class Experiment:
    """What was done and found; `committed` are the games that the empty arm is held against."""

    plan: ExperimentPlan
    cartridge: str
    sha1: str
    trials: Trials
    lessons: TaughtMemory
    committed: Committed | None

    @property
    def games(self) -> int:
        """How many seeds were played."""
        return len(self.trials.of(TAUGHT))

    def pays(self) -> tuple[PairedDifference, ...]:
        """Return every measure, taught against empty."""
        return self._differences(EMPTY)

    def uses(self) -> Iterator[UseOff]:
        """Yield what each use is worth that was switched off."""
        taught = self.trials.of(TAUGHT)
        for arm in self.trials.arms:
            if arm.without is None:
                continue
            pairs = zip(taught, self.trials.of(arm), strict=True)
            changed = sum((a.ticks, a.frames) != (b.ticks, b.frames) for a, b in pairs)
            yield UseOff(arm.without, self._differences(arm), changed, self._moved(arm.without))

    def beside(self) -> tuple[Beside, ...]:
        """Return the empty games beside those of the committed page; nothing of another cartridge's."""
        if self.committed is None or self.committed.sha1 != self.sha1:
            return ()
        plan = self.plan
        return tuple(beside(self.trials.of(EMPTY), self.committed, plan.until, plan.limit))

    def ways(self, arm: Arm) -> Mapping[str, int]:
        """Return how many games of an arm took which way."""
        taken = Counter(
            f"{choice} {way}"
            for game in self.trials.of(arm)
            for choice, way in game.choices.items()
        )
        return dict(sorted(taken.items()))

    def by_way(self) -> Iterator[tuple[str, PairedDifference]]:
        """Yield the ticks of the pairs whose empty game took the same ways, which memory may have had it leave."""
        groups: dict[str, list[tuple[TrialGame, TrialGame]]] = {}
        for pair in zip(self.trials.of(TAUGHT), self.trials.of(EMPTY), strict=True):
            ways = ", ".join(f"{choice} {way}" for choice, way in sorted(pair[1].choices.items()))
            groups.setdefault(ways or "none", []).append(pair)
        for ways, pairs in sorted(groups.items()):
            taught, empty = zip(*pairs, strict=True)
            yield ways, difference(TICKS, taught, empty)

    def deeds(self) -> tuple[ActionTicks, ...]:
        """Return where the ticks go, the most of them first."""
        taught, empty = self.trials.of(TAUGHT), self.trials.of(EMPTY)
        names = {name for game in (*taught, *empty) for name in game.deeds}
        found = [
            ActionTicks(
                name, *(fmean(g.deeds.get(name, 0) for g in games) for games in (taught, empty))
            )
            for name in sorted(names)
        ]
        return tuple(sorted(found, key=lambda deed: -deed.empty))

    def _differences(self, arm: Arm) -> tuple[PairedDifference, ...]:
        taught, other = self.trials.of(TAUGHT), self.trials.of(arm)
        return tuple(difference(measure, taught, other) for measure in MEASURES)

    def _moved(self, use: MemoryUse) -> tuple[int, int] | None:
        told = [game.moved for game in self.trials.of(TAUGHT) if game.moved is not None]
        counts = [moved.get(use.value, 0) for moved in told]
        return (sum(counts), sum(count > 0 for count in counts)) if told else None


def experiment_json(experiment: Experiment) -> dict[str, Any]:
    """Return all figures, and every game, in plain JSON types."""
    trials = experiment.trials
    return {
        **experiment.plan._asdict(),
        "games": experiment.games,
        "lessons": dict(experiment.lessons.rows),
        "pays": {each.measure.what: _figures(each) for each in experiment.pays()},
        "uses": {
            off.use.value: {
                "changed": off.changed,
                "moved": off.moved,
                **{each.measure.what: _figures(each) for each in off.differences},
            }
            for off in experiment.uses()
        },
        "by_way": {ways: _figures(each) for ways, each in experiment.by_way()},
        "beside": {each.what: each.as_json() for each in experiment.beside()},
        "deeds": {each.what: [each.taught, each.empty] for each in experiment.deeds()},
        "played": {arm.name: [asdict(game) for game in trials.of(arm)] for arm in trials.arms},
    }


def _figures(found: PairedDifference) -> dict[str, Any]:
    return {
        "with": found.with_it,
        "without": found.without_it,
        "difference": found.gap._asdict(),
        "better": found.signs.first,
        "same": found.same,
        "worse": found.signs.second,
        "p": found.p_value,
        "verdict": found.verdict.value,
    }
