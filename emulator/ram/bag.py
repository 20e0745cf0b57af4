"""What the player carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram

COUNT: Final = symbol("wNumBagItems")
CAPACITY: Final = 20
SIZE: Final = 1 + 2 * CAPACITY + 1


class Stack(NamedTuple):
    """So many of one item."""

    item: int
    quantity: int


@dataclass(frozen=True, slots=True)
class Bag:
    """The stacks of the bag in its order."""

    items: tuple[Stack, ...]

    def __len__(self) -> int:
        return len(self.items)

    def quantity(self, item: int) -> int:
        """Return how many of `item` there are."""
        return sum(stack.quantity for stack in self.items if stack.item == item)

    @property
    def full(self) -> bool:
        """Whether no other kind of item fits in."""
        return len(self.items) >= CAPACITY


def read_bag(ram: Ram) -> Bag:
    """Return what the player carries."""
    return _decode_bag(ram.span(COUNT, SIZE))


@lru_cache(maxsize=16)
def _decode_bag(block: bytes) -> Bag:
    count = block[0]
    if count > CAPACITY or block[1 + 2 * count] != 0xFF:
        return Bag(())
    pairs = block[1 : 1 + 2 * count]
    return Bag(tuple([Stack(*pair) for pair in zip(pairs[::2], pairs[1::2], strict=True)]))
