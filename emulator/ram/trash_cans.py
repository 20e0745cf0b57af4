"""Under which trash cans of a gym the two switches of its door lie."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

FIRST: Final = symbol("wFirstLockTrashCanIndex")
SECOND: Final = symbol("wSecondLockTrashCanIndex")


class Switches(NamedTuple):
    """The numbers of two cans, from 0 on; the second is chosen when the first has been found."""

    first: int
    second: int


def read_switches(ram: Ram) -> Switches:
    """Return where the switches lie."""
    return Switches(ram.byte(FIRST), ram.byte(SECOND))
