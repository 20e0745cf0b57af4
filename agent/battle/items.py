"""Effects of bag items by item number: balls, potions, status cures, revives, and stat boosters."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from agent.skills import BALLS
from emulator import BattleMon, Status, Volatile
from emulator.ram.player import Bag
from emulator.rules.rule_book import RuleBook
from emulator.rules.stats import StageChange, after_change

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
FLAG_STATUSES: Final = Status._fields[1:]  # all but sleep, which is a turn counter
RAISES: Final = {65: "attack", 66: "defense", 67: "speed", 68: "special"}
HELPFUL: Final = tuple(dict.fromkeys((*CURES, *HEALS, *RAISES)))
REVIVES: Final = (53, 54)  # for a fainted mon, cheapest first
REPELS: Final = (30, 56, 57)  # cheapest first


def useful_items(bag: Bag, spare: tuple[int, ...]) -> Iterator[int]:
    """Yield the bag items that help in battle and are not in `spare`, cheapest first."""
    held = {stack.item for stack in bag.items}
    for item in HELPFUL:
        if item in held and item not in spare:
            yield item


def healed(mon: BattleMon, item: int) -> BattleMon:
    """Return a mon with the HP that an item restores."""
    gain = HEALS.get(item, 0)
    return replace(mon, hp=min(mon.hp + gain, mon.max_hp)) if gain and mon.hp < mon.max_hp else mon


def cured(mon: BattleMon, item: int) -> BattleMon:
    """Return a mon without the status that an item cures.

    The game copies its stats of the team, so that stages and badges count no longer until the next change of a stage.
    """
    gone = [part for part in CURES.get(item, ()) if getattr(mon.status, part)]
    if not gone:
        return mon
    old = mon.status
    status = Status(
        0 if "sleep" in gone else old.sleep,
        *[part and name not in gone for name, part in zip(FLAG_STATUSES, old[1:], strict=True)],
    )
    stats = mon.unmodified._replace(hp=mon.max_hp)
    volatile = mon.volatile & ~Volatile.BADLY_POISONED if "poisoned" in gone else mon.volatile
    return replace(mon, status=status, stats=stats, volatile=volatile)


def raised(mon: BattleMon, item: int, book: RuleBook, badges: Collection[int]) -> BattleMon | None:
    """Return a mon with the stat that an item raises, or None when the item raises no stat."""
    stat = RAISES.get(item)
    change = StageChange(stat, 1, own=True) if stat else None
    return after_change(mon, change, book, badges=badges) if change is not None else None


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
