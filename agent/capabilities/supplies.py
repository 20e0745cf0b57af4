"""What of the bag is counted and bought, by the numbers that the game gives it."""

from collections.abc import Collection
from typing import Final

from agent.capabilities.tactics.items import HEALS
from agent.skills import BALLS
from emulator import Bag

POKE_BALL: Final = 4
ANTIDOTE: Final = 11
POTION: Final = 20


def balls(bag: Bag) -> int:
    """Return how many balls there are to throw."""
    return sum(bag.quantity(item) for item in BALLS)


def potions(bag: Bag, kept: Collection[int]) -> list[int]:
    """Return the kinds of potions that there are to take, the cheapest first; not those that are `kept`."""
    return [item for item in HEALS if bag.quantity(item) and item not in kept]
