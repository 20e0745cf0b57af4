"""How far every spot is from a map when nobody stands in the way: what guides the search for routes.

Whatever stands in the way only makes a way longer, so these distances never promise too much.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import count

from agent.skills.hops import Spot, hops
from emulator import World


class Distances:
    """The distances of one world, worked out once for each map that is travelled to."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._explored: set[Spot] = set()
        self._leads_here: defaultdict[Spot, list[tuple[Spot, int]]] = defaultdict(list)
        self._to: dict[int, Mapping[Spot, int]] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(world: World) -> "Distances":
        """Return the distances of `world`, the same for every caller."""
        return Distances(world)

    def to(self, map_id: int, start: Spot) -> Mapping[Spot, int]:
        """Return what it costs to get to a map, for every spot from which one gets there.

        All that can be reached from `start` is known then.
        """
        if start not in self._explored:
            self._explore(start)
            self._to.clear()
        if map_id not in self._to:
            self._to[map_id] = self._measure(map_id)
        return self._to[map_id]

    def _explore(self, start: Spot) -> None:
        waiting = [start]
        self._explored.add(start)
        while waiting:
            spot = waiting.pop()
            for hop in hops(self._world, spot):
                self._leads_here[hop.to].append((spot, hop.cost))
                if hop.to not in self._explored:
                    self._explored.add(hop.to)
                    waiting.append(hop.to)

    def _measure(self, map_id: int) -> Mapping[Spot, int]:
        order = count()
        distances = {spot: 0 for spot in self._explored if spot.map_id == map_id}
        frontier = [(0, next(order), spot) for spot in distances]
        while frontier:
            distance, _, spot = heapq.heappop(frontier)
            if distance > distances[spot]:
                continue
            for before, cost in self._leads_here[spot]:
                if distance + cost < distances.get(before, distance + cost + 1):
                    distances[before] = distance + cost
                    heapq.heappush(frontier, (distance + cost, next(order), before))
        return distances
