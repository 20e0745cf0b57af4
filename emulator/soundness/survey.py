"""The survey of a cartridge by every invariant that a sound one keeps.

Maps in use: their size, what stands and lies on them, what it says, and where they lead. Tables: names, numbers,
species, moves, trainers, wild mons, trades, and the tables of battle. Where items are hidden, and what toggles hide,
is not judged: Red hides an item beyond the edge of its map, out of reach, and has toggles of sprites that are no
longer there.
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
from emulator.rules.stats import HIGHEST_LEVEL
from emulator.soundness.check import (
    CartridgeCheck,
    Findings,
    Invariant,
    Look,
    check,
    is_rewritten,
    maps_in_use,
)
from emulator.world import tileset
from emulator.world.game_map import LAST_MAP, GameMap
from emulator.world.header import Connection
from emulator.world.residents import Resident
from emulator.world.texts import TextKind
from emulator.world.world import World

INVARIANTS: Final[list[Invariant]] = []  # in the order in which they are looked at


def invariant(words: str) -> Callable[[Look], Look]:
    """Add a look at a cartridge to INVARIANTS; `words` say what it finds to hold."""

    def add(look: Look) -> Look:
        INVARIANTS.append(Invariant(words, look))
        return look

    return add


LONGEST_NAME: Final = 12
LONGEST_PLACE: Final = 17
TENTHS: Final = (0, 5, 20)  # no effect, not very effective, super effective
MOST_PP: Final = 63  # the other two bits of a byte count what raised it
SHOWN: Final = 18  # of what could be read: a line
_MISSING: Final = "which does not exist"


def is_name(text: str, longest: int = LONGEST_NAME) -> bool:
    """Return whether `text` can be a name; codes that are no characters were decoded as spaces."""
    return 0 < len(text) <= longest and text.isprintable() and text.split(" ") == text.split()


@invariant("every map has a size, and RAM has room for all of it")
def _sizes(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        sound = here.header.width > 0 and here.header.height > 0
        yield sound, f"map {here.map_id} has no size, or more on it than RAM has room for"


@invariant("every map has a tileset with floor")
def _tilesets(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        number = here.header.tileset_id
        if number >= tileset.COUNT:
            yield False, f"map {here.map_id} has tileset {number}; there are {tileset.COUNT}"
        else:
            has_floor = bool(here.tileset.passable)
            yield has_floor, f"map {here.map_id} has tileset {number}, which has no floor"


@invariant("warps, signs and people stand on their map")
def _places(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        warps = [(f"warp {warp.index}", warp.x, warp.y) for warp in here.warps]
        signs = [(f"sign {n}", sign.x, sign.y) for n, sign in enumerate(here.header.signs)]
        people = [(f"sprite {each.slot}", each.x, each.y) for each in here.people]
        for what, x, y in (*warps, *signs, *people):
            yield here.contains(x, y), f"{what} of map {here.map_id} is at ({x}, {y}), outside"


@invariant("every warp lands on a warp of a map that exists")
def _warps(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        for warp in here.warps:
            if warp.map_id == LAST_MAP:
                continue  # which map the last one outdoors is depends on the way that led here
            name = f"warp {warp.index} of map {here.map_id}"
            if warp.map_id not in world.map_ids:
                yield False, f"{name} leads to map {warp.map_id}, {_MISSING}"
                continue
            count = len(world.map(warp.map_id).warps)
            sound = warp.warp_index < count or is_rewritten(world, here, warp)
            to = f"warp {warp.warp_index} of map {warp.map_id}"
            yield sound, f"{name} leads to {to}, which has {count}"


@invariant("every hole leads to a square of a map that exists")
def _holes(world: World, _: Dex) -> Findings:
    for landing in world.dungeon_warps:
        known = landing.map_id in world.map_ids
        inside = known and world.map(landing.map_id).contains(landing.x, landing.y)
        where = f"({landing.x}, {landing.y}) of map {landing.map_id}"
        yield inside, f"a hole leads to {where}, {_MISSING}"


@invariant("where there is a town map, every map has its place and name on it")
def _town_map(world: World, _: Dex) -> Findings:
    maps = maps_in_use(world)
    if any(here.header.town_map for here in maps):
        for here in maps:
            name = here.header.town_map.name if here.header.town_map else ""
            sound = is_name(name, LONGEST_PLACE)
            yield sound, f"map {here.map_id} is called {name[:LONGEST_PLACE]!r}"


@invariant("maps that join do so from both sides, and the way leads back")
def _connections(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        for connection in here.header.connections:
            reason = _fault(world, here, connection)
            edge = f"the {_SIDES[connection.side]} edge of map {here.map_id}"
            yield reason is None, f"{edge} {reason}"


def _fault(world: World, here: GameMap, connection: Connection) -> str | None:
    """Return what is wrong with a connection, if anything."""
    if connection.map_id not in world.map_ids:
        return f"joins map {connection.map_id}, which does not exist"
    there = world.map(connection.map_id)
    back = [each for each in there.header.connections if each.side is connection.side.opposite]
    if [each.map_id for each in back] != [here.map_id]:
        return f"joins map {there.map_id}, which does not join it"
    if _is_mirrored(connection, back[0], there):
        return None
    return f"joins map {there.map_id} where the way does not lead back"


def _is_mirrored(connection: Connection, back: Connection, there: GameMap) -> bool:
    """Return whether who crosses an edge is at the other's edge, and comes back to the square."""
    if connection.side in (Facing.UP, Facing.DOWN):
        landing, far = connection.y_align, there.rows - 1
        along = connection.x_align + back.x_align
    else:
        landing, far = connection.x_align, there.columns - 1
        along = connection.y_align + back.y_align
    edge = far if connection.side in (Facing.UP, Facing.LEFT) else 0
    return landing == edge and not along % 0x100


_SIDES: Final = dict(zip(Facing, ("south", "north", "west", "east"), strict=True))


@invariant("trainers on maps have a class and a team that exist, waiting mons a species")
def _opponents(world: World, dex: Dex) -> Findings:
    for here in maps_in_use(world):
        for person in here.people:
            if person.opponent or person.mon:
                reason = _is_nobody(dex, person)
                yield reason is None, f"sprite {person.slot} of map {here.map_id} {reason}"


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


@invariant("trainers' mons are of species that exist, at levels 1 to 100")
def _teams(_: World, dex: Dex) -> Findings:
    for class_ in dex.all_trainers.values():
        for number, team in enumerate(class_.teams, start=1):
            reasons = (_is_no_mon(dex, member.species, member.level) for member in team)
            reason = next(filter(None, reasons), None)
            yield reason is None, f"team {number} of class {class_.number} has {reason}"


def _is_no_mon(dex: Dex, species: int, level: int) -> str | None:
    if species not in dex.all_species:
        return f"species {species}, which does not exist"
    return None if 0 < level <= HIGHEST_LEVEL else f"species {species} at level {level}"


@invariant("between one class of trainers and the next there are only teams")
def _rooms(world: World, dex: Dex) -> Findings:
    for class_, room in zip(dex.all_trainers.values(), trainers.team_data(world.rom), strict=True):
        if not room.is_last:
            # Neither levels nor species are ever zero: each zero ends a team.
            whole = room.data.count(0) == len(class_.teams) and room.data[-1:] in (b"", b"\0")
            yield whole, f"class {class_.number} has {len(class_.teams)} teams and something else"


@invariant("wild mons, and who bites, are of species that exist, at levels 1 to 100")
def _wild(_: World, dex: Dex) -> Findings:
    for map_id, here in dex.wild.items():
        for table in (here.grass, here.water):
            for slot in table.slots if table else ():
                reason = _is_no_mon(dex, slot.species, slot.level)
                yield reason is None, f"on map {map_id} lives {reason}"
    for catch in chain(dex.fishing.good_rod, *dex.fishing.super_rod.values()):
        reason = _is_no_mon(dex, catch.species, catch.level)
        yield reason is None, f"at a rod bites {reason}"


@invariant("trades are of species that exist")
def _trades(_: World, dex: Dex) -> Findings:
    for bit, trade in dex.trades.items():
        unknown = [each for each in (trade.wants, trade.gives) if each not in dex.all_species]
        if unknown:
            yield False, f"trade {bit} has species {unknown[0]}, {_MISSING}"
        else:
            named = is_name(trade.nickname)
            yield named, f"what trade {bit} gives is called {trade.nickname!r}"


@invariant("signs and people say something that can be read")
def _texts(world: World, _: Dex) -> Findings:
    for here in maps_in_use(world):
        signs = [(f"sign {n}", sign.text_id) for n, sign in enumerate(here.header.signs)]
        people = [(f"sprite {each.slot}", each.text_id) for each in here.people]
        for who, text_id in (*signs, *people):
            text = here.header.texts.read(text_id)
            fault = f"{who} of map {here.map_id} has text {text_id}, which cannot be read"
            after = f" after {text.words[-SHOWN:]!r}" if text.words else ""
            yield text.kind is not TextKind.NONSENSE, fault + after


@invariant("items that lie on maps exist")
def _items(world: World, dex: Dex) -> Findings:
    for here in maps_in_use(world):
        found = [(f"sprite {each.slot}", each.item) for each in here.people]
        hidden = here.header.hidden_items
        found += [(f"what is hidden at ({each.x}, {each.y})", each.item) for each in hidden]
        for what, item in found:
            if item is not None:
                fault = f"{what} on map {here.map_id} is item {item}, {_MISSING}"
                yield item in dex.all_items, fault


@invariant("shops and machines sell items that exist")
def _wares(world: World, dex: Dex) -> Findings:
    for here in maps_in_use(world):
        for shop in here.header.shops:
            where = f"sprite {shop.slot} of map {here.map_id}"
            for item in shop.items:
                yield item in dex.all_items, f"{where} sells item {item}, {_MISSING}"
    for item in dex.vending:
        yield item in dex.all_items, f"a machine sells item {item}, {_MISSING}"


@invariant("the dex counts from 1 without a gap or a double")
def _numbers(_: World, dex: Dex) -> Findings:
    counts = Counter(species.dex for species in dex.all_species.values())
    for number in range(1, max(counts, default=1) + 1):
        count = counts[number]
        yield count == 1, f"{count} species have number {number} in the dex"


@invariant("species have stats, and types, first moves and machines that exist")
def _species(_: World, dex: Dex) -> Findings:
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
            sound = max(each.machines, default=0) < items.TMS + items.HMS
            yield sound, f"species {each.index} learns by a machine that does not exist"


@invariant("a higher level needs more experience")
def _growth(_: World, dex: Dex) -> Findings:
    for each in dex.all_species.values():
        # One growth begins below zero, which three bytes cannot hold: level 1 needs the most.
        needs = [each.growth.experience_at(level) for level in range(2, HIGHEST_LEVEL + 1)]
        rises = needs == sorted(set(needs))
        yield rises, f"species {each.index} needs less experience for a higher level"


@invariant("learnsets name moves that exist, at levels 1 to 100, ascending")
def _lessons(_: World, dex: Dex) -> Findings:
    for each in dex.all_species.values():
        last = 1
        for level, move in each.lessons:
            what = f"species {each.index} learns move {move} at level {level}"
            if move not in dex.all_moves:
                yield False, f"{what}, and no such move exists"
            else:
                yield last <= level <= HIGHEST_LEVEL, f"{what}, after level {last}"
            last = level


@invariant("evolutions lead to species that exist")
def _evolutions(_: World, dex: Dex) -> Findings:
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
def _moves(_: World, dex: Dex) -> Findings:
    for move in dex.all_moves.values():
        if move.type >= moves.TYPE_COUNT:
            yield False, f"move {move.number} is of type {move.type}; there are {moves.TYPE_COUNT}"
        else:
            yield 0 < move.pp <= MOST_PP, f"move {move.number} has {move.pp} PP"


@invariant("machines teach moves that exist")
def _machines(_: World, dex: Dex) -> Findings:
    for item in dex.all_items.values():
        if item.teaches is not None:
            fault = f"item {item.number} teaches move {item.teaches}, {_MISSING}"
            yield item.teaches in dex.all_moves, fault


@invariant("the special moves of leaders exist")
def _special_moves(_: World, dex: Dex) -> Findings:
    leaders = ((f"leader {gym}", each) for gym, each in dex.lone_moves.items())
    elite = ((f"class {number}", each) for number, each in dex.team_moves.items())
    for whose, special in (*leaders, *elite):
        fault = f"the special move of {whose} is {special.move}, {_MISSING}"
        yield special.move in dex.all_moves, fault


@invariant("species, moves, items, classes and types have names that can be read")
def _names(_: World, dex: Dex) -> Findings:
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


@invariant("where there are machines, trades or special moves, there are all of them")
def _whole(_: World, dex: Dex) -> Findings:
    """Decoding leaves out rows of nonsense, as a cartridge without such a table has only those."""
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
            yield count == full, f"only {count} of {full} {what} make sense"


@invariant("prices and trainers' money are decimal digits")
def _digits(world: World, _: Dex) -> Findings:
    prices = world.rom.table(items.PRICES, 3, items.COUNT)
    money = world.rom.table(trainers.MONEY, trainers.MONEY_SIZE, trainers.COUNT)
    stored = (
        *((f"price of item {n}", row.hex()) for n, row in enumerate(prices, start=1)),
        *((f"money of class {n}", row[2:].hex()) for n, row in enumerate(money, start=1)),
    )
    for what, digits in stored:
        yield digits.isdecimal(), f"the {what} is stored as {digits}"


@invariant("the chart names types that exist, each pair once, with a known effect")
def _chart(_: World, dex: Dex) -> Findings:
    seen: set[tuple[int, int]] = set()
    for attacking, defending, tenths in dex.rules.chart.matchups:
        what = f"type {attacking} against type {defending}"
        if max(attacking, defending) >= moves.TYPE_COUNT:
            yield False, f"{what}: there are {moves.TYPE_COUNT} types"
        else:
            sound = tenths in TENTHS and (attacking, defending) not in seen
            yield sound, f"{what} has {tenths} tenths"
        seen.add((attacking, defending))


@invariant("a higher stage is a higher ratio")
def _stages(_: World, dex: Dex) -> Findings:
    for low, high in pairwise(dex.rules.ratios):
        one, other = (f"{each.numerator}/{each.denominator}" for each in (low, high))
        yield Fraction(*low) < Fraction(*high), f"{one} is not below {other}"


UNSOUND_ADVICE: Final = "copy the image again; another revision of the game is not supported"


@lru_cache(maxsize=4)
def survey(cartridge: Cartridge) -> tuple[CartridgeCheck, ...]:
    """Decode all of a cartridge and return how it does by each invariant.

    Raises CartridgeError when the image is so far from a game that a table cannot be decoded at all.
    """
    world, dex = World.of(cartridge), Dex.of(cartridge)
    _ = world.maps  # those out of reach, too: what looks at them later must not be the first to
    return tuple([check(invariant, world, dex) for invariant in INVARIANTS])


def refuse_unsound(cartridge: Cartridge, checks: Sequence[CartridgeCheck]) -> None:
    """Raise a CartridgeError in one line when any check found something, else do nothing."""
    broken = [check for check in checks if not check.is_sound]
    if broken:
        faults = sum(check.broken for check in broken)
        message = (
            f"{str(cartridge.path)!r} is not sound: {broken[0].violations[0]}"
            f" (of {faults} faults in {len(broken)} of {len(checks)} checks);"
            f" {UNSOUND_ADVICE}"
        )
        raise CartridgeError(message)
