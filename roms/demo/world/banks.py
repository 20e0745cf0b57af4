"""Space in ROM: used ranges, and allocation of new ones."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from world.errors import WorldError

BANK = 0x4000


class Placement(NamedTuple):
    """Bytes at a file offset of the image."""

    offset: int
    data: bytes
    name: str


class Place(NamedTuple):
    """A bank and a CPU address in it."""

    bank: int
    address: int

    @property
    def offset(self) -> int:
        """Offset in the image file."""
        return self.address if self.bank == 0 else self.bank * BANK + self.address - BANK


def place_of(offset: int) -> Place:
    """Return the bank and address of a file offset."""
    bank, within = divmod(offset, BANK)
    return Place(bank, within + BANK if bank else within)


@dataclass(slots=True)
class Room:
    """A free range of one bank, allocated from its start; `end` is exclusive."""

    bank: int
    address: int
    end: int

    def take(self, size: int, what: str) -> Place:
        """Allocate the next `size` bytes and return their place."""
        if self.address + size > self.end:
            message = (
                f"{what} needs {size} bytes; bank {self.bank} has no room below {self.end:04X}"
            )
            raise WorldError(message)
        place = Place(self.bank, self.address)
        self.address += size
        return place


@dataclass(slots=True)
class Rooms:
    """Several banks, filled one after the other."""

    rooms: list[Room]

    def take(self, size: int, what: str) -> Place:
        """Allocate `size` bytes in the first bank with enough space and return their place."""
        for room in self.rooms:
            if room.address + size <= room.end:
                return room.take(size, what)
        message = f"{what} needs {size} bytes; the banks are full"
        raise WorldError(message)


def whole_banks(*banks: int) -> Rooms:
    """Return the space of entire switchable banks."""
    return Rooms([Room(bank, BANK, 2 * BANK) for bank in banks])


def pointer(address: int) -> bytes:
    """Return an address as the cartridge stores it."""
    return address.to_bytes(2, "little")


def checked(placements: list[Placement]) -> list[Placement]:
    """Return `placements` sorted, after a check that none overlaps another."""
    ordered = sorted(placements)
    for before, after in pairwise(ordered):
        if before.offset + len(before.data) > after.offset:
            message = f"{before.name} overlaps {after.name} at {after.offset:06X}"
            raise WorldError(message)
    return ordered
