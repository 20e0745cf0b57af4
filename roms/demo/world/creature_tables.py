"""The contract's tables of creatures: base data, numbers, names, growth, learnsets."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from world import machine_tables
from world.banks import Place, Placement, Room, pointer
from world.creatures import DEX_COUNT, INDEX_COUNT, START_MOVES, EvolvesBy, Growth, Species
from world.font import Font
from world.words import padded

BASE_STATS = Place(14, 0x43DE)
DEX_ORDER = Place(16, 0x5024)
NAMES = Place(7, 0x421E)
LEARNSETS = Place(14, 0x705C)
GROWTH = Place(22, 0x501D)
SLOT_CHANCES = Place(4, 0x7918)
SLOT_LIMITS = (50, 101, 140, 165, 190, 215, 228, 241, 252, 255)  # highest random byte per slot
SLOT_SIZE = 2  # level, species
NAME = 10
NOBODY = "-"
PICTURE_SIZE = 0x44  # width and height in tiles
SPARE = bytes(1)
NOTHING_LEARNED = bytes(2)  # no evolutions, no moves


class Pictures(NamedTuple):
    """Addresses of the two drawings of a creature, in the bank of the pictures."""

    front: int
    back: int


def placements(
    species: Mapping[str, Species],
    growth: Mapping[str, Growth],
    pictures: Mapping[str, Pictures],
    placeholder: Pictures,
    font: Font,
) -> Iterator[Placement]:
    """Yield every table about creatures; ids without one get a harmless record."""
    by_index = {each.index: each for each in species.values()}
    indices = range(1, INDEX_COUNT + 1)
    records = [_record(each, pictures[name]) for name, each in species.items()]
    records += [_blank(dex, placeholder) for dex in range(len(records) + 1, DEX_COUNT + 1)]
    yield Placement(BASE_STATS.offset, b"".join(records), "BaseStats")
    numbers = bytes(by_index[n].dex if n in by_index else 0 for n in indices)
    yield Placement(DEX_ORDER.offset, numbers, "PokedexOrder")
    words = (by_index[n].name if n in by_index else NOBODY for n in indices)
    yield Placement(NAMES.offset, padded(words, font, NAME, "species.toml"), "MonsterNames")
    yield Placement(LEARNSETS.offset, _learnsets(species), "EvosMovesPointerTable")
    yield Placement(GROWTH.offset, _growth(growth.values()), "GrowthRateTable")
    slots = b"".join(bytes([top, SLOT_SIZE * n]) for n, top in enumerate(SLOT_LIMITS))
    yield Placement(SLOT_CHANCES.offset, slots, "WildMonEncounterSlotChances")


def _record(species: Species, pictures: Pictures) -> bytes:
    moves = bytes(species.moves).ljust(START_MOVES, bytes(1))
    return (
        bytes([species.dex, *species.stats, *species.types])
        + bytes([species.catch_rate, species.experience, PICTURE_SIZE])
        + pointer(pictures.front)
        + pointer(pictures.back)
        + moves
        + bytes([species.growth])
        + machine_tables.bits(species.machines)
        + SPARE
    )


def _blank(dex: int, pictures: Pictures) -> bytes:
    stats = (1,) * 5  # a divisor must not be zero
    placeholder = Species(NOBODY, 0, dex, (0, 0), stats, 0, 0, 0, (), (), (), (), None)
    return _record(placeholder, pictures)


def _learnsets(species: Mapping[str, Species]) -> bytes:
    """Return 190 pointers and the records they point to: evolutions, then moves by level."""
    room = Room(LEARNSETS.bank, LEARNSETS.address + 2 * INDEX_COUNT, 0x8000)
    nothing = room.take(len(NOTHING_LEARNED), "nothing to learn").address
    by_index = {each.index: each for each in species.values()}
    heads, records = b"", NOTHING_LEARNED
    for index in range(1, INDEX_COUNT + 1):
        if index in by_index:
            record = _learnset(by_index[index], species)
            heads += pointer(room.take(len(record), by_index[index].name).address)
            records += record
        else:
            heads += pointer(nothing)
    return heads + records


def _learnset(creature: Species, species: Mapping[str, Species]) -> bytes:
    record = b""
    for by, item, level, into in creature.evolutions:
        needs = [item, level] if by is EvolvesBy.ITEM else [level]
        record += bytes([by, *needs, species[into].index])
    pairs = (number for pair in creature.learns for number in pair)
    return record + bytes([0, *pairs, 0])


def _growth(curves: Iterable[Growth]) -> bytes:
    """Return four bytes per curve: nibbles of the fraction, signed magnitude, two numbers."""
    data = b""
    for curve in sorted(curves):
        numerator, denominator = curve.cube
        sign = 0x80 if curve.square < 0 else 0
        square = sign | abs(curve.square)
        data += bytes([numerator << 4 | denominator, square, curve.linear, curve.minus])
    return data
