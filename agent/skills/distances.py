"""How far every spot is from a map when nobody stands in the way: what guides the search for routes.

Whatever stands in the way only makes a way longer, so these distances never promise too much.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from agent.skills.hops import Spot, hops
from emulator import World


class Measured(NamedTuple):
    """The distances to one map, and how many spots were known when they were measured."""

    known: int
    distances: Mapping[Spot, int]


class Distances:
    """The distances of one world, worked out once for each map that is travelled to."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._number: dict[Spot, int] = {}  # of each spot that is known, in the order of finding
        self._leads_here: defaultdict[Spot, list[tuple[Spot, int]]] = defaultdict(list)
        self._to: dict[int, Measured] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(world: World) -> "Distances":
        """Return the distances of `world`, the same for every caller."""
        return Distances(world)

    def to(self, map_id: int, start: Spot) -> Mapping[Spot, int]:
        """Return what it costs to get to a map, for every spot from which one gets there.

        All that can be reached from `start` is known then.
        """
        if start not in self._number:
            self._explore(start)
        measured = self._to.get(map_id)
        # What is found later does not shorten a way from what was known: no way led there.
        if measured is None or self._number[start] >= measured.known:
            measured = self._to[map_id] = Measured(len(self._number), self._measure(map_id))
        return measured.distances

    def _explore(self, start: Spot) -> None:
        waiting = [start]
        self._number[start] = len(self._number)
        while waiting:
            spot = waiting.pop()
            for hop in hops(self._world, spot):
                self._leads_here[hop.to].append((spot, hop.cost))
                if hop.to not in self._number:
                    self._number[hop.to] = len(self._number)
                    waiting.append(hop.to)

    def _measure(self, map_id: int) -> Mapping[Spot, int]:
        """Go back from the map in rings, each of the spots as far away; costs are small numbers."""
        distances: dict[Spot, int] = {}
        rings = {0: [spot for spot in self._number if spot.map_id == map_id]}
        distance = 0
        while rings:
            for spot in rings.pop(distance, ()):
                if spot in distances:
                    continue
                distances[spot] = distance
                for before, cost in self._leads_here.get(spot, ()):
                    if before not in distances:
                        rings.setdefault(distance + cost, []).append(before)
            distance += 1
        return distances
