"""The bag: buying what runs short, and throwing away what is worth least when it is full.

With a full bag the game refuses story items, and the giver repeats forever.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Final

from agent.battle import items
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.catch import BALLS, is_looking
from agent.capabilities.context import GameContext, WaresSeen
from agent.capabilities.readiness import remembered_strength
from agent.capabilities.travel import at
from agent.experience.uses import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, buy, nothing, toss
from agent.story.facts import required
from agent.story.interactions import Clerk
from emulator import Dex, State
from emulator.ram.player import Bag, Stack

WANTED: Final = {items.POTION: 5, items.POKE_BALL: 5, items.ANTIDOTE: 2}
CRAMMED: Final = "bag:crammed"
BAG_SPACE_PRIORITY: Final = 54  # before anything is bought, picked up or fetched
TOSS_COST: Final = 5
LEAST: Final = {items.POTION: 2, items.POKE_BALL: 2}  # below which one goes shopping
EFFECTS: Final = {items.POKE_BALL: BALLS, items.POTION: "bag:potions"}  # of a visit
PRIORITY: Final = 52
COST: Final = 5
NEAR: Final = 60  # steps that what runs short is worth: no more than to the next town


class ShopWares:
    """The wares of every clerk of the story, as numbers of items."""

    def __init__(self, game: GameContext) -> None:
        self._game = game
        place = game.story.place
        self._where = {each: (place(each.place).map_id, each.person) for each in game.story.clerks}
        sold = {each: _sold(game, *where) for each, where in self._where.items()}
        self._untold = frozenset(each for each in sold if sold[each] is None)
        self._told = {
            each: frozenset(WANTED if items is None else items) for each, items in sold.items()
        }

    def told(self, clerk: Clerk) -> frozenset[int]:
        """Return what the cartridge says that a clerk sells; where it does not tell, whatever one may want."""
        return self._told[clerk]

    def believed(self, clerk: Clerk) -> frozenset[int]:
        """Return what a clerk sells, by what was seen there last."""
        seen = self._game.experience.shelf(*self._where[clerk])
        return self._told[clerk] if seen is None else frozenset(seen.wares)

    def missing(self, clerk: Clerk) -> dict[int, str]:
        """Return what of what one may want was not there though it should be, and that in words."""
        lacking = sorted(set(self._told[clerk]) & WANTED.keys() - set(self.believed(clerk)))
        return {
            item: f"{self._called(clerk)} had no {self._game.dex.item_name(item)}"
            for item in lacking
        }

    def added(self, clerk: Clerk) -> str:
        """Return in words what was there of what one may want though the cartridge does not say so."""
        more = sorted(set(self.believed(clerk)) & WANTED.keys() - set(self._told[clerk]))
        names = ", ".join(self._game.dex.item_name(item) for item in more)
        return f"{self._called(clerk)} had {names}" if names else ""

    def look(self, clerk: Clerk, state: State, wares: tuple[int, ...]) -> None:
        """Report what is for sale; an empty list only where the cartridge tells nothing."""
        if wares or clerk in self._untold:
            self._game.hooks.emit(WaresSeen(state, clerk.person, wares))

    def _called(self, clerk: Clerk) -> str:
        return self._game.story.called(self._where[clerk][0])


def _sold(game: GameContext, map_id: int, person: int) -> frozenset[int] | None:
    shops = [each for each in game.terrain.plain.map(map_id).header.shops if each.slot == person]
    return frozenset(item for shop in shops for item in shop.items) if shops else None


def bag_space(game: GameContext) -> Capability:
    """Throw away what is worth least when the bag is full."""
    kept = frozenset(WANTED) | game.story.kept

    def read(state: State) -> Mapping[str, int]:
        return {CRAMMED: int(_least_worth(game.dex, state.bag, kept) is not None)}

    def begin(state: State) -> Skill:
        stack = _least_worth(game.dex, state.bag, kept)
        return toss(stack.item, state) if stack is not None else nothing()

    action = Action(
        name="toss",
        requires=(Require(CRAMMED, at_least=1), FREE),
        effects=(Effect(CRAMMED, 0),),
        cost=TOSS_COST,
        says="throw away what is worth least",
    )
    return Capability(
        name="room",
        sensors=(watching({CRAMMED: 0}, lambda state: (state.bag,), read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(
            Goal(
                CRAMMED, (Require(CRAMMED, at_most=0),), BAG_SPACE_PRIORITY, "have room in the bag"
            ),
        ),
    )


def _least_worth(dex: Dex, bag: Bag, kept: Collection[int]) -> Stack | None:
    """Return the stack to do without in a full bag; never what cannot be bought again, nor what is `kept`."""
    if not bag.full:
        return None
    prices = {item: known.price for item, known in dex.all_items.items() if not known.key}
    spare = [each for each in bag.items if prices.get(each.item) and each.item not in kept]
    return min(spare, key=lambda each: prices[each.item] * each.quantity, default=None)


def capability(game: GameContext) -> Capability:
    """Buy what runs short where it is sold, as far as the money goes."""
    clerks, shelves = game.story.clerks, ShopWares(game)

    def read(state: State) -> Mapping[str, int]:
        lacking = _bought_from({each: shelves.believed(each) for each in clerks}, game, state)
        expected = _bought_from({each: shelves.told(each) for each in clerks}, game, state)
        _tell(lacking, expected, shelves, game)
        return {each.supplied: int(each not in lacking) for each in clerks}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        here, lessons = state.map.map_id, game.experience.lessons
        strong = strength_of(state.party)
        return state.bag, state.player.money, strong, state.flags.events, here, lessons

    return Capability(
        name="shop",
        sensors=(watching({each.supplied: 1 for each in clerks}, sources, read),),
        actions=tuple(_bound_action(clerk, shelves, game) for clerk in clerks),
        goals=tuple(
            Goal(
                each.supplied,
                (Require(each.supplied, at_least=1),),
                PRIORITY,
                f"have what {game.story.place(each.place).called} sells",
            )
            for each in clerks
        ),
    )


def _tell(
    lacking: Collection[Clerk], expected: Collection[Clerk], shelves: ShopWares, game: GameContext
) -> None:
    """Note what memory changes: clerks left out or added, and effects a visit does not have."""
    known = game.experience
    missing = {each: shelves.missing(each) for each in game.story.clerks}
    why = ", ".join(words for each in missing.values() for words in each.values())
    for each in game.story.clerks:
        fact, name = each.supplied, f"shop:{each.place}"
        known.reasons.pop(fact, None)
        known.broken.pop(name, None)
        promised = {
            EFFECTS[item]: words for item, words in missing[each].items() if item in EFFECTS
        }
        if promised:
            known.broken[name] = promised
        if each in expected and each not in lacking:
            known.sways(MemoryUse.SHOPS, fact, ", ".join(missing[each].values()))
        elif each in lacking and each not in expected:
            known.reasons[fact] = shelves.added(each) or why
            known.sways(MemoryUse.SHOPS, fact, known.reasons[fact])


def _bought_from(
    clerks: Mapping[Clerk, Collection[int]], game: GameContext, state: State
) -> frozenset[Clerk]:
    """Return the clerks to visit for what runs short: of those near that sell it, the nearest."""
    here, place, nearness = state.map.map_id, game.story.place, game.terrain.nearness
    steps = {
        each: nearness.steps(here, place(each.place).map_id)
        for each in clerks
        if _is_open(each, game, state)
    }
    open_near = sorted((each for each in steps if steps[each] <= NEAR), key=steps.__getitem__)
    sold = frozenset(ware for each in open_near for ware in clerks[each])
    return frozenset(
        next(each for each in open_near if item in clerks[each])
        for item in _lacking(game, sold, state)
    )


def _is_open(clerk: Clerk, game: GameContext, state: State) -> bool:
    """Say whether a clerk sells and the way is free: a potion is no reason to do a task."""
    open_now = all(game.story.shows(state, fact) for fact in clerk.needs)
    return open_now and game.story.is_near(state, game.story.place(clerk.place))


def _lacking(game: GameContext, wares: Collection[int], state: State) -> Iterator[int]:
    """Yield the wares of which there are too few, as far as there is room and money for what is wanted of them."""
    for item, least in LEAST.items():
        ware = game.dex.all_items.get(item)
        if item not in wares or ware is None or not ware.price or state.bag.quantity(item) >= least:
            continue
        if state.bag.full and not state.bag.quantity(item):
            continue
        if item == items.POKE_BALL and not is_looking(game, state):
            continue
        if state.player.money >= ware.price * (WANTED[item] - state.bag.quantity(item)):
            yield item


def _bound_action(clerk: Clerk, shelves: ShopWares, game: GameContext) -> BoundAction:
    wares = shelves.told(clerk) | shelves.believed(clerk)

    action = Action(
        name=f"shop:{clerk.place}",
        requires=(
            Require(at(clerk.place), at_least=1),
            FREE,
            *(required(fact) for fact in clerk.needs),
        ),
        effects=(
            Effect(clerk.supplied, 1),
            *(Effect(fact, WANTED[item]) for item, fact in EFFECTS.items() if item in wares),
        ),
        cost=COST,
        says="buy what runs short",
    )
    looked = partial(shelves.look, clerk)
    begin = partial(buy, clerk.person, WANTED, game.terrain, looked=looked)
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)
