"""The cheapest way over all maps at once: A* over steps, ledges, warps and map edges in one graph."""

import heapq
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import count
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple

from agent.skills.hops import Hop, Spot, hops
from emulator import MapSquare, World

MAX_NODES: Final = 100_000  # more than the game has squares


class Obstacles(NamedTuple):
    """What stands in the way beside the ground: squares that are taken, and by how much others are dearer."""

    walls: frozenset[MapSquare]
    costs: Mapping[MapSquare, int]

    @staticmethod
    def none() -> "Obstacles":
        """Return a free way."""
        return NOTHING

    def and_also(self, other: "Obstacles") -> "Obstacles":
        """Return both; where both make a square dearer, it is dearer by both."""
        costs = dict(self.costs)
        for square, cost in other.costs.items():
            costs[square] = costs.get(square, 0) + cost
        return Obstacles(self.walls | other.walls, costs)


NOTHING: Final = Obstacles(frozenset(), MappingProxyType({}))


def find_route(
    world: World,
    start: Spot,
    arrived: Callable[[Spot], bool],
    *,
    obstacles: Obstacles = NOTHING,
    distances: Mapping[Spot, int] | None = None,
    longest: float = inf,
) -> list[Hop] | None:
    """Return the cheapest hops from `start` to a spot that `arrived` accepts; None beyond a cost of `longest`.

    `distances` to the goal when nobody stands in the way guide the search: what they leave out
    does not lead there. Without them every spot counts as near.
    """
    if distances is not None and start not in distances:
        return None
    order = count()
    # Of spots as promising the nearer comes first: many ways are as short, and one is enough.
    frontier: list[tuple[int, int, int, Spot]] = [(0, 0, next(order), start)]
    came: dict[Spot, tuple[Spot, Hop]] = {}
    cost_of = {start: 0}
    closed: set[Spot] = set()
    walls, dearer = obstacles
    while frontier and len(closed) < MAX_NODES:
        *_, spot = heapq.heappop(frontier)
        if spot in closed:
            continue
        if arrived(spot):
            return _unwind(came, spot)
        closed.add(spot)
        so_far = cost_of[spot]
        for hop in hops(world, spot):
            to = hop.to
            if so_far + hop.cost >= cost_of.get(to, inf):
                continue  # as most: they lead to where one came from
            square = to[:3]
            cost = so_far + hop.cost + dearer.get(square, 0)
            left = 0 if distances is None else distances.get(to)
            if left is None or square in walls or cost + left > longest:
                continue
            if cost >= cost_of.get(to, inf):
                continue
            cost_of[to] = cost
            came[to] = spot, hop
            heapq.heappush(frontier, (cost + left, left, next(order), to))
    return None


class Enclosure(NamedTuple):
    """Spots of a world, and the walls that keep one in there, away from wherever one wants to go."""

    world: World
    spots: frozenset[Spot]
    walls: frozenset[MapSquare]

    def still_holds(self, world: World, spot: Spot, walls: frozenset[MapSquare]) -> bool:
        """Say whether whoever is on `spot` is still shut in, wherever other walls may be now."""
        return world is self.world and spot in self.spots and self.walls <= walls


def enclosure(
    world: World,
    start: Spot,
    arrived: Callable[[Spot], bool],
    *,
    walls: frozenset[MapSquare],
    distances: Mapping[Spot, int] | None = None,
) -> Enclosure | None:
    """Return what keeps one from going from `start` where `arrived` accepts; None when there is a way.

    `distances` are as for a route: what they leave out does not lead there.
    """
    spots, waiting = {start}, [start]
    met: set[MapSquare] = set()
    while waiting:
        spot = waiting.pop()
        if arrived(spot):
            return None
        for hop in hops(world, spot):
            if hop.to[:3] in walls:
                met.add(hop.to[:3])
            elif (distances is None or hop.to in distances) and hop.to not in spots:
                spots.add(hop.to)
                waiting.append(hop.to)
    return Enclosure(world, frozenset(spots), frozenset(met))


@lru_cache(maxsize=256)
def joins(world: World, start: Spot, square: tuple[int, int]) -> bool:
    """Say whether one can walk from `start` to a square of the same map without leaving it."""
    spots, waiting = {start}, [start]
    while waiting:
        spot = waiting.pop()
        if (spot.x, spot.y) == square:
            return True
        fresh = [hop.to for hop in hops(world, spot) if hop.to.map_id == start.map_id]
        waiting += [to for to in fresh if to not in spots]
        spots.update(fresh)
    return False


def _unwind(came: dict[Spot, tuple[Spot, Hop]], spot: Spot) -> list[Hop]:
    route = []
    while spot in came:
        spot, hop = came[spot]
        route.append(hop)
    return route[::-1]
