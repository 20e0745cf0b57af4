"""What memory changed, measure by measure: the same seeds with it and without it, and beside a published evaluation.

The games of some seeds are played one after the other with one memory. Then each game of other seeds is played once in
each arm: taught (with a copy of that memory), empty, and taught without one use of it. Every difference is with memory
less without it, in pairs of the same seed; less is better in all that is measured. Means have the interval of a
bootstrap over the pairs, shares that of Newcombe's method 10; p is the exact two-sided sign test on the pairs that
differ. Nothing is corrected for looking at several measures. One memory was taught: intervals tell how far the seeds
tested may mislead, not what other lessons would have taught.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from statistics import fmean
from typing import Any, Final, NamedTuple

from agent.experience import MemoryUse
from agent.lab.bench.trials import EMPTY, TAUGHT, Arm, TaughtMemory, TrialGame, Trials
from agent.lab.eval import Committed
from agent.lab.publish import Findings, Row
from agent.lab.stats import Interval, Paired, mean_gap_interval, mean_interval

FEWEST: Final = 20  # pairs on which a bootstrap is worth anything


class Measure(NamedTuple):
    """A figure of a game of which less is better; `committed` is its name in a published evaluation."""

    what: str
    of: Callable[[TrialGame], int]
    is_share: bool = False  # of the games: 1 or 0 in each
    committed: str = ""


TICKS: Final = Measure("ticks", lambda game: game.ticks)
MEASURES: Final = (
    TICKS,
    Measure("frames", lambda game: game.frames, committed="frames"),
    Measure("battles", lambda game: game.battles),
    Measure("turns of battle", lambda game: game.turns),
    Measure("battles lost", lambda game: game.lost, committed="battles_lost"),
    Measure("lost any battle", lambda game: int(game.lost > 0), is_share=True),
    Measure("white-outs", lambda game: game.blackouts, committed="blackouts"),
    Measure("stuck episodes", lambda game: game.episodes, committed="episodes"),
    Measure("restores", lambda game: game.restores, committed="restores"),
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
    """One measure in pairs: the means of both, their difference with its interval, and how often which had less.

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
    def verdict(self) -> EffectVerdict:
        """What the interval says, which is too narrow where there are few pairs; one that holds 0 shows nothing."""
        if self.signs.count < FEWEST:
            return EffectVerdict.TOO_FEW
        if self.gap.high < 0:
            return EffectVerdict.HELPS
        return EffectVerdict.HARMS if self.gap.low > 0 else EffectVerdict.NOTHING

    def as_json(self) -> dict[str, Any]:
        """Return it in plain JSON types."""
        return {
            "with": self.with_it,
            "without": self.without_it,
            "difference": self.gap._asdict(),
            "better": self.signs.first,
            "same": self.same,
            "worse": self.signs.second,
            "p": self.signs.p_value(),
            "verdict": self.verdict.value,
        }

    def row(self, what: str) -> Row:
        """Return it as people read it."""
        return {
            "of a game": what,
            "with": self.with_it,
            "without": self.without_it,
            "difference": self.gap,
            "less, same, more": f"{self.signs.first}, {self.same}, {self.signs.second}",
            "p": f"{self.signs.p_value():.2g}",
            "memory": self.verdict.value,
        }


def difference(
    measure: Measure, with_it: Sequence[TrialGame], without_it: Sequence[TrialGame]
) -> PairedDifference:
    """Compare the games of the same seeds, in the same order; there must be some."""
    ones, others = ([measure.of(game) for game in games] for games in (with_it, without_it))
    pairs = list(zip(ones, others, strict=True))
    if measure.is_share:
        gap: Interval | None = Paired.of((bool(a), bool(b)) for a, b in pairs).interval()
    else:
        gap = mean_interval([a - b for a, b in pairs])
    if gap is None:
        message = "there are no games to compare"
        raise ValueError(message)
    signs = Paired.of((a < b, b < a) for a, b in pairs)
    return PairedDifference(measure, fmean(ones), fmean(others), gap, signs)


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


@dataclass(frozen=True, slots=True)
class Experiment:
    """What was done and found; `committed` are the games that the empty arm is held against."""

    plan: ExperimentPlan
    cartridge: str
    sha1: str
    trials: Trials
    lessons: TaughtMemory
    committed: Committed | None

    def pays(self) -> tuple[PairedDifference, ...]:
        """Return every measure, taught against empty."""
        return self._differences(EMPTY)

    def uses(self) -> Iterator[UseOff]:
        """Yield what each use is worth that was switched off."""
        taught = self.trials.of(TAUGHT)
        told = [game.moved for game in taught if game.moved is not None]
        for arm in self.trials.arms:
            if arm.without is None:
                continue
            pairs = zip(taught, self.trials.of(arm), strict=True)
            changed = sum((a.ticks, a.frames) != (b.ticks, b.frames) for a, b in pairs)
            counts = [moved.get(arm.without.value, 0) for moved in told]
            moved = (sum(counts), sum(count > 0 for count in counts)) if told else None
            yield UseOff(arm.without, self._differences(arm), changed, moved)

    def by_way(self) -> dict[str, PairedDifference]:
        """Return the ticks of the pairs by the choices of the empty game, which memory may have had it leave."""
        groups: dict[str, list[tuple[TrialGame, TrialGame]]] = {}
        for pair in zip(self.trials.of(TAUGHT), self.trials.of(EMPTY), strict=True):
            ways = ", ".join(f"{choice} {way}" for choice, way in sorted(pair[1].choices.items()))
            groups.setdefault(ways or "none", []).append(pair)
        return {
            ways: difference(TICKS, *zip(*pairs, strict=True))
            for ways, pairs in sorted(groups.items())
        }

    def beside(self) -> dict[str, dict[str, Any]]:
        """Return the empty games beside the committed ones of the same cartridge, on other seeds.

        A game that did not get there counts as if at the limit.
        """
        games, found, until = self.trials.of(EMPTY), self.committed, self.plan.until
        if found is None or found.sha1 != self.sha1 or until not in found.milestones:
            return {}
        there = {TICKS: [row[f"{until}_tick"] or self.plan.limit for row in found.games]}
        if until == found.milestones[-1]:
            there |= {
                each: [row[each.committed] for row in found.games]
                for each in MEASURES
                if each.committed
            }
        return {
            measure.what: _compared([measure.of(game) for game in games], values)
            for measure, values in there.items()
            if games and values
        }

    def deeds(self) -> dict[str, list[float]]:
        """Return how many ticks of a taught and of an empty game went into what, on average, the most first."""
        arms = self.trials.of(TAUGHT), self.trials.of(EMPTY)
        names = sorted({name for games in arms for game in games for name in game.deeds})
        found = {
            name: [fmean(game.deeds.get(name, 0) for game in games) for games in arms]
            for name in names
        }
        return dict(sorted(found.items(), key=lambda each: -each[1][1]))

    def findings(self) -> Findings:
        """Return all figures, and every game."""
        trials, uses, pays = self.trials, list(self.uses()), self.pays()
        games = len(trials.of(TAUGHT))
        figures = {
            **self.plan._asdict(),
            "games": games,
            "lessons": dict(self.lessons.rows),
            "pays": {each.measure.what: each.as_json() for each in pays},
            "uses": {
                off.use.value: {
                    "changed": off.changed,
                    "moved": off.moved,
                    **{each.measure.what: each.as_json() for each in off.differences},
                }
                for off in uses
            },
            "by_way": {ways: each.as_json() for ways, each in self.by_way().items()},
            "beside": self.beside(),
            "deeds": self.deeds(),
            "played": {arm.name: [asdict(game) for game in trials.of(arm)] for arm in trials.arms},
        }
        title = f"bench experience: {self.cartridge}, {games} seeds to {self.plan.until}, in pairs"
        paying = [each.row(each.measure.what) for each in pays]
        using = [_use_row(off) for off in uses]

        def draw() -> bytes:
            from agent.lab.plots import intervals_plot

            gaps = {"all of memory": _ticks(pays).gap}
            gaps |= {off.use.value: _ticks(off.differences).gap for off in uses}
            return intervals_plot({"95%": gaps}, "ticks with it less ticks without it")

        return Findings(title, figures, [paying, using], draw=draw)

    def _differences(self, arm: Arm) -> tuple[PairedDifference, ...]:
        taught, other = self.trials.of(TAUGHT), self.trials.of(arm)
        return tuple(difference(measure, taught, other) for measure in MEASURES)


def _compared(here: Sequence[int], there: Sequence[int]) -> dict[str, Any]:
    gap = mean_gap_interval(here, there)
    assert gap is not None
    worse = gap.low > 0
    return {
        "here": fmean(here),
        "there": fmean(there),
        "difference": gap._asdict(),
        "worse": worse,
    }


def _use_row(off: UseOff) -> Mapping[str, Any]:
    """Return the ticks of the taught games less those of the same games without one use."""
    moved = "" if off.moved is None else "{} ({})".format(*off.moved)
    return {
        **_ticks(off.differences).row(f"ticks, for {off.use.value}"),
        "other games": off.changed,
        "decisions moved (in games)": moved,
    }


def _ticks(differences: Sequence[PairedDifference]) -> PairedDifference:
    return next(each for each in differences if each.measure is TICKS)
