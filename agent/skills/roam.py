"""Skills that walk without a fixed destination: meet wild Pokemon, or leave the map by the nearest exit."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from agent.skills.route import Hop, Obstacles, Spot, find_route, hops, is_step, spot_of
from agent.skills.skill import Outcome, Skill, wait
from agent.skills.terrain import Crowd, Terrain
from agent.skills.walk import Destination, follow, still_blocked, travel, walk_stride
from emulator import GameMap, State, World
from emulator.world import FIRST_INDOOR_MAP

Square: TypeAlias = tuple[int, int]
STRIDES: Final = 400  # far more than a wild encounter needs
STRIDE: Final = 3  # steps under one press
WAIT_EVERY: Final = 8  # strides between two short waits
# Longest wait in frames: steps in phase with the random bytes would never meet an encounter.
LONGEST_WAIT: Final = 13


def leave_map(terrain: Terrain, state: State, *, patience: int = 20) -> Skill:
    """Leave the map by the nearest warp or edge; BLOCKED after `patience` plans."""
    left = state.map.map_id
    crowd, stuck = Crowd(terrain.world(state)), Obstacles()
    for _ in range(patience):
        here = spot_of(state)
        if here.map_id != left:
            return Outcome.DONE
        route = find_route(
            terrain.world(state),
            here,
            lambda spot: spot.map_id != left,
            obstacles=crowd.obstacles(state).plus(stuck),
        )
        if route is None:
            state = yield wait(20)
        else:
            state = yield from follow(route, state, crowd)
            if spot_of(state) == here:
                stuck = stuck.plus(still_blocked(route[0], terrain.world(state)))
    return Outcome.DONE if state.map.map_id != left else Outcome.BLOCKED


def roam(terrain: Terrain, state: State, *, strides: int = STRIDES) -> Skill:
    """Go to the nearest grass of this map, or any floor of a cave, and walk around there.

    DONE after `strides` strides; an encounter ends it earlier. BLOCKED on a map without wild
    areas, or without a route to one.
    """
    here = state.map.map_id
    wild = frozenset(wild_squares(terrain.world(state).map(here)))
    if not wild:
        return Outcome.BLOCKED
    outcome = yield from travel(terrain, Destination(here, wild), state)
    if outcome is not Outcome.DONE:
        return outcome
    crowd = Crowd(terrain.world(state))
    for stride in range(strides):
        if stride % WAIT_EVERY == 0:
            state = yield wait(1 + state.frame % LONGEST_WAIT)
        free = wild - {(x, y) for _, x, y in crowd.obstacles(state).walls}
        way = _straight(terrain.world(state), spot_of(state), free, state.frame)
        if not way:
            return Outcome.BLOCKED
        state = yield from walk_stride(way, state)
    return Outcome.DONE


def _straight(world: World, spot: Spot, free: frozenset[Square], chance: int) -> list[Hop]:
    """Return up to `STRIDE` steps straight ahead in one possible direction; empty when there is none."""
    ways = _steps(world, spot, free)
    way = [ways[chance % len(ways)]] if ways else []
    while way and len(way) < STRIDE:
        facing, here = way[0].facing, way[-1].to
        on = [hop for hop in _steps(world, here, free) if hop.facing is facing]
        if not on:
            break
        way += on
    return way


def _steps(world: World, here: Spot, free: frozenset[Square]) -> list[Hop]:
    return [hop for hop in hops(world, here) if is_step(hop, here) and hop.to[1:3] in free]


def wild_squares(game_map: GameMap) -> Iterator[tuple[int, int]]:
    """Yield the land squares with wild encounters: grass, or in a cave any floor."""
    grass = game_map.tileset.grass
    squares = [
        (x, y)
        for x in range(game_map.columns)
        for y in range(game_map.rows)
        if game_map.passable(x, y) and game_map.warp_at(x, y) is None
    ]
    in_grass = [(x, y) for x, y in squares if game_map.tile(x, y) == grass]
    if in_grass:
        yield from in_grass
    elif game_map.map_id >= FIRST_INDOOR_MAP:
        yield from squares
