"""Everybody on the map but the player."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from emulator.ram.map import Facing, Position
from emulator.ram.view import Ram

DATA_1: Final = 0xC100  # wSpriteStateData1: 16 bytes a slot
DATA_2: Final = 0xC200  # wSpriteStateData2
SLOT_SIZE: Final = 16
SLOTS: Final = 16
# offsets into wSpriteStateData1
PICTURE: Final = 0
STATUS: Final = 1
IMAGE: Final = 2
FACING: Final = 9
# offsets into wSpriteStateData2
MAP_Y: Final = 4
MAP_X: Final = 5
BORDER: Final = 4  # what the game adds to map coordinates

MOVING: Final = 3
NOT_DRAWN: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or something, that stands on the map and may be in the way."""

    slot: int
    picture: int
    x: int
    y: int
    facing: Facing
    moving: bool
    on_screen: bool

    @property
    def position(self) -> Position:
        """The square taken."""
        return Position(self.x, self.y)


def read_people(ram: Ram) -> tuple[Person, ...]:
    """Return who is on the map, slots 1 to 15; hidden ones are listed as not on the screen."""
    looks = ram.span(DATA_1, SLOTS * SLOT_SIZE)
    places = ram.span(DATA_2, SLOTS * SLOT_SIZE)
    pictures = looks[PICTURE::SLOT_SIZE]
    facts = b"".join([looks[at::SLOT_SIZE] for at in (STATUS, IMAGE, FACING)])
    return _decode_people(pictures, facts, places[MAP_X::SLOT_SIZE], places[MAP_Y::SLOT_SIZE])


@lru_cache(maxsize=64)
def _decode_people(pictures: bytes, facts: bytes, xs: bytes, ys: bytes) -> tuple[Person, ...]:
    statuses, images, facings = facts[:SLOTS], facts[SLOTS : 2 * SLOTS], facts[2 * SLOTS :]
    return tuple(
        [
            Person(
                slot=slot,
                picture=pictures[slot],
                x=xs[slot] - BORDER,
                y=ys[slot] - BORDER,
                facing=Facing(facings[slot] & 0x0C),
                moving=statuses[slot] & 0x7F == MOVING,
                on_screen=images[slot] != NOT_DRAWN,
            )
            for slot in range(1, SLOTS)
            if pictures[slot]
        ]
    )
