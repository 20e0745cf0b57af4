"""A map as the cartridge stores it: header, connections, warps, signs and people, unresolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from emulator.profile import table
from emulator.ram.map import Facing, Position
from emulator.world.rom import Rom

COUNT: Final = 248
POINTERS: Final = table("MapHeaderPointers")
BANKS: Final = table("MapHeaderBanks")
HEADER_SIZE: Final = 10
CONNECTION_SIZE: Final = 11
SIDES: Final = ((8, Facing.UP), (4, Facing.DOWN), (2, Facing.LEFT), (1, Facing.RIGHT))
WARP_SIZE: Final = 4
SIGN_SIZE: Final = 3
PERSON_SIZE: Final = 6
BORDER: Final = 4  # what stored coordinates of people are greater by
TRAINER: Final = 0x40  # of a person's text id
ITEM: Final = 0x80


class Connection(NamedTuple):
    """Another map that joins this one on a side, and how coordinates change on the way."""

    side: Facing
    map_id: int
    strip: int  # address of the blocks shown of it, in its own bank
    target: int  # address in wOverworldMap where they are shown
    length: int
    width: int  # of the other map, in blocks
    y_align: int
    x_align: int


class RawWarp(NamedTuple):
    """A warp square and where it leads; how it fires depends on the tiles around."""

    y: int
    x: int
    warp_index: int
    map_id: int


class Sign(NamedTuple):
    """A square that can be read from the square before it."""

    x: int
    y: int
    text_id: int


class Kind(Enum):
    """What stands there."""

    PERSON = "person"
    TRAINER = "trainer"
    ITEM = "item"


class Resident(NamedTuple):
    """Somebody or something that the map begins with; `slot` is its sprite in RAM."""

    slot: int
    picture: int
    x: int
    y: int
    walks: bool
    text_id: int
    kind: Kind
    extra: bytes  # trainer: class and set, or species and level; item: its id

    @property
    def position(self) -> Position:
        """The square it begins on."""
        return Position(self.x, self.y)


@dataclass(frozen=True, slots=True)
class MapHeader:
    """Everything that one map header leads to."""

    map_id: int
    bank: int
    address: int
    tileset_id: int
    width: int
    height: int
    blocks: bytes = field(repr=False)
    border: int
    connections: tuple[Connection, ...]
    warps: tuple[RawWarp, ...]
    signs: tuple[Sign, ...]
    people: tuple[Resident, ...]


class _Reader:
    """Takes bytes one group after the other."""

    def __init__(self, rom: Rom, bank: int, address: int) -> None:
        self._rom, self._bank, self._address = rom, bank, address

    def take(self, size: int) -> bytes:
        data = self._rom.span(self._bank, self._address, size)
        self._address += size
        return data

    def byte(self) -> int:
        return self.take(1)[0]

    def rows(self, size: int) -> list[bytes]:
        return [self.take(size) for _ in range(self.byte())]


def read_header(rom: Rom, map_id: int) -> MapHeader:
    """Return map `map_id`; ids without a map give whatever their pointer leads to."""
    bank = rom.byte(BANKS[0], BANKS[1] + map_id)
    address = rom.pointer(POINTERS[0], POINTERS[1] + 2 * map_id)
    reader = _Reader(rom, bank, address)
    head = reader.take(HEADER_SIZE)
    connections = tuple(
        [_connection(side, reader.take(CONNECTION_SIZE)) for bit, side in SIDES if head[9] & bit]
    )
    objects = _Reader(rom, bank, int.from_bytes(reader.take(2), "little"))
    height, width = head[1], head[2]
    return MapHeader(
        map_id=map_id,
        bank=bank,
        address=address,
        tileset_id=head[0] & 0x7F,
        width=width,
        height=height,
        blocks=rom.span(bank, int.from_bytes(head[3:5], "little"), width * height),
        border=objects.byte(),
        connections=connections,
        warps=tuple([RawWarp(*row) for row in objects.rows(WARP_SIZE)]),
        signs=tuple([Sign(row[1], row[0], row[2]) for row in objects.rows(SIGN_SIZE)]),
        people=tuple([_resident(objects, slot) for slot in range(1, objects.byte() + 1)]),
    )


def _connection(side: Facing, row: bytes) -> Connection:
    strip = int.from_bytes(row[1:3], "little")
    target = int.from_bytes(row[3:5], "little")
    return Connection(side, row[0], strip, target, *row[5:9])


def _resident(objects: _Reader, slot: int) -> Resident:
    picture, y, x, movement, _, text = objects.take(PERSON_SIZE)
    kind, size = Kind.PERSON, 0
    if text & TRAINER:
        kind, size = Kind.TRAINER, 2
    elif text & ITEM:
        kind, size = Kind.ITEM, 1
    text_id = text & ~(TRAINER | ITEM)
    walks = movement == 0xFE
    return Resident(slot, picture, x - BORDER, y - BORDER, walks, text_id, kind, objects.take(size))
