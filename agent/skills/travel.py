"""Walking a route on live maps: people move, warps fade, and every stride is checked against the cartridge."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

from agent.skills.crowd import Crowd
from agent.skills.distances import Distances
from agent.skills.hops import Hop, Spot, is_step, spot_of
from agent.skills.press import HOLD, until_ready, wait
from agent.skills.route import find_route
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.terrain import Terrain
from emulator import Button, Facing, State, Step

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
LONGEST_STRIDE: Final = 4  # steps under one press: more, and lost frames could add up to one
WAITS: Final = (
    300  # looks, a third of a second apart, at a way that only somebody who walks about closes
)
DETOUR: Final = 32  # steps on the way to another map that are walked sooner than waited for


@dataclass(frozen=True, slots=True)
class Destination:
    """A map, or some squares of it."""

    map_id: int
    squares: frozenset[tuple[int, int]] | None = None

    def accepts(self, spot: Spot) -> bool:
        """Say whether `spot` belongs to it."""
        here = spot.map_id == self.map_id
        return here and (self.squares is None or (spot.x, spot.y) in self.squares)


def travel(
    terrain: Terrain, destination: Destination, state: State, *, patience: int = 40
) -> Skill:
    """Walk to the nearest spot of `destination`, over as many maps as it takes.

    The way is planned anew whenever somebody or something changes it. Who is in the way may walk on: the longer
    one has waited for that, the longer a detour is taken. BLOCKED after `patience` plans; those do not count,
    for `WAITS` of them, that somebody spoils who walks about.
    """
    crowd, detour, waits = Crowd(terrain.world(state)), DETOUR, WAITS
    while patience:
        world, here = terrain.world(state), spot_of(state)
        distances = Distances.of(world).to(destination.map_id, here)
        hazards = terrain.hazards(state)
        elsewhere = destination.map_id != here.map_id
        route = find_route(
            world,
            here,
            destination.accepts,
            obstacles=crowd.obstacles(state).and_also(hazards),
            distances=distances,
            longest=distances.get(here, 0) + detour if elsewhere else inf,
        )
        if route is None:
            detour *= 2
            still = crowd.staying(state).and_also(hazards)
            if waits and find_route(
                world, here, destination.accepts, obstacles=still, distances=distances
            ):
                waits -= 1
            else:
                patience -= 1
            state = yield wait(20)
        elif not route:
            return Outcome.DONE
        else:
            detour, patience = DETOUR, patience - 1
            state = yield from follow(_stage(route, here), state, crowd)
    return Outcome.BLOCKED


def _stage(route: list[Hop], here: Spot) -> list[Hop]:
    """Return the part of `route` up to the next map, where people and ground will be seen anew."""
    ends = (number for number, hop in enumerate(route, 1) if hop.to.map_id != here.map_id)
    return route[: next(ends, len(route))]


def follow(route: list[Hop], state: State, crowd: Crowd) -> Movement:
    """Take the hops in order, as far as they lead where they should, with an eye on who is about."""
    for stride in strides(route, spot_of(state)):
        state = yield from take(stride, state)
        crowd.see(state)
        if spot_of(state) != stride[-1].to:
            break
    return state


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
