"""The experiment as a whole: how it was done, its games, and what follows from them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, NamedTuple

from agent.bench.experience.arms import EMPTY, TAUGHT, Arm
from agent.bench.experience.beside import Beside, beside
from agent.bench.experience.differences import MEASURES, TICKS, Difference, difference
from agent.bench.experience.games import Game
from agent.bench.experience.lessons import Lessons
from agent.bench.experience.trials import Trials
from agent.capabilities import Use
from agent.eval import Committed


class Plan(NamedTuple):
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

    use: Use
    differences: tuple[Difference, ...]
    changed: int
    moved: tuple[int, int] | None


class Deed(NamedTuple):
    """How many ticks of a game went into something, on average."""

    what: str
    taught: float
    empty: float


@dataclass(frozen=True, slots=True)
class Experiment:
    """What was done and found; `committed` are the games that the empty arm is held against."""

    plan: Plan
    cartridge: str
    sha1: str
    trials: Trials
    lessons: Lessons
    committed: Committed | None

    @property
    def games(self) -> int:
        """How many seeds were played."""
        return len(self.trials.of(TAUGHT))

    def pays(self) -> tuple[Difference, ...]:
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

    def by_way(self) -> Iterator[tuple[str, Difference]]:
        """Yield the ticks of the pairs whose empty game took the same ways, which memory may have had it leave."""
        groups: dict[str, list[tuple[Game, Game]]] = {}
        for pair in zip(self.trials.of(TAUGHT), self.trials.of(EMPTY), strict=True):
            ways = ", ".join(f"{choice} {way}" for choice, way in sorted(pair[1].choices.items()))
            groups.setdefault(ways or "none", []).append(pair)
        for ways, pairs in sorted(groups.items()):
            taught, empty = zip(*pairs, strict=True)
            yield ways, difference(TICKS, taught, empty)

    def deeds(self) -> tuple[Deed, ...]:
        """Return where the ticks go, the most of them first."""
        taught, empty = self.trials.of(TAUGHT), self.trials.of(EMPTY)
        names = {name for game in (*taught, *empty) for name in game.deeds}
        found = [
            Deed(name, *(fmean(g.deeds.get(name, 0) for g in games) for games in (taught, empty)))
            for name in sorted(names)
        ]
        return tuple(sorted(found, key=lambda deed: -deed.empty))

    def _differences(self, arm: Arm) -> tuple[Difference, ...]:
        taught, other = self.trials.of(TAUGHT), self.trials.of(arm)
        return tuple(difference(measure, taught, other) for measure in MEASURES)

    def _moved(self, use: Use) -> tuple[int, int] | None:
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


def _figures(found: Difference) -> dict[str, Any]:
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
