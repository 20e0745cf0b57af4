"""Where the player wakes up after a blackout: the fly landing records of towns."""

from collections.abc import Iterator, Mapping

from world.banks import Place, Placement, pointer
from world.maps import Map
from world.neighbours import view

TABLE = Place(1, 0x6448)
ENTRIES = 13
UNUSED = bytes([0xFF, 0xFF, 0xFF, 0xFF])


def placements(maps: Mapping[int, Map]) -> Iterator[Placement]:
    """Yield the table of towns, followed by a record for each."""
    table, records = b"", b""
    start = TABLE.address + len(UNUSED) * ENTRIES
    for source in maps.values():
        if source.landing is not None:
            x, y = source.landing
            table += bytes([source.id, 0]) + pointer(start + len(records))
            records += pointer(view(source.width, x, y)) + bytes([y, x, y & 1, x & 1])
    table += UNUSED * (ENTRIES - len(table) // len(UNUSED))
    yield Placement(TABLE.offset, table + records, "FlyWarpDataPtr")
