"""Walking hop by hop: one press of the pad carries over the steps that lie straight ahead."""

from collections.abc import Iterator
from typing import Final

from agent.skills.hops import Hop, Spot, is_step
from agent.skills.press import HOLD, until_ready
from agent.skills.skill import Movement
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
LONGEST_STRIDE: Final = 6  # steps under one press: more, and lost frames could add up to one


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
