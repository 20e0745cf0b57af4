"""Distances from every spot to a map, for the route search, and between maps, for plans."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agent.skills.route import Spot, hops_on
from emulator import World
from emulator.compiled import compiled

Numbers: TypeAlias = "NDArray[np.int64]"

UNKNOWN: Final = 100  # steps assumed for a map without a known route
NOWHERE: Final = 1 << 60  # the cost of a way that does not exist


class _HopsInto(NamedTuple):
    """The hops by the spot at which they end: those into spot n are at the positions from first[n] to first[n + 1]."""

    first: Numbers
    starts: Numbers
    costs: Numbers

    @classmethod
    def of(
        cls, starts: Sequence[int], ends: Sequence[int], costs: Sequence[int], spots: int
    ) -> Self:
        """Return the hops, which are in any order, by their ends."""
        order = np.argsort(np.array(ends, np.int64), kind="stable")
        counts = np.bincount(np.array(ends, np.int64), minlength=spots)
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        return cls(first, *(np.array(each, np.int64)[order] for each in (starts, costs)))


@compiled
def costs_to(targets: Numbers, first: Numbers, starts: Numbers, costs: Numbers) -> Numbers:
    """Return the least cost from each spot to one of the targets, NOWHERE from those that lead to none."""
    least = np.full(len(first) - 1, NOWHERE, np.int64)
    frontier = [(0, 0)]
    frontier.pop()
    for spot in targets:
        least[spot] = 0
        heappush(frontier, (0, spot))
    while frontier:
        cost, here = heappop(frontier)
        if cost > least[here]:
            continue
        for each in range(first[here], first[here + 1]):
            so_far = cost + costs[each]
            if so_far < least[starts[each]]:
                least[starts[each]] = so_far
                heappush(frontier, (so_far, starts[each]))
    return least


class Distances:
    """The distances of one world, computed once for each target map."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._number: dict[Spot, int] = {}  # index of each known spot, in order of discovery
        # Each known hop: where it begins and ends, by index, and its cost. Three lists of numbers are no garbage to look at.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._costs: list[int] = []
        self._into = _HopsInto.of((), (), (), 0)
        # The distances to each map, and the number of spots known when they were measured.
        self._to: dict[int, tuple[int, Mapping[Spot, int]]] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(world: World) -> "Distances":
        """Return the distances of `world`, the same for every caller."""
        return Distances(world)

    def to(self, map_id: int, start: Spot) -> Mapping[Spot, int]:
        """Return the cost of the way to a map for every spot that leads there.

        The call explores every spot reachable from `start`.
        """
        if start not in self._number:
            self._explore(start)
        known, distances = self._to.get(map_id, (0, {}))
        # Spots found later cannot shorten routes from earlier spots, which do not lead to them.
        if self._number[start] >= known:
            distances = self._measure(map_id)
            self._to[map_id] = len(self._number), distances
        return distances

    def _explore(self, start: Spot) -> None:
        world, number = self._world, self._number
        starts, ends, costs = self._starts, self._ends, self._costs
        waiting = [start]
        number[start] = len(number)
        while waiting:
            spot = waiting.pop()
            here = number[spot]
            for hop in hops_on(world, spot.map_id)[spot]:
                to = hop.to
                there = number.get(to)
                if there is None:
                    there = number[to] = len(number)
                    waiting.append(to)
                starts.append(here)
                ends.append(there)
                costs.append(hop.cost)
        self._into = _HopsInto.of(starts, ends, costs, len(number))

    def _measure(self, map_id: int) -> Mapping[Spot, int]:
        targets = [at for spot, at in self._number.items() if spot.map_id == map_id]
        found = costs_to(np.array(targets, np.int64), *self._into).tolist()
        return {spot: far for spot, far in zip(self._number, found, strict=True) if far < NOWHERE}


class MapDistances:
    """The distances between the maps of one world, computed once for each start map.

    The first use decodes all maps; do it before play rather than in the first plan.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._links = _links(world)
        self._from: dict[int, Mapping[int, int]] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(world: World) -> "MapDistances":
        """Return the distances of `world`, the same for every caller."""
        return MapDistances(world)

    def steps(self, start: int, end: int) -> int:
        """Return the approximate number of steps between two maps; 0 within one map."""
        if start not in self._from:
            self._from[start] = self._measure(start)
        return self._from[start].get(end, UNKNOWN)

    def _measure(self, start: int) -> Mapping[int, int]:
        steps = {start: 0}
        frontier = [(0, start)]
        while frontier:
            so_far, here = heappop(frontier)
            if so_far > steps[here]:
                continue
            game_map = self._world.map(here)
            further = so_far + 1 + (game_map.columns + game_map.rows) // 4
            for neighbour in self._links.get(here, frozenset()):
                if further < steps.get(neighbour, further + 1):
                    steps[neighbour] = further
                    heappush(frontier, (further, neighbour))
        return steps


def _links(world: World) -> Mapping[int, frozenset[int]]:
    """Return the maps that each map is linked to; an exit to the last outdoor map links all maps with a door to it."""
    roads: defaultdict[int, set[int]] = defaultdict(set)
    for game_map in world.maps:
        joined = [connection.map_id for connection in game_map.header.connections]
        for other in (*joined, *(warp.map_id for warp in game_map.warps)):
            if other in world.map_ids:  # LAST_MAP is not
                roads[game_map.map_id].add(other)
                roads[other].add(game_map.map_id)
    return {map_id: frozenset(others) for map_id, others in roads.items()}
