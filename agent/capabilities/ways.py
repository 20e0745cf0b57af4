"""How the ways went that were chosen before, and which of them to take: the one that cost fewest turns of battle."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from memory import Entry


class Verdict(NamedTuple):
    """A way to take, and why in words; no words where memory has nothing to say."""

    way: int
    why: str = ""


class Cost(NamedTuple):
    """What a way took to a milestone, on average."""

    turns: float
    tick: float
    times: int


def best_of(choice: str, ways: Sequence[int], drawn: int, waypoints: Iterable[Entry]) -> Verdict:
    """Return the way that took fewest turns to the furthest milestone that all of them led to.

    A way that nobody has tried is tried first, once there is anything to compare it with.
    """
    known = _costs(choice, waypoints)
    tried = [way for way in ways if way in known]
    if not tried:
        return Verdict(drawn)
    untried = [way for way in ways if way not in known]
    if untried:
        way = drawn if drawn in untried else untried[0]
        return Verdict(way, f"{len(tried)} of {len(ways)} ways tried so far, this one not yet")
    common = set.intersection(*(set(known[way]) for way in tried))
    if not common:
        return Verdict(drawn)
    last = max(sorted(common), key=lambda name: min(known[way][name].tick for way in tried))
    best = min(tried, key=lambda way: (known[way][last].turns, way))
    others = fmean(known[way][last].turns for way in tried if way != best)
    cost = known[best][last]
    return Verdict(
        best,
        f"this way took {cost.turns:.0f} turns of battle to {last} (x{cost.times}), others {others:.0f}",
    )


def _costs(choice: str, waypoints: Iterable[Entry]) -> Mapping[int, Mapping[str, Cost]]:
    seen: dict[int, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for entry in waypoints:
        data: Mapping[str, Any] = entry.data
        way = data["choices"].get(choice)
        if way is not None:
            seen[way][data["milestone"]].append((data["turns"], data["tick"]))
    return {
        way: {
            name: Cost(fmean(turns for turns, _ in runs), fmean(at for _, at in runs), len(runs))
            for name, runs in milestones.items()
        }
        for way, milestones in seen.items()
    }
