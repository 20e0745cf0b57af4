"""Picking up what lies about, as long as the bag has room for it, and nobody knows that it is never missed."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.experience import Use
from agent.capabilities.kit import Kit
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, nothing, talk
from emulator import Kind, State

LEFT: Final = "lying:about"
PRIORITY: Final = 51  # before the story goes on; what cannot be reached is soon less urgent
COST: Final = 5


def capability(kit: Kit) -> Capability:
    """Pick up the things of the map one is on."""

    def sources(state: State) -> tuple[object, ...]:
        lessons = kit.experience.lessons
        return state.map.map_id, state.flags.hidden, state.bag, state.in_control, lessons

    def read(state: State) -> Mapping[str, int]:
        things = dict(_things(kit, state))
        whys = {slot: kit.experience.spare(item) for slot, item in things.items()}
        for slot, why in whys.items():
            if why:
                item = kit.dex.all_items.get(things[slot])
                name = item.name if item is not None else f"item {things[slot]}"
                kit.experience.sways(Use.THINGS, f"{name} on {kit.story.place_of(state)}", why)
        return {LEFT: sum(not why for why in whys.values())}

    def begin(state: State) -> Skill:
        slots = {slot for slot, item in _things(kit, state) if not kit.experience.spare(item)}
        here = state.position
        near = min(
            (each for each in state.people_present if each.slot in slots),
            key=lambda each: abs(each.x - here.x) + abs(each.y - here.y),
            default=None,
        )
        return talk(near.slot, kit.terrain, state, patience=3) if near else nothing()

    action = Action(
        name="pick_up",
        requires=(Require(LEFT, at_least=1), Require("in_control", at_least=1)),
        effects=(Effect(LEFT, 0),),
        cost=COST,
        says="pick up what lies about",
    )
    return Capability(
        name="forage",
        sensors=(watching({LEFT: 0}, sources, read),),
        deeds=(Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"})),),
        goals=(Goal(LEFT, (Require(LEFT, at_most=0),), PRIORITY, "leave nothing lying about"),),
    )


def _things(kit: Kit, state: State) -> Iterator[tuple[int, int]]:
    """Yield what can be picked up here: sprite slot and item."""
    if not state.in_control:
        return
    items = {
        resident.slot: resident.item
        for resident in kit.terrain.world(state).map(state.map.map_id).people
        if resident.kind is Kind.ITEM
    }
    for person in state.people_present:
        item = items.get(person.slot)
        if item is not None and (not state.bag.full or state.bag.quantity(item)):
            yield person.slot, item
