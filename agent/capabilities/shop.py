"""Keeping a few things in the bag: balls while somebody is to be caught, potions and antidotes for the way."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities import supplies
from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.catch import BALLS, wanted
from agent.capabilities.kit import Kit
from agent.capabilities.story import Clerk
from agent.capabilities.travel import at
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, buy
from emulator import State

LEAST: Final = {supplies.POTION: 2, supplies.POKE_BALL: 2}  # below which one goes shopping
WANTED: Final = {supplies.POTION: 5, supplies.POKE_BALL: 5, supplies.ANTIDOTE: 2}
PRIORITY: Final = 52
COST: Final = 5
SUPPLIED: Final = "supplied"


def capability(kit: Kit) -> Capability:
    """Buy what runs short where it is sold, as far as the money goes."""
    clerks = kit.story.clerks
    supplied = Goal(SUPPLIED, (Require(SUPPLIED, at_least=1),), PRIORITY, "have supplies")

    def read(state: State) -> Mapping[str, int]:
        lacks = any(_is_open(each, kit, state) for each in clerks) and any(_lacking(kit, state))
        return {SUPPLIED: int(not lacks)}

    def sources(state: State) -> tuple[object, ...]:
        return state.bag, state.player.money, state.party, state.flags.events

    return Capability(
        name="shop",
        sensors=(watching({SUPPLIED: 1}, sources, read),),
        deeds=tuple(_deed(clerk, kit) for clerk in clerks),
        goals=(supplied,) if clerks else (),
    )


def _is_open(clerk: Clerk, kit: Kit, state: State) -> bool:
    """Say whether somebody sells, and nothing bars the way: nobody does the story's tasks for a potion."""
    (place,) = [each for each in kit.story.places if each.name == clerk.place]
    return all(kit.story.shows(state, fact) for fact in (*clerk.needs, *place.needs))


def _lacking(kit: Kit, state: State) -> Iterator[int]:
    """Yield the things of which there are too few, as far as there is money for what is wanted of them."""
    for item, least in LEAST.items():
        ware = kit.dex.all_items.get(item)
        if ware is None or not ware.price or state.bag.quantity(item) >= least:
            continue
        if item == supplies.POKE_BALL and not wanted(kit, state):
            continue
        if state.player.money >= ware.price * (WANTED[item] - state.bag.quantity(item)):
            yield item


def _stock(clerk: Clerk, kit: Kit) -> Iterator[Effect]:
    """What else is true after a visit, as far as that clerk sells it."""
    maps = {place.name: place.map_id for place in kit.story.places}
    shops = kit.terrain.plain.map(maps[clerk.place]).shops
    wares = {item for shop in shops if shop.slot == clerk.person for item in shop.items}
    if supplies.POKE_BALL in wares:
        yield Effect(BALLS, WANTED[supplies.POKE_BALL])
    if supplies.POTION in wares:
        yield Effect("bag:potions", WANTED[supplies.POTION])


def _deed(clerk: Clerk, kit: Kit) -> Deed:
    def begin(state: State) -> Skill:
        return buy(clerk.person, WANTED, kit.terrain, state)

    action = Action(
        name=f"shop:{clerk.place}",
        requires=(
            Require(at(clerk.place), at_least=1),
            Require("in_control", at_least=1),
            *(Require(fact, at_least=1) for fact in clerk.needs),
        ),
        effects=(Effect(SUPPLIED, 1), *_stock(clerk, kit)),
        cost=COST,
        says="buy what runs short",
    )
    return Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"}))
