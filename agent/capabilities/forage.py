"""Picking up items on the map, where the bag has room and earlier runs missed them."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.context import GameContext
from agent.experience.uses import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, nothing, talk
from emulator import State
from emulator.world.residents import ResidentKind

LEFT: Final = "lying:about"
PRIORITY: Final = 51  # before the story goes on; what cannot be reached is soon less urgent
COST: Final = 5


def leaves_lying(game: GameContext, state: State, item: int) -> bool:
    """Say whether memory knows that an item that lies here is never missed."""
    why = game.experience.spare(item)
    if why:
        name = game.dex.item_name(item)
        game.experience.sways(MemoryUse.THINGS, f"{name} in {game.story.place_of(state)}", why)
    return bool(why)


def capability(game: GameContext) -> Capability:
    """Pick up the things of the map one is on."""

    def sources(state: State) -> tuple[object, ...]:
        lessons = game.experience.lessons
        return state.map.map_id, state.flags.hidden, state.bag, state.in_control, lessons

    def read(state: State) -> Mapping[str, int]:
        return {LEFT: sum(1 for _ in _things(game, state))}

    def begin(state: State) -> Skill:
        slots = set(_things(game, state))
        here = state.position
        near = min(
            (each for each in state.people_present if each.slot in slots),
            key=lambda each: abs(each.x - here.x) + abs(each.y - here.y),
            default=None,
        )
        return talk(near.slot, game.terrain, state, patience=3) if near else nothing()

    action = Action(
        name="pick_up",
        requires=(Require(LEFT, at_least=1), FREE),
        effects=(Effect(LEFT, 0),),
        cost=COST,
        says="pick up what lies about",
    )
    return Capability(
        name="forage",
        sensors=(watching({LEFT: 0}, sources, read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(Goal(LEFT, (Require(LEFT, at_most=0),), PRIORITY, "leave nothing lying about"),),
    )


def _things(game: GameContext, state: State) -> Iterator[int]:
    """Yield the sprite slots of what can be picked up here."""
    if not state.in_control:
        return
    items = {
        resident.slot: resident.item
        for resident in game.terrain.world(state).map(state.map.map_id).people
        if resident.kind is ResidentKind.ITEM
    }
    for person in state.people_present:
        item = items.get(person.slot)
        if item is None or (state.bag.full and not state.bag.quantity(item)):
            continue
        if not leaves_lying(game, state, item):
            yield person.slot
