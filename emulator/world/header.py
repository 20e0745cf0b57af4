"""A map as the cartridge stores it: its header, and its rows in tables indexed by map id."""

from dataclasses import dataclass, field, replace
from struct import unpack
from typing import Final, NamedTuple

from emulator.cartridge import BANK_SIZE, Rom
from emulator.profile import table
from emulator.ram.map import Facing
from emulator.text import END, decode_name
from emulator.world.map_objects import (
    HiddenItem,
    MapObject,
    Shop,
    Toggle,
    read_hidden_items,
    read_map_object,
    read_shops,
    read_toggles,
)
from emulator.world.texts import TextTable

FIRST_INDOOR_MAP: Final = 37  # lower ids are outdoors, the destinations of 0xFF warps

OUTDOORS: Final = table("ExternalMapEntries")  # by map: yx in nibbles, name
OUTDOORS_SIZE: Final = 3
# By group: the first map id after the group, yx in nibbles, name. Universal Pokemon Randomizer
# reads the bound of this table as exclusive, too.
INDOORS: Final = table("InternalMapEntries")
INDOORS_SIZE: Final = 4


class TownMapEntry(NamedTuple):
    """A place on the town map, and its square there, from the top left."""

    name: str
    x: int
    y: int


def read_town_map_entry(rom: Rom, map_id: int) -> TownMapEntry | None:
    """Return the town map entry of a map, or None on a cartridge without a town map."""
    bank, at = OUTDOORS
    if map_id < FIRST_INDOOR_MAP:
        return _entry(rom, rom.span(bank, at + OUTDOORS_SIZE * map_id, OUTDOORS_SIZE))
    groups = rom.rows(*INDOORS, INDOORS_SIZE)
    return next((_entry(rom, group[1:]) for group in groups if map_id < group[0]), None)


def _entry(rom: Rom, row: bytes) -> TownMapEntry | None:
    name = int.from_bytes(row[1:], "little")
    if not BANK_SIZE <= name < 2 * BANK_SIZE:
        return None
    y, x = divmod(row[0], 16)
    return TownMapEntry(decode_name(rom.until(OUTDOORS.bank, name, END)), x, y)


MAP_COUNT: Final = 248
MAP_POINTERS: Final = table("MapHeaderPointers")
MAP_BANKS: Final = table("MapHeaderBanks")
HEADER_SIZE: Final = 10
CONNECTION_SIZE: Final = 11
SIDES: Final = ((8, Facing.UP), (4, Facing.DOWN), (2, Facing.LEFT), (1, Facing.RIGHT))
WARP_SIZE: Final = 4
SIGN_SIZE: Final = 3

# Capacities in RAM: wOverworldMap with the border, wWarpEntries, wSignTextIDs, and the sprites.
MAX_BLOCKS: Final = 1300
BORDER_BLOCKS: Final = 6  # blocks of border from west to east, or from north to south
MAX_WARPS: Final = 32
MAX_SIGNS: Final = 16
MAX_PEOPLE: Final = 15  # the sixteenth sprite is the player's


class Connection(NamedTuple):
    """Another map that joins this one on a side, and the offsets that convert coordinates."""

    side: Facing
    map_id: int
    strip: int  # address of the blocks of it that are shown, in its own bank
    target: int  # address in wOverworldMap to which they are copied
    length: int
    width: int  # of the other map, in blocks
    y_align: int
    x_align: int


class RawWarp(NamedTuple):
    """A warp square and its destination; how it fires depends on the tiles around it."""

    y: int
    x: int
    warp_index: int
    map_id: int


class Sign(NamedTuple):
    """A square that the player can read from the square in front of it."""

    x: int
    y: int
    text_id: int


@dataclass(frozen=True, slots=True)
class MapHeader:
    """Everything that a map header points to, and the map's rows in tables indexed by map id."""

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
    people: tuple[MapObject, ...]
    texts: TextTable
    shops: tuple[Shop, ...] = ()
    toggles: tuple[Toggle, ...] = ()
    hidden_items: tuple[HiddenItem, ...] = ()
    town_map: TownMapEntry | None = None


class _Reader:
    """Reads consecutive groups of bytes."""

    def __init__(self, rom: Rom, bank: int, address: int) -> None:
        self._rom, self._bank, self._address = rom, bank, address
        self.fits = True

    def take(self, size: int) -> bytes:
        data = self._rom.span(self._bank, self._address, size)
        self._address += size
        return data

    def byte(self) -> int:
        return self.take(1)[0]

    def count(self, maximum: int) -> int:
        count = self.byte()
        self.fits = self.fits and count <= maximum
        return min(count, maximum)

    def rows(self, size: int, maximum: int) -> list[bytes]:
        return [self.take(size) for _ in range(self.count(maximum))]


def read_header(rom: Rom, map_id: int) -> MapHeader:
    """Return map `map_id`; for ids without a map, whatever their pointer leads to.

    A map without blocks, or one that does not fit into RAM, is returned with size 0 and nothing on it.
    """
    bank = rom.byte(MAP_BANKS[0], MAP_BANKS[1] + map_id)
    address = rom.pointer(MAP_POINTERS[0], MAP_POINTERS[1] + 2 * map_id)
    reader = _Reader(rom, bank, address)
    tileset, height, width, blocks, texts_at, sides = unpack("<3B2H2xB", reader.take(HEADER_SIZE))
    rows = [(side, reader.take(CONNECTION_SIZE)) for bit, side in SIDES if sides & bit]
    connections = tuple([Connection(side, *unpack("<B2H4B2x", row)) for side, row in rows])
    objects = _Reader(rom, bank, int.from_bytes(reader.take(2), "little"))
    border = objects.byte()
    warps = tuple([RawWarp(*row) for row in objects.rows(WARP_SIZE, MAX_WARPS)])
    signs = tuple([Sign(row[1], row[0], row[2]) for row in objects.rows(SIGN_SIZE, MAX_SIGNS)])
    slots = range(1, objects.count(MAX_PEOPLE) + 1)
    people = tuple([read_map_object(objects.take, slot) for slot in slots])
    texts = TextTable(rom, bank, texts_at)
    header = MapHeader(
        map_id=map_id,
        bank=bank,
        address=address,
        tileset_id=tileset & 0x7F,
        width=width,
        height=height,
        blocks=rom.span(bank, blocks, width * height),
        border=border,
        connections=connections,
        warps=warps,
        signs=signs,
        people=people,
        texts=texts,
        shops=tuple(read_shops(texts, people)),
        toggles=read_toggles(rom, map_id),
        hidden_items=read_hidden_items(rom, map_id),
        town_map=read_town_map_entry(rom, map_id),
    )
    fits = (height + BORDER_BLOCKS) * (width + BORDER_BLOCKS) <= MAX_BLOCKS and objects.fits
    if height and width and fits:
        return header
    return replace(
        header,
        width=0,
        height=0,
        blocks=b"",
        connections=(),
        warps=(),
        signs=(),
        people=(),
        shops=(),
    )
