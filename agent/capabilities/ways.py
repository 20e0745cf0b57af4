"""How the ways went that were chosen before, and which of them to take: the one that took least time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, variance
from typing import Any, Final, NamedTuple, TypeAlias

from memory import Entry, milestones_of

ENOUGH: Final = (
    8  # times that a way is tried before the best of those not clearly worse is settled on
)
CLEARLY: Final = 2.5  # standard errors of a difference

Ticks: TypeAlias = Sequence[float]  # that a way took to one milestone, each time


class Verdict(NamedTuple):
    """A way to take, and why in words; no words where memory has nothing to say."""

    way: int
    why: str = ""


def best_of(choice: str, ways: Sequence[int], drawn: int, waypoints: Iterable[Entry]) -> Verdict:
    """Return the way that took least time to the furthest milestone that all of them led to.

    Luck weighs more than any way once: each is tried several times, the least tried first, for as long as it is
    not clearly worse than the best. The first of all is `drawn`.
    """
    known = _known(choice, waypoints)
    tried = [way for way in ways if way in known]
    if not tried:
        return Verdict(drawn)
    untried = [way for way in ways if way not in known]
    if untried:
        way = drawn if drawn in untried else untried[0]
        return Verdict(way, f"{len(tried)} of {len(ways)} ways tried so far, this one not yet")
    common = set.intersection(*(set(known[way]) for way in ways))
    if not common:
        return Verdict(drawn)
    last = max(sorted(common), key=lambda name: min(fmean(known[way][name]) for way in ways))
    took = {way: known[way][last] for way in ways}
    best = min(ways, key=lambda way: (fmean(took[way]), way))
    likely = [way for way in ways if not _clearly_longer(took[way], took[best])]
    least = min(likely, key=lambda way: (len(took[way]), way != drawn, way))
    if len(likely) > 1 and len(took[least]) < ENOUGH:
        why = f"{len(likely)} of {len(ways)} ways may be the best, this one was tried x{len(took[least])}"
        return Verdict(least, why)
    others = fmean(ticks for way in ways if way != best for ticks in took[way])
    times = len(took[best])
    why = f"this way took {fmean(took[best]):.0f} ticks to {last} (x{times}), others {others:.0f}"
    return Verdict(best, why)


def _clearly_longer(some: Ticks, best: Ticks) -> bool:
    """Say whether luck alone hardly explains that `some` took longer than `best`."""
    if min(len(some), len(best)) < 3:  # fewer show no spread
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
