"""Riding a lift: naming the floor at its panel, and walking out of the car, which leads there then."""

from functools import partial
from typing import Final

from agent.skills.behind_start import work
from agent.skills.hops import Hop, Spot, spot_of
from agent.skills.menu import select
from agent.skills.press import tap, until_ready
from agent.skills.route import find_route
from agent.skills.skill import Movement
from agent.skills.stride import strides, take, turn
from emulator import Button, Facing, Floor, Menu, MenuKind, State, World

STRIDES: Final = 12  # a car is small


def ride(hop: Hop, floor: Floor, world: World, state: State) -> Movement:
    """Name `floor` at the panel ahead and leave the car; without a floor it leads back to where one came from."""

    def answer(state: State, menu: Menu) -> Movement:
        if menu.kind is MenuKind.FLOORS:
            return (yield from select(floor.row, state))
        return (yield tap(Button.B, settle=16))

    car = state.map.map_id
    state = yield from turn(hop.facing, state)
    state = yield tap(Button.A, settle=16)
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
    way = find_route(world, here, partial(_leads_out, world))
    return next(strides(way, here)) if way else []


def _leads_out(world: World, spot: Spot) -> bool:
    return _way_out(world, spot) is not None


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
