"""The cheapest way over all maps at once: A* over steps, ledges, warps and map edges in one graph."""

import heapq
from collections.abc import Callable, Collection, Mapping
from itertools import count

from agent.skills.hops import Hop, Spot, hops
from emulator import World


def find_route(
    world: World,
    start: Spot,
    arrived: Callable[[Spot], bool],
    *,
    occupied: Collection[Spot] = (),
    distances: Mapping[Spot, int] | None = None,
    max_nodes: int = 100_000,
) -> list[Hop] | None:
    """Return the cheapest hops from `start` to a spot that `arrived` accepts, or None.

    `distances` to the goal when nobody stands in the way guide the search: what they leave out
    does not lead there. Without them every spot counts as near.
    """
    if distances is not None and start not in distances:
        return None
    order = count()
    frontier: list[tuple[int, int, Spot]] = [(0, next(order), start)]
    came: dict[Spot, tuple[Spot, Hop]] = {}
    cost_of = {start: 0}
    closed: set[Spot] = set()
    while frontier and len(closed) < max_nodes:
        _, _, spot = heapq.heappop(frontier)
        if spot in closed:
            continue
        if arrived(spot):
            return _unwind(came, spot)
        closed.add(spot)
        for hop in hops(world, spot):
            cost = cost_of[spot] + hop.cost
            left = 0 if distances is None else distances.get(hop.to)
            if left is None or hop.to in occupied or cost >= cost_of.get(hop.to, cost + 1):
                continue
            cost_of[hop.to] = cost
            came[hop.to] = spot, hop
            heapq.heappush(frontier, (cost + left, next(order), hop.to))
    return None


def _unwind(came: dict[Spot, tuple[Spot, Hop]], spot: Spot) -> list[Hop]:
    route = []
    while spot in came:
        spot, hop = came[spot]
        route.append(hop)
    return route[::-1]
