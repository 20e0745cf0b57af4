"""The uses of memory, by name. Imports nothing, so that flags can list them."""

from enum import StrEnum
from typing import Final


class MemoryUse(StrEnum):
    """The ways in which memory may change play; each can be switched off separately."""

    COSTS = "costs"  # an action that keeps failing in a place costs more
    STRENGTH = "strength"  # defeats by a trainer lower the odds against it, until the level rises
    CHOICES = "choices"  # an alternative is taken as often as it is likely to be the best
    ROUTES = "routes"  # routes avoid a square that a walk could not enter
    MOVES = "moves"  # of equally good moves, the next one of a winning sequence comes first
    PEOPLE = "people"  # people who only talk are not asked twice
    THINGS = "things"  # an item that no run needed is not picked up


EVERY_USE: Final = frozenset(MemoryUse)
