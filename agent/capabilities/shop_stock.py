"""The stock of every clerk of the story, by the cartridge."""

from collections.abc import Collection, Iterator
from typing import Final

from agent.capabilities import items
from agent.capabilities.context import GameContext, StockSeen
from agent.skills import BALLS
from agent.story.interactions import Clerk
from emulator import State

FEW: Final = 2  # items of a kind for which a walk to a shop is worth it
# All items that are bought, if any; which of them depends on the team and the money.
SUPPLIES: Final = frozenset((*items.HEALS, *BALLS, *items.CURES, *items.REVIVES, *items.REPELS))


class ShopStock:
    """The stock of every clerk of the story, as item numbers."""

    def __init__(self, game: GameContext) -> None:
        self._game = game
        place = game.story.place
        clerks = game.story.clerks
        sold = {each: _sold(game, place(each.place).map_id, each.person) for each in clerks}
        self._unlisted = frozenset(each for each in sold if sold[each] is None)
        self._listed = {
            each: frozenset(each.sells if items is None else items) for each, items in sold.items()
        }

    def listed(self, clerk: Clerk) -> frozenset[int]:
        """Return the stock of a clerk by the cartridge; if the cartridge lists none, by the story."""
        return self._listed[clerk]

    def look(self, clerk: Clerk, state: State, stock: tuple[int, ...]) -> None:
        """Report the stock seen; an empty list only if the cartridge lists no stock."""
        if stock or clerk in self._unlisted:
            self._game.hooks.emit(StockSeen(state, clerk.person, stock))

    def few_balls(self, state: State) -> int | None:
        """Return the price of a few balls where shops are open and can be reached, or None."""
        clerks = open_clerks(self._game, state)
        prices = (price_of_few(self._game, self.listed(each)) for each in clerks)
        return min(filter(None, prices), default=None)


def price_of_few(game: GameContext, shelf: Collection[int]) -> int | None:
    """Return the price of a few balls of the cheapest kind of a shelf, or None."""
    known = game.dex.all_items
    prices = [known[ball].price for ball in BALLS if ball in shelf and ball in known]
    return min((FEW * price for price in prices if price), default=None)


def open_clerks(game: GameContext, state: State) -> Iterator[Clerk]:
    """Yield the clerks that sell and can be reached now: an item is no reason to do a task first."""
    story = game.story
    for clerk in story.clerks:
        open_now = all(story.shows(state, fact) for fact in clerk.needs)
        if open_now and story.is_near(state, story.place(clerk.place)):
            yield clerk


def funds(game: GameContext, state: State) -> int:
    """Return the money to spend: without what open tasks of the story need."""
    story = game.story
    owed = {need for done, needs in story.prices if not story.shows(state, done) for need in needs}
    return state.player.money - sum(story.ram_facts[each].number for each in owed)


def _sold(game: GameContext, map_id: int, person: int) -> frozenset[int] | None:
    shops = [each for each in game.terrain.plain.map(map_id).header.shops if each.slot == person]
    return frozenset(item for shop in shops for item in shop.items) if shops else None
