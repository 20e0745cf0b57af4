"""Species data, and the trades that people in the game offer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from emulator.cartridge import Rom, read_padded_names
from emulator.profile import table
from emulator.ram.party import Stats
from emulator.rules.stats import Growth
from emulator.text import decode_name

BASE: Final = table("BaseStats")  # in the order of the dex
LAST_BASE: Final = table("MewBaseStats")  # Mew's record is stored apart
LAST: Final = 151
BASE_SIZE: Final = 28
ORDER: Final = table("PokedexOrder")
NAMES: Final = table("MonsterNames")
NAME_SIZE: Final = 10
LEARNSETS: Final = table("EvosMovesPointerTable")
LEARNSET_SIZE: Final = 64
EVOLUTION_SIZE: Final = 4  # of the longest record
GROWTHS: Final = table("GrowthRateTable")
GROWTH_COUNT: Final = 6
LAST_SPECIES: Final = 190
SLOTS: Final = 4
FALLING: Final = 0x80  # sign bit of the second byte of a growth rate


class EvolvesBy(Enum):
    """What makes a Pokemon evolve."""

    LEVEL = 1
    ITEM = 2
    TRADE = 3


class Evolution(NamedTuple):
    """A possible evolution; `item` is 0 when none is needed."""

    by: EvolvesBy
    level: int
    item: int
    species: int


class LevelUpMove(NamedTuple):
    """A move that a species learns at a level."""

    level: int
    move: int


@dataclass(frozen=True, slots=True)
class Species:
    """A species; `index` is its number in RAM, `dex` its Pokedex number."""

    index: int
    dex: int
    name: str
    base: Stats
    types: tuple[int, int]
    catch_rate: int
    base_experience: int
    growth: Growth
    first_moves: tuple[int, ...]
    level_up_moves: tuple[LevelUpMove, ...]
    evolutions: tuple[Evolution, ...]
    machines: tuple[int, ...]  # that it can learn: 0 to 49 are TM01 to TM50, then HM01 to HM05

    def moves_at(self, level: int) -> tuple[int, ...]:
        """Return the moves of a wild or trainer's Pokemon of `level`: the last four it learned."""
        moves = list(self.first_moves)
        for lesson in self.level_up_moves:
            if lesson.level <= level and lesson.move not in moves:
                moves = [*moves, lesson.move][-SLOTS:]
        return tuple(moves)


def read_species(rom: Rom) -> dict[int, Species]:
    """Return every species by its index; an index without a Pokedex number has none."""
    growths = tuple(map(_growth, rom.table(GROWTHS, 4, GROWTH_COUNT)))
    names = read_padded_names(rom, NAMES, LAST_SPECIES, NAME_SIZE)
    named = zip(names, rom.span(*ORDER, LAST_SPECIES), strict=True)
    species = {}
    for index, (name, dex) in enumerate(named, start=1):
        if 0 < dex <= LAST:
            species[index] = _species(rom, index, dex, name, growths)
    return species


def _growth(row: bytes) -> Growth:
    square = row[1] & ~FALLING
    return Growth(
        numerator=row[0] >> 4,
        denominator=row[0] & 15 or 1,
        square=-square if row[1] & FALLING else square,
        linear=row[2],
        minus=row[3],
    )


def _species(rom: Rom, index: int, dex: int, name: str, growths: Sequence[Growth]) -> Species:
    bank, at = LAST_BASE if dex == LAST else (BASE[0], BASE[1] + (dex - 1) * BASE_SIZE)
    base = rom.span(bank, at, BASE_SIZE)
    evolutions, level_up_moves = _read_learnset(rom, index)
    bits = int.from_bytes(base[20:27], "little")
    return Species(
        index=index,
        dex=dex,
        name=name,
        base=Stats(*base[1:6]),
        types=(base[6], base[7]),
        catch_rate=base[8],
        base_experience=base[9],
        growth=growths[base[19]] if base[19] < len(growths) else growths[0],
        first_moves=tuple([move for move in base[15:19] if move]),
        level_up_moves=level_up_moves,
        evolutions=evolutions,
        machines=tuple([bit for bit in range(bits.bit_length()) if bits >> bit & 1]),
    )


def _read_learnset(rom: Rom, index: int) -> tuple[tuple[Evolution, ...], tuple[LevelUpMove, ...]]:
    bank, at = LEARNSETS
    data = rom.span(bank, rom.pointer(bank, at + 2 * (index - 1)), LEARNSET_SIZE)
    evolutions = []
    while len(data) >= EVOLUTION_SIZE and data[0] in _EVOLUTIONS:
        by = EvolvesBy(data[0])
        needs_item = by is EvolvesBy.ITEM
        item, level, species = data[1 : 1 + 3] if needs_item else (0, data[1], data[2])
        evolutions.append(Evolution(by, level, item, species))
        data = data[4 if needs_item else 3 :]
    pairs = data[1:]
    end = next((n for n in range(0, len(pairs) - 1, 2) if not pairs[n]), 0)
    level_up_moves = [LevelUpMove(pairs[n], pairs[n + 1]) for n in range(0, end, 2)]
    return tuple(evolutions), tuple(level_up_moves)


_EVOLUTIONS: Final = frozenset(by.value for by in EvolvesBy)


TRADES: Final = table("TradeMons")  # wanted, given, a set of texts, nickname
TRADE_SIZE: Final = 14
TRADE_NICKNAME: Final = 3
TRADE_COUNT: Final = 10


class Trade(NamedTuple):
    """A trade: a Pokemon of species `wants` for one of `gives`, which has this nickname."""

    wants: int
    gives: int
    nickname: str


def read_trades(rom: Rom) -> dict[int, Trade]:
    """Return the trades by their bits in wCompletedInGameTradeFlags."""
    return {
        bit: Trade(row[0], row[1], decode_name(row[TRADE_NICKNAME:]))
        for bit, row in enumerate(rom.table(TRADES, TRADE_SIZE, TRADE_COUNT))
        if 0 < row[0] <= LAST_SPECIES and 0 < row[1] <= LAST_SPECIES
    }
