"""Effects of bag items by item number: balls, potions, status cures, revives, and stat boosters."""

from collections.abc import Collection
from typing import Final

from agent.skills import BALLS
from emulator import Status
from emulator.ram import Bag

ALL: Final = 999
HEALS: Final = {20: 20, 60: 50, 19: 50, 61: 60, 62: 80, 18: 200, 17: ALL, 16: ALL}  # by price
CURES: Final = {  # item: the status conditions that it cures
    11: ("poisoned",),
    12: ("burned",),
    13: ("frozen",),
    14: ("sleep",),
    15: ("paralyzed",),
    52: Status._fields,
    16: Status._fields,
}
RAISES: Final = frozenset({65, 66, 67, 68})  # a stat, in battle
REVIVES: Final = (53, 54)  # for a fainted mon, cheapest first
REPELS: Final = (30, 56, 57)  # cheapest first


def balls(bag: Bag) -> int:
    """Return the number of balls in the bag."""
    return sum(bag.quantity(item) for item in BALLS)


def cures(bag: Bag, kept: Collection[int], status: str) -> list[int]:
    """Return the items in the bag that cure a status, cheapest first, without those in `kept`."""
    able = (item for item, gone in CURES.items() if status in gone)
    return [item for item in able if bag.quantity(item) and item not in kept]


def restorable_hp(bag: Bag, kept: Collection[int], max_hp: int) -> int:
    """Return the HP that the bag restores to a mon of `max_hp` if every healing item is used when it is low."""
    return sum(min(HEALS[item], max_hp) * bag.quantity(item) for item in potions(bag, kept))


def potions(bag: Bag, kept: Collection[int]) -> list[int]:
    """Return the healing items in the bag, cheapest first, without those in `kept`."""
    return [item for item in HEALS if bag.quantity(item) and item not in kept]
