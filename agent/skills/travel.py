"""Walking a route on live maps: people move, warps fade, and every stride is checked against the cartridge."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from agent.skills.distances import Distances
from agent.skills.hops import Hop, Spot
from agent.skills.press import HOLD, until_ready, wait
from agent.skills.route import find_route
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, Facing, State, Step, World

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


@dataclass(frozen=True, slots=True)
class Destination:
    """A map, or some squares of it."""

    map_id: int
    squares: frozenset[tuple[int, int]] | None = None

    def accepts(self, spot: Spot) -> bool:
        """Say whether `spot` belongs to it."""
        here = spot.map_id == self.map_id
        return here and (self.squares is None or (spot.x, spot.y) in self.squares)


def spot_of(state: State) -> Spot:
    """Return where the player stands."""
    return Spot(state.map.map_id, state.map.x, state.map.y, state.map.last_map)


def occupied(state: State) -> frozenset[Spot]:
    """Return the spots on which somebody stands now. They move: never remember them as walls."""
    here = spot_of(state)
    return frozenset(
        here._replace(x=person.x, y=person.y) for person in state.people if person.on_screen
    )


def travel(world: World, destination: Destination, state: State, *, patience: int = 40) -> Skill:
    """Walk to the nearest spot of `destination`, over as many maps as it takes.

    The way is planned anew whenever somebody or something changes it. BLOCKED when that happened
    `patience` times.
    """
    for _ in range(patience):
        here = spot_of(state)

        route = find_route(
            world,
            here,
            _next_stage(destination, here),
            occupied=occupied(state),
            distances=Distances.of(world).to(destination.map_id, here),
        )
        if route is None:
            state = yield wait(20)  # somebody may be standing in the only way; people walk on
        elif not route:
            return Outcome.DONE
        else:
            state = yield from follow(route, state)
    return Outcome.BLOCKED


def _next_stage(destination: Destination, here: Spot) -> Callable[[Spot], bool]:
    """How far to plan: to the edge of this map, since beyond it everybody will have moved by then."""
    if here.map_id == destination.map_id:
        return destination.accepts
    return lambda spot: spot.map_id != here.map_id


def follow(route: list[Hop], state: State) -> Movement:
    """Take the hops in order, as far as they lead where they should."""
    for stride in strides(route, spot_of(state)):
        state = yield from take(stride, state)
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


def is_step(hop: Hop, here: Spot) -> bool:
    """Say whether `hop` is one step on the same map, neither ledge nor warp nor map edge."""
    return hop.to == here.next_to(hop.facing)


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
