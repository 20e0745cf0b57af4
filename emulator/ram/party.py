"""The player's team, and the mons of the current box."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.view import Ram
from emulator.text import decode_name, word

COUNT: Final = symbol("wPartyCount")
ENEMY_COUNT: Final = symbol("wEnemyPartyCount")  # from which on all lies as from COUNT on
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
    """What ails a mon; `sleep` counts the turns left."""

    sleep: int
    poisoned: bool
    burned: bool
    frozen: bool
    paralyzed: bool


class MoveSlot(NamedTuple):
    """A move that a mon knows, and how often it can still use it."""

    move: int
    pp: int
    pp_ups: int


class Stats(NamedTuple):
    """Five numbers that a mon has one each of: stats, or the experience in them."""

    hp: int
    attack: int
    defense: int
    speed: int
    special: int


class Dvs(NamedTuple):
    """What a mon was born with, 0 to 15 each; `hp` follows from the others."""

    attack: int
    defense: int
    speed: int
    special: int

    @property
    def hp(self) -> int:
        """The HP value that the other four make up."""
        return sum((value & 1) << shift for value, shift in zip(self, (3, 2, 1, 0), strict=True))


@dataclass(frozen=True, slots=True)
class PartyMon:
    """One mon of the team; `stats.hp` is its maximum."""

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
        """Whether the mon cannot fight."""
        return self.hp == 0


@dataclass(frozen=True, slots=True)
class Party:
    """The team in its order; empty before the first mon."""

    mons: tuple[PartyMon, ...]

    def __len__(self) -> int:
        return len(self.mons)

    def __getitem__(self, slot: int) -> PartyMon:
        return self.mons[slot]


def read_party(ram: Ram) -> Party:
    """Return the player's team."""
    return _decode_party(ram.span(COUNT, END - COUNT))


def read_enemy_party(ram: Ram) -> Party:
    """Return the team of the trainer who is fought; outside such a battle it means nothing."""
    return _decode_party(ram.span(ENEMY_COUNT, END - COUNT))


@lru_cache(maxsize=16)
def _decode_party(block: bytes) -> Party:
    # A count that the species list does not bear out is memory that is not set up yet.
    count = block[0]
    listed = block[SPECIES - COUNT :].find(SPECIES_END)
    if count > CAPACITY or listed != count:
        return Party(())
    mons = [block[MONS - COUNT + slot * MON_SIZE :][:MON_SIZE] for slot in range(count)]
    names = [block[NICKNAMES - COUNT + slot * NAME_SIZE :][:NAME_SIZE] for slot in range(count)]
    return Party(tuple(map(decode_mon, mons, names)))


@lru_cache(maxsize=64)
def decode_mon(mon: bytes, nickname: bytes) -> PartyMon:
    """Return the mon in a 44-byte party structure and its name."""
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
    """Return what a status byte says."""
    return Status(byte & 7, bool(byte & 8), bool(byte & 16), bool(byte & 32), bool(byte & 64))


def decode_moves(moves: bytes, pps: bytes) -> tuple[MoveSlot, ...]:
    """Return the moves known, leaving empty slots out."""
    pairs = zip(moves, pps, strict=True)
    return tuple([MoveSlot(move, pp & PP_BITS, pp >> 6) for move, pp in pairs if move])


def decode_dvs(pair: bytes) -> Dvs:
    """Return the four values in two bytes."""
    return Dvs(pair[0] >> 4, pair[0] & 15, pair[1] >> 4, pair[1] & 15)


BOX_NUMBER: Final = symbol("wCurrentBoxNum")
BOX_COUNT: Final = symbol("wBoxCount")
BOX_SPECIES: Final = symbol("wBoxSpecies")
BOX_MONS: Final = symbol("wBoxMons")
BOX_OT_NAMES: Final = symbol("wBoxMonOT")  # behind the mons
BOXED_MON_SIZE: Final = 33
BOXED_LEVEL: Final = 3  # of the box's structure, which has no other
BOX_CAPACITY: Final = 20
BOX_NUMBER_BITS: Final = 0x7F  # the last bit says that the boxes have been changed before


class BoxedMon(NamedTuple):
    """What a box tells of a mon at a glance."""

    species: int
    level: int


@dataclass(frozen=True, slots=True)
class Box:
    """Box `number`, from 0 on, which is the one that catches what the team has no room for."""

    number: int
    mons: tuple[BoxedMon, ...]

    def __len__(self) -> int:
        return len(self.mons)

    @property
    def full(self) -> bool:
        """Whether no other mon fits in."""
        return len(self.mons) >= BOX_CAPACITY


def read_box(ram: Ram) -> Box:
    """Return the current box."""
    mons = _decode_mons(ram.span(BOX_COUNT, BOX_OT_NAMES - BOX_COUNT))
    return Box(ram.byte(BOX_NUMBER) & BOX_NUMBER_BITS, mons)


@lru_cache(maxsize=16)
def _decode_mons(block: bytes) -> tuple[BoxedMon, ...]:
    # A count that the species list does not bear out is memory that is not set up yet.
    count = block[0]
    if count > BOX_CAPACITY or block[BOX_SPECIES - BOX_COUNT :].find(SPECIES_END) != count:
        return ()
    mons = [block[BOX_MONS - BOX_COUNT + slot * BOXED_MON_SIZE :] for slot in range(count)]
    return tuple([BoxedMon(mon[0], mon[BOXED_LEVEL]) for mon in mons])
