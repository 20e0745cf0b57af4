"""The survey that checks a cartridge against every invariant.

Maps in use: size, objects, items, texts and destinations. Tables: names, numbers, species, moves, trainers, wild
Pokemon, trades, and battle tables. Hidden items and toggles are not checked: Red hides an unreachable item beyond
the edge of its map, and has toggles of sprites that no longer exist.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final

from emulator.cartridge import Cartridge
from emulator.dex import items, moves, species, trainers, wild
from emulator.dex.dex import Dex
from emulator.dex.species import EvolvesBy
from emulator.errors import CartridgeError
from emulator.ram.map import Facing
from emulator.rules.arithmetic import HIGHEST_LEVEL
from emulator.soundness.check import (
    CartridgeCheck,
    CheckedItems,
    CheckFunction,
    Invariant,
    check,
    is_rewritten,
    maps_in_use,
)
from emulator.world import tileset
from emulator.world.game_map import LAST_MAP, GameMap
from emulator.world.header import Connection
from emulator.world.map_objects import MapObject
from emulator.world.texts import TextKind
from emulator.world.world import World

INVARIANTS: Final[list[Invariant]] = []  # in the order of the survey


def invariant(words: str) -> Callable[[CheckFunction], CheckFunction]:
    """Add a check to INVARIANTS; `words` describe the condition it verifies."""

    def add(find_faults: CheckFunction) -> CheckFunction:
        INVARIANTS.append(Invariant(words, find_faults))
        return find_faults

    return add


LONGEST_NAME: Final = 12
LONGEST_PLACE: Final = 17
TENTHS: Final = (0, 5, 20)  # no effect, not very effective, super effective
MAX_PP: Final = 63  # the other two bits of the byte count PP Ups
SHOWN: Final = 18  # letters of a readable text that are shown: one line
_MISSING: Final = "which does not exist"


def is_name(text: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether `text` can be a name; codes that are no characters were decoded as spaces."""
    return 0 < len(text) <= longest and text.isprintable() and text.split(" ") == text.split()


@invariant("every map has a size, and fits into RAM")
def _sizes(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        valid = here.header.width > 0 and here.header.height > 0
        yield valid, f"map {here.map_id} has no size, or does not fit into RAM"


@invariant("every map has a tileset with passable tiles")
def _tilesets(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        number = here.header.tileset_id
        if number >= tileset.COUNT:
            yield False, f"map {here.map_id} has tileset {number}; there are {tileset.COUNT}"
        else:
            has_floor = bool(here.tileset.passable)
            yield has_floor, f"map {here.map_id} has tileset {number}, which has no passable tile"


@invariant("warps, signs and people stand on their map")
def _places(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        warps = [(f"warp {warp.index}", warp.x, warp.y) for warp in here.warps]
        signs = [(f"sign {n}", sign.x, sign.y) for n, sign in enumerate(here.header.signs)]
        people = [(f"sprite {each.slot}", each.x, each.y) for each in here.people]
        for what, x, y in (*warps, *signs, *people):
            yield here.contains(x, y), f"{what} of map {here.map_id} is at ({x}, {y}), outside"


@invariant("every warp lands on a warp of a map that exists")
def _warps(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        for warp in here.warps:
            if warp.map_id == LAST_MAP:
                continue  # the last outdoor map depends on how the player came here
            name = f"warp {warp.index} of map {here.map_id}"
            if warp.map_id not in world.map_ids:
                yield False, f"{name} leads to map {warp.map_id}, {_MISSING}"
                continue
            count = len(world.map(warp.map_id).warps)
            valid = warp.warp_index < count or is_rewritten(world, here, warp)
            to = f"warp {warp.warp_index} of map {warp.map_id}"
            yield valid, f"{name} leads to {to}, which has {count}"


@invariant("every hole leads to a square of a map that exists")
def _holes(world: World, _: Dex) -> CheckedItems:
    for landing in world.dungeon_warps:
        known = landing.map_id in world.map_ids
        inside = known and world.map(landing.map_id).contains(landing.x, landing.y)
        where = f"({landing.x}, {landing.y}) of map {landing.map_id}"
        yield inside, f"a hole leads to {where}, {_MISSING}"


@invariant("if there is a town map, every map has a place and a name on it")
def _town_map(world: World, _: Dex) -> CheckedItems:
    maps = maps_in_use(world)
    if any(here.header.town_map for here in maps):
        for here in maps:
            name = here.header.town_map.name if here.header.town_map else ""
            valid = is_name(name, LONGEST_PLACE)
            yield valid, f"map {here.map_id} is called {name[:LONGEST_PLACE]!r}"


@invariant("connected maps are connected from both sides, and the way back fits")
def _connections(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        for connection in here.header.connections:
            reason = _fault(world, here, connection)
            edge = f"the {_SIDES[connection.side]} edge of map {here.map_id}"
            yield reason is None, f"{edge} {reason}"


def _fault(world: World, here: GameMap, connection: Connection) -> str | None:
    """Return the fault of a connection, or None."""
    if connection.map_id not in world.map_ids:
        return f"connects to map {connection.map_id}, which does not exist"
    there = world.map(connection.map_id)
    back = [each for each in there.header.connections if each.side is connection.side.opposite]
    if [each.map_id for each in back] != [here.map_id]:
        return f"connects to map {there.map_id}, which does not connect back"
    if _is_mirrored(connection, back[0], there):
        return None
    return f"connects to map {there.map_id}, but the way back ends elsewhere"


def _is_mirrored(connection: Connection, back: Connection, there: GameMap) -> bool:
    """Return whether crossing an edge lands on the other map's edge, and crossing back on the first square."""
    if connection.side in (Facing.UP, Facing.DOWN):
        landing, far = connection.y_align, there.rows - 1
        along = connection.x_align + back.x_align
    else:
        landing, far = connection.x_align, there.columns - 1
        along = connection.y_align + back.y_align
    edge = far if connection.side in (Facing.UP, Facing.LEFT) else 0
    return landing == edge and not along % 0x100


_SIDES: Final = dict(zip(Facing, ("south", "north", "west", "east"), strict=True))


@invariant("trainers on maps have a class and a team that exist, overworld Pokemon a species")
def _opponents(world: World, dex: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        for person in here.people:
            if person.opponent or person.mon:
                reason = _opponent_fault(dex, person)
                yield reason is None, f"sprite {person.slot} of map {here.map_id} {reason}"


def _opponent_fault(dex: Dex, person: MapObject) -> str | None:
    if person.mon:
        reason = _mon_fault(dex, *person.mon)
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


@invariant("trainers' Pokemon are of species that exist, at levels 1 to 100")
def _teams(_: World, dex: Dex) -> CheckedItems:
    for class_ in dex.all_trainers.values():
        for number, team in enumerate(class_.teams, start=1):
            reasons = (_mon_fault(dex, member.species, member.level) for member in team)
            reason = next(filter(None, reasons), None)
            yield reason is None, f"team {number} of class {class_.number} has {reason}"


def _mon_fault(dex: Dex, species: int, level: int) -> str | None:
    if species not in dex.all_species:
        return f"species {species}, which does not exist"
    return None if 0 < level <= HIGHEST_LEVEL else f"species {species} at level {level}"


@invariant("the data of each trainer class holds only teams")
def _team_bounds(world: World, dex: Dex) -> CheckedItems:
    for class_, part in zip(dex.all_trainers.values(), trainers.team_data(world.rom), strict=True):
        if not part.is_last:
            # Neither levels nor species are ever zero: each zero ends a team.
            complete = part.data.count(0) == len(class_.teams) and part.data[-1:] in (b"", b"\0")
            yield complete, f"class {class_.number} has {len(class_.teams)} teams and other data"


@invariant("wild Pokemon, also of rods, are of species that exist, at levels 1 to 100")
def _wild(_: World, dex: Dex) -> CheckedItems:
    for map_id, here in dex.wild.items():
        for table in (here.grass, here.water):
            for slot in table.slots if table else ():
                reason = _mon_fault(dex, slot.species, slot.level)
                yield reason is None, f"map {map_id} has wild {reason}"
    for catch in chain(dex.fishing.good_rod, *dex.fishing.super_rod.values()):
        reason = _mon_fault(dex, catch.species, catch.level)
        yield reason is None, f"a rod catches {reason}"


@invariant("trades are of species that exist")
def _trades(_: World, dex: Dex) -> CheckedItems:
    for bit, trade in dex.trades.items():
        unknown = [each for each in (trade.wants, trade.gives) if each not in dex.all_species]
        if unknown:
            yield False, f"trade {bit} has species {unknown[0]}, {_MISSING}"
        else:
            named = is_name(trade.nickname)
            yield named, f"the Pokemon of trade {bit} is called {trade.nickname!r}"


@invariant("signs and people have text that can be decoded")
def _texts(world: World, _: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        signs = [(f"sign {n}", sign.text_id) for n, sign in enumerate(here.header.signs)]
        people = [(f"sprite {each.slot}", each.text_id) for each in here.people]
        for source, text_id in (*signs, *people):
            text = here.header.texts.read(text_id)
            fault = f"{source} of map {here.map_id} has text {text_id}, which is invalid"
            after = f" after {text.words[-SHOWN:]!r}" if text.words else ""
            yield text.kind is not TextKind.INVALID, fault + after


@invariant("items on maps exist")
def _items(world: World, dex: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        found = [(f"sprite {each.slot}", each.item) for each in here.people]
        hidden = here.header.hidden_items
        found += [(f"the hidden item at ({each.x}, {each.y})", each.item) for each in hidden]
        for what, item in found:
            if item is not None:
                fault = f"{what} on map {here.map_id} is item {item}, {_MISSING}"
                yield item in dex.all_items, fault


@invariant("shops and vending machines sell items that exist")
def _shop_stock(world: World, dex: Dex) -> CheckedItems:
    for here in maps_in_use(world):
        for shop in here.header.shops:
            where = f"sprite {shop.slot} of map {here.map_id}"
            for item in shop.items:
                yield item in dex.all_items, f"{where} sells item {item}, {_MISSING}"
    for item in dex.vending:
        yield item in dex.all_items, f"a vending machine sells item {item}, {_MISSING}"


@invariant("dex numbers count from 1 without gaps or duplicates")
def _numbers(_: World, dex: Dex) -> CheckedItems:
    counts = Counter(species.dex for species in dex.all_species.values())
    for number in range(1, max(counts, default=1) + 1):
        count = counts[number]
        yield count == 1, f"{count} species have number {number} in the dex"


@invariant("species have stats, and types, initial moves and machines that exist")
def _species(_: World, dex: Dex) -> CheckedItems:
    for each in dex.all_species.values():
        unknown = [move for move in each.first_moves if move not in dex.all_moves]
        if not all(each.base):
            yield False, f"species {each.index} has a base stat of zero"
        elif max(each.types) >= moves.TYPE_COUNT:
            types = f"types {each.types}; there are {moves.TYPE_COUNT}"
            yield False, f"species {each.index} has {types}"
        elif unknown:
            yield False, f"species {each.index} begins with move {unknown[0]}, {_MISSING}"
        else:
            valid = max(each.machines, default=0) < items.TMS + items.HMS
            yield valid, f"species {each.index} learns from a machine that does not exist"


@invariant("a higher level needs more experience")
def _growth(_: World, dex: Dex) -> CheckedItems:
    for each in dex.all_species.values():
        # One growth rate begins below zero, which three bytes cannot hold: level 1 then needs the most.
        needs = [each.growth.experience_at(level) for level in range(2, HIGHEST_LEVEL + 1)]
        rises = needs == sorted(set(needs))
        yield rises, f"species {each.index} needs less experience for a higher level"


@invariant("learnsets name moves that exist, at levels 1 to 100, ascending")
def _learnsets(_: World, dex: Dex) -> CheckedItems:
    for each in dex.all_species.values():
        last = 1
        for level, move in each.level_up_moves:
            what = f"species {each.index} learns move {move} at level {level}"
            if move not in dex.all_moves:
                yield False, f"{what}, and no such move exists"
            else:
                yield last <= level <= HIGHEST_LEVEL, f"{what}, after level {last}"
            last = level


@invariant("evolutions lead to species that exist")
def _evolutions(_: World, dex: Dex) -> CheckedItems:
    for each in dex.all_species.values():
        for evolution in each.evolutions:
            what = f"species {each.index} evolves into species {evolution.species}"
            if evolution.species not in dex.all_species:
                yield False, f"{what}, {_MISSING}"
            elif not 0 < evolution.level <= HIGHEST_LEVEL:
                yield False, f"{what} at level {evolution.level}"
            else:
                known = evolution.by is not EvolvesBy.ITEM or evolution.item in dex.all_items
                yield known, f"{what} by item {evolution.item}, {_MISSING}"


@invariant("moves have PP, and a type that exists")
def _moves(_: World, dex: Dex) -> CheckedItems:
    for move in dex.all_moves.values():
        if move.type >= moves.TYPE_COUNT:
            yield False, f"move {move.number} is of type {move.type}; there are {moves.TYPE_COUNT}"
        else:
            yield 0 < move.pp <= MAX_PP, f"move {move.number} has {move.pp} PP"


@invariant("machines teach moves that exist")
def _machines(_: World, dex: Dex) -> CheckedItems:
    for item in dex.all_items.values():
        if item.teaches is not None:
            fault = f"item {item.number} teaches move {item.teaches}, {_MISSING}"
            yield item.teaches in dex.all_moves, fault


@invariant("the special moves of leaders exist")
def _special_moves(_: World, dex: Dex) -> CheckedItems:
    leaders = ((f"leader {gym}", each) for gym, each in dex.lone_moves.items())
    elite = ((f"class {number}", each) for number, each in dex.team_moves.items())
    for owner, special in (*leaders, *elite):
        fault = f"the special move of {owner} is {special.move}, {_MISSING}"
        yield special.move in dex.all_moves, fault


@invariant("species, moves, items, classes and types have names that can be decoded")
def _names(_: World, dex: Dex) -> CheckedItems:
    types = {type_ for each in dex.all_species.values() for type_ in each.types}
    types |= {move.type for move in dex.all_moves.values()}
    in_use = sorted(type_ for type_ in types if type_ < moves.TYPE_COUNT)
    named = (
        *((f"species {index}", each.name) for index, each in dex.all_species.items()),
        *((f"move {number}", each.name) for number, each in dex.all_moves.items()),
        *((f"item {number}", each.name) for number, each in dex.all_items.items()),
        *((f"class {number}", each.name) for number, each in dex.all_trainers.items()),
        *((f"type {number}", dex.type_names[number]) for number in in_use),
    )
    for what, name in named:
        yield is_name(name), f"{what} is called {name[:LONGEST_NAME]!r}"


@invariant("tables of machines, trades and special moves are complete or empty")
def _complete_tables(_: World, dex: Dex) -> CheckedItems:
    """Decoding skips invalid rows, since a cartridge without such a table has only invalid rows."""
    machines = [item for item in dex.all_items.values() if item.teaches is not None]
    tables = (
        ("machines", len(machines), items.TMS + items.HMS),
        ("trades", len(dex.trades), species.TRADE_COUNT),
        ("drinks of machines", len(dex.vending), items.VENDING_COUNT),
        ("special moves of leaders", len(dex.lone_moves), trainers.GYMS),
        ("special moves of the Elite Four", len(dex.team_moves), trainers.ELITE),
        ("catches of the good rod", len(dex.fishing.good_rod), wild.GOOD_COUNT),
    )
    for what, count, full in tables:
        if count:
            yield count == full, f"only {count} of {full} {what} are valid"


@invariant("prices and trainers' money are decimal digits")
def _digits(world: World, _: Dex) -> CheckedItems:
    prices = world.rom.table(items.PRICES, 3, items.COUNT)
    money = world.rom.table(trainers.MONEY, trainers.MONEY_SIZE, trainers.COUNT)
    stored = (
        *((f"price of item {n}", row.hex()) for n, row in enumerate(prices, start=1)),
        *((f"money of class {n}", row[2:].hex()) for n, row in enumerate(money, start=1)),
    )
    for what, digits in stored:
        yield digits.isdecimal(), f"the {what} is stored as {digits}"


@invariant("the type chart names types that exist, each pair once, with a known effect")
def _chart(_: World, dex: Dex) -> CheckedItems:
    seen: set[tuple[int, int]] = set()
    for attacking, defending, tenths in dex.rules.chart.matchups:
        what = f"type {attacking} against type {defending}"
        if max(attacking, defending) >= moves.TYPE_COUNT:
            yield False, f"{what}: only {moves.TYPE_COUNT} types exist"
        else:
            valid = tenths in TENTHS and (attacking, defending) not in seen
            yield valid, f"{what} has {tenths} tenths"
        seen.add((attacking, defending))


@invariant("a higher stage has a higher ratio")
def _stages(_: World, dex: Dex) -> CheckedItems:
    for low, high in pairwise(dex.rules.ratios):
        one, other = (f"{each.numerator}/{each.denominator}" for each in (low, high))
        yield Fraction(*low) < Fraction(*high), f"{one} is not below {other}"


INVALID_IMAGE_ADVICE: Final = "copy the image again; other revisions of the game are not supported"


@lru_cache(maxsize=4)
def survey(cartridge: Cartridge) -> tuple[CartridgeCheck, ...]:
    """Decode all of a cartridge and return the result of each invariant.

    Raise CartridgeError when the image differs so much from the game that a table cannot be decoded.
    """
    world, dex = World.of(cartridge), Dex.of(cartridge)
    _ = world.maps  # unreachable maps, too: decode them here so that faults do not appear later
    return tuple([check(invariant, world, dex) for invariant in INVARIANTS])


def require_valid(cartridge: Cartridge, checks: Sequence[CartridgeCheck]) -> None:
    """Raise a one-line CartridgeError when any check found a fault."""
    broken = [check for check in checks if not check.is_sound]
    if broken:
        faults = sum(check.broken for check in broken)
        message = (
            f"{str(cartridge.path)!r} is invalid: {broken[0].violations[0]}"
            f" (of {faults} faults in {len(broken)} of {len(checks)} checks);"
            f" {INVALID_IMAGE_ADVICE}"
        )
        raise CartridgeError(message)
