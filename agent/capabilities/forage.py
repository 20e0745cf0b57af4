"""Pick up items within reach on the map, if the bag has room and runs needed them."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, is_connected, no_skill, spot_of
from agent.skills.terrain import boulders_on
from emulator import Facing, Person, State
from emulator.world import MapObjectKind

ITEMS: Final = "lying:about"
PRIORITY: Final = 51  # above the next story goal
COST: Final = 5


def is_unneeded(game: GameContext, state: State, item: int) -> bool:
    """Return whether, by memory, hardly a run needs the item that lies here."""
    name = game.dex.item_name(item)
    why = game.experience.unneeded(name)
    if why:
        game.experience.record_influence(
            MemoryUse.THINGS, f"{name} in {game.story.place_of(state)}", why
        )
    return bool(why)


def capability(game: GameContext) -> Capability:
    """Pick up the items of the current map."""

    def sources(state: State) -> tuple[object, ...]:
        here, lessons = state.map.map_id, game.experience.lessons
        slots = boulders_on(game.terrain.plain, here)
        people = state.people if slots else ()
        moved = tuple([each.position for each in people if each.slot in slots])
        return here, state.flags.hidden, state.bag, state.in_control, lessons, moved

    def read(state: State) -> Mapping[str, int]:
        return {ITEMS: sum(1 for _ in _items_left(game, state))}

    def begin(state: State) -> Skill:
        slots = set(_items_left(game, state))
        here = state.position
        near = min(
            (each for each in state.people_present if each.slot in slots),
            key=lambda each: abs(each.x - here.x) + abs(each.y - here.y),
            default=None,
        )
        return game.skills.talk(near.slot, game.terrain, state, patience=3) if near else no_skill()

    action = Action(
        name="pick_up",
        requires=(Require(ITEMS, at_least=1), FREE),
        effects=(Effect(ITEMS, 0),),
        cost=COST,
        label="pick up items on this map",
    )
    return Capability(
        name="forage",
        sensors=(watching({ITEMS: 0}, sources, read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(Goal(ITEMS, (Require(ITEMS, at_most=0),), PRIORITY, "leave no item on the map"),),
    )


def _items_left(game: GameContext, state: State) -> Iterator[int]:
    """Yield the sprite slots of the items to pick up on this map; in the Safari Zone each step is paid for."""
    here = state.map.map_id
    is_paid_for = any(each.safari for each in game.story.places if each.map_id == here)
    if not state.in_control or is_paid_for:
        return
    residents = game.terrain.world(state).map(here).people
    items = {each.slot: each.item for each in residents if each.kind is MapObjectKind.ITEM}
    for person in state.people_present:
        item = items.get(person.slot)
        if item is None or (state.bag.full and not state.bag.quantity(item)):
            continue
        if _is_within_reach(game, state, person) and not is_unneeded(game, state, item):
            yield person.slot


def _is_within_reach(game: GameContext, state: State, person: Person) -> bool:
    """Return whether the item can be reached without leaving the map, past boulders and people who stand still."""
    world, here = game.terrain.world(state), spot_of(state)
    standing = {each.slot for each in world.map(here.map_id).people if not each.walks}
    people = [each for each in state.people_present if each.slot in standing]
    walls = frozenset((here.map_id, each.x, each.y) for each in people)
    beside = [(person.x + facing.dx, person.y + facing.dy) for facing in Facing]
    return any(is_connected(world, here, square, walls) for square in beside)
