"""Skills that walk a route: presses over several steps, elevators, obstacles, and moving people.

Every stride is compared with the position in RAM; after a change the route is searched again.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

from agent.skills.distances import Distances
from agent.skills.field_moves import CUT, SURF, use_field_move
from agent.skills.menu import answer_menus, by_kind, entry
from agent.skills.route import (
    Enclosure,
    Hop,
    Obstacles,
    Spot,
    enclosure,
    find_route,
    is_step,
    spot_of,
    up_to_next_map,
)
from agent.skills.skill import HOLD, Movement, Outcome, Skill, TextPager, tap, until_ready, wait
from agent.skills.terrain import Crowd, Terrain
from emulator import Button, Facing, MapSquare, MenuKind, Obstacle, State, Step, World
from emulator.world import Floor

BUTTON: Final = {
    Facing.DOWN: Button.DOWN,
    Facing.UP: Button.UP,
    Facing.LEFT: Button.LEFT,
    Facing.RIGHT: Button.RIGHT,
}
# A step takes 16 frames from the poll that reads the key; a turn before it takes one more pass.
STEP_FRAMES: Final = 16
STEP_HOLD: Final = 8
STEP_SETTLE: Final = 11
TURN_SETTLE: Final = 15
LONGEST_STRIDE: Final = 6  # steps under one press; in more, lost frames could add up to a step
STRIDES: Final = 40  # to leave an elevator: it shakes for some 300 frames, in which no press counts
MISSES: Final = 2  # walks over a warp that end on a third map, before the warp counts as a wall
MOVES: Final = {Obstacle.TREE: CUT, Obstacle.WATER: SURF}
PAGES: Final = 40  # presses allowed for the text at a door
WAITS: Final = 400  # waits allowed while only a walking person blocks the route
WAIT: Final = 32  # frames for a person in the way to move
LONG_WAIT: Final = 60  # the same for a person in a gap, who takes a step every few seconds
GAP_EXITS: Final = 2
GAP_DISTANCE: Final = 3  # distance to a person in a gap, which they need to leave it
SIDE_COST: Final = 16  # highest cost of stepping aside
LONGEST_DETOUR: Final = 4_096  # longer than any route
DETOUR: Final = 32  # steps of detour to another map that are preferred to waiting


def strides(route: list[Hop], start: Spot) -> Iterator[list[Hop]]:
    """Yield the hops of a route in groups; straight steps form one group, as one press covers several."""
    stride: list[Hop] = []
    here = start
    for hop in route:
        straight = stride and hop.facing is stride[0].facing and len(stride) < LONGEST_STRIDE
        if stride and not (straight and is_step(hop, here) and is_step(stride[0], start)):
            yield stride
            stride, start = [], here
        stride.append(hop)
        here = hop.to
    if stride:
        yield stride


def walk_stride(stride: list[Hop], state: State) -> Movement:
    """Hold one direction until the steps, or the map change they cause, are over."""
    facing = stride[0].facing
    settle = STEP_SETTLE if state.map.facing is facing else TURN_SETTLE
    hold = STEP_HOLD + STEP_FRAMES * (len(stride) - 1)
    state = yield Step(BUTTON[facing], hold, settle)
    return (yield from until_ready(state))


def turn(facing: Facing, state: State) -> Movement:
    """Turn to a direction in which the way is blocked."""
    if state.map.facing is not facing:
        state = yield Step(BUTTON[facing], HOLD, STEP_SETTLE)
    return (yield from until_ready(state))


def ride_elevator(hop: Hop, floor: Floor, world: World, state: State) -> Movement:
    """Choose `floor` at the panel ahead and leave the elevator there."""
    elevator = state.map.map_id
    state = yield from turn(hop.facing, state)
    state = yield tap(Button.A, settle=16)
    answer = by_kind({MenuKind.FLOORS: entry(floor.row)})
    state = yield from answer_menus(answer, lambda _state: False, state)
    state = yield from until_ready(state)
    for _ in range(STRIDES):
        stride = _next_stride(hop, world, spot_of(state))
        if state.map.map_id != elevator or not stride:
            break
        state = yield from walk_stride(stride, state)
    return state


def _next_stride(hop: Hop, world: World, here: Spot) -> list[Hop]:
    """Return the next stride on the way out, or an empty list without a route."""
    facing = _exit_facing(world, here)
    if facing is not None:
        return [Hop(facing, hop.to)]
    way = find_route(world, here, lambda spot: _exit_facing(world, spot) is not None)
    return next(strides(way, here)) if way else []


def _exit_facing(world: World, spot: Spot) -> Facing | None:
    """Return the direction of a step that triggers the exit mat, or None."""
    game_map = world.map(spot.map_id)
    for facing in Facing:
        walks = game_map.can_step(spot[1:3], facing)
        ahead = spot.next_to(facing) if walks else spot
        mat = game_map.warp_at(ahead.x, ahead.y)
        if mat is not None and (facing in mat.press or (walks and mat.steps)):
            return facing
    return None


def clear_obstacle(hop: Hop, state: State) -> Movement:
    """Face the obstacle of a hop and clear it; after SURF the player is on the water.

    Only the map shows afterwards whether it worked.
    """
    state = yield from turn(hop.facing, state)
    if hop.by in MOVES:
        return (yield from use_field_move(MOVES[hop.by], state))
    state, pager = (yield tap(Button.A, settle=16)), TextPager()
    for _ in range(PAGES):
        if not state.dialogue.is_open:
            break
        state = yield pager.step(state)
    return (yield from until_ready(state))


def still_blocked(hop: Hop, world: World) -> Obstacles:
    """Return the square of a hop as a wall if its obstacle is still there."""
    square: MapSquare = hop.to[:3]
    closed = hop.by is not None and world.map(hop.to.map_id).obstacle(hop.to.x, hop.to.y) is hop.by
    return Obstacles(frozenset({square}), {}) if closed else Obstacles()


@dataclass(frozen=True, slots=True)
class Destination:
    """A map, or a set of squares on it."""

    map_id: int
    squares: frozenset[tuple[int, int]] | None = None

    def accepts(self, spot: Spot) -> bool:
        """Return whether `spot` is part of the destination."""
        here = spot.map_id == self.map_id
        return here and (self.squares is None or (spot.x, spot.y) in self.squares)


def shortest_route(terrain: Terrain, destination: Destination, state: State) -> list[Hop] | None:
    """Return the shortest route to `destination`, ignoring people and hazards."""
    world, here = terrain.world(state), spot_of(state)
    elsewhere = destination.map_id != here.map_id
    distances = Distances.of(world).to(destination.map_id, here) if elsewhere else None
    return find_route(world, here, destination.accepts, distances=distances)


def travel(
    terrain: Terrain,
    destination: Destination,
    state: State,
    *,
    patience: int = 40,
    on_blocked: Callable[[Spot], object] = lambda _spot: None,
) -> Skill:
    """Walk to the nearest spot of `destination`, over any number of maps.

    The route is planned again after each change. People in the way may move: the longer the wait, the longer the
    allowed detour. BLOCKED after `patience` failed plans; up to `WAITS` plans that fail only because of walking people
    do not count. `on_blocked` is called with the spot that the last plan could not step on although it looked free, and
    with the believed end of a warp that led elsewhere. Such a warp, and an obstacle that remains after an attempt to
    clear it, count as walls. INTERRUPTED by a text on the way.
    """
    crowd, detour, waits = Crowd(terrain.world(state)), DETOUR, WAITS
    stuck, misses = Obstacles(), Counter[Spot]()
    enclosed: Enclosure | None = None  # while it holds no search is needed
    will_open = False  # whether only walking people enclose the player
    for _ in range(patience + WAITS):
        if patience <= 0:
            break
        if _is_interrupted(state):
            return Outcome.INTERRUPTED  # as of a trainer who saw the player
        world, here = terrain.world(state), spot_of(state)
        hazards = terrain.hazards(state).plus(stuck)
        obstacles = crowd.obstacles(state).plus(hazards)
        if enclosed is not None and enclosed.holds(world, here, obstacles.walls):
            detour = min(2 * detour, LONGEST_DETOUR)
            waits, patience = after_failure(waits, patience, will_open=will_open)
            state = yield wait(WAIT)
            continue
        # On the destination map all distances are 0 and no heuristic.
        elsewhere = destination.map_id != here.map_id
        distances = Distances.of(world).to(destination.map_id, here) if elsewhere else None
        find = partial(find_route, world, here, destination.accepts, distances=distances)
        longest = distances.get(here, 0) + detour if distances is not None else inf
        route = find(obstacles=obstacles, longest=longest)
        if route is None:
            detour = min(2 * detour, LONGEST_DETOUR)
            enclosed = enclosure(
                world, here, destination.accepts, walls=obstacles.walls, distances=distances
            )
            will_open = find(obstacles=crowd.standing(state).plus(hazards)) is not None
            waits, patience = after_failure(waits, patience, will_open=will_open)
            state = yield from make_room(terrain, find() or [], state, crowd)
        elif not route:
            return Outcome.DONE
        else:
            detour = DETOUR
            part = up_to_next_map(route, here)
            state = yield from follow(part, state, crowd)
            if _is_missed(part[-1].to, here, spot_of(state), misses):
                stuck = stuck.plus(Obstacles(frozenset({part[-1].to})))
                on_blocked(part[-1].to)
            if spot_of(state) == here:
                patience -= 1
                stuck = stuck.plus(still_blocked(route[0], terrain.world(state)))
                if not patience:
                    on_blocked(route[0].to)
    return Outcome.BLOCKED


def _is_interrupted(state: State) -> bool:
    """Return whether a text or a menu is open, which walking never opens."""
    return state.dialogue.is_open or state.menu is not None


def _is_missed(end: Spot, here: Spot, there: Spot, misses: Counter[Spot]) -> bool:
    """Count a walk to another map that came to a third one; return whether its warp counts as a wall from now on."""
    misses[end] += here.map_id != end.map_id != there.map_id != here.map_id
    return misses[end] == MISSES


def after_failure(waits: int, patience: int, *, will_open: bool) -> tuple[int, int]:
    """Return the remaining waits and plans after a failed plan."""
    return (waits - 1, patience) if will_open and waits else (waits, patience - 1)


def make_room(terrain: Terrain, way: list[Hop], state: State, crowd: Crowd) -> Movement:
    """Wait for a person in the way; step aside for a person in a gap."""
    here, world = spot_of(state), terrain.world(state)
    in_the_way = crowd.obstacles(state)
    blocker = next((hop.to for hop in way if hop.to[:3] in in_the_way.walls), None)
    if blocker is None or blocker.map_id != here.map_id or not _is_gap(world, blocker):
        return (yield wait(WAIT))
    if _steps(here, blocker) >= GAP_DISTANCE:
        return (yield wait(LONG_WAIT))
    squares = {hop.to[:3] for hop in way}
    side_route = find_route(
        world,
        here,
        lambda spot: spot[:3] not in squares and _steps(spot, blocker) >= GAP_DISTANCE,
        obstacles=in_the_way.plus(terrain.hazards(state)),
        longest=SIDE_COST,
    )
    if not side_route or any(hop.to.map_id != here.map_id for hop in side_route):
        return (yield wait(WAIT))
    return (yield from follow(side_route, state, crowd))


def _is_gap(world: World, spot: Spot) -> bool:
    game_map = world.map(spot.map_id)
    ways = [game_map.can_step((spot.x, spot.y), facing) for facing in Facing]
    return sum(ways) <= GAP_EXITS


def _steps(one: Spot, other: Spot) -> int:
    return abs(one.x - other.x) + abs(one.y - other.y)


def follow(route: list[Hop], state: State, crowd: Crowd) -> Movement:
    """Walk the hops in order while positions match, and record people on the way.

    Stop after an obstacle or an elevator, because the ground has changed and the route must be searched again.
    """
    for stride in strides(route, spot_of(state)):
        match stride[0].by:
            case Floor() as floor:
                return (yield from ride_elevator(stride[0], floor, crowd.world, state))
            case Obstacle():
                return (yield from clear_obstacle(stride[0], state))
            case None:
                pass
        state = yield from walk_stride(stride, state)
        crowd.see(state)
        if spot_of(state) != stride[-1].to or _is_interrupted(state):
            break
    return state
