"""Keeping a few things in the bag: balls while somebody is to be caught, potions and antidotes for the way."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from agent.capabilities import supplies
from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.catch import BALLS, is_looking
from agent.capabilities.kit import Kit
from agent.capabilities.readiness import remembered_strength
from agent.capabilities.story import Clerk
from agent.capabilities.travel import at
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, buy
from emulator import State

LEAST: Final = {supplies.POTION: 2, supplies.POKE_BALL: 2}  # below which one goes shopping
WANTED: Final = {supplies.POTION: 5, supplies.POKE_BALL: 5, supplies.ANTIDOTE: 2}
PRIORITY: Final = 52
COST: Final = 5
NEAR: Final = 60  # steps that what runs short is worth: no more than to the next town


def capability(kit: Kit) -> Capability:
    """Buy what runs short where it is sold, as far as the money goes."""
    clerks = {each: _wares(each, kit) for each in kit.story.clerks}
    called = {place.name: place.called for place in kit.story.places}

    def read(state: State) -> Mapping[str, int]:
        lacking = _bought_from(clerks, kit, state)
        return {supplied_by(each): int(each not in lacking) for each in clerks}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        here = state.map.map_id
        return state.bag, state.player.money, strength_of(state.party), state.flags.events, here

    return Capability(
        name="shop",
        sensors=(watching({supplied_by(each): 1 for each in clerks}, sources, read),),
        deeds=tuple(_deed(clerk, wares, kit) for clerk, wares in clerks.items()),
        goals=tuple(
            Goal(
                supplied_by(each),
                (Require(supplied_by(each), at_least=1),),
                PRIORITY,
                f"have what {called[each.place]} sells",
            )
            for each in clerks
        ),
    )


def supplied_by(clerk: Clerk) -> str:
    """Return the name of the fact that nothing runs short that `clerk` has for sale."""
    return f"supplied:{clerk.place}"


def _bought_from(
    clerks: Mapping[Clerk, Collection[int]], kit: Kit, state: State
) -> frozenset[Clerk]:
    """Return whom to buy from what runs short: of those who sell it and are near, the nearest."""
    steps = {each: _steps(each, kit, state) for each in clerks if _is_open(each, kit, state)}
    open_near = sorted((each for each in steps if steps[each] <= NEAR), key=steps.__getitem__)
    sold = frozenset(ware for each in open_near for ware in clerks[each])
    return frozenset(
        next(each for each in open_near if item in clerks[each])
        for item in _lacking(kit, sold, state)
    )


def _steps(clerk: Clerk, kit: Kit, state: State) -> int:
    (there,) = [each.map_id for each in kit.story.places if each.name == clerk.place]
    return kit.terrain.nearness.steps(state.map.map_id, there)


def _is_open(clerk: Clerk, kit: Kit, state: State) -> bool:
    """Say whether somebody sells, and nothing bars the way: nobody does the story's tasks for a potion."""
    (place,) = [each for each in kit.story.places if each.name == clerk.place]
    return all(kit.story.shows(state, fact) for fact in (*clerk.needs, *place.needs))


def _lacking(kit: Kit, wares: Collection[int], state: State) -> Iterator[int]:
    """Yield the wares of which there are too few, as far as there is room and money for what is wanted of them."""
    for item, least in LEAST.items():
        ware = kit.dex.all_items.get(item)
        if item not in wares or ware is None or not ware.price or state.bag.quantity(item) >= least:
            continue
        if state.bag.full and not state.bag.quantity(item):
            continue
        if item == supplies.POKE_BALL and not is_looking(kit, state):
            continue
        if state.player.money >= ware.price * (WANTED[item] - state.bag.quantity(item)):
            yield item


def _wares(clerk: Clerk, kit: Kit) -> frozenset[int]:
    """Return what a clerk has for sale; nothing, where the cartridge does not tell."""
    maps = {place.name: place.map_id for place in kit.story.places}
    shops = kit.terrain.plain.map(maps[clerk.place]).shops
    return frozenset(item for shop in shops if shop.slot == clerk.person for item in shop.items)


def _stock(wares: Collection[int]) -> Iterator[Effect]:
    """Yield what else is true after a visit to where these are sold."""
    if supplies.POKE_BALL in wares:
        yield Effect(BALLS, WANTED[supplies.POKE_BALL])
    if supplies.POTION in wares:
        yield Effect("bag:potions", WANTED[supplies.POTION])


def _deed(clerk: Clerk, wares: Collection[int], kit: Kit) -> Deed:
    def begin(state: State) -> Skill:
        return buy(clerk.person, WANTED, kit.terrain, state)

    action = Action(
        name=f"shop:{clerk.place}",
        requires=(
            Require(at(clerk.place), at_least=1),
            Require("in_control", at_least=1),
            *(Require(fact, at_least=1) for fact in clerk.needs),
        ),
        effects=(Effect(supplied_by(clerk), 1), *_stock(wares)),
        cost=COST,
        says="buy what runs short",
    )
    return Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"}))
