"""RAM that can be written, and the records of `emulator.ram` encoded as the game stores them.

A model of the game keeps its state in such RAM: what reads a console reads the model as well.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from emulator.console import DIGEST_RANGES, hashed
from emulator.profile import symbol
from emulator.ram.control import DARKNESS
from emulator.ram.flags import (
    BLACKOUT_MAP,
    EVENTS,
    HIDDEN,
    OWNED,
    SCRIPTS,
    STATUS_FLAGS_1,
    STATUS_FLAGS_4,
    USED_CENTER,
)
from emulator.ram.map import FACING, MAP, VISITED_TOWNS, Facing, X, Y
from emulator.ram.menu import OFFERED_MOVE, OFFERED_TO, MoveOffer
from emulator.ram.party import (
    BOX_CAPACITY,
    BOX_COUNT,
    BOX_MONS,
    BOX_NUMBER,
    BOXED_LEVEL,
    BOXED_MON_SIZE,
    CAPACITY,
    COUNT,
    MON_SIZE,
    MONS,
    NICKNAMES,
    SPECIES_END,
    Dvs,
    PartyMon,
    Stats,
    Status,
    decode_status,
)
from emulator.ram.player import (
    BADGES,
    BAG_CAPACITY,
    BAG_COUNT,
    MONEY,
    NAME_SIZE,
    RIVAL_STARTER,
    SAFARI_BALLS,
    SAFARI_STEPS,
    Stack,
)
from emulator.ram.view import HIGH_RAM, WORK_RAM, Ram, RamSlices, find_offset
from emulator.text import END, charmap

DIGESTED: Final = RamSlices(DIGEST_RANGES)
REPEL: Final = symbol("wRepelRemainingSteps")
STEPS: Final = symbol("wStepCounter")  # counts down, a byte
POISON_STEPS: Final = 4  # between two losses of HP
DARK: Final = 6  # wMapPalOffset of a dark map
OT_NAMES: Final = symbol("wPartyMonOT")
MOST_MONEY: Final = 999_999
MOST_OF_ITEM: Final = 99


class GameRam:
    """RAM that can be written, as of a moment of a game."""

    def __init__(self, ram: Ram, image: bytes = b"") -> None:
        """Begin with `ram`, or with another image of the same windows."""
        self._layout = ram.layout
        self._image = bytearray(image or ram.image)
        self._view: Ram | None = None

    @property
    def view(self) -> Ram:
        """The RAM as it is now, as a value."""
        if self._view is None:
            self._view = Ram.of_layout(self._layout, bytes(self._image))
        return self._view

    def put(self, address: int, data: bytes) -> None:
        """Write bytes; raises KeyError outside of the windows."""
        at = find_offset(self._layout, address, len(data))
        if at is None:
            raise KeyError(f"no window has {address:#06x} (+{len(data)})")
        self._image[at : at + len(data)] = data
        self._view = None

    def put_byte(self, address: int, value: int) -> None:
        """Write one byte."""
        self.put(address, bytes([value]))

    def put_bit(self, start: int, number: int, *, to: bool) -> None:
        """Set or clear a bit of a row of bits that begins at `start`."""
        address, mask = start + (number >> 3), 1 << (number & 7)
        byte = self.view.byte(address)
        self.put_byte(address, byte | mask if to else byte & ~mask)

    def digest(self) -> bytes:
        """Return the digest of a console that shows this."""
        return hashed(DIGESTED.of(self.view) or b"")

    def full_digest(self) -> bytes:
        """Return the full digest of a console that shows this."""
        return hashed(self.view.span(*WORK_RAM) + self.view.span(*HIGH_RAM))

    def stand(self, x: int, y: int, facing: Facing) -> None:
        """Put the player on a square of the map."""
        for address, value in ((X, x), (Y, y), (FACING, facing.value)):
            self.put_byte(address, value)

    @property
    def faces(self) -> int:
        """The code of the direction in which the player looks."""
        return self.view.byte(FACING)

    @property
    def map_id(self) -> int:
        """The map that the player is on."""
        return self.view.byte(MAP)

    def put_event(self, number: int, *, happened: bool = True) -> None:
        """Set or clear an event."""
        self.put_bit(EVENTS, number, to=happened)

    def put_badge(self, number: int) -> None:
        """Give a badge."""
        self.put_bit(BADGES, number, to=True)

    def put_status(self, bit: int, *, to: bool) -> None:
        """Set or clear a bit of wStatusFlags1."""
        self.put_bit(STATUS_FLAGS_1, bit, to=to)

    def put_hidden(self, flag: int, *, to: bool) -> None:
        """Hide or show the map object of a toggle."""
        self.put_bit(HIDDEN, flag, to=to)

    def put_script(self, place: int, step: int) -> None:
        """Set the step of the script at a place of wGameProgressFlags."""
        self.put_byte(SCRIPTS + place, step)

    def put_owned(self, dex_number: int) -> None:
        """Note that a species was owned."""
        self.put_bit(OWNED, dex_number - 1, to=True)

    def put_visited(self, town: int) -> None:
        """Note that a town was entered."""
        self.put_bit(VISITED_TOWNS, town, to=True)

    def put_rival_starter(self, species: int) -> None:
        """Set the species that the rival chose first."""
        self.put_byte(RIVAL_STARTER, species)

    def put_offer(self, offer: MoveOffer) -> None:
        """Set the move that a member may learn."""
        self.put_byte(OFFERED_TO, offer.position)
        self.put_byte(OFFERED_MOVE, offer.move)

    def put_dark(self, *, dark: bool) -> None:
        """Make the map dark, or light."""
        self.put_byte(DARKNESS, DARK if dark else 0)

    def put_home(self, town: int) -> None:
        """Set the town to which a defeat leads, after a healer was asked."""
        self.put_byte(BLACKOUT_MAP, town)
        self.put_byte(STATUS_FLAGS_4, self.view.byte(STATUS_FLAGS_4) | USED_CENTER)

    @property
    def home(self) -> int:
        """The town to which a defeat leads."""
        return self.view.byte(BLACKOUT_MAP)

    def put_repel(self, steps: int) -> None:
        """Set the steps for which a repellent works."""
        self.put_byte(REPEL, steps)

    def use_repel(self) -> bool:
        """Count a step of a repellent down; return whether one works."""
        left = self.view.byte(REPEL)
        self.put_byte(REPEL, max(left - 1, 0))
        return left > 0

    def count_step(self) -> bool:
        """Count a step; return whether poison takes HP at it."""
        left = (self.view.byte(STEPS) - 1) & 0xFF
        self.put_byte(STEPS, left)
        return left % POISON_STEPS == 0

    def put_safari(self, steps: int, balls: int) -> None:
        """Set the steps and balls that are left of a visit to the Safari Zone."""
        self.put(SAFARI_STEPS, max(steps, 0).to_bytes(2, "big"))
        self.put_byte(SAFARI_BALLS, balls)

    def put_box(self, number: int, mons: Sequence[tuple[int, int]]) -> None:
        """Set the open box and the species and levels in it; what does not fit is left out."""
        kept = mons[:BOX_CAPACITY]
        self.put_byte(BOX_NUMBER, number)
        species = bytes(species for species, _ in kept)
        self.put(BOX_COUNT, bytes([len(kept)]) + species + bytes([SPECIES_END]))
        for place, (kind, level) in enumerate(kept):
            start = BOX_MONS + place * BOXED_MON_SIZE
            self.put_byte(start, kind)
            self.put_byte(start + BOXED_LEVEL, level)

    def put_money(self, amount: int) -> None:
        """Set the money, within what the game can store."""
        digits = f"{min(max(amount, 0), MOST_MONEY):06d}"
        self.put(MONEY, bytes.fromhex(digits))

    def put_bag(self, stacks: Iterable[Stack]) -> None:
        """Set the contents of the bag."""
        kept = [each for each in stacks if each.quantity][:BAG_CAPACITY]
        pairs = b"".join(bytes([each.item, min(each.quantity, MOST_OF_ITEM)]) for each in kept)
        self.put(BAG_COUNT, bytes([len(kept)]) + pairs + b"\xff")

    def put_party(self, mons: Sequence[PartyMon]) -> None:
        """Set the team."""
        self.put_team(COUNT, mons)

    def put_team(self, start: int, mons: Sequence[PartyMon]) -> None:
        """Set a team whose structure begins at `start`, the player's or an enemy's."""
        team, by = mons[:CAPACITY], start - COUNT
        species = bytes(each.species for each in team)
        self.put(start, bytes([len(team)]) + species + bytes([SPECIES_END]))
        for at, mon in enumerate(team):
            self.put(by + MONS + at * MON_SIZE, encode_mon(mon))
            self.put(by + OT_NAMES + at * NAME_SIZE, encode_name("RED"))
            self.put(by + NICKNAMES + at * NAME_SIZE, encode_name(mon.nickname))


def encode_name(name: str) -> bytes:
    """Return a name as stored: at most ten letters, an end mark, and more of them to its full size."""
    codes = {printed: code for code, printed in charmap().items()}
    letters = bytes(codes.get(letter, codes["?"]) for letter in name[: NAME_SIZE - 1])
    return letters.ljust(NAME_SIZE, bytes([END]))


def encode_status(status: Status) -> int:
    """Return the byte of a major status."""
    flags = (status.poisoned, status.burned, status.frozen, status.paralyzed)
    return status.sleep | sum(has << bit for bit, has in enumerate(flags, start=3))


def encode_dvs(dvs: Dvs) -> bytes:
    """Return the two bytes of four DVs."""
    return bytes([dvs.attack << 4 | dvs.defense, dvs.speed << 4 | dvs.special])


def encode_stats(stats: Stats | Sequence[int]) -> bytes:
    """Return stats as words."""
    return b"".join(int(value).to_bytes(2, "big") for value in stats)


def encode_mon(mon: PartyMon) -> bytes:
    """Return a Pokemon as a 44-byte party structure."""
    moves = [slot.move for slot in mon.moves]
    pps = [slot.pp | slot.pp_ups << 6 for slot in mon.moves]
    return b"".join(
        (
            bytes([mon.species]),
            mon.hp.to_bytes(2, "big"),
            bytes([mon.level, encode_status(mon.status), *mon.types, mon.catch_rate]),
            bytes(moves).ljust(4, b"\0"),
            mon.ot_id.to_bytes(2, "big"),
            mon.exp.to_bytes(3, "big"),
            encode_stats(mon.stat_exp),
            encode_dvs(mon.dvs),
            bytes(pps).ljust(4, b"\0"),
            bytes([mon.level]),
            encode_stats(mon.stats),
        )
    )


def without(status: Status, cured: int) -> Status:
    """Return a major status without those of a mask of its byte."""
    return decode_status(encode_status(status) & ~cured)
