"""Who and what a map begins with: people, trainers, items, mons that wait, boulders."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

from emulator.ram.map import Facing, Position

SIZE: Final = 6  # picture, Y, X, two bytes of movement, text id; then what the text id's flags add
BORDER: Final = 4  # what stored coordinates are greater by
TRAINER: Final = 0x40  # of the text id: class and number follow, or species and level
ITEM: Final = 0x80  # of the text id: an item's number follows
FIRST_CLASS: Final = 200  # added to trainer classes; what is below is a species

WALKS: Final = 0xFE
STANDS_FACING: Final = {
    0xD0: Facing.DOWN,
    0xD1: Facing.UP,
    0xD2: Facing.LEFT,
    0xD3: Facing.RIGHT,
}
WALKS_ALONG: Final = {
    0: frozenset(Facing),
    1: frozenset({Facing.UP, Facing.DOWN}),
    2: frozenset({Facing.LEFT, Facing.RIGHT}),
}
BOULDER: Final = 0x10


class Kind(Enum):
    """What stands there."""

    PERSON = "person"
    TRAINER = "trainer"
    ITEM = "item"
    MON = "mon"
    BOULDER = "boulder"


class Opponent(NamedTuple):
    """Which trainer it is: `Dex.trainer(trainer_class).teams[number - 1]` is the team."""

    trainer_class: int
    number: int


class WaitingMon(NamedTuple):
    """A wild mon that stands on the map and fights when spoken to."""

    species: int
    level: int


class Resident(NamedTuple):
    """Somebody or something that the map begins with; `slot` is its sprite in RAM.

    `ways` are the directions in which one who walks may go. `facing` is where one who stands
    looks, None for whom the map does not say.
    """

    slot: int
    picture: int
    x: int
    y: int
    walks: bool
    text_id: int
    kind: Kind
    extra: bytes = b""  # as stored: what `opponent`, `mon` and `item` are made of
    facing: Facing | None = None
    ways: frozenset[Facing] = frozenset()

    @property
    def position(self) -> Position:
        """The square it begins on."""
        return Position(self.x, self.y)

    @property
    def opponent(self) -> Opponent | None:
        """The trainer that it is."""
        if self.kind is not Kind.TRAINER:
            return None
        return Opponent(self.extra[0] - FIRST_CLASS, self.extra[1])

    @property
    def mon(self) -> WaitingMon | None:
        """The wild mon that it is."""
        return WaitingMon(*self.extra) if self.kind is Kind.MON else None

    @property
    def item(self) -> int | None:
        """The number of the item that it is."""
        return self.extra[0] if self.kind is Kind.ITEM else None


def read_resident(take: Callable[[int], bytes], slot: int) -> Resident:
    """Return who has this slot; `take` gives so many bytes of the map's object data, in order."""
    picture, y, x, movement, range_or_facing, text = take(SIZE)
    kind, extra = Kind.PERSON, b""
    if text & TRAINER:
        extra = take(2)
        kind = Kind.TRAINER if extra[0] >= FIRST_CLASS else Kind.MON
    elif text & ITEM:
        kind, extra = Kind.ITEM, take(1)
    elif range_or_facing == BOULDER:
        kind = Kind.BOULDER
    walks = movement == WALKS
    return Resident(
        slot=slot,
        picture=picture,
        x=x - BORDER,
        y=y - BORDER,
        walks=walks,
        text_id=text & ~(TRAINER | ITEM),
        kind=kind,
        extra=extra,
        facing=None if walks else STANDS_FACING.get(range_or_facing),
        ways=WALKS_ALONG.get(range_or_facing, frozenset()) if walks else frozenset(),
    )
