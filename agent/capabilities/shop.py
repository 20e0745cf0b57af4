"""The bag: buy items that run short, sell what has no use, and toss the least valuable ones when it is full.

With a full bag the game refuses story items, and the giver repeats its text.
"""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from agent.battle.suitable import useful_machines
from agent.capabilities.capability import (
    BALLS,
    FREE,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.supplies import (
    SUPPLIES,
    ShopStock,
    for_sale,
    funds,
    open_clerks,
    price_of_few,
    proceeds,
    purchases,
)
from agent.capabilities.travel import at
from agent.experience.choices import NEXT_DOOR, SHOPPING
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, is_connected, no_skill, spot_of, wait
from agent.story.facts import required
from agent.story.interactions import Clerk
from emulator import Facing, State
from emulator.ram import Stack

NO_ROOM: Final = "bag:crammed"
FUNDS: Final = "bag:funds"  # the money to spend
BAG_SPACE_PRIORITY: Final = 54  # before anything is bought, picked up or fetched
TOSS_COST: Final = 5
BALLS_AFTER: Final = 5  # expected after a visit to a shop that sells some
PRIORITY: Final = 52
COST: Final = 5
WORTH_A_SALE: Final = 1_000  # money for goods that is worth a walk to a shop
NEAR: Final = 60  # steps to walk for items that run short: no more than to the next town


def bag_space(game: GameContext) -> Capability:
    """Toss the least valuable stack when the bag is full."""

    def read(state: State) -> Mapping[str, int]:
        return {NO_ROOM: int(_least_worth(game, state) is not None)}

    def begin(state: State) -> Skill:
        stack = _least_worth(game, state)
        return game.skills.toss(stack.item, state) if stack is not None else no_skill()

    action = Action(
        name="toss",
        requires=(Require(NO_ROOM, at_least=1), FREE),
        effects=(Effect(NO_ROOM, 0),),
        cost=TOSS_COST,
        label="toss the least valuable items",
    )
    return Capability(
        name="room",
        sensors=(watching({NO_ROOM: 0}, lambda state: (state.bag, state.party), read),),
        actions=(BoundAction(action, begin, suppresses=SCREEN_REFLEXES),),
        goals=(
            Goal(
                NO_ROOM, (Require(NO_ROOM, at_most=0),), BAG_SPACE_PRIORITY, "have room in the bag"
            ),
        ),
    )


def _least_worth(game: GameContext, state: State) -> Stack | None:
    """Return the stack to toss from a full bag, and nothing that cannot be bought again.

    Supplies go last, and machines of good attacks that the strongest member can learn.
    """
    if not state.bag.full:
        return None
    dex, kept = game.dex, game.story.kept
    prices = {item: known.price for item, known in dex.all_items.items() if not known.key}
    spare = [each for each in state.bag.items if prices.get(each.item) and each.item not in kept]
    needed = SUPPLIES | set(useful_machines(dex, state.party))
    return min(
        spare,
        key=lambda each: (each.item in needed, prices[each.item] * each.quantity),
        default=None,
    )


def capability(game: GameContext) -> Capability:
    """Buy items that run short where they are sold, within the money available, and sell what has no use."""
    clerks, stock = game.story.clerks, game.shared(ShopStock)
    sold = {each: stock.listed(each) for each in clerks}

    def read(state: State) -> Mapping[str, int]:
        found = {way: _bought_from(sold, game, state, way) for way in SHOPPING.ways}
        lacking = found[game.way(SHOPPING)]
        if any(each != lacking for each in found.values()):
            game.choices.matters(SHOPPING)
        supplied = {each.supplied: int(each not in lacking) for each in clerks}
        return {**supplied, FUNDS: max(funds(game, state), 0)}

    def sources(state: State) -> tuple[object, ...]:
        strong = game.strength_of(state.party)
        here = state.map.map_id, game.choices.changes
        return state.bag, state.player.money, strong, state.flags.events, *here

    return Capability(
        name="shop",
        sensors=(watching({FUNDS: 0, **{each.supplied: 1 for each in clerks}}, sources, read),),
        actions=tuple(each for clerk in clerks for each in _bound_actions(clerk, stock, game)),
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


def _bought_from(
    clerks: Mapping[Clerk, Collection[int]], game: GameContext, state: State, shopping: int
) -> frozenset[Clerk]:
    """Return the clerks to visit by a way of SHOPPING.

    They are the nearest that sell what runs short, and the nearest for what the bag has for sale.
    """
    here, place, map_distances = state.map.map_id, game.story.place, game.terrain.map_distances
    map_ids = {each: place(each.place).map_id for each in open_clerks(game, state)}
    steps = {each: map_distances.steps(here, map_id) for each, map_id in map_ids.items()}
    if shopping == NEXT_DOOR:
        steps = {each: steps[each] for each in steps if _is_at_hand(game, state, map_ids[each])}
    near = sorted((each for each in steps if steps[each] <= NEAR), key=steps.__getitem__)
    sold = frozenset(item for each in near for item in clerks[each])
    found = {
        next(each for each in near if bought.item in clerks[each])
        for bought in purchases(game, state, sold)
        if bought.runs_short
    }
    if proceeds(game, state.bag) >= WORTH_A_SALE:
        found.update(near[:1])
    return frozenset(found)


def _is_at_hand(game: GameContext, state: State, map_id: int) -> bool:
    """Return whether the player is on a map, or can reach a door to it without leaving the map where it stands."""
    world, here = game.terrain.world(state), spot_of(state)
    warps = world.map(here.map_id).warps if here.map_id in world.map_ids else ()
    doors = [(each.x, each.y) for each in warps if each.map_id == map_id]
    beside = [(x + each.dx, y + each.dy) for x, y in doors for each in Facing]
    return here.map_id == map_id or any(is_connected(world, here, square) for square in beside)


def _bound_actions(clerk: Clerk, shop_stock: ShopStock, game: GameContext) -> list[BoundAction]:
    """Return the visit for what runs short, and the one for balls if the clerk sells some."""
    price = price_of_few(game, shop_stock.listed(clerk))

    def begin(state: State) -> Skill:
        goods = for_sale(game, state.bag)
        if goods:
            outcome = yield from game.skills.sell(clerk.person, goods, game.terrain, state)
            if outcome is not Outcome.DONE:
                return outcome
            state = yield wait(1)
        bought = purchases(game, state, shop_stock.listed(clerk))
        wanted = {each.item: each.target for each in bought}
        on_stock = partial(shop_stock.look, clerk)
        return (
            yield from game.skills.buy(clerk.person, wanted, game.terrain, state, on_stock=on_stock)
        )

    there = (Require(at(clerk.place), at_least=1), FREE, *(required(each) for each in clerk.needs))
    actions = [
        Action(
            name=f"shop:{clerk.place}",
            requires=there,
            effects=(Effect(clerk.supplied, 1),),
            cost=COST,
            label="buy items that run short",
        )
    ]
    if price is not None:
        balls = Action(
            name=f"balls:{clerk.place}",
            requires=(*there, Require(FUNDS, at_least=price)),
            effects=(Effect(BALLS, BALLS_AFTER),),
            cost=COST,
            label="buy balls",
        )
        actions.append(balls)
    return [BoundAction(each, begin, suppresses=SCREEN_REFLEXES) for each in actions]
