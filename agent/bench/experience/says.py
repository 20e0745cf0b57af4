"""What the figures say, in neutral words that follow from their intervals alone."""

from collections.abc import Iterator
from typing import Final

from agent.bench.experience.differences import TICKS, Difference, Verdict
from agent.bench.experience.experiment import Experiment, UseOff
from agent.bench.experience.tables import figure, gap, number, standing

SURE: Final = 0.05  # p below which the sign test agrees with an interval that leaves out 0


def says(experiment: Experiment) -> Iterator[str]:
    """Yield a line for all of memory, for each use of it, and for the empty arm."""
    games = experiment.games
    for each in experiment.pays():
        yield f"- {_memory(each, games)}"
    for off in experiment.uses():
        yield f"- {_use(off, games)}"
    yield f"- {_beside(experiment)}"


def _memory(found: Difference, games: int) -> str:
    what = f"*{found.measure.what}*"
    if found.same == games:
        value = figure(found.with_it, found.measure)
        same = "" if found.measure.is_share else ", the same in every pair"
        return f"{what}: {_words(found)}; {value} with it and without it{same}."
    return (
        f"{what}: {_words(found)}; {figure(found.with_it, found.measure)} with it,"
        f" {figure(found.without_it, found.measure)} without, {gap(found)}: less in {found.signs.first} of {games}"
        f" pairs, as much in {found.same}, more in {found.signs.second} (p {found.p_value:.2g})."
    )


def _words(found: Difference) -> str:
    if found.verdict not in {Verdict.HELPS, Verdict.HARMS}:
        return str(found.verdict.value)
    doubt = "" if found.p_value < SURE else ", by the interval and not by the sign test"
    return f"memory {found.verdict.value}{doubt}"


def _use(off: UseOff, games: int) -> str:
    name = f"the use `{off.use.value}`"
    if not off.changed:
        return f"{name}: no game is another without it{_fired(off)}."
    ticks = next(each for each in off.differences if each.measure is TICKS)
    return (
        f"{name}: {off.changed} of {games} games are others without it{_fired(off)}; ticks,"
        f" {ticks.verdict.value}: {gap(ticks)}."
    )


def _fired(off: UseOff) -> str:
    if off.moved is None:
        return ""
    times, games = off.moved
    return f", and it moved {times} decisions in {games} games" if times else ", and it never fired"


def _beside(experiment: Experiment) -> str:
    found, committed = experiment.beside(), experiment.committed
    if not found or committed is None:
        return "the empty arm is held against no committed table: there is none of this cartridge and milestone."
    told = "; ".join(
        f"{each.what} {number(each.here)} here, {number(each.there)} there: {standing(each)}"
        for each in found
    )
    return f"the empty arm beside the committed games of seeds {committed.seeds}: {told}."
