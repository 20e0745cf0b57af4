"""Invariants of the maps in use: their size, what stands on them, and where they lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from emulator.dex.dex import Dex
from emulator.ram.map import Facing
from emulator.soundness.check import Invariant
from emulator.soundness.reach import is_rewritten, maps_in_use
from emulator.soundness.tables import is_name
from emulator.world import tileset
from emulator.world.game_map import LAST_MAP, GameMap, Warp
from emulator.world.header import Connection
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
    if any(here.town_map for here in maps):
        for here in maps:
            name = here.town_map.name if here.town_map else ""
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

INVARIANTS: Final = (
    Invariant("every map has a size, and RAM has room for all of it", _sizes),
    Invariant("every map has a tileset with floor", _tilesets),
    Invariant("warps, signs and people stand on their map", _places),
    Invariant("every warp lands on a warp of a map that exists", _warps),
    Invariant("every hole leads to a square of a map that exists", _holes),
    Invariant("where there is a town map, every map has its place and name on it", _town_map),
    Invariant("maps that join do so from both sides, and the way leads back", _connections),
)
