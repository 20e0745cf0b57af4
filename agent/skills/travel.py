"""Walking a route on live maps: people move, warps fade, and every hop is checked against the cartridge."""

from collections.abc import Callable
from typing import Final

from agent.skills.press import HOLD, until_ready, wait
from agent.skills.route import Hop, Spot, find_route
from agent.skills.skill import Movement, Outcome, Skill
from emulator import Button, Facing, State, Step, World

BUTTON: Final = {
    Facing.DOWN: Button.DOWN,
    Facing.UP: Button.UP,
    Facing.LEFT: Button.LEFT,
    Facing.RIGHT: Button.RIGHT,
}
# A step takes 16 frames from the poll that sees the key; a turn before it takes one more pass.
STEP_HOLD: Final = 8
STEP_SETTLE: Final = 11
TURN_SETTLE: Final = 15


def spot_of(state: State) -> Spot:
    """Return where the player stands."""
    return Spot(state.map.map_id, state.map.x, state.map.y, state.map.last_map)


def occupied(state: State) -> frozenset[Spot]:
    """Return the spots on which somebody stands now. They move: never remember them as walls."""
    here = spot_of(state)
    return frozenset(
        here._replace(x=person.x, y=person.y) for person in state.people if person.on_screen
    )


def travel(
    world: World, arrived: Callable[[Spot], bool], state: State, *, patience: int = 40
) -> Skill:
    """Walk to the nearest spot that `arrived` accepts, over as many maps as it takes."""
    for _ in range(patience):
        route = find_route(world, spot_of(state), arrived, occupied=occupied(state))
        if route is None:
            state = yield wait(20)  # somebody may be standing in the only way; people walk on
        elif not route:
            return Outcome.DONE
        else:
            state = yield from follow(route, state)
    return Outcome.BLOCKED


def follow(route: list[Hop], state: State) -> Movement:
    """Take the hops in order, as far as they lead where they should."""
    for hop in route:
        state = yield from take(hop, state)
        if spot_of(state) != hop.to:
            break
    return state


def take(hop: Hop, state: State) -> Movement:
    """Press one direction until the step, or the map change it causes, is over."""
    settle = STEP_SETTLE if state.map.facing is hop.facing else TURN_SETTLE
    state = yield Step(BUTTON[hop.facing], STEP_HOLD, settle)
    return (yield from until_ready(state))


def turn(facing: Facing, state: State) -> Movement:
    """Face a direction in which something solid stands."""
    if state.map.facing is not facing:
        state = yield Step(BUTTON[facing], HOLD, STEP_SETTLE)
    return (yield from until_ready(state))
