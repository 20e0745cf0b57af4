"""How far maps are from one another, roughly: what a plan needs to prefer the near to the far.

A step is a step of the player; inside a map one is taken to cross half of it. Routes themselves are `route`'s business.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from emulator import LAST_MAP, GameMap, World

UNKNOWN = 100  # steps to a map of which no way is known


class Nearness:
    """The distances between the maps of one world, worked out once for each map that is set out from.

    To ask for them is to have all maps decoded, which is better done before play than in its first plan.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._roads = _roads(world)
        self._from: dict[int, Mapping[int, int]] = {}

    @staticmethod
    @lru_cache(maxsize=4)
    def of(world: World) -> "Nearness":
        """Return the distances of `world`, the same for every caller."""
        return Nearness(world)

    def steps(self, start: int, end: int) -> int:
        """Return about how many steps it is from one map to another; 0 inside the same."""
        if start not in self._from:
            self._from[start] = self._measure(start)
        return self._from[start].get(end, UNKNOWN)

    def _measure(self, start: int) -> Mapping[int, int]:
        steps = {start: 0}
        frontier = [(0, start)]
        while frontier:
            so_far, here = heapq.heappop(frontier)
            if so_far > steps[here]:
                continue
            further = so_far + _breadth(self._world.map(here))
            for neighbour in self._roads.get(here, frozenset()):
                if further < steps.get(neighbour, further + 1):
                    steps[neighbour] = further
                    heapq.heappush(frontier, (further, neighbour))
        return steps


def _roads(world: World) -> Mapping[int, frozenset[int]]:
    """Which maps lead to which; a door that leads back outside leads wherever one can have come from."""
    roads: defaultdict[int, set[int]] = defaultdict(set)
    for game_map in world.maps:
        for other in _neighbours(game_map):
            if other in world.map_ids:
                roads[game_map.map_id].add(other)
                roads[other].add(game_map.map_id)
    return {map_id: frozenset(others) for map_id, others in roads.items()}


def _neighbours(game_map: GameMap) -> Iterator[int]:
    yield from (connection.map_id for connection in game_map.connections)
    yield from (warp.map_id for warp in game_map.warps if warp.map_id != LAST_MAP)


def _breadth(game_map: GameMap) -> int:
    return 1 + (game_map.columns + game_map.rows) // 4
