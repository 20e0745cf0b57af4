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
    columns = [looks[at::SLOT_SIZE] for at in (PICTURE, STATUS, IMAGE, FACING)]
    columns += [places[at::SLOT_SIZE] for at in (MAP_X, MAP_Y)]
    return _decode_people(*columns)


@lru_cache(maxsize=64)
def _decode_people(
    pictures: bytes, statuses: bytes, images: bytes, facings: bytes, xs: bytes, ys: bytes
) -> tuple[Person, ...]:
    rows = zip(pictures, statuses, images, facings, xs, ys, strict=True)
    return tuple(
        [
            Person(
                slot=slot,
                picture=picture,
                x=x - BORDER,
                y=y - BORDER,
                facing=Facing(facing & 0x0C),
                moving=status & 0x7F == MOVING,
                on_screen=image != NOT_DRAWN,
            )
            for slot, (picture, status, image, facing, x, y) in enumerate(rows)
            if slot and picture
        ]
    )
