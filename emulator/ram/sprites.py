"""Everybody on the map but the player."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from emulator.profile import symbol
from emulator.ram.map import Facing, Position
from emulator.ram.view import Ram

DATA_1: Final = symbol("wSpriteStateData1")  # 16 bytes a slot
DATA_2: Final = symbol("wSpriteStateData2")
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
    return _decode_people(
        looks[PICTURE::SLOT_SIZE],
        looks[STATUS::SLOT_SIZE].translate(_MOVES),
        looks[IMAGE::SLOT_SIZE].translate(_SHOWS),
        looks[FACING::SLOT_SIZE].translate(_FACES),
        places[MAP_X::SLOT_SIZE],
        places[MAP_Y::SLOT_SIZE],
    )


# A sprite's bytes change with every picture of a step; what is read of them does not.
_MOVES: Final = bytes(status & 0x7F == MOVING for status in range(0x100))
_SHOWS: Final = bytes(image != NOT_DRAWN for image in range(0x100))
_FACES: Final = bytes(facing & 0x0C for facing in range(0x100))


@lru_cache(maxsize=64)
def _decode_people(
    pictures: bytes, moving: bytes, shown: bytes, facings: bytes, xs: bytes, ys: bytes
) -> tuple[Person, ...]:
    rows = zip(pictures, moving, shown, facings, xs, ys, strict=True)
    return tuple(
        [
            Person(
                slot=slot,
                picture=picture,
                x=x - BORDER,
                y=y - BORDER,
                facing=Facing(facing),
                moving=bool(moves),
                on_screen=bool(shows),
            )
            for slot, (picture, moves, shows, facing, x, y) in enumerate(rows)
            if slot and picture
        ]
    )
