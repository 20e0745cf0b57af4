"""What earlier games took by each way of a choice, from their milestones, and which way to take after that."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, inf
from random import Random
from statistics import fmean, variance
from typing import Any, Final, NamedTuple, TypeAlias

from memory import Entry, MemoryItem, milestones_of

SPREAD: Final = 3  # trials of a choice needed to estimate its variance
CLEARLY: Final = 2.5  # standard errors that make a difference significant
LEAST_SPREAD: Final = 0.1  # of the mean: how much runs differ, where few tell it
Ticks: TypeAlias = Sequence[float]  # ticks to one milestone, one value for each run of a choice
UNTRIED: Final = "is not tried"
ROUNDS: Final = 20  # of estimating the effects of all choices, each from the rest of the others
LASTING: Final = 2_000  # ticks after which what follows counts a third; later more of it is chance


class ChosenWay(NamedTuple):
    """A chosen alternative and the reason in words; '' if memory knows nothing."""

    way: int
    why: str = ""


class WayVerdict(NamedTuple):
    """What is believed of one alternative in words, and whether it takes significantly longer than the best."""

    words: str
    is_worse: bool


def best_of(
    choice: str, ways: Sequence[int], drawn: int, luck: Random, milestone_times: Iterable[Entry]
) -> ChosenWay:
    """Return the alternative to take by Thompson sampling; the one `drawn` if no run tells anything.

    For each, a mean is sampled from what is believed of it: its runs, and one more that is like the mean of all. So an
    alternative is taken as often as it is likely to be the best.
    """
    found = compared(choice, ways, milestone_times)
    if not found.took:
        return ChosenWay(drawn)
    values = found.values
    mean, spread = _all_runs(values)
    sampled = {
        way: luck.gauss(
            fmean([mean, *values.get(way, ())]), spread / (1 + len(values.get(way, ()))) ** 0.5
        )
        for way in ways
    }
    best = min(ways, key=sampled.__getitem__)
    means = {way: f"{fmean(ticks):.0f}" for way, ticks in values.items()}
    times = UNTRIED
    if best in values:
        times = f"took {means[best]} weighed ticks {found.words} (x{len(values[best])})"
    others = means.get(drawn, UNTRIED)
    return ChosenWay(best, f"this way {times}, the one drawn {others}" if best != drawn else "")


def _all_runs(took: Mapping[int, Ticks]) -> tuple[float, float]:
    """Return the mean of all runs, and the standard deviation of a run from the mean of its alternative."""
    runs = [ticks for each in took.values() for ticks in each]
    mean, free = fmean(runs), len(runs) - len(took)
    squares = sum((ticks - fmean(each)) ** 2 for each in took.values() for ticks in each)
    return mean, max((squares / free) ** 0.5 if free else 0, LEAST_SPREAD * mean)


def verdicts_on(
    choice: str, ways: Sequence[int], milestone_times: Iterable[Entry]
) -> Mapping[int, WayVerdict]:
    """Return what is believed of each alternative that was tried: the same figures by which play compares them."""
    found = compared(choice, ways, milestone_times)
    values = found.values
    best = min(values, key=lambda way: fmean(values[way]), default=None)
    longer = {way for way in values if best is not None and _is_longer(values[way], values[best])}
    between = found.words.replace("_", " ")
    verdicts = {}
    for way, ticks in values.items():
        games = f"{len(ticks)} {'game' if len(ticks) == 1 else 'games'}"
        words = f"{fmean(ticks):,.0f} ticks {between} (later ones count less), {games}"
        if way in longer:
            words += ": clearly longer"
        elif way == best and longer and len(longer) + 1 == len(values):
            words += ": clearly the shortest"
        elif min(map(len, values.values())) < SPREAD:
            words += ": too few to tell"
        elif len(values) > 1:
            words += ": no clear difference"
        verdicts[way] = WayVerdict(words, is_worse=way in longer)
    return verdicts


class _Run(NamedTuple):
    """The alternative that a run took, the tick of each of its milestones, and the one before the choice mattered.

    `chosen` has the alternatives of all choices of the run.
    """

    way: int
    ticks: Mapping[str, int]
    since: str
    chosen: tuple[tuple[str, int], ...]


class Comparison(NamedTuple):
    """Between which milestones alternatives are compared, the ticks that each took there, and what these count.

    Of the ticks between two milestones the less count the later they are, and none that the other choices of a run
    explain.
    """

    words: str
    took: Mapping[int, Ticks]
    values: Mapping[int, Ticks]


def compared(
    choice: str, ways: Sequence[int], milestone_times: Iterable[Entry | MemoryItem]
) -> Comparison:
    """Return the alternatives that were tried, compared by what followed.

    They are compared from the last milestone before they first mattered in any run, since what came before is chance,
    to the latest that all tried ones reached.
    """
    runs = [each for each in _runs_with(choice, milestone_times) if each.way in ways]
    if not runs:
        return Comparison("", {}, {})
    start = min(runs, key=lambda each: each.ticks[each.since]).since
    known: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for name, tick in run.ticks.items():
            if tick > run.ticks.get(start, tick):
                known[run.way][name].append(tick - run.ticks[start])
    common = set.intersection(*map(set, known.values())) if known else set()
    if not common:
        return Comparison("", {}, {})
    last = max(sorted(common), key=lambda name: min(fmean(took[name]) for took in known.values()))
    words = f"from {start} to {last}" if start else f"to {last}"
    took = {way: known[way][last] for way in ways if way in known}
    return Comparison(words, took, _values(choice, runs, start, last, took))


def _values(
    choice: str, runs: Sequence[_Run], start: str, last: str, took: Iterable[int]
) -> Mapping[int, Ticks]:
    """Return what the ticks of each run from `start` to `last` count, in the order of the runs, by alternative."""
    reached = [run for run in runs if run.ticks.get(last, 0) > run.ticks.get(start, inf)]
    after: dict[str, list[float]] = defaultdict(list)
    for run in reached:
        for name, tick in run.ticks.items():
            after[name].append(tick - run.ticks[start])
    counts = {name: exp(-fmean(ticks) / LASTING) for name, ticks in after.items()}
    counted = []
    for run in reached:
        first, end_tick = run.ticks[start], run.ticks[last]
        ends = sorted((at, name) for name, at in run.ticks.items() if first <= at <= end_tick)
        parts = pairwise(ends)
        counted.append(sum(counts[before] * (end - at) for (at, before), (end, _) in parts))
    effects = _effects([run.chosen for run in reached], counted)
    values: dict[int, list[float]] = {way: [] for way in took}
    for run, count in zip(reached, counted, strict=True):
        others = sum(effects[each] for each in run.chosen if each[0] != choice)
        values[run.way].append(count - others)
    return values


def _effects(
    chosen: Sequence[Sequence[tuple[str, int]]], counted: Ticks
) -> Mapping[tuple[str, int], float]:
    """Return by how much each alternative of each choice differs from the mean, all others being equal.

    This is a ridge regression: each alternative counts one more run, like the mean of all.
    """
    mean = fmean(counted)
    effects = {each: 0.0 for every in chosen for each in every}
    for _ in range(ROUNDS):
        for name in effects:
            rest = [
                count - mean - sum(effects[each] for each in every if each != name)
                for every, count in zip(chosen, counted, strict=True)
                if name in every
            ]
            effects[name] = sum(rest) / (1 + len(rest))
    return effects


def _is_longer(some: Ticks, best: Ticks) -> bool:
    """Return whether `some` took significantly longer than `best`."""
    if min(len(some), len(best)) < SPREAD:
        return False
    error: float = (variance(some) / len(some) + variance(best) / len(best)) ** 0.5
    return fmean(some) - fmean(best) > CLEARLY * error


def _runs_with(choice: str, milestone_times: Iterable[Entry | MemoryItem]) -> Iterator[_Run]:
    """Yield the runs in which a choice mattered; "" is the milestone at which all begin."""
    for entry in milestone_times:
        data: Mapping[str, Any] = entry.data
        if choice in data["choices"]:
            ticks = {name: taken["tick"] for name, taken in milestones_of(data).items()}
            since = data.get("since", {}).get(choice, "")
            chosen = tuple(sorted(data["choices"].items()))
            since = since if since in ticks else ""
            yield _Run(data["choices"][choice], {"": 0, **ticks}, since, chosen)
