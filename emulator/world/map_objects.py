"""The objects of a map: people, trainers and their sight, items, overworld Pokemon, boulders; toggles, hidden items, shops.

No table of the cartridge points to the trainer headers of a map, but its script does: it stores in
wTrainerHeaderPtr the header it checked last, or the end of the list when no trainer saw the player.
Hidden items are stored in two tables. One lists the squares in the order of the bits that record what was picked
up; the hidden events of the map hold the items. An entry of only one table cannot be found in the game.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from struct import unpack
from typing import Final, NamedTuple

from emulator.cartridge import Rom
from emulator.profile import symbol, table
from emulator.ram.flags import EVENT_BYTES, EVENTS
from emulator.ram.map import Facing, Position
from emulator.ram.view import Ram
from emulator.world.texts import TextService, TextTable

# Picture, Y, X, two bytes of movement, text id; then the data that the flags of the text id announce.
RESIDENT_SIZE: Final = 6
BORDER: Final = 4  # added to stored coordinates
TRAINER: Final = 0x40  # flag of the text id: class and number follow, or species and level
ITEM: Final = 0x80  # flag of the text id: an item number follows
FIRST_CLASS: Final = 200  # added to trainer classes; lower values are species

WALKS: Final = 0xFE
STANDS_FACING: Final = {0xD0: Facing.DOWN, 0xD1: Facing.UP, 0xD2: Facing.LEFT, 0xD3: Facing.RIGHT}
WALKS_ALONG: Final = {
    0: frozenset(Facing),
    1: frozenset({Facing.UP, Facing.DOWN}),
    2: frozenset({Facing.LEFT, Facing.RIGHT}),
}
BOULDER: Final = 0x10


class MapObjectKind(Enum):
    """The kind of a map object."""

    PERSON = "person"
    TRAINER = "trainer"
    ITEM = "item"
    MON = "mon"
    BOULDER = "boulder"


class Opponent(NamedTuple):
    """One trainer: `Dex.trainer(trainer_class).teams[number - 1]` is the team."""

    trainer_class: int
    number: int


class OverworldMon(NamedTuple):
    """A wild Pokemon that stands on the map and fights when the player talks to it."""

    species: int
    level: int


class MapObject(NamedTuple):
    """A person or thing that the map defines; `slot` is its sprite in RAM.

    `ways` holds the directions in which it may walk. `facing` is the direction in which it stands,
    None if the map does not define one.
    """

    slot: int
    picture: int
    x: int
    y: int
    walks: bool
    text_id: int
    kind: MapObjectKind
    extra: bytes = b""  # stored bytes of `opponent`, `mon` and `item`
    facing: Facing | None = None
    ways: frozenset[Facing] = frozenset()

    @property
    def position(self) -> Position:
        """The square on which it begins."""
        return Position(self.x, self.y)

    @property
    def opponent(self) -> Opponent | None:
        """The trainer, or None when it is not one."""
        if self.kind is not MapObjectKind.TRAINER:
            return None
        return Opponent(self.extra[0] - FIRST_CLASS, self.extra[1])

    @property
    def mon(self) -> OverworldMon | None:
        """The wild Pokemon, or None when it is not one."""
        return OverworldMon(*self.extra) if self.kind is MapObjectKind.MON else None

    @property
    def item(self) -> int | None:
        """The item number, or None when it is not an item."""
        return self.extra[0] if self.kind is MapObjectKind.ITEM else None


def read_map_object(take: Callable[[int], bytes], slot: int) -> MapObject:
    """Return the object in this slot; `take` returns the next bytes of the map's object data."""
    picture, y, x, movement, range_or_facing, text = take(RESIDENT_SIZE)
    kind, extra = MapObjectKind.PERSON, b""
    if text & TRAINER:
        extra = take(2)
        kind = MapObjectKind.TRAINER if extra[0] >= FIRST_CLASS else MapObjectKind.MON
    elif text & ITEM:
        extra = take(1)
        # Red flags a few people and things that way although there is nothing to pick up.
        kind = MapObjectKind.ITEM if extra[0] else MapObjectKind.PERSON
    elif range_or_facing == BOULDER:
        kind = MapObjectKind.BOULDER
    walks = movement == WALKS
    return MapObject(
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


TOGGLE_POINTERS: Final = table("ToggleableObjectMapPointers")
TOGGLE_STATES: Final = table("ToggleableObjectStates")  # map, object, state
TOGGLE_SIZE: Final = 3
TOGGLE_COUNT: Final = 228
TOGGLE_HIDDEN: Final = 0x11


class Toggle(NamedTuple):
    """A switch that hides the object in `slot` while bit `flag` of wToggleableObjectFlags is set.

    `hidden` is the state in a new game.
    """

    flag: int
    slot: int
    hidden: bool


def read_toggles(rom: Rom, map_id: int) -> tuple[Toggle, ...]:
    """Return the toggles of a map."""
    bank, start = TOGGLE_STATES
    first = rom.pointer(TOGGLE_POINTERS.bank, TOGGLE_POINTERS.address + 2 * map_id) - start
    toggles = []
    for flag in range(first // TOGGLE_SIZE, TOGGLE_COUNT) if first >= 0 else ():
        owner, slot, state = rom.span(bank, start + flag * TOGGLE_SIZE, TOGGLE_SIZE)
        if owner != map_id:
            break
        toggles.append(Toggle(flag, slot, state == TOGGLE_HIDDEN))
    return tuple(toggles)


TRAINER_HEADER_POINTER: Final = symbol("wTrainerHeaderPtr")  # high byte first
# Flag bit, sight in the high nibble, address of the flags, four texts.
TRAINER_HEADER_SIZE: Final = 12
TRAINER_HEADERS_END: Final = 0xFF
BANKED: Final = range(0x4000, 0x8000)


class SightLine(NamedTuple):
    """The sight of a trainer: `sight` squares straight ahead, until `event` has happened."""

    sight: int
    event: int


def read_sight_lines(
    rom: Rom, bank: int, ram: Ram, slots: Sequence[int]
) -> Mapping[int, SightLine]:
    """Return the sight of the trainers on the player's map by sprite slot; `slots` lists all that battle.

    Usually each of them has a header, in the same order. Trainers who do not watch, such as gym leaders, may have none:
    then the flag bit of each header is its slot. Return an empty mapping when the pointer leads to no such headers.
    """
    at = int.from_bytes(ram.span(TRAINER_HEADER_POINTER, 2), "big")
    for end in range(at, at + TRAINER_HEADER_SIZE * (len(slots) + 1), TRAINER_HEADER_SIZE):
        if end not in BANKED:
            break
        if rom.byte(bank, end) == TRAINER_HEADERS_END:
            return _sights_before(end, rom, bank, slots)
    return {}


def _sights_before(end: int, rom: Rom, bank: int, slots: Sequence[int]) -> Mapping[int, SightLine]:
    """Return the sight of the trainers whose headers end at `end`."""
    for count in range(len(slots), 0, -1):
        start = end - TRAINER_HEADER_SIZE * count
        headers = rom.table((bank, start), TRAINER_HEADER_SIZE, count)
        rows = [_read_sight(each) for each in headers]
        named = slots if count == len(slots) else [each[0] for each in headers]
        is_list = start in BANKED and sorted(set(named)) == [*named] and set(named) <= set(slots)
        if is_list and None not in rows:
            return {slot: each for slot, each in zip(named, rows, strict=True) if each is not None}
    return {}


def _read_sight(header: bytes) -> SightLine | None:
    bit, sight, flags, *texts = unpack("<2B5H", header)
    event = 8 * (flags - EVENTS) + bit
    is_one = 0 <= event < 8 * EVENT_BYTES and all(text in BANKED for text in texts)
    return SightLine(sight >> 4, event) if is_one else None


ITEMS: Final = table("HiddenItemCoords")  # map, Y, X
ITEM_COUNT: Final = 54
COORDS_SIZE: Final = 3
MAPS: Final = table("HiddenEventMaps")
POINTERS: Final = table("HiddenEventPointers")  # in the order of MAPS
EVENT_SIZE: Final = 6  # Y, X, argument, bank and address of a routine
END: Final = 0xFF


class HiddenItem(NamedTuple):
    """A hidden item, present until bit `flag` of wObtainedHiddenItemsFlags is set."""

    x: int
    y: int
    flag: int
    item: int


def read_hidden_items(rom: Rom, map_id: int) -> tuple[HiddenItem, ...]:
    """Return the hidden items of a map."""
    arguments = _arguments(rom, map_id)
    rows = rom.table(ITEMS, COORDS_SIZE, ITEM_COUNT)
    return tuple(
        [
            HiddenItem(x, y, flag, arguments[x, y])
            for flag, (owner, y, x) in enumerate(rows)
            if owner == map_id and (x, y) in arguments
        ]
    )


def _arguments(rom: Rom, map_id: int) -> dict[tuple[int, int], int]:
    """Return the arguments of a map's hidden events by square."""
    number = rom.until(*MAPS, END).find(map_id)
    if number < 0:
        return {}
    bank, pointers = POINTERS
    events = rom.rows(bank, rom.pointer(bank, pointers + 2 * number), EVENT_SIZE)
    return {(row[1], row[0]): row[2] for row in reversed(events)}  # first event per square


SHOP: Final = TextService.MART.value  # first byte of a shop's text; a count and the stock follow


class Shop(NamedTuple):
    """The stock of a shop as item numbers in list order; `slot` is the sprite of the seller."""

    slot: int
    items: tuple[int, ...]


def read_shops(texts: TextTable, people: Iterable[MapObject]) -> Iterator[Shop]:
    """Yield the shops of a map."""
    for person in people:
        place = texts.place(person.text_id)
        if place is None:
            continue
        mark, count = texts.rom.span(texts.bank, place, 2)
        stock = texts.rom.span(texts.bank, place + 2, count + 1)
        if mark == SHOP and stock.endswith(bytes([END])):
            yield Shop(person.slot, tuple(stock[:-1]))


LOADS_HEADER: Final = bytes(
    (0x08, 0x21)
)  # a text that is a program, which begins with ld hl, header


@lru_cache(maxsize=256)
def find_trainer_headers(rom: Rom, bank: int, texts: TextTable, fighters: tuple[int, ...]) -> int:
    """Return where the trainer headers of a map begin, as wTrainerHeaderPtr holds it, or 0; `fighters` are text ids.

    The texts of the trainers lead there: a program that loads its header, as in Pokemon Red, or a text that a header names.
    """
    data, starts = rom.span(bank, BANKED.start, len(BANKED)), []
    for place in map(texts.place, fighters):
        if place is None:
            continue
        code = rom.span(bank, place, 4)
        if code.startswith(LOADS_HEADER):
            starts.append(code[2] | code[3] << 8)
            continue
        last = len(data) - TRAINER_HEADER_SIZE
        named = (at for at in range(last) if _names(data[at : at + TRAINER_HEADER_SIZE], place))
        starts += [BANKED.start + at for at in named]
    return min(starts, default=0)


def _names(row: bytes, text: int) -> bool:
    """Return whether bytes are a trainer's header that has this text."""
    _, sight, flags, *texts = unpack("<BBHHHHH", row)
    is_header = sight & 0x0F == 0 and EVENTS <= flags < EVENTS + EVENT_BYTES
    return is_header and text in texts
