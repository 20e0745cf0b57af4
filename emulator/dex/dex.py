"""All of the cartridge's tables on species, moves, trainers and items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from emulator.cartridge import Cartridge, Rom
from emulator.dex.items import Item, read_items, read_vending
from emulator.dex.moves import Move, read_moves, read_rule_book, read_type_names
from emulator.dex.species import EvolvesBy, Species, Trade, read_species, read_trades
from emulator.dex.trainers import (
    SpecialMove,
    TrainerClass,
    read_lone_moves,
    read_team_moves,
    read_trainers,
)
from emulator.dex.wild import Fishing, Wild, read_fishing, read_wild
from emulator.errors import CartridgeError
from emulator.rules.effects import COUNT as EFFECT_COUNT
from emulator.rules.position import Tables, empty_tables, put_chart
from emulator.rules.rule_book import RuleBook, TypeChart

Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, eq=False)
class Dex:
    """The tables of a cartridge; `Dex.of(cartridge)` decodes them once per process.

    Tables map numbers to records: `lone_moves` by gym from 1, `team_moves` (Elite Four) by class, `wild` by map,
    `trades` by bit of wCompletedInGameTradeFlags; `vending` holds prices by item. `Dex()` is empty, for no
    cartridge. The methods return one record, or raise a CartridgeError.
    """

    all_species: Mapping[int, Species] = field(default_factory=dict, repr=False)
    all_moves: Mapping[int, Move] = field(default_factory=dict, repr=False)
    all_items: Mapping[int, Item] = field(default_factory=dict, repr=False)
    all_trainers: Mapping[int, TrainerClass] = field(default_factory=dict, repr=False)
    lone_moves: Mapping[int, SpecialMove] = field(default_factory=dict, repr=False)
    team_moves: Mapping[int, SpecialMove] = field(default_factory=dict, repr=False)
    wild: Mapping[int, Wild] = field(default_factory=dict, repr=False)
    fishing: Fishing = field(default=Fishing((), {}), repr=False)
    trades: Mapping[int, Trade] = field(default_factory=dict, repr=False)
    vending: Mapping[int, int] = field(default_factory=dict, repr=False)
    type_names: tuple[str, ...] = field(default=(), repr=False)
    rules: RuleBook = field(default=RuleBook(TypeChart(()), ()), repr=False)

    @staticmethod
    @lru_cache(maxsize=4)
    def of(cartridge: Cartridge) -> "Dex":
        """Return the dex of a cartridge."""
        rom = Rom(cartridge.rom)
        return Dex(
            all_species=read_species(rom),
            all_moves=read_moves(rom),
            all_items=read_items(rom),
            all_trainers=read_trainers(rom),
            lone_moves=read_lone_moves(rom),
            team_moves=read_team_moves(rom),
            wild=read_wild(rom),
            fishing=read_fishing(rom),
            trades=read_trades(rom),
            vending=read_vending(rom),
            type_names=read_type_names(rom),
            rules=read_rule_book(rom),
        )

    def item_name(self, number: int) -> str:
        """Return the name of an item, or its number when the cartridge does not list it."""
        known = self.all_items.get(number)
        return known.name if known is not None else f"item {number}"

    def learners(self, number: int) -> frozenset[int]:
        """Return the species, by index in RAM, that can learn the move of this machine."""
        known = self.all_items.get(number)
        machine = known.machine if known is not None else None
        return frozenset(
            index for index, each in self.all_species.items() if machine in each.machines
        )

    def machine_for(self, move: int) -> int | None:
        """Return the item that teaches a move, an HM before a TM, or None."""
        found = [each for each in self.all_items.values() if each.teaches == move]
        return min(found, key=lambda each: each.number).number if found else None

    def species(self, index: int) -> Species:
        """Return the species with this index in RAM."""
        return _get(self.all_species, index, "species has index")

    def move(self, number: int) -> Move:
        """Return a move."""
        return _get(self.all_moves, number, "move has number")

    def item(self, number: int) -> Item:
        """Return an item."""
        return _get(self.all_items, number, "item has number")

    def opponent(self, trainer_class: int, number: int) -> str:
        """Return the display name of one trainer: class and number."""
        known = self.all_trainers.get(trainer_class)
        return f"{known.name if known is not None else f'class {trainer_class}'} {number}"

    def trainer(self, number: int) -> TrainerClass:
        """Return a trainer class; opponents in RAM are 200 more."""
        return _get(self.all_trainers, number, "trainer class has number")


def _get(table: Mapping[int, Entry], number: int, what: str) -> Entry:
    if number not in table:
        raise CartridgeError(f"no {what} {number}; the cartridge has {len(table)}")
    return table[number]


def engine_tables(dex: Dex) -> Tables:
    """Return the moves, type chart, stage ratios, species and trainer classes of a dex."""
    tables = empty_tables()
    for number, move in dex.all_moves.items():
        row = tables.moves[number]
        row.effect = move.effect if move.effect < EFFECT_COUNT else 0
        row.power, row.type = move.power, move.type
        row.accuracy, row.pp, row.high_critical = move.accuracy, move.pp, move.high_critical
    put_chart(tables, dex.rules.chart.matchups)
    tables.numerators[:] = [ratio.numerator for ratio in dex.rules.ratios]
    tables.denominators[:] = [ratio.denominator for ratio in dex.rules.ratios]
    for index in dex.all_species:
        _put_species(tables, dex, index)
    for number, each in dex.all_trainers.items():
        tables.classes[number].choices[: len(each.choices)] = each.choices
    return tables


def _put_species(tables: Tables, dex: Dex, index: int) -> None:
    species, row = dex.species(index), tables.species[index]
    row.type1, row.type2 = species.types
    row.catch_rate, row.base_experience = species.catch_rate, species.base_experience
    growth = species.growth
    row.numerator, row.denominator = growth.numerator, growth.denominator
    row.square, row.linear, row.minus = growth.square, growth.linear, growth.minus
    row.base_stats[:] = species.base
    for at, lesson in enumerate(species.level_up_moves):
        row.lessons[at] = lesson
    for evolution in species.evolutions:
        if evolution.by is EvolvesBy.LEVEL:
            row.evolves_at, row.evolves_to = evolution.level, evolution.species
