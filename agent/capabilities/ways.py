"""How the ways went that were chosen before, and which not to take again: those that clearly took longer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, variance
from typing import Any, Final, NamedTuple, TypeAlias

from memory import Entry, milestones_of

SPREAD: Final = 3  # times a way has to be tried before it says how far luck goes
CLEARLY: Final = 2.5  # standard errors of a difference

Ticks: TypeAlias = Sequence[float]  # that a way took to one milestone, each time


class Verdict(NamedTuple):
    """A way to take, and why in words; no words where memory has nothing to say."""

    way: int
    why: str = ""


def best_of(choice: str, ways: Sequence[int], drawn: int, waypoints: Iterable[Entry]) -> Verdict:
    """Return the way that was `drawn`, or the best known, where that one clearly takes longer than the best.

    Ways are compared at the furthest milestone that all of those tried led to. Luck weighs more than any way once, and
    of ways that cannot be told apart none is worth giving up: so each goes on being tried.
    """
    known = _known(choice, waypoints)
    common = set.intersection(*map(set, known.values())) if drawn in known else ()
    if not common:
        return Verdict(drawn)
    last = max(sorted(common), key=lambda name: min(fmean(took[name]) for took in known.values()))
    took = {way: known[way][last] for way in ways if way in known}
    best = min(took, key=lambda way: (fmean(took[way]), way))
    if not _clearly_longer(took[drawn], took[best]):
        return Verdict(drawn)
    ticks, others = fmean(took[best]), fmean(took[drawn])
    why = f"this way took {ticks:.0f} ticks to {last} (x{len(took[best])}), the one drawn {others:.0f}"
    return Verdict(best, why)


def _clearly_longer(some: Ticks, best: Ticks) -> bool:
    """Say whether luck alone hardly explains that `some` took longer than `best`."""
    if min(len(some), len(best)) < SPREAD:
        return False
    error: float = (variance(some) / len(some) + variance(best) / len(best)) ** 0.5
    return fmean(some) - fmean(best) > CLEARLY * error


def _known(choice: str, waypoints: Iterable[Entry]) -> Mapping[int, Mapping[str, Ticks]]:
    """Return the ticks that each way took to each milestone."""
    seen: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for entry in waypoints:
        data: Mapping[str, Any] = entry.data
        way = data["choices"].get(choice)
        if way is not None:
            for milestone, taken in milestones_of(data).items():
                seen[way][milestone].append(taken["tick"])
    return seen
