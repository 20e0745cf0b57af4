"""Keeping a few things in the bag: balls while somebody is to be caught, potions and antidotes for the way."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Final

from agent.capabilities import supplies
from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.catch import BALLS, is_looking
from agent.capabilities.experience import Use
from agent.capabilities.kit import Kit
from agent.capabilities.marks import required
from agent.capabilities.readiness import remembered_strength
from agent.capabilities.shelves import WANTED, Shelves
from agent.capabilities.story import Clerk
from agent.capabilities.travel import at
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, buy
from emulator import State

LEAST: Final = {supplies.POTION: 2, supplies.POKE_BALL: 2}  # below which one goes shopping
EFFECTS: Final = {supplies.POKE_BALL: BALLS, supplies.POTION: "bag:potions"}  # of a visit
PRIORITY: Final = 52
COST: Final = 5
NEAR: Final = 60  # steps that what runs short is worth: no more than to the next town


def capability(kit: Kit) -> Capability:
    """Buy what runs short where it is sold, as far as the money goes."""
    clerks, shelves = kit.story.clerks, Shelves(kit)
    called = {place.name: place.called for place in kit.story.places}

    def read(state: State) -> Mapping[str, int]:
        lacking = _bought_from({each: shelves.believed(each) for each in clerks}, kit, state)
        expected = _bought_from({each: shelves.told(each) for each in clerks}, kit, state)
        _tell(lacking, expected, shelves, kit)
        return {each.supplied: int(each not in lacking) for each in clerks}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        here, lessons = state.map.map_id, kit.experience.lessons
        strong = strength_of(state.party)
        return state.bag, state.player.money, strong, state.flags.events, here, lessons

    return Capability(
        name="shop",
        sensors=(watching({each.supplied: 1 for each in clerks}, sources, read),),
        deeds=tuple(_deed(clerk, shelves, kit) for clerk in clerks),
        goals=tuple(
            Goal(
                each.supplied,
                (Require(each.supplied, at_least=1),),
                PRIORITY,
                f"have what {called[each.place]} sells",
            )
            for each in clerks
        ),
    )


def _tell(
    lacking: Collection[Clerk], expected: Collection[Clerk], shelves: Shelves, kit: Kit
) -> None:
    """Say what memory changes: who is not asked, who is asked instead, and what a visit does not bring about."""
    known = kit.experience
    missing = {each: shelves.missing(each) for each in kit.story.clerks}
    why = ", ".join(words for each in missing.values() for words in each.values())
    for each in kit.story.clerks:
        fact, name = each.supplied, f"shop:{each.place}"
        known.reasons.pop(fact, None)
        known.broken.pop(name, None)
        promised = {
            EFFECTS[item]: words for item, words in missing[each].items() if item in EFFECTS
        }
        if promised:
            known.broken[name] = promised
        if each in expected and each not in lacking:
            known.sways(Use.SHOPS, fact, ", ".join(missing[each].values()))
        elif each in lacking and each not in expected:
            known.reasons[fact] = shelves.added(each) or why
            known.sways(Use.SHOPS, fact, known.reasons[fact])


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
    open_now = all(kit.story.shows(state, fact) for fact in clerk.needs)
    return open_now and kit.story.is_near(state, place)


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


def _deed(clerk: Clerk, shelves: Shelves, kit: Kit) -> Deed:
    wares = shelves.told(clerk) | shelves.believed(clerk)

    def begin(state: State) -> Skill:
        return buy(clerk.person, WANTED, kit.terrain, state, looked=partial(shelves.look, clerk))

    action = Action(
        name=f"shop:{clerk.place}",
        requires=(
            Require(at(clerk.place), at_least=1),
            Require("in_control", at_least=1),
            *(required(fact) for fact in clerk.needs),
        ),
        effects=(
            Effect(clerk.supplied, 1),
            *(Effect(fact, WANTED[item]) for item, fact in EFFECTS.items() if item in wares),
        ),
        cost=COST,
        says="buy what runs short",
    )
    return Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"}))
