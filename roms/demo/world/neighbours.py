"""Connections between maps: connection records, and the arrival records of warps.

Both refer to the live block map of the contract: blocks with three blocks of border all around.
"""

from collections.abc import Mapping

from world.banks import Place, pointer
from world.errors import WorldError
from world.maps import Connection, Map

LIVE_BLOCKS = 0xC6E8  # wOverworldMap
BORDER = 3
OPPOSITE = {"north": "south", "south": "north", "west": "east", "east": "west"}


def stride(width: int) -> int:
    """Return the bytes of one row of the live block map."""
    return width + 2 * BORDER


def view(width: int, x: int, y: int) -> int:
    """Return the block at the top left of the screen when the player is at step (x, y)."""
    # The player stands four steps, two blocks, from the screen's edge; the map begins after the border.
    return LIVE_BLOCKS + (y // 2 + BORDER - 2) * stride(width) + x // 2 + BORDER - 2


def arrival(width: int, x: int, y: int) -> bytes:
    """Return the arrival record of a warp at (x, y)."""
    return pointer(view(width, x, y)) + bytes([y, x])


def record(here: Map, connection: Connection, there: Map, blocks: Place) -> bytes:
    """Return the 11 bytes that join `here` to `there`, whose blocks lie at `blocks`."""
    if connection.direction in ("north", "south"):
        strip = _vertical(here, connection, there)
    else:
        strip = _horizontal(here, connection, there)
    source, target, length, y, x, seen_from = strip
    return (
        bytes([there.id])
        + pointer(blocks.address + source)
        + pointer(LIVE_BLOCKS + target)
        + bytes([length, there.width, y & 0xFF, x & 0xFF])
        + pointer(seen_from)
    )


def _vertical(here: Map, connection: Connection, there: Map) -> tuple[int, ...]:
    shift = connection.offset
    skipped, column, length = _overlap(here.width, there.width, shift)
    if connection.direction == "north":
        source, row, y = there.width * (there.height - BORDER), 0, 2 * there.height - 1
    else:
        source, row, y = 0, here.height + BORDER, 0
    target = row * stride(here.width) + column
    return source + skipped, target, length, y, -2 * shift, view(there.width, 0, y)


def _horizontal(here: Map, connection: Connection, there: Map) -> tuple[int, ...]:
    shift = connection.offset
    skipped, row, length = _overlap(here.height, there.height, shift)
    if connection.direction == "west":
        source, column, x = there.width - BORDER, 0, 2 * there.width - 1
    else:
        source, column, x = 0, here.width + BORDER, 0
    target = row * stride(here.width) + column
    source += there.width * skipped
    return source, target, length, -2 * shift, x, view(there.width, x, 0)


def _overlap(here: int, there: int, shift: int) -> tuple[int, int, int]:
    """Return how many blocks of the strip to skip, where it lands, and its length."""
    start = shift + BORDER
    skipped = max(0, -start)
    length = min(there, here + BORDER - shift) - skipped
    return skipped, max(0, start), length


def check(maps: Mapping[int, Map]) -> None:
    """Raise a WorldError unless every warp and connection has a target and every connection leads back."""
    for here in maps.values():
        for warp in here.warps:
            there = maps.get(warp.target)
            if warp.target != 0xFF and (there is None or warp.entrance >= len(there.warps)):
                message = f"maps/{here.name}.toml: no map {warp.target} with a warp {warp.entrance}"
                raise WorldError(message)
        for connection in here.connections:
            _check_way_back(here, connection, maps)


def _check_way_back(here: Map, connection: Connection, maps: Mapping[int, Map]) -> None:
    there = maps.get(connection.target)
    back = Connection(OPPOSITE[connection.direction], here.id, -connection.offset)
    if there is None or back not in there.connections:
        message = f"maps/{here.name}.toml: its {connection.direction} connection does not lead back"
        raise WorldError(message)
