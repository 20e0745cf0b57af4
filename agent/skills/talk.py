"""Going up to somebody and hearing them out."""

from collections.abc import Callable

from agent.skills.press import tap, until_ready, wait
from agent.skills.route import Spot, find_route
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.travel import follow, occupied, spot_of, turn
from emulator import Button, Facing, State, World


def talk(slot: int, world: World, state: State, *, patience: int = 40) -> Skill:
    """Walk beside the person in sprite slot `slot` of this map, face them, and read all they say."""
    for _ in range(patience):
        person = next((each for each in state.people if each.slot == slot), None)
        if person is None:
            return Outcome.BLOCKED
        target = spot_of(state)._replace(x=person.x, y=person.y)
        route = find_route(world, spot_of(state), _beside(target), occupied=occupied(state))
        if route is None:
            state = yield wait(20)
        elif route:
            state = yield from follow(route, state)
        else:
            state = yield from turn(_toward(spot_of(state), target), state)
            state = yield tap(Button.A, settle=16)
            if state.dialogue.is_open:
                yield from hear_out(state)
                return Outcome.DONE
    return Outcome.BLOCKED


def hear_out(state: State) -> Movement:
    """Page through the open text. B never says yes, and never starts the talk over."""
    while state.dialogue.is_open:
        state = yield tap(Button.B)
    return (yield from until_ready(state))


def _beside(target: Spot) -> Callable[[Spot], bool]:
    return frozenset(target.next_to(facing) for facing in Facing).__contains__


def _toward(here: Spot, target: Spot) -> Facing:
    return next(facing for facing in Facing if here.next_to(facing) == target)
