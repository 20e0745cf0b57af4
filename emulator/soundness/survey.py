"""The survey of a cartridge by every invariant, and the invariants of the maps in use: their size, what stands and lies on them, what it says, and where they lead.

Where items are hidden, and what toggles hide, is not judged: Red hides an item beyond the edge of its map, out of
reach, and has toggles of sprites that are no longer there.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from emulator.cartridge import Cartridge
from emulator.dex.dex import Dex
from emulator.errors import CartridgeError
from emulator.ram.map import Facing
from emulator.soundness import records
from emulator.soundness.check import CartridgeCheck, Invariant, check, is_rewritten, maps_in_use
from emulator.soundness.records import is_name
from emulator.world import tileset
from emulator.world.game_map import LAST_MAP, GameMap, Warp
from emulator.world.header import Connection
from emulator.world.texts import TextKind
from emulator.world.world import World

LONGEST_PLACE: Final = 17


def _sizes(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        sound = here.width and here.height
        yield (
            None if sound else f"map {here.map_id} has no size, or more on it than RAM has room for"
        )


def _tilesets(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        number = here.header.tileset_id
        if number >= tileset.COUNT:
            yield f"map {here.map_id} has tileset {number}; there are {tileset.COUNT}"
        elif not here.tileset.passable:
            yield f"map {here.map_id} has tileset {number}, which has no floor"
        else:
            yield None


def _places(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        warps = [(f"warp {warp.index}", warp.x, warp.y) for warp in here.warps]
        signs = [(f"sign {n}", sign.x, sign.y) for n, sign in enumerate(here.signs)]
        people = [(f"sprite {each.slot}", each.x, each.y) for each in here.people]
        for what, x, y in (*warps, *signs, *people):
            inside = here.contains(x, y)
            yield None if inside else f"{what} of map {here.map_id} is at ({x}, {y}), outside"


def _warps(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for warp in here.warps:
            # Which map the last one outdoors is depends on the way that led here.
            if warp.map_id != LAST_MAP:
                yield _leads_astray(world, here, warp)


def _leads_astray(world: World, here: GameMap, warp: Warp) -> str | None:
    name = f"warp {warp.index} of map {here.map_id}"
    if warp.map_id not in world.map_ids:
        return f"{name} leads to map {warp.map_id}, which does not exist"
    count = len(world.map(warp.map_id).warps)
    if warp.warp_index < count or is_rewritten(world, here, warp):
        return None
    return f"{name} leads to warp {warp.warp_index} of map {warp.map_id}, which has {count}"


def _holes(world: World, _: Dex) -> Iterator[str | None]:
    for landing in world.dungeon_warps:
        known = landing.map_id in world.map_ids
        inside = known and world.map(landing.map_id).contains(landing.x, landing.y)
        where = f"({landing.x}, {landing.y}) of map {landing.map_id}"
        yield None if inside else f"a hole leads to {where}, which does not exist"


def _town_map(world: World, _: Dex) -> Iterator[str | None]:
    maps = maps_in_use(world)
    if any(here.header.town_map for here in maps):
        for here in maps:
            name = here.header.town_map.name if here.header.town_map else ""
            sound = is_name(name, LONGEST_PLACE)
            yield None if sound else f"map {here.map_id} is called {name[:LONGEST_PLACE]!r}"


def _connections(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for connection in here.connections:
            reason = _fault(world, here, connection)
            edge = f"the {_SIDES[connection.side]} edge of map {here.map_id}"
            yield reason and f"{edge} {reason}"


def _fault(world: World, here: GameMap, connection: Connection) -> str | None:
    """Return what is wrong with a connection, if anything."""
    if connection.map_id not in world.map_ids:
        return f"joins map {connection.map_id}, which does not exist"
    there = world.map(connection.map_id)
    back = [each for each in there.connections if each.side is connection.side.opposite]
    if [each.map_id for each in back] != [here.map_id]:
        return f"joins map {there.map_id}, which does not join it"
    if _is_mirrored(connection, back[0], there):
        return None
    return f"joins map {there.map_id} where the way does not lead back"


def _is_mirrored(connection: Connection, back: Connection, there: GameMap) -> bool:
    """Return whether who crosses an edge is at the other's edge, and comes back to the square."""
    if connection.side in (Facing.UP, Facing.DOWN):
        landing, far, along, returning = (
            connection.y_align, there.rows - 1, connection.x_align, back.x_align
        )  # fmt: skip
    else:
        landing, far, along, returning = (
            connection.x_align, there.columns - 1, connection.y_align, back.y_align
        )  # fmt: skip
    edge = far if connection.side in (Facing.UP, Facing.LEFT) else 0
    return landing == edge and not (along + returning) % 0x100


_SIDES: Final = {
    Facing.UP: "north",
    Facing.DOWN: "south",
    Facing.LEFT: "west",
    Facing.RIGHT: "east",
}

MAP_INVARIANTS: Final = (
    Invariant("every map has a size, and RAM has room for all of it", _sizes),
    Invariant("every map has a tileset with floor", _tilesets),
    Invariant("warps, signs and people stand on their map", _places),
    Invariant("every warp lands on a warp of a map that exists", _warps),
    Invariant("every hole leads to a square of a map that exists", _holes),
    Invariant("where there is a town map, every map has its place and name on it", _town_map),
    Invariant("maps that join do so from both sides, and the way leads back", _connections),
)


SHOWN: Final = 18  # of what could be read: a line


def _texts(world: World, _: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        signs = [(f"sign {n}", sign.text_id) for n, sign in enumerate(here.signs)]
        people = [(f"sprite {each.slot}", each.text_id) for each in here.people]
        for who, text_id in (*signs, *people):
            text = here.header.texts.read(text_id)
            fault = f"{who} of map {here.map_id} has text {text_id}, which cannot be read"
            after = f" after {text.words[-SHOWN:]!r}" if text.words else ""
            yield fault + after if text.kind is TextKind.NONSENSE else None


TEXT_INVARIANTS: Final = (Invariant("signs and people say something that can be read", _texts),)


def _items(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        lying = [
            (f"sprite {each.slot}", each.item) for each in here.people if each.item is not None
        ]
        hidden = [
            (f"what is hidden at ({each.x}, {each.y})", each.item)
            for each in here.header.hidden_items
        ]
        for what, item in (*lying, *hidden):
            known = item in dex.all_items
            yield None if known else f"{what} on map {here.map_id} is item {item}, {_MISSING}"


def _wares(world: World, dex: Dex) -> Iterator[str | None]:
    for here in maps_in_use(world):
        for shop in here.header.shops:
            for item in shop.items:
                known = item in dex.all_items
                where = f"sprite {shop.slot} of map {here.map_id}"
                yield None if known else f"{where} sells item {item}, {_MISSING}"
    for item in dex.vending:
        yield None if item in dex.all_items else f"a machine sells item {item}, {_MISSING}"


_MISSING: Final = "which does not exist"

ITEM_INVARIANTS: Final = (
    Invariant("items that lie on maps exist", _items),
    Invariant("shops and machines sell items that exist", _wares),
)


UNSOUND_ADVICE: Final = "copy the image again; another revision of the game is not supported"
INVARIANTS: Final = (
    *MAP_INVARIANTS,
    *records.TRAINER_INVARIANTS,
    *TEXT_INVARIANTS,
    *ITEM_INVARIANTS,
    *records.SPECIES_INVARIANTS,
    *records.TABLE_INVARIANTS,
)


@lru_cache(maxsize=4)
def survey(cartridge: Cartridge) -> tuple[CartridgeCheck, ...]:
    """Decode all of a cartridge and return how it does by each invariant.

    Raises:
        CartridgeError: when the image is so far from a game that a table cannot be decoded at all.
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
