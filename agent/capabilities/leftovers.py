"""What lies about: what of it was picked up so far, and what of it earlier runs never missed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from emulator import Kind, State, World
from memory import Entry

ENOUGH: Final = 3  # runs to one milestone that say what is never missed


def found(world: World, state: State) -> Mapping[int, int]:
    """Return how many of each item were picked up of those that lay about, by the flags that hide them."""
    hidden = state.flags.hidden
    taken: Counter[int] = Counter()
    for each in world.maps:
        items = {person.slot: person.item for person in each.people if person.kind is Kind.ITEM}
        for toggle in each.toggles if items else ():
            item = items.get(toggle.slot)
            if item is not None and hidden[toggle.flag >> 3] >> (toggle.flag & 7) & 1:
                taken[item] += 1
    return taken


def spare(waypoints: Iterable[Entry]) -> Mapping[int, str]:
    """Return the items of which every run would have had one left without any that lay about, and that in words.

    Looked at is the milestone that took longest to reach of those that several runs ended at.
    """
    ends: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in waypoints:
        data: Mapping[str, Any] = entry.data
        if "left" in data:
            ends[data["milestone"]].append(data)
    known = [runs for runs in ends.values() if len(runs) >= ENOUGH]
    if not known:
        return {}
    runs = max(known, key=lambda each: min(run["tick"] for run in each))
    items = {item for run in runs for item in run["left"]}
    least = {item: min(_without(run, item) for run in runs) for item in items}
    return {
        int(item): f"{left} and more were left over in all of {len(runs)} runs"
        for item, left in least.items()
        if left > 0
    }


def _without(run: Mapping[str, Any], item: str) -> int:
    return int(run["left"].get(item, 0) - run["found"].get(item, 0))
