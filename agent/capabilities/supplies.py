"""What the team carries and what clerks sell: how many of each kind, and the best of a shelf that the money suffices for."""

from collections.abc import Callable, Collection, Iterator
from typing import Final, NamedTuple

from agent.capabilities import items
from agent.capabilities.context import GameContext, StockSeen
from agent.skills import BALLS
from agent.story.catches import is_looking
from agent.story.interactions import Clerk
from agent.story.opponents import ahead, following
from emulator import State
from emulator.ram import BAG_CAPACITY, Bag

FEW: Final = 2  # items of a kind for which a walk to a shop is worth it
# All items that are bought, if any; which of them depends on the team and the money.
SUPPLIES: Final = frozenset((*items.HEALS, *BALLS, *items.CURES, *items.REVIVES, *items.REPELS))
POTIONS: Final = (2, 5)  # the number below which to go shopping, and the one to have after it
POTIONS_FOR_A_ROW: Final = (8, 12)  # the same before a row of trainers without a healer between
POKE_BALLS: Final = (2, 5)
ANTIDOTES: Final = (1, 2)
REPELS: Final = (0, 3)  # bought only on the way
REVIVES: Final = (1, 2)
REVIVES_FOR_A_ROW: Final = (2, 4)
LARGE: Final = 2  # a potion that restores this part of the fighter's HP needs no better one
LUXURY: Final = 4  # purchases that the money must suffice for to buy a dearer kind than needed


class Supply(NamedTuple):
    """A kind of item: which items serve, the preferred first, and how much money each must leave.

    `held` returns the number carried, in units of one of the items; fewer than `least` are a reason to go shopping.
    """

    items: tuple[tuple[int, int], ...]
    held: Callable[[int], int]
    least: int
    target: int


class Purchase(NamedTuple):
    """An item to buy, the quantity to have then, and whether it is a reason to go shopping."""

    item: int
    target: int
    runs_short: bool


def purchases(game: GameContext, state: State, shelf: Collection[int]) -> list[Purchase]:
    """Return what to buy of a shelf: the items that run short, then what completes the others."""
    supplies, money = list(_supplies(game, state)), funds(game, state)
    # A kind that fills the bag would only be tossed to make room again.
    room = BAG_CAPACITY - 1 - len(state.bag.items)
    found: list[Purchase] = []
    for runs_short in (True, False):
        for supply in supplies:
            chosen = _chosen(game, state.bag, supply, shelf, money, has_room=room > 0)
            if chosen is not None and chosen.runs_short is runs_short:
                found.append(chosen)
                room -= not state.bag.quantity(chosen.item)
                more = chosen.target - state.bag.quantity(chosen.item)
                money -= game.dex.all_items[chosen.item].price * more
    return found


def for_sale(game: GameContext, bag: Bag) -> list[int]:
    """Return the items of the bag that shops buy and that neither the story nor this agent uses."""
    kept = SUPPLIES | game.story.kept | items.RAISES
    known = [game.dex.all_items.get(each.item) for each in bag.items]
    return [
        each.number
        for each in known
        if each is not None and each.price and not each.key
        if each.teaches is None and each.number not in kept
    ]


def proceeds(game: GameContext, bag: Bag) -> int:
    """Return the money that shops pay for what is for sale: half its price."""
    return sum(game.dex.all_items[n].price * bag.quantity(n) for n in for_sale(game, bag)) // 2


def _chosen(
    game: GameContext,
    bag: Bag,
    supply: Supply,
    shelf: Collection[int],
    money: int,
    *,
    has_room: bool,
) -> Purchase | None:
    for item, over in supply.items:
        known = game.dex.all_items.get(item)
        if item not in shelf or known is None or not known.price:
            continue
        if not has_room and not bag.quantity(item):
            continue
        held = supply.held(item)
        more = min(supply.target - held, money // (known.price * over))
        if more >= min(max(supply.least - held, 1), FEW):
            return Purchase(item, bag.quantity(item) + more, held < supply.least)
    return None


def _supplies(game: GameContext, state: State) -> Iterator[Supply]:
    bag, kept = state.bag, game.story.kept
    task = next(ahead(game.story, state), None)
    row = task is not None and bool(following(game.story, game.dex, task, state))
    max_hp = max((mon.stats.hp for mon in state.party.mons), default=0)
    if not max_hp:
        return

    least, target = POKE_BALLS
    least = least if is_looking(game.story, game.dex, state) else 0
    yield Supply(_dearest_first(game, BALLS), lambda _: items.balls(bag), least, target)

    def doses(item: int) -> int:
        dose = min(items.HEALS[item], max_hp)
        return items.restorable_hp(bag, kept, max_hp) // dose

    potions = POTIONS_FOR_A_ROW if row else POTIONS
    yield Supply(tuple((item, 1) for item in _potions(game, max_hp)), doses, *potions)
    curing = items.cures(bag, kept, "poisoned")
    cures = [item for item, gone in items.CURES.items() if "poisoned" in gone]
    cures = [item for item in cures if item not in items.HEALS]
    yield Supply(_dearest_first(game, cures), lambda _: sum(map(bag.quantity, curing)), *ANTIDOTES)
    repels = sum(map(bag.quantity, items.REPELS))
    yield Supply(tuple((item, LUXURY) for item in items.REPELS), lambda _: repels, *REPELS)
    if len(state.party) > 1:
        revives = REVIVES_FOR_A_ROW if row else REVIVES
        over = 1 if row else LUXURY
        held = sum(map(bag.quantity, items.REVIVES))
        yield Supply(tuple((item, over) for item in items.REVIVES), lambda _: held, *revives)


def _potions(game: GameContext, max_hp: int) -> list[int]:
    """Return the healing items: large ones, the cheapest first, then smaller ones, the largest first."""
    prices = {item: known.price for item, known in game.dex.all_items.items()}
    large = [item for item, gain in items.HEALS.items() if LARGE * gain >= max_hp]
    small = [item for item in items.HEALS if item not in large]
    large.sort(key=lambda item: prices.get(item, 0))
    return [*large, *sorted(small, key=items.HEALS.__getitem__, reverse=True)]


def _dearest_first(game: GameContext, kinds: Collection[int]) -> tuple[tuple[int, int], ...]:
    prices = {item: game.dex.all_items[item].price for item in kinds if item in game.dex.all_items}
    known = sorted(filter(prices.get, prices), key=prices.__getitem__, reverse=True)
    return (*((item, LUXURY) for item in known), *((item, 1) for item in reversed(known)))


class ShopStock:
    """The stock of every clerk of the story, as item numbers."""

    def __init__(self, game: GameContext) -> None:
        self._game = game
        place = game.story.place
        clerks = game.story.clerks
        sold = {each: _sold_by(game, place(each.place).map_id, each.person) for each in clerks}
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


def _sold_by(game: GameContext, map_id: int, person: int) -> frozenset[int] | None:
    shops = [each for each in game.terrain.plain.map(map_id).header.shops if each.slot == person]
    return frozenset(item for shop in shops for item in shop.items) if shops else None
