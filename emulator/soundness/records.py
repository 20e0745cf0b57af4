"""Invariants of the tables: names, numbers, species, moves, trainers, wild mons, trades, and the tables of battle."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, pairwise
from typing import Final

from emulator.dex import items, moves, species, trainers, wild
from emulator.dex import items as vending
from emulator.dex import trainers as special_moves
from emulator.dex.dex import Dex
from emulator.dex.items import HMS, TMS
from emulator.dex.species import EvolvesBy
from emulator.dex.trainers import team_data
from emulator.rules.rule_book import StageRatio
from emulator.rules.stats import HIGHEST_LEVEL
from emulator.soundness.check import Invariant, maps_in_use
from emulator.world.residents import Resident
from emulator.world.world import World

LONGEST_NAME: Final = 12
TENTHS: Final = (0, 5, 20)  # no effect, not very effective, super effective


def _names(_: World, dex: Dex) -> Iterator[str | None]:
    named = (
        *((f"species {index}", each.name) for index, each in dex.all_species.items()),
        *((f"move {number}", each.name) for number, each in dex.all_moves.items()),
        *((f"item {number}", each.name) for number, each in dex.all_items.items()),
        *((f"class {number}", each.name) for number, each in dex.all_trainers.items()),
        *((f"type {number}", dex.type_names[number]) for number in _types_in_use(dex)),
    )
    for what, name in named:
        yield None if is_name(name) else f"{what} is called {name[:LONGEST_NAME]!r}"


def _types_in_use(dex: Dex) -> list[int]:
    of_moves = {move.type for move in dex.all_moves.values()}
    of_species = {type_ for each in dex.all_species.values() for type_ in each.types}
    return sorted(type_ for type_ in of_moves | of_species if type_ < moves.TYPE_COUNT)


def is_name(text: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether `text` can be a name; codes that are no characters were decoded as spaces."""
    return 0 < len(text) <= longest and text.isprintable() and text.split(" ") == text.split()


def _whole(_: World, dex: Dex) -> Iterator[str | None]:
    """Decoding leaves out rows of nonsense, as a cartridge without such a table has only those."""
    machines = [item for item in dex.all_items.values() if item.teaches is not None]
    tables = (
        ("machines", len(machines), items.TMS + items.HMS),
        ("trades", len(dex.trades), species.TRADE_COUNT),
        ("drinks of machines", len(dex.vending), vending.VENDING_COUNT),
        ("special moves of leaders", len(dex.lone_moves), special_moves.GYMS),
        ("special moves of the Elite Four", len(dex.team_moves), special_moves.ELITE),
        ("catches of the good rod", len(dex.fishing.good_rod), wild.GOOD_COUNT),
    )
    for what, count, full in tables:
        if count:
            yield None if count == full else f"only {count} of {full} {what} make sense"


def _digits(world: World, _: Dex) -> Iterator[str | None]:
    prices = world.rom.span(*items.PRICES, 3 * items.COUNT)
    for n in range(items.COUNT):
        digits = prices[3 * n : 3 * n + 3].hex()
        yield None if digits.isdecimal() else f"the price of item {n + 1} is stored as {digits}"
    money = world.rom.span(*trainers.MONEY, trainers.COUNT * trainers.MONEY_SIZE)
    for n in range(trainers.COUNT):
        digits = money[n * trainers.MONEY_SIZE + 2 : (n + 1) * trainers.MONEY_SIZE].hex()
        yield None if digits.isdecimal() else f"the money of class {n + 1} is stored as {digits}"


def _chart(_: World, dex: Dex) -> Iterator[str | None]:
    seen: set[tuple[int, int]] = set()
    for attacking, defending, tenths in dex.rules.chart.matchups:
        what = f"type {attacking} against type {defending}"
        if max(attacking, defending) >= moves.TYPE_COUNT:
            yield f"{what}: there are {moves.TYPE_COUNT} types"
        elif tenths not in TENTHS or (attacking, defending) in seen:
            yield f"{what} has {tenths} tenths"
        else:
            yield None
        seen.add((attacking, defending))


def _stages(_: World, dex: Dex) -> Iterator[str | None]:
    for low, high in pairwise(dex.rules.ratios):
        rises = Fraction(*low) < Fraction(*high)
        yield None if rises else f"{_words(low)} is not below {_words(high)}"


def _words(ratio: StageRatio) -> str:
    return f"{ratio.numerator}/{ratio.denominator}"


TABLE_INVARIANTS: Final = (
    Invariant("species, moves, items, classes and types have names that can be read", _names),
    Invariant("where there are machines, trades or special moves, there are all of them", _whole),
    Invariant("prices and trainers' money are decimal digits", _digits),
    Invariant("the chart names types that exist, each pair once, with a known effect", _chart),
    Invariant("a higher stage is a higher ratio", _stages),
)


MOST_PP: Final = 63  # the other two bits of a byte count what raised it


def _numbers(_: World, dex: Dex) -> Iterator[str | None]:
    counts = Counter(species.dex for species in dex.all_species.values())
    for number in range(1, max(counts, default=1) + 1):
        count = counts[number]
        yield None if count == 1 else f"{count} species have number {number} in the dex"


def _species(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        unknown = [move for move in each.first_moves if move not in dex.all_moves]
        if not all(each.base):
            yield f"species {each.index} has a base stat of zero"
        elif max(each.types) >= moves.TYPE_COUNT:
            yield f"species {each.index} has types {each.types}; there are {moves.TYPE_COUNT}"
        elif unknown:
            yield f"species {each.index} begins with move {unknown[0]}, which does not exist"
        elif max(each.machines, default=0) >= TMS + HMS:
            yield f"species {each.index} learns by a machine that does not exist"
        else:
            yield None


def _growth(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        # One growth begins below zero, which three bytes cannot hold: level 1 needs the most.
        needs = [each.growth.experience_at(level) for level in range(2, HIGHEST_LEVEL + 1)]
        rises = needs == sorted(set(needs))
        yield None if rises else f"species {each.index} needs less experience for a higher level"


def _lessons(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        last = 1
        for level, move in each.lessons:
            what = f"species {each.index} learns move {move} at level {level}"
            if move not in dex.all_moves:
                yield f"{what}, and no such move exists"
            elif not last <= level <= HIGHEST_LEVEL:
                yield f"{what}, after level {last}"
            else:
                yield None
            last = level


def _evolutions(_: World, dex: Dex) -> Iterator[str | None]:
    for each in dex.all_species.values():
        for evolution in each.evolutions:
            what = f"species {each.index} evolves into species {evolution.species}"
            if evolution.species not in dex.all_species:
                yield f"{what}, which does not exist"
            elif not 0 < evolution.level <= HIGHEST_LEVEL:
                yield f"{what} at level {evolution.level}"
            elif evolution.by is EvolvesBy.ITEM and evolution.item not in dex.all_items:
                yield f"{what} by item {evolution.item}, which does not exist"
            else:
                yield None


def _moves(_: World, dex: Dex) -> Iterator[str | None]:
    for move in dex.all_moves.values():
        if move.type >= moves.TYPE_COUNT:
            yield f"move {move.number} is of type {move.type}; there are {moves.TYPE_COUNT}"
        elif not 0 < move.pp <= MOST_PP:
            yield f"move {move.number} has {move.pp} PP"
        else:
            yield None


def _machines(_: World, dex: Dex) -> Iterator[str | None]:
    for item in dex.all_items.values():
        if item.teaches is not None:
            known = item.teaches in dex.all_moves
            yield (
                None
                if known
                else f"item {item.number} teaches move {item.teaches}, which does not exist"
            )


def _special_moves(_: World, dex: Dex) -> Iterator[str | None]:
    leaders = ((f"leader {gym}", each) for gym, each in dex.lone_moves.items())
    elite = ((f"class {number}", each) for number, each in dex.team_moves.items())
    for whose, special in (*leaders, *elite):
        known = special.move in dex.all_moves
        what = f"the special move of {whose} is {special.move}"
        yield None if known else f"{what}, which does not exist"


SPECIES_INVARIANTS: Final = (
    Invariant("the dex counts from 1 without a gap or a double", _numbers),
    Invariant("species have stats, and types, first moves and machines that exist", _species),
    Invariant("a higher level needs more experience", _growth),
    Invariant("learnsets name moves that exist, at levels 1 to 100, ascending", _lessons),
    Invariant("evolutions lead to species that exist", _evolutions),
    Invariant("moves have PP, and a type that exists", _moves),
    Invariant("machines teach moves that exist", _machines),
    Invariant("the special moves of leaders exist", _special_moves),
)


def _opponents(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for person in here.people:
            if person.opponent or person.mon:
                reason = _is_nobody(dex, person)
                yield reason and f"sprite {person.slot} of map {here.map_id} {reason}"


def _is_nobody(dex: Dex, person: Resident) -> str | None:
    if person.mon:
        reason = _is_no_mon(dex, *person.mon)
        return reason and f"is {reason}"
    if person.opponent is None:
        return None
    number, team = person.opponent
    class_ = dex.all_trainers.get(number)
    if class_ is None:
        return f"is of trainer class {number}, which does not exist"
    if 0 < team <= len(class_.teams):
        return None
    return f"has team {team} of class {number}, which has {len(class_.teams)}"


def _teams(_: World, dex: Dex) -> Iterator[str | None]:
    for class_ in dex.all_trainers.values():
        for number, team in enumerate(class_.teams, start=1):
            reasons = (_is_no_mon(dex, member.species, member.level) for member in team)
            reason = next(filter(None, reasons), None)
            yield reason and f"team {number} of class {class_.number} has {reason}"


def _is_no_mon(dex: Dex, species: int, level: int) -> str | None:
    if species not in dex.all_species:
        return f"species {species}, which does not exist"
    return None if 0 < level <= HIGHEST_LEVEL else f"species {species} at level {level}"


def _rooms(world: World, dex: Dex) -> Iterator[str | None]:
    for class_, room in zip(dex.all_trainers.values(), team_data(world.rom), strict=True):
        if not room.is_last:
            # Neither levels nor species are ever zero: each zero ends a team.
            whole = room.data.count(0) == len(class_.teams) and room.data[-1:] in (b"", b"\0")
            words = f"class {class_.number} has {len(class_.teams)} teams and something else"
            yield None if whole else words


def _wild(_: World, dex: Dex) -> Iterator[str | None]:
    for map_id, here in dex.wild.items():
        for table in (here.grass, here.water):
            for slot in table.slots if table else ():
                reason = _is_no_mon(dex, slot.species, slot.level)
                yield reason and f"on map {map_id} lives {reason}"
    for catch in chain(dex.fishing.good_rod, *dex.fishing.super_rod.values()):
        reason = _is_no_mon(dex, catch.species, catch.level)
        yield reason and f"at a rod bites {reason}"


def _trades(_: World, dex: Dex) -> Iterator[str | None]:
    for bit, trade in dex.trades.items():
        unknown = [each for each in (trade.wants, trade.gives) if each not in dex.all_species]
        if unknown:
            yield f"trade {bit} has species {unknown[0]}, which does not exist"
        else:
            named = is_name(trade.nickname)
            yield None if named else f"what trade {bit} gives is called {trade.nickname!r}"


TRAINER_INVARIANTS: Final = (
    Invariant(
        "trainers on maps have a class and a team that exist, waiting mons a species", _opponents
    ),
    Invariant("trainers' mons are of species that exist, at levels 1 to 100", _teams),
    Invariant("between one class of trainers and the next there are only teams", _rooms),
    Invariant("wild mons, and who bites, are of species that exist, at levels 1 to 100", _wild),
    Invariant("trades are of species that exist", _trades),
)
