"""Walking a route: presses over several steps, lifts, obstacles, and people who move.

Every stride is compared with the position that RAM shows; the route is found anew when something
changed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

from agent.skills.distances import Distances
from agent.skills.field_moves import CUT, SURF, use_field_move
from agent.skills.menu import by_kind, entry, work
from agent.skills.press import HOLD, TextPager, tap, until_ready, wait
from agent.skills.route import (
    Enclosure,
    Hop,
    Obstacles,
    Spot,
    enclosure,
    find_route,
    is_step,
    spot_of,
)
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.terrain import Crowd, Terrain
from emulator import Button, Facing, MapSquare, MenuKind, Obstacle, State, Step, World
from emulator.world.world import Floor

BUTTON: Final = {
    Facing.DOWN: Button.DOWN,
    Facing.UP: Button.UP,
    Facing.LEFT: Button.LEFT,
    Facing.RIGHT: Button.RIGHT,
}
# A step takes 16 frames from the poll that sees the key; a turn before it takes one more pass.
STEP_FRAMES: Final = 16
STEP_HOLD: Final = 8
STEP_SETTLE: Final = 11
TURN_SETTLE: Final = 15
LONGEST_STRIDE: Final = 6  # steps under one press: more, and lost frames could add up to one
STRIDES: Final = 12  # a car is small
MOVES: Final = {Obstacle.TREE: CUT, Obstacle.WATER: SURF}
PAGES: Final = 40  # presses that the text at a door may take
WAITS: Final = 400  # while only a walking person closes the way
WAIT: Final = 32  # frames for a person in the way to walk on
LONG_WAIT: Final = 60  # the same for one in a gap: they take a step every few seconds
WAYS_IN_A_GAP: Final = 2
ROOM: Final = 3  # steps to keep from a person in a gap, who could not leave it otherwise
FAR_ASIDE: Final = 16  # what making room may cost
LONGEST_DETOUR: Final = 4_096  # longer than any way
DETOUR: Final = 32  # steps on the way to another map that are walked sooner than waited for


def strides(route: list[Hop], start: Spot) -> Iterator[list[Hop]]:
    """Yield the hops of a route, steps straight ahead together: one press carries over several."""
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


def take(stride: list[Hop], state: State) -> Movement:
    """Press one direction until the steps, or the map change they cause, are over."""
    facing = stride[0].facing
    settle = STEP_SETTLE if state.map.facing is facing else TURN_SETTLE
    hold = STEP_HOLD + STEP_FRAMES * (len(stride) - 1)
    state = yield Step(BUTTON[facing], hold, settle)
    return (yield from until_ready(state))


def turn(facing: Facing, state: State) -> Movement:
    """Face a direction in which something solid stands."""
    if state.map.facing is not facing:
        state = yield Step(BUTTON[facing], HOLD, STEP_SETTLE)
    return (yield from until_ready(state))


def ride(hop: Hop, floor: Floor, world: World, state: State) -> Movement:
    """Choose `floor` at the panel ahead and leave the car, which leads there then."""
    car = state.map.map_id
    state = yield from turn(hop.facing, state)
    state = yield tap(Button.A, settle=16)
    answer = by_kind({MenuKind.FLOORS: entry(floor.row)})
    state = yield from work(answer, lambda _state: False, state)
    state = yield from until_ready(state)
    for _ in range(STRIDES):
        stride = _next(hop, world, spot_of(state))
        if state.map.map_id != car or not stride:
            break
        state = yield from take(stride, state)
    return state


def _next(hop: Hop, world: World, here: Spot) -> list[Hop]:
    """Return the next stride on the way out; nothing where there is no way."""
    facing = _way_out(world, here)
    if facing is not None:
        return [Hop(facing, hop.to)]
    way = find_route(world, here, lambda spot: _way_out(world, spot) is not None)
    return next(strides(way, here)) if way else []


def _way_out(world: World, spot: Spot) -> Facing | None:
    """Return which way to walk onto the mat, or off it and out."""
    game_map = world.map(spot.map_id)
    for facing in Facing:
        walks = game_map.can_step(spot[1:3], facing)
        ahead = spot.next_to(facing) if walks else spot
        mat = game_map.warp_at(ahead.x, ahead.y)
        if mat is not None and (facing in mat.press or (walks and mat.steps)):
            return facing
    return None


def clear(hop: Hop, state: State) -> Movement:
    """Face the obstacle of a hop and open the way; after SURF the player is on the water.

    Whether it helped only the ground can tell.
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


def still_closed(hop: Hop, world: World) -> Obstacles:
    """Return the square of a hop as a wall, if what one wanted to get past is there as before."""
    square: MapSquare = hop.to[:3]
    closed = hop.by is not None and world.map(hop.to.map_id).obstacle(hop.to.x, hop.to.y) is hop.by
    return Obstacles(frozenset({square}), {}) if closed else Obstacles()


@dataclass(frozen=True, slots=True)
class Destination:
    """A map, or some squares of it."""

    map_id: int
    squares: frozenset[tuple[int, int]] | None = None

    def accepts(self, spot: Spot) -> bool:
        """Say whether `spot` belongs to it."""
        here = spot.map_id == self.map_id
        return here and (self.squares is None or (spot.x, spot.y) in self.squares)


def find_way(terrain: Terrain, destination: Destination, state: State) -> list[Hop] | None:
    """Return the shortest way to `destination` without people and hazards."""
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
    balked: Callable[[Spot], object] = lambda _spot: None,
) -> Skill:
    """Walk to the nearest spot of `destination`, over as many maps as it takes.

    The way is planned anew whenever something changes it. People in the way may walk on: the longer the wait
    for that, the longer a detour is taken. BLOCKED after `patience` plans that led nowhere; those
    do not count, for `WAITS` of them, that only walking people spoil. `balked` is called with the spot that the
    last of them could not step on, where the way was free as far as one saw. An obstacle that is still there after
    what should have opened the way is a wall from then on. INTERRUPTED by a text on the way.
    """
    crowd, detour, waits = Crowd(terrain.world(state)), DETOUR, WAITS
    stuck = Obstacles()
    shut_in: Enclosure | None = None  # while that holds there is nothing to search for
    will_open = False  # whether a walking person shuts the player in
    for _ in range(patience + WAITS):
        if patience <= 0:
            break
        if _speaks(state):
            return Outcome.INTERRUPTED  # a trainer who saw the player, say
        world, here = terrain.world(state), spot_of(state)
        hazards = terrain.hazards(state).and_also(stuck)
        obstacles = crowd.obstacles(state).and_also(hazards)
        if shut_in is not None and shut_in.still_holds(world, here, obstacles.walls):
            detour = min(2 * detour, LONGEST_DETOUR)
            waits, patience = _spend(waits, patience, will_open=will_open)
            state = yield wait(WAIT)
            continue
        # On the map itself every spot counts as near: nothing would guide the search.
        elsewhere = destination.map_id != here.map_id
        distances = Distances.of(world).to(destination.map_id, here) if elsewhere else None
        find = partial(find_route, world, here, destination.accepts, distances=distances)
        longest = distances.get(here, 0) + detour if distances is not None else inf
        route = find(obstacles=obstacles, longest=longest)
        if route is None:
            detour = min(2 * detour, LONGEST_DETOUR)
            shut_in = enclosure(
                world, here, destination.accepts, walls=obstacles.walls, distances=distances
            )
            will_open = find(obstacles=crowd.staying(state).and_also(hazards)) is not None
            waits, patience = _spend(waits, patience, will_open=will_open)
            state = yield from _make_room(terrain, find() or [], state, crowd)
        elif not route:
            return Outcome.DONE
        else:
            detour = DETOUR
            state = yield from follow(_stage(route, here), state, crowd)
            if spot_of(state) == here:
                patience -= 1
                stuck = stuck.and_also(still_closed(route[0], terrain.world(state)))
                if not patience:
                    balked(route[0].to)
    return Outcome.BLOCKED


def _speaks(state: State) -> bool:
    """Say whether a text or a menu is open, which no walk asks for."""
    return state.dialogue.is_open or state.menu is not None


def _spend(waits: int, patience: int, *, will_open: bool) -> tuple[int, int]:
    """Return what is left of waits and plans after one of them."""
    return (waits - 1, patience) if will_open and waits else (waits, patience - 1)


def _make_room(terrain: Terrain, way: list[Hop], state: State, crowd: Crowd) -> Movement:
    """Wait for a person in the way; one in a gap is left the way out of it."""
    here, world = spot_of(state), terrain.world(state)
    in_the_way = crowd.obstacles(state)
    blocker = next((hop.to for hop in way if hop.to[:3] in in_the_way.walls), None)
    if blocker is None or blocker.map_id != here.map_id or not _is_gap(world, blocker):
        return (yield wait(WAIT))
    if _steps(here, blocker) >= ROOM:
        return (yield wait(LONG_WAIT))
    squares = {hop.to[:3] for hop in way}
    aside = find_route(
        world,
        here,
        lambda spot: spot[:3] not in squares and _steps(spot, blocker) >= ROOM,
        obstacles=in_the_way.and_also(terrain.hazards(state)),
        longest=FAR_ASIDE,
    )
    if not aside or any(hop.to.map_id != here.map_id for hop in aside):
        return (yield wait(WAIT))
    return (yield from follow(aside, state, crowd))


def _is_gap(world: World, spot: Spot) -> bool:
    game_map = world.map(spot.map_id)
    ways = [game_map.can_step((spot.x, spot.y), facing) for facing in Facing]
    return sum(ways) <= WAYS_IN_A_GAP


def _steps(one: Spot, other: Spot) -> int:
    return abs(one.x - other.x) + abs(one.y - other.y)


def _stage(route: list[Hop], here: Spot) -> list[Hop]:
    """Return the part of `route` up to the next map, where people and ground will be seen anew."""
    ends = (number for number, hop in enumerate(route, 1) if hop.to.map_id != here.map_id)
    return route[: next(ends, len(route))]


def follow(route: list[Hop], state: State, crowd: Crowd) -> Movement:
    """Take the hops in order, as far as they lead where they should, and note people on the way.

    After something was cleared away the ground is another, and a lift may not have gone where it should: a new
    route is found then.
    """
    for stride in strides(route, spot_of(state)):
        match stride[0].by:
            case Floor() as floor:
                return (yield from ride(stride[0], floor, crowd.world, state))
            case Obstacle():
                return (yield from clear(stride[0], state))
            case None:
                pass
        state = yield from take(stride, state)
        crowd.see(state)
        if spot_of(state) != stride[-1].to or _speaks(state):
            break
    return state
