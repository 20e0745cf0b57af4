"""Doors that want a card: whoever carries it gets past them."""

from typing import Final

from agent.capabilities.capability import Capability
from agent.capabilities.kit import Kit
from emulator import Obstacle, State

CARD_KEY: Final = 48
OPENS: Final = frozenset({Obstacle.LOCKED_DOOR})


def capability(_kit: Kit) -> Capability:
    """Walk through locked doors once the card is in the bag."""
    return Capability(name="card_key", passages=(_opened,))


def _opened(state: State) -> frozenset[Obstacle]:
    return OPENS if state.bag.quantity(CARD_KEY) else frozenset()
