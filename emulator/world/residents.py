"""Who and what stands on a map: people, trainers and how far they see, items, mons that wait, boulders; and who can be hidden.

No table of the cartridge says where a map keeps its trainers' headers, but its script does: it notes in
wTrainerHeaderPtr the header it looked at last, or the end of the list when no trainer saw the player.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from struct import unpack
from typing import Final, NamedTuple

from emulator.cartridge import Rom
from emulator.profile import symbol, table
from emulator.ram.flags import EVENT_BYTES, EVENTS
from emulator.ram.map import Facing, Position
from emulator.ram.view import Ram

# Picture, Y, X, two bytes of movement, text id; then what the text id's flags add.
RESIDENT_SIZE: Final = 6
BORDER: Final = 4  # what stored coordinates are greater by
TRAINER: Final = 0x40  # of the text id: class and number follow, or species and level
ITEM: Final = 0x80  # of the text id: an item's number follows
FIRST_CLASS: Final = 200  # added to trainer classes; what is below is a species

WALKS: Final = 0xFE
STANDS_FACING: Final = {0xD0: Facing.DOWN, 0xD1: Facing.UP, 0xD2: Facing.LEFT, 0xD3: Facing.RIGHT}
WALKS_ALONG: Final = {
    0: frozenset(Facing),
    1: frozenset({Facing.UP, Facing.DOWN}),
    2: frozenset({Facing.LEFT, Facing.RIGHT}),
}
BOULDER: Final = 0x10


class ResidentKind(Enum):
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
    """A person or thing that the map begins with; `slot` is its sprite in RAM.

    `ways` are the directions in which one who walks may go. `facing` is where one who stands
    looks, None where the map does not say.
    """

    slot: int
    picture: int
    x: int
    y: int
    walks: bool
    text_id: int
    kind: ResidentKind
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
        if self.kind is not ResidentKind.TRAINER:
            return None
        return Opponent(self.extra[0] - FIRST_CLASS, self.extra[1])

    @property
    def mon(self) -> WaitingMon | None:
        """The wild mon that it is."""
        return WaitingMon(*self.extra) if self.kind is ResidentKind.MON else None

    @property
    def item(self) -> int | None:
        """The number of the item that it is."""
        return self.extra[0] if self.kind is ResidentKind.ITEM else None


def read_resident(take: Callable[[int], bytes], slot: int) -> Resident:
    """Return who has this slot; `take` gives so many bytes of the map's object data, in order."""
    picture, y, x, movement, range_or_facing, text = take(RESIDENT_SIZE)
    kind, extra = ResidentKind.PERSON, b""
    if text & TRAINER:
        extra = take(2)
        kind = ResidentKind.TRAINER if extra[0] >= FIRST_CLASS else ResidentKind.MON
    elif text & ITEM:
        kind, extra = ResidentKind.ITEM, take(1)
    elif range_or_facing == BOULDER:
        kind = ResidentKind.BOULDER
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


TOGGLE_POINTERS: Final = table("ToggleableObjectMapPointers")
TOGGLE_STATES: Final = table("ToggleableObjectStates")  # map, object, state
TOGGLE_SIZE: Final = 3
TOGGLE_COUNT: Final = 228
TOGGLE_HIDDEN: Final = 0x11


class Toggle(NamedTuple):
    """Who can be hidden: `slot`, while bit `flag` of wToggleableObjectFlags is set.

    `hidden` is how a new game begins.
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


class Lookout(NamedTuple):
    """A trainer's eyes: `sight` steps straight ahead until `event` has happened."""

    sight: int
    event: int


def read_lookouts(rom: Rom, bank: int, ram: Ram, slots: Sequence[int]) -> Mapping[int, Lookout]:
    """Return the eyes of those of the player's map who fight and watch, by sprite slot; `slots` are all who fight.

    As a rule all of them have a header, in their order. Who does not watch, such as the leader of a gym, may have none:
    then the flag bit of each header is the slot that it is of. Empty when the pointer leads to no such headers.
    """
    at = int.from_bytes(ram.span(TRAINER_HEADER_POINTER, 2), "big")
    for end in range(at, at + TRAINER_HEADER_SIZE * (len(slots) + 1), TRAINER_HEADER_SIZE):
        if end not in BANKED:
            break
        if rom.byte(bank, end) == TRAINER_HEADERS_END:
            return _before(end, rom, bank, slots)
    return {}


def _before(end: int, rom: Rom, bank: int, slots: Sequence[int]) -> Mapping[int, Lookout]:
    """Return what the headers say that lie before the end of their list."""
    for count in range(len(slots), 0, -1):
        start = end - TRAINER_HEADER_SIZE * count
        headers = rom.table((bank, start), TRAINER_HEADER_SIZE, count)
        eyes = [_lookout(each) for each in headers]
        named = slots if count == len(slots) else [each[0] for each in headers]
        is_list = start in BANKED and sorted(set(named)) == [*named] and set(named) <= set(slots)
        if is_list and None not in eyes:
            return {slot: each for slot, each in zip(named, eyes, strict=True) if each is not None}
    return {}


def _lookout(header: bytes) -> Lookout | None:
    bit, sight, flags, *texts = unpack("<2B5H", header)
    event = 8 * (flags - EVENTS) + bit
    is_one = 0 <= event < 8 * EVENT_BYTES and all(text in BANKED for text in texts)
    return Lookout(sight >> 4, event) if is_one else None
