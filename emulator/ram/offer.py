"""A move that a mon could learn: what the game notes while it asks about it."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

MOVE: Final = symbol("wMoveNum")
POSITION: Final = symbol("wWhichPokemon")


class MoveOffer(NamedTuple):
    """Who of the team would learn which move; outside of such a question it means nothing."""

    position: int
    move: int


def read_offer(ram: Ram) -> MoveOffer:
    """Return the last move that was offered, and to whom."""
    return MoveOffer(ram.byte(POSITION), ram.byte(MOVE))
