"""What is left of a visit to the Safari: steps, and balls to throw."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

STEPS: Final = symbol("wSafariSteps")  # two bytes, the high one first
BALLS: Final = symbol("wNumSafariBalls")


class Safari(NamedTuple):
    """Steps that may still be taken, and balls that may still be thrown; of the last visit where there is none now."""

    steps: int
    balls: int


def read_safari(ram: Ram) -> Safari:
    """Return what is left."""
    return Safari(int.from_bytes(ram.span(STEPS, 2), "big"), ram.byte(BALLS))
