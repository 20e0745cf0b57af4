"""Walking up to a person or a thing and reading all its text."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from agent.skills.menu import select
from agent.skills.press import TextPager, read_on, tap, until_ready, wait
from agent.skills.route import Obstacles, Spot, find_route, spot_of
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.terrain import Crowd, Terrain
from agent.skills.walk import Destination, follow, still_closed, travel, turn
from emulator import Button, Facing, MenuKind, State, World

PAGES = 200  # how many presses a talk may take, the wait for a machine included


def talk(
    slot: int,
    terrain: Terrain,
    state: State,
    *,
    say_yes: bool = False,
    hear: Callable[[State], Movement] | None = None,
    patience: int = 40,
) -> Skill:
    """Walk up to the person in sprite slot `slot` of this map, face them, and read all they say.

    `say_yes` takes the first of two options the first time they ask, otherwise the second: who offers
    something asks that first, and what they may ask then, such as for a nickname, is not wanted. Where more than
    that is to be answered, `hear` does it. INTERRUPTED by another text on the way, as of trainers.
    """

    def places(state: State) -> dict[Spot, Facing] | None:
        person = next((each for each in state.people_present if each.slot == slot), None)
        if person is None:
            return None
        target = spot_of(state)._replace(x=person.x, y=person.y)
        return dict(_places_to_talk(target, terrain.world(state)))

    hear = hear or partial(hear_out, say_yes=say_yes)
    return _address(places, terrain, state, hear, patience=patience)


def examine(
    square: tuple[int, int],
    terrain: Terrain,
    state: State,
    *,
    facings: Collection[Facing] = (Facing.UP,),
    hear: Callable[[State], Movement] | None = None,
) -> Skill:
    """Walk up to a square of this map, face it from one of the sides allowed, and read all it says.

    What stands along a wall, such as statues, shelves and machines, answers from below only. What they ask is
    answered by `hear`, or with the second of two options.
    """
    x, y = square

    def places(state: State) -> dict[Spot, Facing]:
        target = spot_of(state)._replace(x=x, y=y)
        return {target.next_to(facing.opposite): facing for facing in facings}

    return _address(places, terrain, state, hear or hear_out)


def hear_out(state: State, *, say_yes: bool = False) -> Movement:
    """Page through the open text and answer what it asks, as far as no battle follows."""
    patience = TextPager()
    for _ in range(PAGES):
        if state.in_battle:
            break
        if state.menu is not None and state.menu.kind is MenuKind.KEYBOARD:
            state = yield tap(Button.START, settle=16)  # takes the name that is offered
        elif state.menu is not None and say_yes:
            state = yield from select(0, state)
            say_yes = False
        elif state.dialogue.is_open or state.menu is not None:
            state = yield patience.step(state) if say_yes else read_on()
        else:
            break
    return (yield from until_ready(state))


def _address(
    places: Callable[[State], dict[Spot, Facing] | None],
    terrain: Terrain,
    state: State,
    hear: Callable[[State], Movement],
    *,
    patience: int = 40,
) -> Skill:
    place, crowd, stuck = state.map.map_id, Crowd(terrain.world(state)), Obstacles()
    for _ in range(patience):
        if state.dialogue.is_open:
            return Outcome.INTERRUPTED  # another text: of a trainer who saw the player, say
        if state.map.map_id != place:  # the way led over another map, and broke off there
            yield from travel(terrain, Destination(place), state)
            state = yield wait(1)
            continue
        facings = places(state)
        if facings is None:
            return Outcome.BLOCKED
        route = find_route(
            terrain.world(state),
            spot_of(state),
            facings.__contains__,
            obstacles=crowd.obstacles(state).and_also(terrain.hazards(state)).and_also(stuck),
        )
        if route is None:
            state = yield wait(20)
        elif route:
            here = spot_of(state)
            state = yield from follow(route, state, crowd)
            if spot_of(state) == here:
                stuck = stuck.and_also(still_closed(route[0], terrain.world(state)))
        else:
            state = yield from turn(facings[spot_of(state)], state)
            state = yield tap(Button.A, settle=16)
            if state.dialogue.is_open:
                yield from hear(state)
                return Outcome.DONE
    return Outcome.BLOCKED


def _places_to_talk(target: Spot, world: World) -> Iterator[tuple[Spot, Facing]]:
    """Where one can talk to `target` from, and facing where: beside it, or across a counter."""
    game_map = world.map(target.map_id)
    for facing in Facing:
        back = facing.opposite
        beside = target.next_to(back)
        if not game_map.contains(beside.x, beside.y):
            continue
        counter = game_map.tile(beside.x, beside.y) in game_map.tileset.counters
        yield (beside.next_to(back) if counter else beside), facing
