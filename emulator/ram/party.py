"""The player's party, and the Pokemon of the current box."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram
from emulator.text import decode_name, word

COUNT: Final = symbol("wPartyCount")
ENEMY_COUNT: Final = symbol("wEnemyPartyCount")  # the same structure as from COUNT on
SPECIES: Final = symbol("wPartySpecies")
SPECIES_END: Final = 0xFF  # after the last of them
MONS: Final = symbol("wPartyMons")
NICKNAMES: Final = symbol("wPartyMonNicks")
END: Final = symbol("wPokedexOwned")  # which follows
MON_SIZE: Final = 44
NAME_SIZE: Final = 11
CAPACITY: Final = 6
PP_BITS: Final = 0x3F  # the rest of a PP byte counts PP Ups


class Status(NamedTuple):
    """The major status of a Pokemon; `sleep` is the number of turns left."""

    sleep: int
    poisoned: bool
    burned: bool
    frozen: bool
    paralyzed: bool


class MoveSlot(NamedTuple):
    """A move of a Pokemon, with its remaining PP and PP Ups."""

    move: int
    pp: int
    pp_ups: int


class Stats(NamedTuple):
    """One value per stat: the stats themselves, base stats or stat experience."""

    hp: int
    attack: int
    defense: int
    speed: int
    special: int


class Dvs(NamedTuple):
    """The DVs of a Pokemon, 0 to 15 each; `hp` follows from the others."""

    attack: int
    defense: int
    speed: int
    special: int

    @property
    def hp(self) -> int:
        """The HP DV, made of the lowest bits of the other four."""
        return sum((value & 1) << shift for value, shift in zip(self, (3, 2, 1, 0), strict=True))


@dataclass(frozen=True, slots=True)
class PartyMon:
    """A Pokemon of the party; `stats.hp` is its maximum HP."""

    species: int
    nickname: str
    ot_id: int
    level: int
    hp: int
    status: Status
    types: tuple[int, int]
    catch_rate: int
    moves: tuple[MoveSlot, ...]
    exp: int
    stat_exp: Stats
    dvs: Dvs
    stats: Stats

    @property
    def fainted(self) -> bool:
        """Whether it has no HP left."""
        return self.hp == 0


@dataclass(frozen=True, slots=True)
class Party:
    """A party in order; empty before the first Pokemon."""

    mons: tuple[PartyMon, ...]

    def __len__(self) -> int:
        return len(self.mons)

    def __getitem__(self, slot: int) -> PartyMon:
        return self.mons[slot]


def read_party(ram: Ram) -> Party:
    """Return the player's party."""
    return _decode_party(ram.span(COUNT, END - COUNT))


def read_enemy_party(ram: Ram) -> Party:
    """Return the enemy trainer's party; valid only during a trainer battle."""
    return _decode_party(ram.span(ENEMY_COUNT, END - COUNT))


@lru_cache(maxsize=16)
def _decode_party(block: bytes) -> Party:
    # A count that the species list contradicts is memory that is not initialised yet.
    count = block[0]
    listed = block[SPECIES - COUNT :].find(SPECIES_END)
    if count > CAPACITY or listed != count:
        return Party(())
    mons = [block[MONS - COUNT + slot * MON_SIZE :][:MON_SIZE] for slot in range(count)]
    names = [block[NICKNAMES - COUNT + slot * NAME_SIZE :][:NAME_SIZE] for slot in range(count)]
    return Party(tuple(map(decode_mon, mons, names)))


@lru_cache(maxsize=64)
def decode_mon(mon: bytes, nickname: bytes) -> PartyMon:
    """Return the Pokemon in a 44-byte party structure, with its name."""
    return PartyMon(
        species=mon[0],
        nickname=decode_name(nickname),
        ot_id=word(mon, 12),
        level=mon[33],
        hp=word(mon, 1),
        status=decode_status(mon[4]),
        types=(mon[5], mon[6]),
        catch_rate=mon[7],
        moves=decode_moves(mon[8:12], mon[29:33]),
        exp=int.from_bytes(mon[14:17], "big"),
        stat_exp=Stats(*[word(mon, at) for at in range(17, 27, 2)]),
        dvs=decode_dvs(mon[27:29]),
        stats=Stats(*[word(mon, at) for at in range(34, 44, 2)]),
    )


def decode_status(byte: int) -> Status:
    """Return the major status in a status byte."""
    return Status(byte & 7, bool(byte & 8), bool(byte & 16), bool(byte & 32), bool(byte & 64))


def decode_moves(moves: bytes, pps: bytes) -> tuple[MoveSlot, ...]:
    """Return the known moves, without empty slots."""
    pairs = zip(moves, pps, strict=True)
    return tuple([MoveSlot(move, pp & PP_BITS, pp >> 6) for move, pp in pairs if move])


def decode_dvs(pair: bytes) -> Dvs:
    """Return the four DVs in two bytes."""
    return Dvs(pair[0] >> 4, pair[0] & 15, pair[1] >> 4, pair[1] & 15)


BOX_NUMBER: Final = symbol("wCurrentBoxNum")
BOX_COUNT: Final = symbol("wBoxCount")
BOX_SPECIES: Final = symbol("wBoxSpecies")
BOX_MONS: Final = symbol("wBoxMons")
BOX_OT_NAMES: Final = symbol("wBoxMonOT")  # after the mons
BOXED_MON_SIZE: Final = 33
BOXED_LEVEL: Final = 3  # offset in the box structure, which has no other level
BOX_CAPACITY: Final = 20
BOX_NUMBER_BITS: Final = 0x7F  # the last bit says that boxes were changed before


class BoxedMon(NamedTuple):
    """Species and level of a Pokemon in a box."""

    species: int
    level: int


@dataclass(frozen=True, slots=True)
class Box:
    """The current box, `number` counted from 0; it receives catches when the party is full."""

    number: int
    mons: tuple[BoxedMon, ...]

    def __len__(self) -> int:
        return len(self.mons)

    @property
    def full(self) -> bool:
        """Whether the box is full."""
        return len(self.mons) >= BOX_CAPACITY


def read_box(ram: Ram) -> Box:
    """Return the current box."""
    mons = _decode_mons(ram.span(BOX_COUNT, BOX_OT_NAMES - BOX_COUNT))
    return Box(ram.byte(BOX_NUMBER) & BOX_NUMBER_BITS, mons)


@lru_cache(maxsize=16)
def _decode_mons(block: bytes) -> tuple[BoxedMon, ...]:
    # A count that the species list contradicts is memory that is not initialised yet.
    count = block[0]
    if count > BOX_CAPACITY or block[BOX_SPECIES - BOX_COUNT :].find(SPECIES_END) != count:
        return ()
    mons = [block[BOX_MONS - BOX_COUNT + slot * BOXED_MON_SIZE :] for slot in range(count)]
    return tuple([BoxedMon(mon[0], mon[BOXED_LEVEL]) for mon in mons])
