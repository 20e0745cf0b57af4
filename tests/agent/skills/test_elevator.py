"""Riding an elevator: with what it needs, and until its shaking ends."""

from dataclasses import replace

import pytest

from agent.skills import Outcome, Skill, SkillRun, Terrain
from agent.skills.route import Spot, hops, spot_of
from agent.skills.skill import Movement
from agent.skills.walk import BUTTON, STEP_FRAMES, ride_elevator
from agent.story.story import Story
from emulator import CartridgeKind, Facing, State, Step
from emulator.ram.map import MapState
from emulator.ram.player import Stack
from emulator.world.world import Floor
from tests.agent.demo import STORY, WORLD, free_in
from tests.agent.support import state_fixture

TOWN, ELEVATOR, HALL = 0, 236, 181
MATS = (1, 3), (2, 3)
LIFT_KEY = 74
KEYS = {button: facing for facing, button in BUTTON.items()}


free = state_fixture(free_in(TOWN))


class ShakingElevator:
    """The works' elevator, in which no press counts for some frames after a floor was chosen."""

    def __init__(self, state: State, shakes: int) -> None:
        self.world = WORLD.moving({}, STORY.lifts)
        here = replace(state.map, map_id=ELEVATOR, x=3, y=1, facing=Facing.UP)
        self.state = replace(state, map=here, people=())
        self._still = state.frame + shakes

    def perform(self, step: Step) -> None:
        frame, here = self.state.frame + step.hold + step.settle, self.state.map
        if self.state.frame >= self._still and step.button in KEYS:
            facing = KEYS[step.button]
            here = replace(here, facing=facing)
            for _ in range(1 + step.hold // STEP_FRAMES):
                here = self._after_step(here)
        self.state = replace(self.state, frame=frame, map=here)

    def _after_step(self, here: MapState) -> MapState:
        spot = Spot(here.map_id, here.x, here.y)
        if here.map_id == ELEVATOR and spot[1:] in MATS and here.facing is Facing.DOWN:
            return replace(here, map_id=HALL)
        if here.map_id == ELEVATOR and self.world.map(ELEVATOR).can_step(spot[1:], here.facing):
            spot = spot.next_to(here.facing)
        return replace(here, x=spot.x, y=spot.y)


@pytest.mark.parametrize("shakes", [0, 300, 640])
def test_an_elevator_is_left_when_its_shaking_ends(free: State, shakes: int) -> None:
    car = ShakingElevator(free, shakes)
    ride = next(hop for hop in hops(car.world, spot_of(car.state)) if isinstance(hop.by, Floor))
    run = SkillRun(left(ride_elevator(ride, Floor(0, HALL, 4), car.world, car.state)))
    while run.outcome is Outcome.RUNNING:
        car.perform(run.step)
        run.resume(car.state)
    assert car.state.map.map_id == HALL


def test_an_elevator_is_known_only_with_what_it_needs(free: State) -> None:
    terrain, story = Terrain(WORLD), Story.of(CartridgeKind.RED)
    terrain.set_forced_moves({}, story.usable_lifts)
    state, key = free, Stack(LIFT_KEY, 1)
    assert not terrain.world(state).lifts
    with_key = replace(state, bag=replace(state.bag, items=(*state.bag.items, key)))
    assert terrain.world(with_key).lifts == story.lifts
    assert not terrain.world(state).lifts


def left(ride: Movement) -> Skill:
    yield from ride
    return Outcome.DONE
