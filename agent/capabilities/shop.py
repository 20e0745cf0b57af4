"""The bag: buy items that run short, and toss the least valuable ones when it is full.

With a full bag the game refuses story items, and the giver repeats its text.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Final

from agent.battle import items
from agent.capabilities.capability import FREE, SCREEN_REFLEXES, BoundAction, Capability, watching
from agent.capabilities.catch import BALLS, is_looking
from agent.capabilities.context import GameContext, StockSeen
from agent.capabilities.readiness import remembered_strength
from agent.capabilities.travel import at
from agent.experience.memory_use import MemoryUse
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, buy, no_skill, toss
from agent.story.facts import required
from agent.story.interactions import Clerk
from emulator import Dex, State
from emulator.ram.player import Bag, Stack

TARGET: Final = {items.POTION: 5, items.POKE_BALL: 5, items.ANTIDOTE: 2}
NO_ROOM: Final = "bag:crammed"
BAG_SPACE_PRIORITY: Final = 54  # before anything is bought, picked up or fetched
TOSS_COST: Final = 5
LEAST: Final = {items.POTION: 2, items.POKE_BALL: 2}  # the quantities below which to go shopping
EFFECTS: Final = {items.POKE_BALL: BALLS, items.POTION: "bag:potions"}  # of a visit
PRIORITY: Final = 52
COST: Final = 5
NEAR: Final = 60  # steps to walk for items that run short: no more than to the next town


class ShopStock:
    """The stock of every clerk of the story, as item numbers."""

    def __init__(self, game: GameContext) -> None:
        self._game = game
        place = game.story.place
        self._where = {each: (place(each.place).map_id, each.person) for each in game.story.clerks}
        sold = {each: _sold(game, *where) for each, where in self._where.items()}
        self._unlisted = frozenset(each for each in sold if sold[each] is None)
        self._listed = {
            each: frozenset(TARGET if items is None else items) for each, items in sold.items()
        }

    def listed(self, clerk: Clerk) -> frozenset[int]:
        """Return the stock of a clerk by the cartridge; if the cartridge lists none, all items of `TARGET`."""
        return self._listed[clerk]

    def believed(self, clerk: Clerk) -> frozenset[int]:
        """Return the stock of a clerk as last seen, or as listed."""
        seen = self._game.experience.shop_stock(*self._where[clerk])
        return self._listed[clerk] if seen is None else frozenset(seen.items)

    def missing(self, clerk: Clerk) -> dict[int, str]:
        """Return the items of `TARGET` that are listed but were not there, each with that in words."""
        lacking = sorted(set(self._listed[clerk]) & TARGET.keys() - set(self.believed(clerk)))
        return {
            item: f"{self._called(clerk)} had no {self._game.dex.item_name(item)}"
            for item in lacking
        }

    def added(self, clerk: Clerk) -> str:
        """Return in words which items of `TARGET` were there though the cartridge does not list them."""
        more = sorted(set(self.believed(clerk)) & TARGET.keys() - set(self._listed[clerk]))
        names = ", ".join(self._game.dex.item_name(item) for item in more)
        return f"{self._called(clerk)} had {names}" if names else ""

    def look(self, clerk: Clerk, state: State, stock: tuple[int, ...]) -> None:
        """Report the stock seen; an empty list only if the cartridge lists no stock."""
        if stock or clerk in self._unlisted:
            self._game.hooks.emit(StockSeen(state, clerk.person, stock))

    def _called(self, clerk: Clerk) -> str:
        return self._game.story.called(self._where[clerk][0])


def _sold(game: GameContext, map_id: int, person: int) -> frozenset[int] | None:
    shops = [each for each in game.terrain.plain.map(map_id).header.shops if each.slot == person]
    return frozenset(item for shop in shops for item in shop.items) if shops else None


def bag_space(game: GameContext) -> Capability:
    """Toss the least valuable stack when the bag is full."""
    kept = frozenset(TARGET) | game.story.kept

    def read(state: State) -> Mapping[str, int]:
        return {NO_ROOM: int(_least_worth(game.dex, state.bag, kept) is not None)}

    def begin(state: State) -> Skill:
        stack = _least_worth(game.dex, state.bag, kept)
        return toss(stack.item, state) if stack is not None else no_skill()

    action = Action(
        name="toss",
        requires=(Require(NO_ROOM, at_least=1), FREE),
        effects=(Effect(NO_ROOM, 0),),
        cost=TOSS_COST,
        label="toss the least valuable items",
    )
    return Capability(
        name="room",
        sensors=(watching({NO_ROOM: 0}, lambda state: (state.bag,), read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(
            Goal(
                NO_ROOM, (Require(NO_ROOM, at_most=0),), BAG_SPACE_PRIORITY, "have room in the bag"
            ),
        ),
    )


def _least_worth(dex: Dex, bag: Bag, kept: Collection[int]) -> Stack | None:
    """Return the stack to toss from a full bag; never an item that cannot be bought again, nor one of `kept`."""
    if not bag.full:
        return None
    prices = {item: known.price for item, known in dex.all_items.items() if not known.key}
    spare = [each for each in bag.items if prices.get(each.item) and each.item not in kept]
    return min(spare, key=lambda each: prices[each.item] * each.quantity, default=None)


def capability(game: GameContext) -> Capability:
    """Buy items that run short where they are sold, within the money available."""
    clerks, stock = game.story.clerks, ShopStock(game)

    def read(state: State) -> Mapping[str, int]:
        lacking = _bought_from({each: stock.believed(each) for each in clerks}, game, state)
        expected = _bought_from({each: stock.listed(each) for each in clerks}, game, state)
        _note_influence(lacking, expected, stock, game)
        return {each.supplied: int(each not in lacking) for each in clerks}

    strength_of = remembered_strength()

    def sources(state: State) -> tuple[object, ...]:
        here, lessons = state.map.map_id, game.experience.lessons
        strong = strength_of(state.party)
        return state.bag, state.player.money, strong, state.flags.events, here, lessons

    return Capability(
        name="shop",
        sensors=(watching({each.supplied: 1 for each in clerks}, sources, read),),
        actions=tuple(_bound_action(clerk, stock, game) for clerk in clerks),
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


def _note_influence(
    lacking: Collection[Clerk], expected: Collection[Clerk], stock: ShopStock, game: GameContext
) -> None:
    """Record what memory changes: clerks removed or added, and effects a visit does not have."""
    known = game.experience
    missing = {each: stock.missing(each) for each in game.story.clerks}
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
            known.record_influence(MemoryUse.SHOPS, fact, ", ".join(missing[each].values()))
        elif each in lacking and each not in expected:
            known.reasons[fact] = stock.added(each) or why
            known.record_influence(MemoryUse.SHOPS, fact, known.reasons[fact])


def _bought_from(
    clerks: Mapping[Clerk, Collection[int]], game: GameContext, state: State
) -> frozenset[Clerk]:
    """Return the clerks to visit for items that run short: the nearest of those in range that sell them."""
    here, place, map_distances = state.map.map_id, game.story.place, game.terrain.map_distances
    steps = {
        each: map_distances.steps(here, place(each.place).map_id)
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
    """Return whether a clerk sells and the way is open: a potion is no reason to do a task first."""
    open_now = all(game.story.shows(state, fact) for fact in clerk.needs)
    return open_now and game.story.is_near(state, game.story.place(clerk.place))


def _lacking(game: GameContext, stock: Collection[int], state: State) -> Iterator[int]:
    """Yield the items that run short, if there are room and money for their target quantity."""
    for item, least in LEAST.items():
        ware = game.dex.all_items.get(item)
        if item not in stock or ware is None or not ware.price or state.bag.quantity(item) >= least:
            continue
        if state.bag.full and not state.bag.quantity(item):
            continue
        if item == items.POKE_BALL and not is_looking(game, state):
            continue
        if state.player.money >= ware.price * (TARGET[item] - state.bag.quantity(item)):
            yield item


def _bound_action(clerk: Clerk, shop_stock: ShopStock, game: GameContext) -> BoundAction:
    stock = shop_stock.listed(clerk) | shop_stock.believed(clerk)

    action = Action(
        name=f"shop:{clerk.place}",
        requires=(
            Require(at(clerk.place), at_least=1),
            FREE,
            *(required(fact) for fact in clerk.needs),
        ),
        effects=(
            Effect(clerk.supplied, 1),
            *(Effect(fact, TARGET[item]) for item, fact in EFFECTS.items() if item in stock),
        ),
        cost=COST,
        label="buy items that run short",
    )
    on_stock = partial(shop_stock.look, clerk)
    begin = partial(buy, clerk.person, TARGET, game.terrain, on_stock=on_stock)
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)
