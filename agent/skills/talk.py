"""Skills that walk to a person or an object and read all its text."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from agent.skills.menu import select
from agent.skills.route import Obstacles, Spot, find_route, spot_of
from agent.skills.skill import (
    Movement,
    Outcome,
    Skill,
    TextPager,
    tap,
    turn_page,
    until_ready,
    wait,
)
from agent.skills.terrain import Crowd, Terrain
from agent.skills.walk import (
    WAITS,
    Destination,
    after_failure,
    follow,
    make_room,
    still_blocked,
    travel,
    turn,
)
from emulator import Button, Facing, MenuKind, State, World

PAGES = 200  # presses allowed for a conversation, including the wait for a machine


def talk(
    slot: int,
    terrain: Terrain,
    state: State,
    *,
    say_yes: bool = False,
    on_text: Callable[[State], Movement] | None = None,
    patience: int = 40,
) -> Skill:
    """Walk to the person in sprite slot `slot` of this map, face them, and read all their text.

    `say_yes` answers yes to the first question and no to all later ones: an offer comes first, and later questions,
    such as the one for a nickname, are refused. `on_text` replaces this reading where other answers are needed.
    INTERRUPTED by another text on the way, as of a trainer.
    """
    on_text = on_text or partial(read_text, say_yes=say_yes)
    places = partial(places_beside, slot, terrain)
    return _walk_and_talk(places, terrain, state, on_text, patience=patience)


def places_beside(slot: int, terrain: Terrain, state: State) -> dict[Spot, Facing] | None:
    """Return the spots from which the person in sprite slot `slot` is talked to; None when they are not present."""
    person = next((each for each in state.people_present if each.slot == slot), None)
    if person is None:
        return None
    target = spot_of(state)._replace(x=person.x, y=person.y)
    return dict(places_to_talk(target, terrain.world(state)))


def examine(
    square: tuple[int, int],
    terrain: Terrain,
    state: State,
    *,
    facings: Collection[Facing] = (Facing.UP,),
    on_text: Callable[[State], Movement] | None = None,
) -> Skill:
    """Walk to a square of this map, face it in one of the allowed directions, and read all its text.

    Objects along a wall, such as statues, shelves and machines, react only from below. `on_text` answers their
    questions; without it the answer is the second of two options.
    """
    x, y = square

    def places(state: State) -> dict[Spot, Facing]:
        target = spot_of(state)._replace(x=x, y=y)
        return {target.next_to(facing.opposite): facing for facing in facings}

    return _walk_and_talk(places, terrain, state, on_text or read_text)


def read_text(state: State, *, say_yes: bool = False) -> Movement:
    """Read the open text to its end and answer its questions; stop when a battle starts."""
    patience = TextPager()
    for _ in range(PAGES):
        if state.in_battle:
            break
        if state.menu is not None and state.menu.kind is MenuKind.KEYBOARD:
            state = yield tap(Button.START, settle=16)  # accepts the default name
        elif state.menu is not None and say_yes:
            state = yield from select(0, state)
            say_yes = False
        elif state.dialogue.is_open or state.menu is not None:
            state = yield patience.step(state) if say_yes else turn_page()
        elif say_yes and not state.in_control:
            state = yield wait(8)  # a script goes on before its question
        else:
            break
    return (yield from until_ready(state))


def _walk_and_talk(
    places: Callable[[State], dict[Spot, Facing] | None],
    terrain: Terrain,
    state: State,
    on_text: Callable[[State], Movement],
    *,
    patience: int = 40,
) -> Skill:
    place, crowd, stuck, waits = state.map.map_id, Crowd(terrain.world(state)), Obstacles(), WAITS
    cut_off: tuple[World, Spot, dict[Spot, Facing]] | None = None  # no search finds a way from here
    while patience > 0:
        if state.dialogue.is_open:
            return Outcome.INTERRUPTED  # another text, as of a trainer who saw the player
        if state.map.map_id != place:  # the route crosses another map and stopped there
            patience -= 1
            yield from travel(terrain, Destination(place), state)
            state = yield wait(1)
            continue
        facings = places(state)
        if facings is None:
            return Outcome.BLOCKED
        world, here, hazards = (
            terrain.world(state),
            spot_of(state),
            terrain.hazards(state).plus(stuck),
        )
        find = partial(find_route, world, here, facings.__contains__)
        obstacles = crowd.obstacles(state).plus(hazards)
        is_cut_off = cut_off == (world, here, facings)
        route = None if is_cut_off else find(obstacles=obstacles)
        if route is None:
            usual = None if is_cut_off else find()
            cut_off = (world, here, facings) if usual is None else None
            standing = crowd.standing(state).plus(hazards)
            will_open = usual is not None and find(obstacles=standing) is not None
            waits, patience = after_failure(waits, patience, will_open=will_open)
            state = yield from make_room(terrain, usual or [], state, crowd)
            continue
        patience -= 1
        if route:
            state = yield from follow(route, state, crowd)
            if spot_of(state) == here:
                stuck = stuck.plus(still_blocked(route[0], terrain.world(state)))
            continue
        state = yield from turn(facings[here], state)
        state = yield tap(Button.A, settle=16)
        if state.dialogue.is_open:
            yield from on_text(state)
            return Outcome.DONE
    return Outcome.BLOCKED


def places_to_talk(target: Spot, world: World) -> Iterator[tuple[Spot, Facing]]:
    """Yield the spots from which `target` can be talked to, with the facing: beside it, or across a counter."""
    game_map = world.map(target.map_id)
    for facing in Facing:
        back = facing.opposite
        beside = target.next_to(back)
        if not game_map.contains(beside.x, beside.y):
            continue
        counter = game_map.tile(beside.x, beside.y) in game_map.tileset.counters
        yield (beside.next_to(back) if counter else beside), facing
