"""The graph of all maps, and the A* search for the cheapest route over it.

An edge is a hop: one press of the pad and the spot it leads to by a step, a ledge, a warp, a map
edge, an obstacle that can be cleared, or an elevator.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from math import inf
from types import MappingProxyType
from typing import Final, NamedTuple

from emulator import Facing, GameMap, MapSquare, Obstacle, State, World
from emulator.world import Floor, Lift, Warp

WARP_COST: Final = 4  # the fade and the input block after it, in steps
LEDGE_COST: Final = 2
RIDE_COST: Final = 16  # a menu, and the way out of the elevator
# Cost of clearing an obstacle, in steps: the menus of a field move, or a text.
OBSTACLE_COSTS: Final = {Obstacle.TREE: 20, Obstacle.WATER: 20, Obstacle.LOCKED_DOOR: 8}
GRASS_COST: Final = 3  # encounters cost time and HP; a small detour is cheaper
MAX_NODES: Final = 100_000  # more than the game has squares


class Spot(NamedTuple):
    """A square of a map."""

    map_id: int
    x: int
    y: int

    def next_to(self, facing: Facing) -> "Spot":
        """Return the spot one step in this direction."""
        return Spot(self.map_id, self.x + facing.dx, self.y + facing.dy)


def spot_of(state: State) -> Spot:
    """Return the spot of the player."""
    return Spot(state.map.map_id, state.map.x, state.map.y)


class Hop(NamedTuple):
    """One press of the pad and the spot it leads to; `by` is an obstacle to clear or an elevator floor to choose."""

    facing: Facing
    to: Spot
    cost: int = 1
    by: Obstacle | Floor | None = None


def is_step(hop: Hop, here: Spot) -> bool:
    """Return whether `hop` is a plain step on the same map: no ledge, warp, map edge or obstacle."""
    return hop.to == here.next_to(hop.facing) and hop.by is None


def hops(world: World, spot: Spot) -> tuple[Hop, ...]:
    """Return every hop that the cartridge's maps allow from `spot`."""
    return hops_on(world, spot.map_id)[spot]


def up_to_next_map(route: list[Hop], here: Spot) -> list[Hop]:
    """Return the part of `route` up to the next map, where people and ground are read again."""
    ends = (number for number, hop in enumerate(route, 1) if hop.to.map_id != here.map_id)
    return route[: next(ends, len(route))]


class MapHops(dict[Spot, tuple[Hop, ...]]):
    """The hops from the spots of one map, each computed when it is first asked for."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def __missing__(self, spot: Spot) -> tuple[Hop, ...]:
        found = self[spot] = tuple(_hops(self._world, spot))
        return found


@lru_cache(maxsize=512)  # Red has some 250 maps, with seventy thousand spots
def hops_on(world: World, map_id: int) -> MapHops:
    """Return the hops of a map."""
    # Worlds differ in few blocks; hops of unchanged maps are computed once for all worlds.
    simplest_equal = world.simplest_equal(map_id)
    return MapHops(world) if simplest_equal is world else hops_on(simplest_equal, map_id)


_FACINGS: Final = tuple(Facing)


def _hops(world: World, spot: Spot) -> Iterator[Hop]:
    game_map = world.map(spot.map_id)
    if not game_map.contains(spot.x, spot.y):
        return  # outside of a map whose blocks have changed
    here = game_map.warp_at(spot.x, spot.y)
    afloat = Obstacle.WATER in world.passes
    surfs = afloat and game_map.obstacle(spot.x, spot.y) is Obstacle.WATER
    for facing in _FACINGS:
        if surfs and not game_map.can_surf((spot.x, spot.y), facing):
            continue
        hop = _hop(world, game_map, spot, facing, here)
        if hop is None and world.passes:
            hop = _past_obstacle(world, game_map, spot, facing, surfs=surfs)
        if hop is not None:
            yield hop
    if spot.map_id in world.lifts:
        yield from _by_elevator(world, spot, world.lifts[spot.map_id])


def _by_elevator(world: World, spot: Spot, lift: Lift) -> Iterator[Hop]:
    """Yield the elevator hops from the square in front of the panel."""
    if spot.next_to(Facing.UP)[1:] != lift.panel:
        return
    for floor in lift.floors:
        there = world.arrival(floor.map_id, floor.warp_index)
        yield Hop(Facing.UP, Spot(floor.map_id, *there), RIDE_COST, floor)


def _hop(
    world: World, game_map: GameMap, spot: Spot, facing: Facing, here: Warp | None
) -> Hop | None:
    square, x, y = (spot.x, spot.y), spot.x + facing.dx, spot.y + facing.dy
    walks_off = game_map.can_step(square, facing)
    # A mat under the player triggers only when the player walks against something solid.
    if here is not None and facing in here.press and not walks_off:
        return _by_warp(world, spot, here, facing)
    if not game_map.contains(x, y):
        return _over_the_edge(world, game_map, square, facing)
    below = game_map.hop(square, facing)
    if below is not None:
        return Hop(facing, Spot(spot.map_id, below.x, below.y), LEDGE_COST)
    if not walks_off:
        return None
    ahead = game_map.warp_at(x, y)
    # A step onto a mat with its direction held triggers the warp at once, as stairs do.
    if ahead is not None and (ahead.steps or facing in ahead.press):
        return _by_warp(world, spot, ahead, facing)
    carried = world.carries.get((spot.map_id, x, y))
    if carried is not None:
        return _by_script(spot, carried, facing)
    grass = game_map.tile(x, y) == game_map.tileset.grass
    return Hop(facing, Spot(spot.map_id, x, y), 1 + GRASS_COST * grass)


def _over_the_edge(
    world: World, game_map: GameMap, square: tuple[int, int], facing: Facing
) -> Hop | None:
    crossing = game_map.crossing(square, facing)
    if crossing is None or crossing.map_id not in world.map_ids:
        return None
    is_floor = world.map(crossing.map_id).passable(crossing.x, crossing.y)
    return Hop(facing, Spot(*crossing)) if is_floor else None


def _past_obstacle(
    world: World, game_map: GameMap, spot: Spot, facing: Facing, *, surfs: bool
) -> Hop | None:
    """Return the hop past the obstacle on the square ahead, or None unless it can be cleared."""
    to = spot.next_to(facing)
    crossing = game_map.crossing((spot.x, spot.y), facing)
    if crossing is not None and crossing.map_id in world.map_ids:
        to = Spot(*crossing)
    ahead = world.map(to.map_id).obstacle(to.x, to.y)
    if ahead is None or ahead not in world.passes:
        return None
    if ahead is not Obstacle.WATER:
        return Hop(facing, to, 1 + OBSTACLE_COSTS[ahead], ahead)
    if surfs:
        return Hop(facing, to)
    surfable = crossing is not None or game_map.can_surf((spot.x, spot.y), facing)
    return Hop(facing, to, 1 + OBSTACLE_COSTS[ahead], ahead) if surfable else None


def _by_script(spot: Spot, end: tuple[int, int, int], facing: Facing) -> Hop:
    """Return the hop by which a script moves the player: along the floor, or down a hole."""
    map_id, x, y = end
    on_foot = 1 + abs(x - spot.x) + abs(y - spot.y)
    return Hop(facing, Spot(*end), on_foot if map_id == spot.map_id else WARP_COST)


def _by_warp(world: World, spot: Spot, warp: Warp, facing: Facing) -> Hop | None:
    """Return the hop through a warp, or None for a warp without a known end."""
    if spot.map_id in world.lifts:
        return None  # the end depends on the chosen floor, not on the map data
    end = world.end_of(spot.map_id, warp)
    return None if end is None else Hop(facing, Spot(*end), WARP_COST)


class Obstacles(NamedTuple):
    """Obstacles other than the ground: blocked squares, and extra costs of others."""

    walls: frozenset[MapSquare] = frozenset()
    costs: Mapping[MapSquare, int] = MappingProxyType({})

    def plus(self, other: "Obstacles") -> "Obstacles":
        """Return the union of both; extra costs are added."""
        costs = dict(self.costs)
        for square, cost in other.costs.items():
            costs[square] = costs.get(square, 0) + cost
        return Obstacles(self.walls | other.walls, costs)


NOTHING: Final = Obstacles()


def find_route(
    world: World,
    start: Spot,
    arrived: Callable[[Spot], bool],
    *,
    obstacles: Obstacles = NOTHING,
    distances: Mapping[Spot, int] | None = None,
    longest: float = inf,
) -> list[Hop] | None:
    """Return the cheapest hops from `start` to a spot that `arrived` accepts, or None above a cost of `longest`.

    `distances` to the goal without people are the heuristic; a spot without a distance does
    not lead there. Without `distances` the heuristic is 0.
    """
    if distances is not None and start not in distances:
        return None
    order = count()
    # On equal cost the spot nearer to the goal comes first: many routes are equal, and one is enough.
    frontier: list[tuple[int, int, int, Spot]] = [(0, 0, next(order), start)]
    came_from: dict[Spot, tuple[Spot, Hop]] = {}
    cost_of = {start: 0}
    closed: set[Spot] = set()
    walls, extra = obstacles
    while frontier and len(closed) < MAX_NODES:
        *_, spot = heapq.heappop(frontier)
        if spot in closed:
            continue
        if arrived(spot):
            return _unwind(came_from, spot)
        closed.add(spot)
        so_far = cost_of[spot]
        for hop in hops(world, spot):
            to = hop.to
            if so_far + hop.cost >= cost_of.get(to, inf):
                continue  # most hops lead back
            square = to[:3]
            cost = so_far + hop.cost + extra.get(square, 0)
            left = 0 if distances is None else distances.get(to)
            if left is None or square in walls or cost + left > longest:
                continue
            if cost >= cost_of.get(to, inf):
                continue
            cost_of[to] = cost
            came_from[to] = spot, hop
            heapq.heappush(frontier, (cost + left, left, next(order), to))
    return None


class Enclosure(NamedTuple):
    """Spots of a world and the walls that separate them from a destination."""

    world: World
    spots: frozenset[Spot]
    walls: frozenset[MapSquare]

    def holds(self, world: World, spot: Spot, walls: frozenset[MapSquare]) -> bool:
        """Return whether `spot` is still enclosed; other walls do not matter."""
        return world is self.world and spot in self.spots and self.walls <= walls


def enclosure(
    world: World,
    start: Spot,
    arrived: Callable[[Spot], bool],
    *,
    walls: frozenset[MapSquare],
    distances: Mapping[Spot, int] | None = None,
) -> Enclosure | None:
    """Return the enclosure around `start` that separates it from all accepted spots, or None if a route exists.

    `distances` are as for a route: a spot without a distance does not lead there.
    """
    spots, waiting = {start}, [start]
    blockers: set[MapSquare] = set()
    while waiting:
        spot = waiting.pop()
        if arrived(spot):
            return None
        for hop in hops(world, spot):
            if hop.to[:3] in walls:
                blockers.add(hop.to[:3])
            elif (distances is None or hop.to in distances) and hop.to not in spots:
                spots.add(hop.to)
                waiting.append(hop.to)
    return Enclosure(world, frozenset(spots), frozenset(blockers))


@lru_cache(maxsize=256)
def is_connected(
    world: World, start: Spot, square: tuple[int, int], walls: frozenset[MapSquare] = frozenset()
) -> bool:
    """Return whether `square` can be reached from `start` without leaving the map, and not over `walls`."""
    spots: set[MapSquare] = {start, *walls}
    waiting = [start]
    while waiting:
        spot = waiting.pop()
        if (spot.x, spot.y) == square:
            return True
        reached = [hop.to for hop in hops(world, spot) if hop.to.map_id == start.map_id]
        waiting += [to for to in reached if to not in spots]
        spots.update(reached)
    return False


def _unwind(came_from: dict[Spot, tuple[Spot, Hop]], spot: Spot) -> list[Hop]:
    route = []
    while spot in came_from:
        spot, hop = came_from[spot]
        route.append(hop)
    return route[::-1]
