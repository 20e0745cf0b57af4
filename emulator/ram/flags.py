"""What has happened in the story: one bit an event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from emulator.ram.view import Ram

EVENTS: Final = 0xD747  # wEventFlags
SIZE: Final = 320
HIDDEN: Final = 0xD5A6  # wToggleableObjectFlags
HIDDEN_SIZE: Final = 32


@dataclass(frozen=True, slots=True)
class Flags:
    """Event bits, and which objects of the world are hidden."""

    events: bytes = field(repr=False)
    hidden: bytes = field(repr=False)

    def is_set(self, bit: int) -> bool:
        """Return whether event `bit` has happened."""
        return bool(self.events[bit >> 3] >> (bit & 7) & 1)

    @property
    def count(self) -> int:
        """How many events have happened."""
        return int.from_bytes(self.events, "big").bit_count()


def read_flags(ram: Ram) -> Flags:
    """Return what has happened in the story."""
    return Flags(ram.span(EVENTS, SIZE), ram.span(HIDDEN, HIDDEN_SIZE))
