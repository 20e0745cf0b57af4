"""Keeping room in the bag: a full one takes nothing that the story gives, and whoever gives it asks again for ever."""

from collections.abc import Collection, Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.kit import Kit
from agent.capabilities.shelves import WANTED
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, nothing, toss
from emulator import Bag, Dex, Stack, State

CRAMMED: Final = "bag:crammed"
PRIORITY: Final = 54  # before anything is bought, picked up or fetched
COST: Final = 5


def capability(kit: Kit) -> Capability:
    """Throw away what is worth least when the bag is full."""
    kept = frozenset(WANTED) | kit.story.kept

    def read(state: State) -> Mapping[str, int]:
        return {CRAMMED: int(_spare(kit.dex, state.bag, kept) is not None)}

    def begin(state: State) -> Skill:
        stack = _spare(kit.dex, state.bag, kept)
        return toss(stack.item, state) if stack is not None else nothing()

    action = Action(
        name="toss",
        requires=(Require(CRAMMED, at_least=1), Require("in_control", at_least=1)),
        effects=(Effect(CRAMMED, 0),),
        cost=COST,
        says="throw away what is worth least",
    )
    return Capability(
        name="room",
        sensors=(watching({CRAMMED: 0}, lambda state: (state.bag,), read),),
        deeds=(Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"})),),
        goals=(Goal(CRAMMED, (Require(CRAMMED, at_most=0),), PRIORITY, "have room in the bag"),),
    )


def _spare(dex: Dex, bag: Bag, kept: Collection[int]) -> Stack | None:
    """Return the stack to do without in a full bag; never what cannot be bought again, nor what is `kept`."""
    if not bag.full:
        return None
    prices = {item: known.price for item, known in dex.all_items.items() if not known.key}
    spare = [each for each in bag.items if prices.get(each.item) and each.item not in kept]
    return min(spare, key=lambda each: prices[each.item] * each.quantity, default=None)
