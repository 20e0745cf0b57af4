"""Pushing boulders where they should come to lie, with STRENGTH; a room that is spoilt is left and entered anew."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from agent.skills.boulders import Push, Room, Square, find_pushes
from agent.skills.crowd import Crowd
from agent.skills.field_moves import STRENGTH, use_field_move
from agent.skills.hops import spot_of
from agent.skills.leave import leave_map
from agent.skills.press import until_ready, wait
from agent.skills.skill import Movement, Outcome, Skill
from agent.skills.stride import BUTTON, turn
from agent.skills.terrain import Terrain
from agent.skills.travel import Destination, follow, travel
from emulator import Kind, State, Step

STRONG: Final = 0x01  # of wStatusFlags1; gone on the next map
LEAN_HOLD: Final = 10  # the first attempt is only noted, the next one moves the boulder
LEAN_SETTLE: Final = 40
LEANS: Final = 3
PLANS: Final = 60  # made before it is given up
FRESH_STARTS: Final = 3


class Wish(NamedTuple):
    """A boulder, by its sprite slot, and the square where it should lie, or the hole it should go down."""

    slot: int
    square: Square


def push_boulders(wishes: Sequence[Wish], terrain: Terrain, state: State) -> Skill:
    """Bring boulders of this map to their squares, one after the other; BLOCKED where nobody has the strength.

    Where a boulder can no longer get there, the map is left and entered again: they lie as at first then.
    """
    place = state.map.map_id
    plans, fresh = PLANS, FRESH_STARTS
    while plans and fresh:
        plans -= 1
        if state.map.map_id != place:
            yield from travel(terrain, Destination(place), state)
            state = yield wait(1)
            if state.map.map_id != place:
                return Outcome.BLOCKED
        wish = next((each for each in wishes if not _is_met(each, state)), None)
        if wish is None:
            return Outcome.DONE
        if not state.flags.status_1 & STRONG:
            state = yield from use_field_move(STRENGTH, state)
            if not state.flags.status_1 & STRONG:
                return Outcome.BLOCKED
        pushes = find_pushes(_room(terrain, state), spot_of(state), wish.slot, wish.square)
        if pushes is None:
            fresh -= 1
            yield from leave_map(terrain, state)
            state = yield wait(1)
        else:
            state = yield from _carry_out(pushes, terrain, state)
    return Outcome.BLOCKED


def _is_met(wish: Wish, state: State) -> bool:
    """What went down a hole is there no more."""
    lying = {person.slot: person.position for person in state.people_present}
    return lying.get(wish.slot, wish.square) == wish.square


def _room(terrain: Terrain, state: State) -> Room:
    here = state.map.map_id
    world = terrain.world(state)
    kinds = {each.slot: each.kind for each in world.map(here).people}
    present = {person.slot: tuple(person.position) for person in state.people_present}
    boulders = {slot: (x, y) for slot, (x, y) in present.items() if kinds.get(slot) is Kind.BOULDER}
    others = {slot: square for slot, square in present.items() if slot not in boulders}
    avoided = {(x, y) for map_id, x, y in terrain.hazards(state).walls if map_id == here}
    return Room(
        world,
        boulders,
        walls=frozenset({(x, y) for x, y in others.values()} | avoided),
        taken=frozenset(_taken(state, boulders)),
    )


def _taken(state: State, boulders: dict[int, Square]) -> Iterator[Square]:
    return ((each.x, each.y) for each in state.people if each.slot not in boulders)


def _carry_out(pushes: Sequence[Push], terrain: Terrain, state: State) -> Movement:
    """Push as far as everything goes as planned."""
    for push in pushes:
        if push.way:
            state = yield from follow(list(push.way), state, Crowd(terrain.world(state)))
        if tuple(state.position) != push.stand:
            break
        before = _lies(push.slot, state)
        state = yield from _lean(push, state)
        if _lies(push.slot, state) == before:
            break
    return state


def _lean(push: Push, state: State) -> Movement:
    before = _lies(push.slot, state)
    state = yield from turn(push.facing, state)
    for _ in range(LEANS):
        if _lies(push.slot, state) != before or not state.in_control:
            break
        state = yield Step(BUTTON[push.facing], LEAN_HOLD, LEAN_SETTLE)
        state = yield from until_ready(state)
    return state


def _lies(slot: int, state: State) -> Square | None:
    return next(((each.x, each.y) for each in state.people_present if each.slot == slot), None)
