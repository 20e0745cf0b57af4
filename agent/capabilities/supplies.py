"""What things in the bag are good for, by the numbers the game gives them; which a cartridge's tables do not tell."""

from typing import Final

from emulator import Bag, Status

MASTER_BALL, ULTRA_BALL, GREAT_BALL, POKE_BALL = 1, 2, 3, 4
BALLS: Final = (POKE_BALL, GREAT_BALL, ULTRA_BALL)  # that are thrown freely, the cheapest first
POTIONS: Final = {20: 20, 19: 50, 18: 200, 17: 999, 16: 999}  # and the HP they give back
ANTIDOTE: Final = 11
CURES: Final = {11: "poisoned", 12: "burned", 13: "frozen", 14: "sleep", 15: "paralyzed"}


def balls(bag: Bag) -> int:
    """Return how many balls there are to throw."""
    return sum(bag.quantity(item) for item in BALLS)


def potions(bag: Bag) -> int:
    """Return how many potions there are of any kind."""
    return sum(bag.quantity(item) for item in POTIONS)


def cure_for(status: Status, bag: Bag) -> int | None:
    """Return what the bag holds against a status."""
    fitting = (item for item, ailment in CURES.items() if getattr(status, ailment))
    return next((item for item in fitting if bag.quantity(item)), None)
